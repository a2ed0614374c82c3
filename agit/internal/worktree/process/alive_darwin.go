package process

import "syscall"

// alive sends no signal, but only tests whether it could.
func alive(pid int64, _ string) bool {
	err := syscall.Kill(int(pid), 0)
	return err == nil || err == syscall.EPERM
}
