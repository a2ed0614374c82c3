package scan

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/agit-suite/agit/shared/git"
)

func BenchmarkLab(b *testing.B) {
	repo, err := git.Find(os.Getenv("LAB"))
	if err != nil {
		b.Skip(err)
	}
	settings, err := LoadSettings(b.Context(), repo)
	if err != nil {
		b.Fatal(err)
	}
	tree := &Tree{Repo: repo, Load: func(context.Context) (*Settings, error) { return settings, nil }}
	s, err := tree.Scan(b.Context(), nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	fmt.Println(len(s.Work), s.Settled, s.Tree)
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			tree.Unchanged(b.Context(), s)
		}
	})
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			tree.Scan(b.Context(), nil, nil)
		}
	})
}
