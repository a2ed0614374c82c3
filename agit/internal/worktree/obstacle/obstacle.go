// Package obstacle finds out what stands in the way of removing or merging a worktree: that registry, git and folder disagree,
// work that would be lost, or an agent at work. It changes nothing. Its callers,
// packages remove and land, decide what follows from an obstacle.
//
// obstacle.go has the kinds of obstacles, proof.go has Identify (is it the worktree it seems to be?) and ProveRemovable (all of it); content.go
// looks at files, ignored.go at those that git ignores and nothing can make again, unmerged.go at commits, atwork.go and occupants_*.go
// at agents and processes; refusal.go turns obstacles into the error that people see.
package obstacle

import "slices"

// Obstacle is one reason why a worktree is not removed or merged.
type Obstacle struct {
	Kind  Kind     `json:"kind"`
	Text  string   `json:"text"` // a clause: "2 files are not committed: a.go, b.go"
	Paths []string `json:"paths,omitempty"`
}

// Kind is the sort of thing that stands in the way.
type Kind string

// The kinds. The first group means that the folder is not what the registry takes it for, or is in the middle of something; nothing
// overrides these. The others are work that would leave the folder, or an agent at it.
const (
	Disagreement Kind = "disagreement" // registry, git and folder disagree
	OtherBranch  Kind = "other_branch" // it has another branch checked out, or none
	NoBranch     Kind = "no_branch"    // its branch does not exist
	DefaultTree  Kind = "default_branch"
	Shared       Kind = "shared_branch"
	Locked       Kind = "locked"
	InProgress   Kind = "in_progress" // a merge, rebase, …

	Uncommitted Kind = "uncommitted"
	Untracked   Kind = "untracked"
	Precious    Kind = "precious" // ignored by git, and nothing can make it again
	Submodule   Kind = "submodule"
	Unmerged    Kind = "unmerged"
	AtWork      Kind = "at_work"
)

// Absolute reports whether the obstacle stands whatever the caller wishes.
func (k Kind) Absolute() bool {
	return slices.Contains([]Kind{Disagreement, OtherBranch, NoBranch, DefaultTree, Shared, Locked, InProgress}, k)
}
