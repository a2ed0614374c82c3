// Package scan finds out what one work tree holds that its HEAD does not:
// staged, unstaged and untracked changes, as `git add --all` would record them,
// and whether any of it changed since it was looked at last.
//
// It reads git's index and the file system itself and starts a process only
// where content goes through a filter, or where the index or the ignore rules
// have a shape that only git knows. It writes nothing into the repository. All
// functions are safe for concurrent use. Its caller, package
// conflict, decides what a change means for others.
//
// tree.go has Tree and Snapshot, and the order of a scan; sweep.go looks at
// tracked files by stat alone; modified.go decides by content (content.go,
// convert.go) which really differ; untracked.go lists the rest;
// settings.go and stat.go read what that needs; folder_*.go,
// list_*.go and fstatat_*.go are the system calls; onefile.go looks at one file.
package scan
