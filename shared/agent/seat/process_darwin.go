package seat

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// look returns the name, the parent and the mark of a process; the mark is "" when it is gone. The mark is the time of its start.
func look(pid int64) (name string, parent int64, mark string) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", int(pid))
	if err != nil || p.Proc.P_pid == 0 {
		return "", 0, ""
	}
	return unix.ByteSliceToString(p.Proc.P_comm[:]), int64(p.Eproc.Ppid), fmt.Sprintf("%d.%d", p.Proc.P_starttime.Sec, p.Proc.P_starttime.Usec)
}
