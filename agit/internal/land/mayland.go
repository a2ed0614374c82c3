package land

import (
	"fmt"

	"github.com/agit-suite/agit/agit/internal/worktree"
)

// Asker is the person or program that asks for a decision reserved for a person. The zero value is a person.
type Asker struct {
	Agent string // the agent's name in the call
	Run   string // the run of an agent's client that it came from
	Tool  bool   // it came over MCP
}

// Person reports whether a person asks.
func (a Asker) Person() bool { return a == Asker{} }

// String names the asker for a sentence that continues with "may not".
func (a Asker) String() string {
	switch {
	case a.Agent != "":
		return fmt.Sprintf("agent %q", a.Agent)
	case a.Run != "":
		return "a run of an agent's client"
	case a.Tool:
		return "a client over MCP"
	}
	return "a person"
}

// MayDecide refuses a decision on a review by anyone but a person, unless the user allows agents to decide. what is the decision, as in
// "accepted".
func MayDecide(a Asker, set worktree.Settings, w worktree.Worktree, what string) error {
	if a.Person() || set.ByAgents {
		return nil
	}
	return worktree.Conflictf(w, "the work in worktree %q waits for a person: %s may not have it %s", w.Ref, a, what).
		WithHint("leave it to a person, who sees it in `agit review`; `agit begin` takes the next task")
}

// mayLand decides whether the asker may land a worktree. Only a person lands work that waits for a review (waits), or that the
// configuration leaves for review or in its worktree. Where work lands by pull requests it does not land here, unless a person explicitly
// asks for that (here).
func mayLand(a Asker, set worktree.Settings, w worktree.Worktree, waits, here bool) error {
	switch {
	case set.Land == worktree.LandPR && !here:
		return worktree.Conflictf(w, "worktree %q was not merged: land is %q here, so that its forge merges it", w.Ref, set.Land).
			WithHint("merge its pull request there, which `agit finish %s` opens where none is open; with --land gate a person lands it here", w.Ref)
	case waits:
		return MayDecide(a, set, w, "landed")
	case !set.LandSet || set.Land == worktree.LandGate || a.Person() || set.ByAgents:
		return nil
	}
	return worktree.Conflictf(w, "worktree %q was not merged: land is %q here, so that a person lands work, and %s may not", w.Ref, set.Land, a).
		WithHint("`agit finish %s` shows it to a person", w.Ref)
}
