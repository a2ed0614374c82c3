package overview

import (
	"strings"
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

// What waits for a person says what to do about it, with a command that can be typed.
func TestNeedsSayWhatToDo(t *testing.T) {
	one := Need{Worktree: "w-1", Task: "t-1"}
	between := &Conflict{Sides: []Side{{Name: "login", Worktree: "w-1"}, {Name: "sso", Worktree: "w-2"}}}
	behind := &Conflict{Sides: []Side{{Name: "login", Worktree: "w-1"}, {Name: "trunk"}}}
	odd := &Conflict{Sides: []Side{{Name: "login", Worktree: "w-1"}, {Name: "a$(b)"}}}
	for _, tc := range []struct {
		kind     Kind
		on       []string
		conflict *Conflict
		want     string
	}{
		{NeedAnswer, nil, nil, "in the window"},
		{NeedReview, nil, nil, "`agit review w-1 --accept`"},
		{NeedLanding, nil, nil, "`agit merge w-1`"},
		{NeedConflict, nil, between, "land one of them"},
		{NeedConflict, nil, behind, "`git merge trunk`"},
		{NeedConflict, nil, odd, "`git merge 'a$(b)'`"},
		{NeedBlocked, []string{"BUG-1", "BUG-2"}, nil, "`agit bug set BUG-1 fixed`"},
		{NeedBlocked, nil, nil, "`agit tasks unblock t-1`"},
		{NeedFailed, nil, nil, "`agit tasks reopen t-1`"},
	} {
		one.Kind, one.Conflict = tc.kind, tc.conflict
		if got := one.next(tc.on); !strings.Contains(got, tc.want) {
			t.Errorf("of %s it says %q, want %q", tc.kind, got, tc.want)
		}
	}
}
