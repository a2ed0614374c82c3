//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// killAll makes the end of a command's context kill its child processes too.
func killAll(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
