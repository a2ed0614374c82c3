package sibling

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
)

// Exec runs the program with this process's streams and waits for it, since a
// process cannot be replaced here. A status other than 0 is an *ExitStatus.
// An interrupt reaches the program by itself, so this process ignores it.
func Exec(path string, args, env []string) error {
	signal.Ignore(os.Interrupt)
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return &ExitStatus{exit.ExitCode()}
	}
	if err != nil {
		return fmt.Errorf("start %q: %w", path, err)
	}
	return nil
}

func runnable(fs.FileInfo) bool { return true }

// askToEnd kills the process: Windows has no signal that asks it to end.
func askToEnd(p *os.Process) error { return p.Kill() }
