// Package conflict says which worktrees of a repository get into each other's
// way, from what agents really have: commits since the merge base and staged,
// unstaged and untracked changes.
//
// Engine is pure git: it is given a repository and its worktrees and answers
// with a Report. Store adds the registry: it loads the active worktrees, keeps
// what was found, and tells others when it changed. Announcements are files that
// agents say they will work on; ParallelOK says which tasks touch nothing in
// flight.
//
// Nothing here writes to the user's repository: no ref, no index, no object, no
// file in a work tree. Dirty states become commits in a throwaway object store.
// All types are safe for concurrent use unless they say otherwise.
//
// Where to look:
//
//   - what a scan is asked and answers: report.go
//   - the order of a scan: engine.go (turns, and the cache between scans, which package pack writes), run.go (one scan), compare.go (its steps)
//   - what one worktree has changed: state.go, touches.go, landed.go (is it in the default branch already?), mergebases.go;
//     package scan reads the files
//   - whether two may conflict: pair.go, changeset.go (whole sets of paths), lineoverlap.go (lines)
//   - whether git could merge them: commits.go, trymerges.go; package mergetree runs git
//   - what git merges and may break: usespair.go (pairs, the rows, and those of the last scan or of two commits), usesread.go (what
//     sides changed); package uses judges
//   - the report: buildreport.go (pair by pair, and worktrees that meet alike)
//   - what is kept in the registry: publish.go, store.go
//   - the states themselves, for who builds something of them: states.go
//   - one file only, for hooks: filecheck.go; announced files: announce.go; tasks: parallel.go
package conflict
