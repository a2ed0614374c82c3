package audit_test

import (
	"context"
	"testing"

	"github.com/agit-suite/agit/agit/internal/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
)

func TestUnknownFoldersAndWorktrees(t *testing.T) {
	f := worktreetest.New(t)
	f.Spawn(spawn.Request{Task: "x"})
	f.Main.Git("worktree", "add", "--quiet", "-b", "by-hand", f.Main.Path(".worktrees/by hand"))
	f.Main.At(f.Main.Path(".worktrees/by hand")).Write("new", "n")
	f.Main.Write(".worktrees/stray/file", "whose?")
	found, err := f.Audits.Check(context.Background(), "app")
	if err != nil || len(found) != 2 {
		t.Fatalf("%+v %v", found, err)
	}
	for _, finding := range found {
		worktreetest.Must(t, finding.Fix(context.Background()))
	}
	f.Sound()
	byHand, err := f.Worktrees.Get(context.Background(), "app", "by-hand")
	if err != nil || byHand.Status != worktree.Active {
		t.Error(byHand, err)
	}
	trash, err := f.Removals.Trash(context.Background(), "app")
	if err != nil || len(trash) != 1 {
		t.Fatal(trash, err)
	}
	if _, err := f.Removals.Restore(context.Background(), "", trash[0].Worktree.Ref); err != nil || f.Main.Read(".worktrees/stray/file") != "whose?" {
		t.Error(err)
	}
}
