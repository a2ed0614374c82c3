package git

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps a console's Ctrl-C from git, which is ended through the
// context instead. Windows has no signal that asks a process to end.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

func killGroup(*exec.Cmd) {}
