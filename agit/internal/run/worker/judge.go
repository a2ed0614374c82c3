package worker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/ending"
	"github.com/agit-suite/agit/shared/text"
)

// Verdict is the judgement of a run.
type Verdict struct {
	Good bool   // there is work to land
	Why  string // one sentence: the fault, or a remark
	Dirt bool   // good except for uncommitted changes
}

// Judge decides on a run by how it ended, its client's last report, and the state of its folder before and after. branch is the branch
// that must hold the work.
func Judge(o Outcome, branch string, before, after Tree) Verdict {
	var moved string
	switch {
	case after.Branch == "" && after.Head != before.Head:
		moved = fmt.Sprintf("it left HEAD detached at %.10s, past the branch %s", after.Head, branch)
	case after.Branch != "" && after.Branch != branch:
		moved = fmt.Sprintf("it left the branch %s checked out instead of %s", after.Branch, branch)
	case after.Busy != "":
		moved = fmt.Sprintf("it left %s half done", after.Busy)
	}
	dirty, how := text.Few(after.Paths()), "it ended with exit status 0"
	if o.Spoke {
		how = "it ended its turn"
	}
	switch {
	case o.Ending != Exited || o.Signal != "":
		return Verdict{Why: o.String()}
	case o.Said.Failed != "" && o.Status != 0:
		return Verdict{Why: fmt.Sprintf("%s (exit status %d)", o.Said.Sentence(), o.Status)}
	case o.Status != 0:
		return Verdict{Why: o.String()}
	case o.Said.Sentence() != "":
		return Verdict{Why: o.Said.Sentence()}
	case moved != "":
		return Verdict{Why: moved}
	case after.Head == before.Head && dirty == "":
		return Verdict{Why: how + ", but committed nothing and changed nothing"}
	case after.Head == before.Head:
		return Verdict{Why: how + ", but committed nothing; it left changes in " + dirty, Dirt: true}
	case dirty != "":
		return Verdict{Why: "it committed, but left changes in " + dirty, Dirt: true}
	}
	return Verdict{Good: true}
}

// Reason returns why a run ended, and when a limit is lifted if that is known. The worktree's state does not matter here: a run without
// a fault is Done.
func (o Outcome) Reason(now time.Time) (k ending.Kind, until time.Time) {
	switch {
	case o.Ending == Limited:
		return ending.TimeLimit, until
	case o.Ending == Idled:
		return ending.Silence, until
	case o.Ending != Exited:
		return "", until
	case o.Said.Failed != "":
		k, until = ending.Read(ending.Report{Text: o.Said.Failed, Name: o.Said.Code, Status: o.Said.Status, Until: o.Said.Until}, now)
	case o.Status == 0 && o.Signal == "" && (o.Said.Final || !o.Said.Knows):
		return ending.Done, until
	case o.Status != 0 && !o.Said.Final:
		// A client that fails before its first event, and a program of the user's own, explain the failure in their last lines. Only
		// causes that are independent of the task are accepted there, because a test may print the same words.
		k, until, _ = o.printedCause(now)
	}
	k = cmp.Or(k, ending.Crash)
	return k, until
}

// printedCause searches the last lines of a program for a cause that is independent of the task. line is the one that contains it; "" for
// none.
func (o Outcome) printedCause(now time.Time) (k ending.Kind, until time.Time, line string) {
	for _, line := range slices.Backward(o.Last[max(0, len(o.Last)-believed):]) {
		if k, until = ending.Read(ending.Report{Text: line, Printed: true}, now); k.Blameless() {
			return k, until, strings.TrimSpace(line)
		}
	}
	return "", time.Time{}, ""
}

// believed is how many of a program's last lines are searched for the cause of a failure.
const believed = 3
