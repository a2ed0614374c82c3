package command

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/google/go-cmp/cmp"
)

func TestChoicesOf(t *testing.T) {
	t.Parallel()
	at := func(path, ref, agent, task string) overview.WorktreeStatus {
		return overview.WorktreeStatus{Worktree: worktree.Worktree{Path: "/app/.worktrees/" + path, Ref: ref, Agent: agent, Task: task, Status: worktree.Active}}
	}
	one := overview.RepoStatus{Worktrees: []overview.WorktreeStatus{at("login-k2m4x9", "w-1", "ann", "Add a\tlogin page"), at("x-k2m4x8", "w-2", "", ""), at("gone", "w-3", "bob", "")}}
	one.Name = "app"
	one.Worktrees[2].Missing = true
	want := []sibling.Choice{{Key: "w-1", Text: "login  ann  Add a login page"}, {Key: "w-2", Text: "x"}}
	if diff := cmp.Diff(want, choicesOf([]overview.RepoStatus{one}, time.Now())); diff != "" {
		t.Error(diff)
	}
	two := overview.RepoStatus{Worktrees: []overview.WorktreeStatus{at("login-k2m4x9", "w-4", "", "")}}
	two.Name = "web"
	got := choicesOf([]overview.RepoStatus{one, two}, time.Now())
	if len(got) != 3 || got[2] != (sibling.Choice{Key: "w-4", Text: "web/login"}) {
		t.Errorf("%+v", got)
	}
}
