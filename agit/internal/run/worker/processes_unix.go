//go:build unix

package worker

import (
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/agit-suite/agit/agit/internal/worktree/process"
)

// ask asks the group of the leader and the processes found to end.
func ask(leader int, all []found) { signal(leader, all, syscall.SIGTERM) }

// kill ends them.
func kill(leader int, all []found) { signal(leader, all, syscall.SIGKILL) }

// signal reaches each once: a second SIGTERM makes some programs drop what the first one made them begin.
func signal(leader int, all []found, s syscall.Signal) {
	for _, f := range all {
		group, err := unix.Getpgid(f.pid)
		switch {
		case f.pid == leader:
			_ = syscall.Kill(-leader, s) // launchers pass nothing on
		case err != nil || group == leader && slices.ContainsFunc(all, func(f found) bool { return f.pid == leader }):
		case process.MarkOf(int64(f.pid)) == f.mark: // the number may be another's by now
			_ = syscall.Kill(f.pid, s)
		}
	}
}

func signalOf(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	return ""
}
