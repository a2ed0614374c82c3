//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// killAll lets the end of a command's context end what the command started too.
func killAll(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
