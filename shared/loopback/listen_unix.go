//go:build !windows

package loopback

import "syscall"

var errPortTaken error = syscall.EADDRINUSE
