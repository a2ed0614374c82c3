//go:build !windows

package mcpkit

import "syscall"

var errPortTaken error = syscall.EADDRINUSE
