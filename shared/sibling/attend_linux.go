package sibling

import (
	"os/exec"
	"syscall"
)

// endWithParent asks the kernel to end the program when this process is killed, so that
// no one is left drawing on a terminal that a shell has taken back.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}
