package sibling

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// Limits on the output of a sibling, and on how long it has to end after it was asked to before it is killed.
const (
	maxResult = 64 << 20
	maxErrors = 64 << 10
	grace     = 2 * time.Second

	// DefaultTimeout is the time limit of a Call without one.
	DefaultTimeout = 30 * time.Second
)

// Call is one run of a sibling.
type Call struct {
	Program string   // bare name, or the path Find gave
	Args    []string // --json is added
	Dir     string   // working folder; "" is the current one
	Env     []string // whole environment; nil is this process's
	Stdin   io.Reader
	Timeout time.Duration // DefaultTimeout when 0
}

// Run runs the sibling and decodes its JSON document into result, which may be nil. A fault that the sibling reported is returned as it
// was, kind and fields. A sibling that could not be started, ran out of time or printed no JSON is another fault. The answer of a sibling
// that failed is decoded as well.
func Run(ctx context.Context, c Call, result any) error {
	path := c.Program
	if !strings.ContainsAny(path, `/\`) {
		found, err := Find(path)
		if err != nil {
			return err
		}
		path = found
	}
	c.Args = withJSON(c.Args)
	out, errs, err := c.run(ctx, path)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		if result != nil {
			_ = json.Unmarshal(out, result) // from a sibling that did a part, and failed on the rest
		}
		return failure(c, exit, errs)
	case err != nil || result == nil:
		return err
	}
	if err := json.Unmarshal(out, result); err != nil {
		return fault.Operation(err, "the answer of %s is not what was expected", name(c)).
			WithHint("check that all programs of the suite have the same version")
	}
	return nil
}

// run runs the program at path with the arguments as they are, and returns its output. A status other than 0 is an *exec.ExitError. A
// program that could not be started, took too long or printed too much is an Operation fault.
func (c Call) run(ctx context.Context, path string) (out, errs []byte, err error) {
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	cmd := exec.CommandContext(limited, path, c.Args...)
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, c.Env, c.Stdin
	said, wrong := &capped{limit: maxResult}, &capped{limit: maxErrors, keepTail: true}
	cmd.Stdout, cmd.Stderr = said, wrong
	cmd.Cancel = func() error { return askToEnd(cmd.Process) }
	cmd.WaitDelay = grace

	err = cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) { // the program ended well; a child of it still holds its streams
		err = nil
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("run %s: %w", name(c), ctx.Err())
	case limited.Err() != nil:
		err = fault.Operation(limited.Err(), "%s took longer than %s", name(c), timeout).Retry()
	case err != nil && !errors.As(err, &exit):
		err = fault.Operation(err, "start %s", name(c))
	case err == nil && said.over:
		err = fault.Operation(nil, "%s answered more than %d MB", name(c), maxResult>>20)
	}
	return said.kept.Bytes(), wrong.kept.Bytes(), err
}

// withJSON adds --json at the place where flags end.
func withJSON(args []string) []string {
	out := make([]string, 0, len(args)+1)
	for i, arg := range args {
		if arg == "--" {
			return append(append(out, "--json"), args[i:]...)
		}
		out = append(out, arg)
	}
	return append(out, "--json")
}

func name(c Call) string {
	return c.Program[strings.LastIndexAny(c.Program, `/\`)+1:]
}

// failure finds the fault a sibling wrote as the last line of its standard error.
func failure(c Call, err *exec.ExitError, stderr []byte) error {
	lines := bytes.Split(bytes.TrimSpace(stderr), []byte{'\n'})
	last := bytes.TrimSpace(lines[len(lines)-1])
	if f := decodeFault(last); f != nil {
		return f
	}
	if len(last) > 0 {
		return fault.Operation(err, "%s failed: %s", name(c), last)
	}
	return fault.Operation(err, "%s failed", name(c))
}

// decodeFault reads the object that --json prints for an error.
func decodeFault(line []byte) *fault.Fault {
	var f fault.Fault
	if json.Unmarshal(line, &f) != nil || f.Message == "" {
		return nil
	}
	switch f.Kind {
	case fault.KindValidation, fault.KindNotFound, fault.KindConflict, fault.KindProvider, fault.KindDatabase, fault.KindOperation:
		return &f
	}
	return nil
}

// capped keeps at most limit bytes: the first ones, or with keepTail the last. It must not have a ReadFrom method, because os/exec would
// copy through it, past Write and the limit.
type capped struct {
	kept     bytes.Buffer
	limit    int
	keepTail bool
	over     bool
}

// Write never fails: a sibling that prints too much is not stopped by it.
func (c *capped) Write(p []byte) (int, error) {
	n := len(p)
	if room := c.limit - c.kept.Len(); n > room {
		c.over = true
		switch {
		case !c.keepTail:
			p = p[:max(0, room)]
		case n >= c.limit:
			c.kept.Reset()
			p = p[n-c.limit:]
		default:
			c.kept.Next(n - room)
		}
	}
	c.kept.Write(p)
	return n, nil
}

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

// ExitStatus is the status of a program that already printed its error itself.
type ExitStatus struct{ Code int }

// Error is for logs; no one prints it.
func (e *ExitStatus) Error() string { return fmt.Sprintf("it ended with status %d", e.Code) }
