package sibling

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/agit-suite/agit/shared/fault"
)

// Answer is the output of a program with its exit status.
type Answer struct {
	Out, Err []byte
	Status   int
}

// Ask runs a program on PATH that is not of the suite, such as a forge's, with the arguments of the Call as they are. It returns the
// program's output and exit status, which the caller judges. A program that is not installed is a NotFound fault. A program that takes
// longer than the Call's time is ended; that, and an answer that is too long, is an Operation fault.
func Ask(ctx context.Context, c Call) (a Answer, err error) {
	path, err := exec.LookPath(c.Program)
	if err != nil {
		f := fault.NotFound("program", c.Program)
		f.Message = fmt.Sprintf("the program %s is not on PATH", c.Program)
		return a, f
	}
	out, errs, err := c.run(ctx, path)
	a = Answer{Out: bytes.TrimSpace(out), Err: bytes.TrimSpace(errs)}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		a.Status, err = exit.ExitCode(), nil
	}
	return a, err
}

// Installed reports whether a program is on PATH.
func Installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
