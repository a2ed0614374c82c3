//go:build !windows

package sibling

import "syscall"

// detached starts a process in a session of its own, so that closing a terminal does not end it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
