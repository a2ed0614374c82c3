package worker

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/agit-suite/agit/agit/internal/worktree/process"
)

// attributes start a program in a new session, as on Linux. The system does not end it when agit is killed; the next start does.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func begin(cmd *exec.Cmd) error { return cmd.Start() }

func adopt() {}
func reap()  {}

// search returns the processes of a run: those with its id in their environment, the leader, and their descendants. The kernel shows
// the environments of the user's own programs, except the system's.
func (k *kin) search() (list []found) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Getuid())
	if err != nil {
		return nil
	}
	const zombie = 5 // SZOMB, sys/proc.h
	setting := []byte("\x00" + RunVariable + "=" + k.run + "\x00")
	of := map[int32]bool{}
	for _, p := range all {
		pid := p.Proc.P_pid
		if int(pid) == os.Getpid() || p.Proc.P_stat == zombie {
			continue
		}
		arguments, err := unix.SysctlRaw("kern.procargs2", int(pid))
		if int(pid) == k.leader || err == nil && bytes.Contains(append(arguments, 0), setting) {
			of[pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if pid := p.Proc.P_pid; !of[pid] && p.Proc.P_stat != zombie && of[p.Eproc.Ppid] {
				of[pid], grown = true, true
			}
		}
	}
	for _, p := range all {
		if pid := p.Proc.P_pid; of[pid] {
			list = append(list, found{int(pid), process.MarkOf(int64(pid)), unix.ByteSliceToString(p.Proc.P_comm[:])})
		}
	}
	return list
}

func parentOf(pid int) (parent int, ok bool) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, false
	}
	return int(p.Eproc.Ppid), true
}
