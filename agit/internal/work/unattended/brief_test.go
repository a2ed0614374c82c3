package unattended

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
)

// refused is a fault of a landing that met a conflict or a red gate.
type refused struct {
	error
	conflict *land.MergeConflict
	red      *land.GateFailure
}

func (r refused) Unwrap() error { return r.error }

func (r refused) As(target any) bool {
	switch to := target.(type) {
	case **land.MergeConflict:
		*to = r.conflict
		return r.conflict != nil
	case **land.GateFailure:
		*to = r.red
		return r.red != nil
	}
	return false
}

// The text that a client reads: the brief of a task that no one watches, of work that could not land, and of a session that was interrupted.
func TestBriefs(t *testing.T) {
	t.Parallel()
	of := func(gate ...string) brief.Brief {
		return brief.Brief{Action: "Do task T-1 now, then finish.", Task: &brief.Task{ID: "T-1", Name: "Sort the list", Priority: "high", Agent: "ann"}, Gate: gate, Land: worktree.LandReview,
			Worktree: &brief.Worktree{ID: "w-1", Path: "/trees/one", Branch: "agit/sort", Into: "main branch"}, Notes: []string{"mind the gap"}}
	}
	conflict := refused{error: fault.Conflict("worktree", "w-1", "main changed a.go too"), conflict: &land.MergeConflict{Worktree: "w-1", Files: []string{"a.go", "b.go"}, Others: []land.Overlap{
		{Worktree: "w-2", Agent: "bob", Branch: "agit/bob", Merged: true, Files: []string{"a.go"}}, {Worktree: "w-3", Branch: "agit/c", Files: []string{"a.go", "b.go"}}}}}
	red := refused{error: fault.Operation(nil, "the gate is red"), red: &land.GateFailure{Command: "make test", Lines: []string{"FAIL one", strings.Repeat("x", 3000)}}}
	var s strings.Builder
	show := func(title, text string) { s.WriteString("==== " + title + "\n" + strings.TrimRight(text, "\n") + "\n") }
	instructed := func(title string, b brief.Brief, last Attempt, o Options) {
		instruct(&b, last, o)
		show(title, b.Text())
	}
	instructed("with a gate", of("make test"), Attempt{}, Options{})
	instructed("what is left stays, and a person looks", of(), Attempt{}, Options{Leave: true, Land: worktree.LandReview})
	instructed("it lands, after a failure", of(), Attempt{Agent: "bob", State: Failed, Why: "its tests fail\nall of them"}, Options{Land: worktree.LandGate})
	instructed("after a stop", of(), Attempt{Agent: "ann", State: Stopped, Why: "it was stopped"}, Options{})
	instructed("after a kill", of(), Attempt{Agent: "ann", State: Lost, Why: "its `agit work` was killed"}, Options{})
	instructed("after work that was handed back", of(), Attempt{Agent: "ann", State: Returned, Why: "the gate is red"}, Options{})
	instructed("after a stop without a reason", of(), Attempt{Agent: "ann", State: Stopped}, Options{})
	show("a conflict", handBack(of("make test", "make lint"), Conflict, conflict))
	far := of("make test")
	far.Worktree.Into, far.Worktree.Remote = "main", "origin"
	show("a conflict with a remote's branch", handBack(far, Conflict, conflict))
	show("a red gate", handBack(of("make test"), Gate, red))
	show("another refusal, without a gate", handBack(of(), Gate, fault.Conflict("worktree", "w-1", "a merge is under way")))
	show("it goes on", goOn(of(), Attempt{Why: "it was stopped\nby a person"}))
	clitest.Golden(t, filepath.Join("testdata", "briefs.txt"), s.String())
}
