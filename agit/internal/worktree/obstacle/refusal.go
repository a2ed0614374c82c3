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
	Obstacles []Obstacle
	fault     *fault.Fault
}

// Error is the fault's sentence.
func (r *Refusal) Error() string { return r.fault.Error() }

// Unwrap returns the fault.
func (r *Refusal) Unwrap() error { return r.fault }

// FolderHint is the hint where the registry and a worktree's folder do not agree.
const FolderHint = "`agit doctor` shows what to do; for a worktree that agit made, --fix notes where its folder is now, or takes it off the lists"

// ModuleHint is the hint for work inside submodules.
const ModuleHint = "commit and push inside the submodule first, then commit the submodule itself"

// BranchHint is the hint where a worktree's branch does not exist.
const BranchHint = "`agit doctor` names the command that makes the branch again"

type hint struct {
	kind Kind
	text string
}

// hints are what to do about obstacles, the most important kind first, but never how to discard work.
var hints = []hint{
	{Disagreement, FolderHint},
	{NoBranch, BranchHint},
	{InProgress, "finish that first"},
	{OtherBranch, "switch it to its own branch with `git switch`, and merge there what was committed elsewhere"},
	{DefaultTree, "check out the worktree's own branch there"},
	{Shared, "check out the worktree's own branch there"},
	{Locked, "unlock it if the reason no longer holds"},
	{Submodule, ModuleHint},
	{Uncommitted, "commit what is to be kept"},
	{Untracked, "commit these files if they belong to the work, or move them out of the worktree"},
	{Precious, "copy what is to be kept out of the worktree"},
	{Unmerged, "`agit merge` merges it"},
	{AtWork, "wait until it is idle"},
}

// Refuse turns obstacles into one error that names them all; nil for none.
func Refuse(w worktree.Worktree, verb string, obstacles []Obstacle) error {
	if len(obstacles) == 0 {
		return nil
	}
	var texts []string
	kinds := map[Kind]bool{}
	for _, o := range obstacles {
		texts, kinds[o.Kind] = append(texts, o.Text), true
	}
	f := worktree.Conflictf(w, "worktree %q was not %s: %s", w.Ref, verb, strings.Join(texts, "; "))
	f = f.WithHint("%s", hints[slices.IndexFunc(hints, func(h hint) bool { return kinds[h.kind] })].text)
	if len(kinds) == 1 && kinds[AtWork] {
		f = f.Retry()
	}
	return &Refusal{obstacles, f}
}
