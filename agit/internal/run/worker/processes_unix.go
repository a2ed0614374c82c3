//go:build unix

package worker

import (
	"os"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/agit-suite/agit/agit/internal/worktree/process"
)

// ask asks the leader's process group and the found processes to end.
func ask(leader int, all []found) { signal(leader, all, syscall.SIGTERM) }

// kill kills them.
func kill(leader int, all []found) { signal(leader, all, syscall.SIGKILL) }

// signal signals each process once: on a second SIGTERM some programs abort the shutdown that the first one began.
func signal(leader int, all []found, s syscall.Signal) {
	for _, f := range all {
		group, err := unix.Getpgid(f.pid)
		switch {
		case f.pid == leader:
			_ = syscall.Kill(-leader, s) // launchers do not forward signals
		case err != nil || group == leader && slices.ContainsFunc(all, func(f found) bool { return f.pid == leader }):
		case process.MarkOf(int64(f.pid)) == f.mark: // the number may belong to another process by now
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

// sealInherited prevents started programs from inheriting files that this process was started with: an open file needs no path, so no
// sandbox restricts it. Files that Go opened are not inherited anyway.
func sealInherited() {
	for _, folder := range []string{"/proc/self/fd", "/dev/fd"} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
				unix.CloseOnExec(fd)
			}
		}
		return
	}
}
