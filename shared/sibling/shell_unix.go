//go:build unix

package sibling

import (
	"context"
	"os/exec"
	"syscall"
)

// ShellCommand returns the program and the arguments with which the shell runs a command.
func ShellCommand(command string) []string { return []string{"/bin/sh", "-c", command} }

// Shell returns a command for the shell, in a process group of its own, so that a time limit ends every process it started.
func Shell(ctx context.Context, command string) *exec.Cmd {
	return Grouped(ctx, ShellCommand(command))
}

// Grouped returns a command in a process group of its own, which ends with ctx.
func Grouped(ctx context.Context, command []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}
