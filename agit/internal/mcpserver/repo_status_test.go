package mcpserver

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree"
)

// A status tells an agent which landing its gate refused, in few bytes.
func TestStatusTellsLandings(t *testing.T) {
	w := newWorld(t)
	var state repoState
	w.must("agit_repo_status", args{"repo": "app"}, &state)
	if state.Landings == nil || len(state.Landings) != 0 {
		t.Errorf("before any: %+v", state.Landings)
	}
	var tree worktree.Worktree
	w.must("agit_spawn_worktree", args{"repo": "app", "agent": "ann"}, &tree)
	at := w.repo.At(tree.Path)
	at.Write("new.txt", "new\n")
	at.Commit("work")
	gate := "exit 3 # " + strings.Repeat("x", 500)
	if _, err := w.stores.Landings.Land(t.Context(), land.Request{Repo: "app", Worktree: tree.Ref, Gate: []string{gate}}); err == nil {
		t.Fatal("a red gate let it land")
	}
	w.must("agit_repo_status", args{"repo": "app"}, &state)
	if len(state.Landings) != 1 {
		t.Fatalf("got %+v", state.Landings)
	}
	l := state.Landings[0]
	if l.Worktree != tree.Ref || l.State != land.Returned || l.GateResult != land.GateFailed || l.Reason == "" || len(l.Reason)+len(l.Gate[0]) > 500 || l.TestedTree+l.TargetCommit != "" {
		t.Errorf("got %+v", l)
	}
}
