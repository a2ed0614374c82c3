package forge

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
)

// A worktree of a pull request is on its branch and follows it; the second call returns the first's. That of a fork follows no pull
// request, and reports that.
func TestSpawn(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	spawns := &spawn.Store{Trees: f.store.Trees}
	f.Main.Git("push", "-q", "origin", "main:refs/heads/fix/login")
	f.Main.Git("push", "-q", "origin", "main:refs/pull/9/head")
	f.hub.PullRequest = PullRequest{Number: 7, URL: "https://github.com/acme/app/pull/7", State: Open, Target: "main"}
	f.hub.of = source{Title: "Mend the login", Branch: "fix/login", Ref: "refs/pull/7/head"}
	var told []string
	notice := func(text string) { told = append(told, text) }
	w, err := f.store.Spawn(t.Context(), spawns, spawn.Request{Repo: "app", Agent: "ann"}, 7, notice)
	worktreetest.Must(t, err)
	list, err := f.store.List(t.Context(), "app", "")
	worktreetest.Must(t, err)
	if w.Branch != "fix/login" || w.Agent != "ann" || w.Reused || len(list) != 1 || list[0].Worktree != w.Ref {
		t.Errorf("%+v, %+v", w, list)
	}
	again, err := f.store.Spawn(t.Context(), spawns, spawn.Request{Repo: "app"}, 7, notice)
	worktreetest.Must(t, err)
	if again.Ref != w.Ref || !again.Reused || again.Note != "pull request #7 has this worktree already; none was made" {
		t.Errorf("again: %+v", again)
	}

	f.hub.of = source{Title: "From a fork", Branch: "main", Foreign: true, Ref: "refs/pull/9/head"}
	_, err = f.store.Spawn(t.Context(), spawns, spawn.Request{Repo: "app"}, 9, notice)
	worktreetest.Must(t, err)
	if list, err = f.store.List(t.Context(), "app", ""); err != nil || len(list) != 1 {
		t.Errorf("a fork's is followed: %+v, %v", list, err)
	}
	want := []string{"pull request #7: Mend the login", "pull request #9: From a fork",
		"its branch is in another repository: `agit pr` would open another pull request for the commits made here"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}

	for number, branch := range map[int64]string{7: "x", 0: ""} {
		if _, err := f.store.Spawn(t.Context(), spawns, spawn.Request{Repo: "app", Branch: branch}, number, notice); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%d with branch %q: %v", number, branch, err)
		}
	}
}
