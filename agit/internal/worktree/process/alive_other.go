//go:build !linux

package process

import "time"

// ChildGrace is how long the git of a killed agit may go on before its work is mended, since this system does not end it with its parent.
const ChildGrace = 10 * time.Second

func own() string { return Unmarked }

// MarkOf returns Unmarked for a process that runs, else "": nothing here tells apart processes of one number.
func MarkOf(pid int64) string {
	if alive(pid, "") {
		return Unmarked
	}
	return ""
}
