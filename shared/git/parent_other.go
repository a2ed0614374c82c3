//go:build unix && !linux

package git

import "syscall"

// endWithParent does nothing: this system has no such call.
func endWithParent(*syscall.SysProcAttr) {}
