//go:build !windows

package sibling

import "syscall"

// detached is a process of a session of its own, which no terminal's end ends.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
