package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Options vary one run of git.
type Options struct {
	// Dir runs git in another folder of the same repository.
	Dir string
	// Stdin is what git reads; nothing when nil.
	Stdin io.Reader
	// Stdout receives git's output as it comes; Output then returns nil.
	Stdout io.Writer
	// Env adds NAME=value settings, after the environment was cleaned:
	// GIT_INDEX_FILE, GIT_OBJECT_DIRECTORY.
	Env []string
	// Config adds key=value settings for this run (git -c).
	Config []string
	// Through wraps the command in another one, such as a sandbox's, and changes its environment.
	Through func(command, env []string) (through, changed []string, err error)
}

// Run runs git in r and returns what it printed without the final line end. The
// error is an *Error when git ran and failed.
func (r *Repo) Run(ctx context.Context, args ...string) (string, error) {
	out, err := r.Output(ctx, Options{}, args...)
	return strings.TrimRight(string(out), "\r\n"), err
}

// Output runs git in r and returns its output unchanged, even when git failed: the exit status of some commands is their answer (see
// ExitCode).
func (r *Repo) Output(ctx context.Context, o Options, args ...string) ([]byte, error) {
	// A worktree whose .git is gone lies inside another repository: git must
	// not walk up and work on that one.
	env := []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(r.Dir())}
	if r.detachedTree() || r.Bare && !r.Elsewhere { // git may refuse to discover a bare repository (safe.bareRepository)
		env = append(env, "GIT_DIR="+r.GitDir)
	}
	if r.IndexFile != "" {
		env = append(env, "GIT_INDEX_FILE="+r.IndexFile)
	}
	if len(r.Alternates) > 0 {
		env = append(env, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+alternates(r.Alternates))
	}
	return run(ctx, cmp.Or(o.Dir, r.Dir()), o, append(env, o.Env...), args)
}

// alternates returns object directories as git reads a list of them; directories that contain the separator are quoted.
func alternates(dirs []string) string {
	all := make([]string, len(dirs))
	for i, dir := range dirs {
		if all[i] = dir; strings.ContainsAny(dir, string(os.PathListSeparator)+`"`) {
			all[i] = Quote(dir)
		}
	}
	return strings.Join(all, string(os.PathListSeparator))
}

// detachedTree reports whether git cannot find the git directory from the working tree, because core.worktree put the tree elsewhere.
func (r *Repo) detachedTree() bool {
	if r.Bare || r.Linked() {
		return false
	}
	_, err := os.Lstat(filepath.Join(r.WorkTree, ".git"))
	return err != nil
}

const (
	// stopTime is how long a cancelled git may take to remove its lock files.
	stopTime = 3 * time.Second
	// maxStderr bounds how many bytes of git's error output are kept, at its begin and at its end.
	maxStderr = 16 << 10
)

func run(ctx context.Context, dir string, o Options, env, args []string) ([]byte, error) {
	full := make([]string, 0, len(args)+2*(len(lasting)+len(o.Config)))
	for _, setting := range slices.Concat(lasting, o.Config) {
		full = append(full, "-c", setting)
	}
	full = append([]string{"git"}, append(full, args...)...)
	all := append(Environment(), env...)
	if o.Through != nil {
		var err error
		if full, all, err = o.Through(full, all); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(ctx, full[0], full[1:]...)
	cmd.Dir, cmd.Env = dir, all
	cmd.Stdin = o.Stdin
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if o.Stdout != nil {
		cmd.Stdout = o.Stdout
	}
	stderr := head{max: maxStderr}
	cmd.Stderr = &stderr
	err := runGroup(ctx, cmd)
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // git has ended; a child of it keeps its output open
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		err = newError(args, err, stderr.String())
	}
	return stdout.Bytes(), err
}

// runGroup runs a command in a process group of its own, which has ended with it when ctx is done.
func runGroup(ctx context.Context, cmd *exec.Cmd) error {
	cmd.WaitDelay = stopTime
	ownGroup(cmd)
	runtime.LockOSThread() // see endWithParent
	err := cmd.Run()
	runtime.UnlockOSThread()
	if ctx.Err() != nil {
		killGroup(cmd)
	}
	return err
}

// redirecting are the variables that would make git work on another repository, or read its arguments differently. They are set in hooks
// and aliases, from which the suite may well be run.
var redirecting = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_INDEX_VERSION",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_NAMESPACE", "GIT_PREFIX",
	"GIT_GRAFT_FILE", "GIT_SHALLOW_FILE", "GIT_REPLACE_REF_BASE", "GIT_NO_REPLACE_OBJECTS", "GIT_CONFIG",
	"GIT_CONFIG_PARAMETERS", "GIT_INTERNAL_SUPER_PREFIX", "GIT_ATTR_SOURCE", "GIT_CEILING_DIRECTORIES",
	"GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_REFLOG_ACTION", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS",
	"GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_DEFAULT_REF_FORMAT", "GIT_REF_PARANOIA",
	"GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "LC_ALL", "LANGUAGE",
}

// Environment returns this process's environment made safe for git: no redirecting variables, no prompts, no editor, English messages, and
// no locks merely to refresh an index. The user's configuration and ssh settings stay.
func Environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return slices.Contains(redirecting, name)
	})
	return append(env, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat", "GIT_EDITOR=:", "LC_ALL=C")
}

// UserEnvironment returns this process's environment without the variables that redirect git, for programs of the user's own, such as
// hooks.
func UserEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return strings.HasPrefix(name, "GIT_") && slices.Contains(redirecting, name)
	})
}

// head keeps the first max bytes written to it, because git prints the cause first, and the last max bytes after these, because linters sum
// up at the end. It must not have a ReadFrom method, because os/exec would copy through it, past Write and the limit.
type head struct {
	kept bytes.Buffer
	last []byte
	max  int
}

func (t *head) Write(p []byte) (int, error) {
	room := min(max(0, t.max-t.kept.Len()), len(p))
	t.kept.Write(p[:room])
	t.last = append(t.last, p[room:]...)
	t.last = append(t.last[:0], t.last[max(0, len(t.last)-t.max):]...)
	return len(p), nil
}

func (t *head) String() string { return t.kept.String() + string(t.last) }

// Show runs git in r for a person, with the given streams and the environment of the user, whose pager, colours and language hold when out
// is a terminal. It returns when the pager has ended, even if it is interrupted: the pager handles the interrupt. It writes no index.
func (r *Repo) Show(o Options, in io.Reader, out, errs io.Writer, args ...string) error {
	var full []string
	for _, setting := range slices.Concat(o.Config, harmless) {
		full = append(full, "-c", setting)
	}
	cmd := exec.Command("git", append(full, args...)...)
	cmd.Dir = r.Dir()
	cmd.Env = append(UserEnvironment(), "GIT_OPTIONAL_LOCKS=0")
	if pager, set := os.LookupEnv("GIT_PAGER"); set {
		cmd.Env = append(cmd.Env, "GIT_PAGER="+pager)
	}
	if r.IndexFile != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+r.IndexFile)
	}
	cmd.Env = append(cmd.Env, o.Env...)
	cmd.Stdin, cmd.Stdout = in, out
	kept := head{max: maxStderr}
	cmd.Stderr = io.MultiWriter(errs, &kept)
	err := cmd.Run()
	if err == nil || slices.Contains([]int{-1, 141}, cmd.ProcessState.ExitCode()) {
		return nil // the reader of a pipe left, or the pager was quit
	}
	return newError(args, err, kept.String())
}
