//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// ownGroup puts git and its children into a process group of their own, so that cancelling reaches all of them, and asks them to end rather
// than killing them: git then removes its lock files.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(cmd.SysProcAttr)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// killGroup kills the rest of a cancelled command's group.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
