package worktree

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// Environment is this process's environment with what a program working in the
// worktree needs to know: AGIT_REPO, AGIT_WORKTREE, AGIT_TASK, AGIT_AGENT and
// AGIT_PORT.
func (w Worktree) Environment() []string {
	env := git.UserEnvironment()
	task := w.TaskID
	if task == "" {
		task = w.Task
	}
	for _, v := range []struct{ name, value string }{
		{"AGIT_REPO", w.Repo}, {"AGIT_WORKTREE", w.Ref}, {"AGIT_TASK", strings.ReplaceAll(task, "\x00", "")}, {"AGIT_AGENT", w.Agent},
	} {
		env = append(env, v.name+"="+v.value)
	}
	if w.Port != 0 {
		env = append(env, "AGIT_PORT="+strconv.Itoa(w.Port))
	}
	return env
}

// hookTail is how much of a failed hook's output goes into its error.
const hookTail = 2000

// runHooks runs shell commands one after another in a folder; the first to fail
// or to take longer than its time ends them.
func (s *Store) runHooks(ctx context.Context, name string, commands []string, limit time.Duration, dir string, w Worktree) error {
	for _, command := range commands {
		if err := s.runHook(ctx, name, command, limit, dir, w); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) runHook(parent context.Context, name, command string, limit time.Duration, dir string, w Worktree) error {
	ctx := parent
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(parent, limit)
		defer cancel()
	}
	cmd := shell(ctx, command)
	cmd.Dir, cmd.Env = dir, w.Environment()
	output := tail{max: hookTail}
	cmd.Stdout = io.MultiWriter(s.o.HookOutput, &output)
	cmd.Stderr = cmd.Stdout
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it left something running, which is its right
	}
	switch {
	case parent.Err() != nil:
		return parent.Err()
	case ctx.Err() != nil:
		return fault.Operation(nil, "the %s hook %q took longer than %s", name, command, limit).
			WithHint("raise hooks.timeout or make the hook faster")
	case err != nil:
		return fault.Operation(nil, "the %s hook %q failed (%v)%s", name, command, err, output.quote()).
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
