//go:build !windows

package sibling

import (
	"os"
	"strings"
	"syscall"
)

// passedOn are the signals that end a program in an orderly way. Ctrl-Z reaches the
// whole job by itself.
var passedOn = []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT}

// endedBy returns the status of a program that a signal ended, as shells count it.
func endedBy(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return 1
}

func userShell(env []string) string {
	for _, setting := range env {
		if shell, ok := strings.CutPrefix(setting, "SHELL="); ok && shell != "" {
			return shell
		}
	}
	return "/bin/sh"
}
