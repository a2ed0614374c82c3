// Package overview is the read model of `agit status` and of both screens, `agit top`
// and `agit web`: the state of a project at a glance, what of it changed since a
// version, and the status of each repository. None of them asks the registry or git
// itself, and all say in the words made here how an agent, a worktree, a conflict or
// a task stands.
//
// State answers at once, from what is known: rows are read when something was
// committed, git's side is scanned in the background, and what was not looked at
// yet is unknown (a nil pointer, or the zero time), never 0. Since waits until a
// part is no longer as it was.
//
// Where to look: state.go has what is answered, part by part; read.go reads the
// rows, derive.go puts rows and scans together, needs.go says what waits for a
// person; repostatus.go with repoworktrees.go and others.go makes the document
// of `agit status` of the same rows; store.go keeps versions and callers that wait; watch.go notices what
// other processes commit, and what changes in worktrees without a commit.
// pages.go begins what only the page has: board.go, plan.go, timeline.go, memories.go,
// sprint.go and records.go are a view each, filter.go bounds the long ones, inspect.go
// and difference.go show one thing in full.
//
// It writes nothing, save what a scan for conflicts publishes. A Store is safe for
// concurrent use.
package overview
