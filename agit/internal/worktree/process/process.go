// Package process reports whether a process that a row of the registry names still runs, although its number may belong to another process
// by now. Rows keep the host, the number and the mark of a process; no host judges another's processes.
package process

import "time"

const (
	// Unmarked is the mark of a process where the system offers nothing to tell apart processes of one number.
	Unmarked = "-"
	// forgotten is the age at which an unmarked number counts as another process's.
	forgotten = 24 * time.Hour
)

// Mark returns the mark of this process, which no other process with its number has had or will have.
func Mark() string { return own() }

// Alive reports whether the process of this number and mark, noted at the given time, still runs on this host.
func Alive(pid int64, mark string, noted time.Time) bool {
	if mark == Unmarked && time.Since(noted) > forgotten {
		return false
	}
	return alive(pid, mark)
}

// Running reports whether a process of this number runs on this host, whichever it is.
func Running(pid int64) bool {
	mark := MarkOf(pid)
	return mark != "" && Alive(pid, mark, time.Now())
}
