package forge

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
)

// An open pull request's commits are fetched: into the remote's branch, or into pr/NUMBER where the branch is in another repository. A
// worktree of it is followed like that of a pull request which agit opened, and is found again.
func TestBring(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.Main.Git("push", "-q", "origin", "main:refs/heads/fix/login")
	f.Main.Commit("From a fork", "fork.txt", "x\n")
	f.Main.Git("push", "-q", "origin", "main:refs/pull/9/head")
	fork := f.Main.Head()
	f.hub.PullRequest = PullRequest{Number: 7, URL: "https://github.com/acme/app/pull/7", State: Open, Target: "main"}
	f.hub.of = source{Title: "Mend the login\nand more", Branch: "fix/login", Ref: "refs/pull/7/head"}
	b, err := f.store.Bring(t.Context(), "app", 7)
	worktreetest.Must(t, err)
	if b.Remote != "origin/fix/login" || b.Branch != "fix/login" || b.Foreign || b.Title != "Mend the login and more" || b.There.Ref != "" {
		t.Errorf("%+v", b)
	}
	w := f.Spawn(spawn.Request{Branch: b.Remote})
	worktreetest.Must(t, f.store.Follows(t.Context(), w, b))
	list, err := f.store.List(t.Context(), "app", "")
	worktreetest.Must(t, err)
	if w.Branch != "fix/login" || len(list) != 1 || list[0].Number != 7 || list[0].Worktree != w.Ref {
		t.Errorf("%+v follows %+v", list, w)
	}
	if again, err := f.store.Bring(t.Context(), "app", 7); err != nil || again.There.Ref != w.Ref {
		t.Errorf("again: %+v, %v", again.There, err)
	}

	f.hub.of = source{Title: "x", Branch: "main", Foreign: true, Ref: "refs/pull/9/head"}
	b, err = f.store.Bring(t.Context(), "app", 9)
	worktreetest.Must(t, err)
	if b.Remote != "origin/pr/9" || !b.Foreign || f.Main.Git("rev-parse", "refs/remotes/origin/pr/9") != fork {
		t.Errorf("of a fork: %+v", b)
	}
	f.hub.of.Ref = ""
	_, err = f.store.Bring(t.Context(), "app", 10)
	worktreetest.Contains(t, err, "does not provide")

	f.hub.PullRequest.State = Merged
	if _, err := f.store.Bring(t.Context(), "app", 8); !fault.Is(err, fault.KindConflict) {
		t.Errorf("merged: %v", err)
	}
	if _, err := f.store.Bring(t.Context(), "app", 0); !fault.Is(err, fault.KindValidation) {
		t.Errorf("0: %v", err)
	}
}
