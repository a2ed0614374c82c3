// Package userhook runs the shell commands that users configure for spawning and merging. It knows neither worktrees nor the
// registry. A hook gets a process group of its own, so that a time limit ends all it started.
package userhook

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
)

// hookTail is how much of a failed hook's output goes into its error.
const hookTail = 2000

// Hooks are shell commands that a user configured to run at one point of an operation.
type Hooks struct {
	Name     string // of the point: "post_spawn"
	Commands []string
	Limit    time.Duration // for each; 0 is none
	Dir      string        // where they run
	Env      []string      // all of their environment
	Output   io.Writer     // receives what they print
	// Through puts a command into another one, such as a sandbox's, and changes its environment; nil leaves it as it is.
	Through func(command, env []string) (through, changed []string, err error)
}

// Run runs the commands one after another, and stops at the first that fails or takes longer than its time. The error is an Operation fault
// that quotes the end of what the command printed.
func Run(ctx context.Context, h Hooks) error {
	for _, command := range h.Commands {
		if err := h.run(ctx, command); err != nil {
			return err
		}
	}
	return nil
}

func (h Hooks) run(parent context.Context, command string) error {
	ctx := parent
	if h.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(parent, h.Limit)
		defer cancel()
	}
	cmd, env := sibling.Shell(ctx, command), h.Env
	if h.Through != nil {
		through, changed, err := h.Through(sibling.ShellCommand(command), h.Env)
		if err != nil {
			return err
		}
		cmd, env = sibling.Grouped(ctx, through), changed
	}
	cmd.Dir, cmd.Env = h.Dir, env
	output := tail{max: hookTail}
	cmd.Stdout = io.MultiWriter(h.Output, &output)
	cmd.Stderr = cmd.Stdout
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it left something running, which is allowed
	}
	switch {
	case parent.Err() != nil:
		return parent.Err()
	case ctx.Err() != nil:
		return fault.Operation(nil, "the %s hook %q took longer than %s", h.Name, command, h.Limit).
			WithHint("raise hooks.timeout or make the hook faster")
	case err != nil:
		return fault.Operation(nil, "the %s hook %q failed (%v)%s", h.Name, command, err, output.quote()).
			WithHint("correct the hook or what it checks, then try again")
	}
	return nil
}

// tail keeps the last max bytes written to it, or a little more.
type tail struct {
	kept []byte
	max  int
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p[max(0, len(p)-t.max):]...)
	if len(t.kept) > 2*t.max {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-t.max:]...)
	}
	return len(p), nil
}

func (t *tail) quote() string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.kept[max(0, len(t.kept)-t.max):]), "?"))
	if text == "" {
		return ""
	}
	return ": " + text
}
