package sibling

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/agit-suite/agit/shared/fault"
)

// Answer is what a program said, and the status it ended with.
type Answer struct {
	Out, Err []byte
	Status   int
}

// Ask runs a program that is not of the suite and is on PATH, such as a forge's, with the
// arguments of the Call as they are, and returns what it said and its exit status, which
// is for the caller to judge. A program that is not installed is a NotFound fault; one
// that takes longer than the Call's time is ended, with an Operation fault.
func Ask(ctx context.Context, c Call) (a Answer, err error) {
	path, err := exec.LookPath(c.Program)
	if err != nil {
		f := fault.NotFound("program", c.Program)
		f.Message = fmt.Sprintf("the program %s is not on PATH", c.Program)
		return a, f
	}
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, path, c.Args...)
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, c.Env, c.Stdin
	out, errs := &capped{limit: maxResult}, &capped{limit: maxErrors, keepTail: true}
	cmd.Stdout, cmd.Stderr = out, errs
	cmd.Cancel = func() error { return askToEnd(cmd.Process) }
	cmd.WaitDelay = grace
	err = cmd.Run()
	a = Answer{Out: bytes.TrimSpace(out.Bytes()), Err: bytes.TrimSpace(errs.Bytes())}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return a, fmt.Errorf("run %s: %w", name(c), ctx.Err())
	case limited.Err() != nil:
		return a, fault.Operation(limited.Err(), "%s took longer than %s", name(c), timeout).Retry()
	case errors.As(err, &exit):
		a.Status = exit.ExitCode()
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return a, fault.Operation(err, "start %s", name(c))
	}
	return a, nil
}

// Installed reports whether a program is on PATH.
func Installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
