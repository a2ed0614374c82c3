package obstacle

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
)

// Refusal is the reason why an operation on a worktree was not begun; nothing was changed. Its chain holds the *fault.Fault of kind
// Conflict that people see.
type Refusal struct {
	Worktree  string
	Obstacles []Obstacle
	fault     *fault.Fault
}

// Error is the fault's sentence.
func (r *Refusal) Error() string { return r.fault.Error() }

// Unwrap returns the fault.
func (r *Refusal) Unwrap() error { return r.fault }

// FolderHint is the hint where the registry and a worktree's folder do not agree.
const FolderHint = "`agit doctor` shows what to do; with --fix it notes where a folder that was moved is now, and takes one that was deleted off the lists"

// ModuleHint is the hint for work inside submodules.
const ModuleHint = "commit and push inside the submodule first, then commit the submodule itself"

// BranchHint is the hint where a worktree's branch does not exist.
const BranchHint = "`agit doctor` names the command that makes the branch again"

// hintFor returns what to do about obstacles, but never how to discard work.
func hintFor(obstacles []Obstacle) string {
	kinds := map[Kind]bool{}
	for _, o := range obstacles {
		kinds[o.Kind] = true
	}
	switch {
	case kinds[Disagreement]:
		return FolderHint
	case kinds[NoBranch]:
		return BranchHint
	case kinds[OtherBranch]:
		return "switch it to its own branch with `git switch`, and merge there what was committed elsewhere"
	case kinds[DefaultTree], kinds[Shared]:
		return "check out the worktree's own branch there"
	case kinds[Locked]:
		return "unlock it if the reason no longer holds"
	case kinds[InProgress]:
		return "finish that first"
	case kinds[Submodule]:
		return ModuleHint
	case kinds[Uncommitted]:
		return "commit what is to be kept"
	case kinds[Untracked]:
		return "commit these files if they belong to the work, or move them out of the worktree"
	case kinds[Precious]:
		return "copy what is to be kept out of the worktree"
	case kinds[Unmerged]:
		return "`agit merge` merges it"
	}
	return "wait until it is idle"
}

// Refuse turns obstacles into one error that names them all; nil for none.
func Refuse(w worktree.Worktree, verb string, obstacles []Obstacle) error {
	if len(obstacles) == 0 {
		return nil
	}
	var texts []string
	for _, o := range obstacles {
		texts = append(texts, o.Text)
	}
	f := worktree.Conflictf(w, "worktree %q was not %s: %s", w.Ref, verb, strings.Join(texts, "; "))
	f = f.WithHint("%s", hintFor(obstacles))
	if !slices.ContainsFunc(obstacles, func(o Obstacle) bool { return o.Kind != AtWork }) {
		f = f.Retry()
	}
	return &Refusal{w.Ref, obstacles, f}
}
