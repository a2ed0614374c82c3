package worker

import (
	"fmt"

	"github.com/agit-suite/agit/shared/text"
)

// Verdict is what a run is worth.
type Verdict struct {
	Good bool   // there is work to land
	Why  string // one sentence on what went wrong, or on what is to be known
	Dirt bool   // it is good but for what is not committed
}

// Judge decides on a run by how it ended, what its client said last, and the state of its folder before and after. branch is
// the one that the work belongs on.
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
	dirty := text.Few(after.Paths())
	switch {
	case o.Ending != Exited || o.Status != 0:
		return Verdict{Why: o.String()}
	case o.Said.Sentence() != "":
		return Verdict{Why: o.Said.Sentence()}
	case moved != "":
		return Verdict{Why: moved}
	case after.Head == before.Head && dirty == "":
		return Verdict{Why: "it ended with exit status 0, but committed nothing and changed nothing"}
	case after.Head == before.Head:
		return Verdict{Why: "it ended with exit status 0, but committed nothing; it left changes in " + dirty, Dirt: true}
	case dirty != "":
		return Verdict{Why: "it committed, but left changes in " + dirty, Dirt: true}
	}
	return Verdict{Good: true}
}
