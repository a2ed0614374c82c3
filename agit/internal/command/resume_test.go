package command

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
)

// TestTheOnly: in the main checkout the only session is opened, and of none and of several the fault names what there is.
func TestTheOnly(t *testing.T) {
	t.Parallel()
	one := resumable{worktree.Worktree{Ref: "w-1", Agent: "ann"}, "claude"}
	two := resumable{worktree.Worktree{Ref: "w-2", Agent: "bob"}, "codex"}
	if w, err := theOnly("app", []resumable{one}); err != nil || w.Ref != "w-1" {
		t.Errorf("%+v, %v", w, err)
	}
	for want, c := range map[string]struct {
		all  []resumable
		kind fault.Kind
	}{
		"no worktree of \"app\" has a session that can be resumed; `agit work` leaves one where its run is over; `memoryd history` lists the sessions that people began": {nil, fault.KindNotFound},
		"2 worktrees of \"app\" have a session that can be resumed: w-1 (claude of ann), w-2 (codex of bob); name one, as in `agit resume w-2`":                          {[]resumable{one, two}, fault.KindValidation},
	} {
		if _, err := theOnly("app", c.all); err == nil || err.Error() != want || !fault.Is(err, c.kind) {
			t.Errorf("%v", err)
		}
	}
}
