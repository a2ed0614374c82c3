//go:build unix

package sibling

import (
	"context"
	"os/exec"
	"syscall"
)

// ShellCommand is the program and the arguments that have the shell run a command.
func ShellCommand(command string) []string { return []string{"/bin/sh", "-c", command} }

// Shell is a command for the shell, in a process group of its own: a time limit
// ends all it started.
func Shell(ctx context.Context, command string) *exec.Cmd {
	return Grouped(ctx, ShellCommand(command))
}

// Grouped is a command in a process group of its own, which ends with ctx.
func Grouped(ctx context.Context, command []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}
