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
// is for the caller to judge. A program that is not installed is a NotFound fault. One
// that takes longer than the Call's time is ended; that, and an answer that is too long,
// is an Operation fault.
func Ask(ctx context.Context, c Call) (a Answer, err error) {
	path, err := exec.LookPath(c.Program)
	if err != nil {
		f := fault.NotFound("program", c.Program)
		f.Message = fmt.Sprintf("the program %s is not on PATH", c.Program)
		return a, f
	}
	out, errs, err := c.run(ctx, path)
	a = Answer{Out: bytes.TrimSpace(out), Err: bytes.TrimSpace(errs)}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		a.Status, err = exit.ExitCode(), nil
	}
	return a, err
}

// Installed reports whether a program is on PATH.
func Installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
