package process

import "syscall"

// alive sends no signal, only asks whether it could be sent.
func alive(pid int64, _ string) bool {
	err := syscall.Kill(int(pid), 0)
	return err == nil || err == syscall.EPERM
}
