package overview

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/conflict"
)

// Sides of one agent have the names of their worktrees: "with ann" would say nothing to ann.
func TestConflictNeedsNameSides(t *testing.T) {
	side := func(name, agent string) Side { return Side{Name: name, Worktree: "w-" + name, Agent: agent} }
	for want, sides := range map[string][]Side{
		"login.go with bob":          {side("login", "ann"), side("sso", "bob")},
		"login.go with export":       {side("login", "ann"), side("export", "ann")},
		"login.go with export, bob":  {side("login", "ann"), side("export", "ann"), side("sso", "bob")},
		"login.go with export, menu": {side("login", "ann"), side("export", "bob"), side("menu", "bob")},
		"login.go with main":         {side("login", "ann"), {Name: "main"}},
		"login.go with left, main":   {side("login", "ann"), side("left", ""), {Name: "main"}},
	} {
		needs := conflictNeeds([]Conflict{{File: "login.go", Depth: conflict.DepthMerge, Sides: sides}})
		if len(needs) != 1 || needs[0].Reason != want || needs[0].Conflict == nil {
			t.Errorf("needs are %+v, want %q", needs, want)
		}
	}
}
