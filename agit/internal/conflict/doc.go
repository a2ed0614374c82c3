// Package conflict says which worktrees of a repository get into each other's
// way, from what agents really have: commits since the merge base and staged,
// unstaged and untracked changes.
//
// Engine is pure git: it is given a repository and its worktrees and answers
// with a Report. Store adds the registry: it loads the active worktrees, keeps
// what was found, and tells others when it changed. Claims are files that
// agents announce; ParallelOK says which tasks touch nothing in flight.
//
// Nothing here writes to the user's repository: no ref, no index, no object, no
// file in a work tree. Dirty states become commits in a throwaway object store.
// All types are safe for concurrent use unless they say otherwise.
package conflict
