package sibling

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// Stream is a run of a program of the suite on streams that the caller provides.
type Stream struct {
	Program  string // the path that Find returned
	Args     []string
	Dir      string
	Env      []string // all of it
	In       io.Reader
	Out, Err io.Writer
}

// streamGrace is how long a program has to end when its reader is gone.
const streamGrace = 5 * time.Second

// Run runs the program until it ends, and returns its exit status. When ctx ends it is asked to end, and killed after some seconds.
func (s Stream) Run(ctx context.Context) (status int, err error) {
	cmd := exec.CommandContext(ctx, s.Program, s.Args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.Dir, s.Env, s.Out, s.Err
	cmd.Cancel = func() error { return askToEnd(cmd.Process) }
	cmd.WaitDelay = streamGrace
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, fault.Operation(err, "make a pipe")
	}
	if err := cmd.Start(); err != nil {
		return 0, fault.Operation(err, "start %q", s.Program)
	}
	go func() { // so that an unread input does not delay the program's end
		_, _ = io.Copy(in, s.In)
		in.Close()
	}()
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return 0, nil
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode(), nil
	case errors.As(err, &exit):
		return 1, nil // a signal
	}
	return 0, fault.Operation(err, "run %q", s.Program)
}
