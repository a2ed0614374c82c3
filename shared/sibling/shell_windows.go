package sibling

import (
	"context"
	"os/exec"
	"syscall"
)

// ShellCommand returns the program and the arguments with which cmd.exe runs a command. Go quotes for other programs, so a command with
// quotes belongs in a script.
func ShellCommand(command string) []string { return []string{"cmd.exe", "/d", "/c", command} }

// Grouped returns a command that ends with ctx.
func Grouped(ctx context.Context, command []string) *exec.Cmd {
	return exec.CommandContext(ctx, command[0], command[1:]...)
}

// Shell passes the command to cmd.exe as it is: Go's own quoting is not cmd's.
func Shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd.exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd.exe /d /s /c "` + command + `"`, HideWindow: true}
	return cmd
}
