// Package overview is the read model of `agit status` and of both screens, `agit top` and `agit web`: the state of a project, its
// changes since a version, and the status of each repository. The screens ask neither the registry nor git; their words for the states
// of agents, worktrees, conflicts and tasks are defined here. It writes nothing except the results of conflict scans, and a Store is
// safe for concurrent use.
//
// State answers at once from known data: rows are read after a commit, git is scanned in the background, and unscanned values are
// unknown (a nil pointer or the zero time), never 0. Since waits until a part has changed.
//
// state.go defines the answers. read.go reads the rows, derive.go joins rows and scans, needs.go lists what waits for a person;
// repostatus.go and repoworktrees.go make the document of `agit status`; store.go keeps versions and waiting callers; watch.go notices
// commits of other processes and edits in worktrees. The page's own views begin in pages.go, which also bounds long lists: board.go,
// plan.go, timeline.go, memories.go, sprint.go and records.go are one view each, and difference.go shows one worktree in full, as pages.go does single items.
package overview
