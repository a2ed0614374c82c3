// Package process tells whether a process that a row of the registry names still
// lives, although its number may be another's by now. Rows keep the host, the
// number and the mark of a process; no host judges another's processes.
package process

import "time"

const (
	// Unmarked is the mark of a process where the system tells nothing that
	// sets apart those of one number.
	Unmarked = "-"
	// forgotten is the age at which an unmarked number is taken to be another
	// process's by now.
	forgotten = 24 * time.Hour
)

// Mark tells this process from every other that has had or will have its number.
func Mark() string { return own() }

// Alive reports whether the process of this number and mark, which was noted at
// the time given, still runs on this host.
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
