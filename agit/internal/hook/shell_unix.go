//go:build unix

package hook

import (
	"context"
	"os/exec"
	"syscall"
)

// shell is a hook in a process group of its own, so that a time limit ends all
// it started.
func shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}
