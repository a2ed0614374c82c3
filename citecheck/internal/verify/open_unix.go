//go:build unix

package verify

import "syscall"

// noWait keeps the opening of a pipe without a writer from waiting for one.
const noWait = syscall.O_NONBLOCK
