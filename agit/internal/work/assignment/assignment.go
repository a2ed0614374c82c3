// Package assignment is the way of a task through an agent's hands: Begin claims it, makes or returns its worktree, opens the session
// and answers with a brief; Finish checks what was done, lands it or leaves it for review, ends the session and reports the task. It
// joins what other packages do, and writes no table.
//
// Each step can be repeated: a call whose answer was lost, or whose process was killed between two steps, is made again and comes to
// the same end.
//
// begin.go and finish.go are the two ways; findwork.go finds what is finished, landwork.go lands or shows it, propose.go opens its pull
// request; inspect.go looks at what a worktree holds, commit.go commits it, session.go runs memoryd beside agit. A Store is safe for
// concurrent use by any number of processes.
package assignment

import (
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/run/wall"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/registry"
)

// Store begins and finishes tasks of one registry.
type Store struct {
	DB       *registry.DB
	Trees    *worktree.Store
	Spawns   *spawn.Store
	Removals *remove.Store
	Tasks    *task.Store
	Landings *land.Store
	Reviews  *review.Store
	Forges   *forge.Store // opens pull requests for finished work; nil opens none
	// Conflicts finds agents nearby that have no row; nil finds none.
	Conflicts *conflict.Store
	// Flags are the global flags that sibling programs are started with, so that they
	// work on the same registry.
	Flags []string
	// Wall is the wall behind which commits are made, since hooks run what an agent wrote; nil for none.
	Wall *wall.Wanted
}
