//go:build unix

package sibling

import (
	"context"
	"os/exec"
	"syscall"
)

// Shell is a command for the shell, in a process group of its own: a time limit
// ends all it started.
func Shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}
