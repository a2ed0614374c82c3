package conflict

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
)

// A worktree that git moved takes part once: as itself, at its new place.
func TestMoved(t *testing.T) {
	t.Parallel()
	here := t.TempDir()
	g := &git.Repo{CommonDir: t.TempDir()}
	if err := os.MkdirAll(filepath.Join(g.CommonDir, "worktrees", "first"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := checkout.NoteOwner(g, "first", "w-3"); err != nil {
		t.Fatal(err)
	}
	rows, others := moved(g,
		[]Worktree{{Ref: "w-3", Branch: "c", Path: "/gone/second"}, {Ref: "w-1", Branch: "a", Path: "/gone/a"}, {Ref: "w-2", Branch: "b", Path: here}},
		[]Worktree{{Ref: "main", Branch: "a", Path: "/main", Main: true}, {Ref: "review", Branch: "a", Path: "/review"}, {Ref: "a", Branch: "a", Path: "/far"}, {Ref: "b2", Branch: "b", Path: "/b2"}, {Ref: "none", Path: "/none"}, {Ref: "first", Branch: "c", Path: "/third"}})
	got := map[string][]string{}
	for _, w := range rows {
		got["rows"] = append(got["rows"], w.Ref+" "+w.Path)
	}
	for _, w := range others {
		got["others"] = append(got["others"], w.Ref)
	}
	if diff := cmp.Diff(map[string][]string{"rows": {"w-3 /third", "w-1 /far", "w-2 " + here}, "others": {"main", "review", "b2", "none"}}, got); diff != "" {
		t.Error(diff)
	}
}
