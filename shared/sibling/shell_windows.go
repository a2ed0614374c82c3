package sibling

import (
	"context"
	"os/exec"
	"syscall"
)

// Shell passes the command to cmd.exe as it is: Go's own quoting is not cmd's.
func Shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd.exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd.exe /d /s /c "` + command + `"`, HideWindow: true}
	return cmd
}
