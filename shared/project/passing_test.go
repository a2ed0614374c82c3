package project_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/project"
)

func TestPassing(t *testing.T) {
	home, temporary := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("TMPDIR", temporary)
	inside := filepath.Join(home, "work")
	if err := os.Mkdir(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]bool{home: true, temporary: true, "/": true, inside: false, filepath.Join(home, "none"): false} {
		if got := project.Passing(folder); got != want {
			t.Errorf("%s: %t, want %t", folder, got, want)
		}
	}
	r := gittest.New(t)
	t.Setenv("HOME", r.Dir)
	if project.Passing(r.Dir) {
		t.Error("a repository is a project, wherever it is")
	}
}
