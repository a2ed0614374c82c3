package git

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
)

// Error is a failure of git: it could not be run, or ran and failed.
type Error struct {
	Args   []string // without the leading "git"
	Code   int      // exit status, -1 when git did not exit by itself
	Stderr string   // the first and the last 16 kB
	Err    error
}

func newError(args []string, err error, stderr string) *Error {
	e := &Error{Args: args, Code: -1, Stderr: stderr, Err: err}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		e.Code = exit.ExitCode()
	}
	return e
}

// Error names the git command and its complaint.
func (e *Error) Error() string {
	verb := "git"
	for i := 0; i < len(e.Args); i++ {
		if e.Args[i] == "-c" {
			i++ // and its setting
		} else if !strings.HasPrefix(e.Args[i], "-") {
			verb += " " + e.Args[i]
			break
		}
	}
	if cause := e.Cause(); cause != "" {
		return verb + ": " + cause
	}
	return verb + ": " + e.Err.Error()
}

// Unwrap returns the cause: an *exec.ExitError, or the context's error.
func (e *Error) Unwrap() error { return e.Err }

// mostWords is how many lines of output of a hook or signing program are kept.
const mostWords = 20

// words returns the last output of a hook or signing program before git gave up, without secrets; "" when git itself failed.
func (e *Error) words() string {
	var lines []string
	own, others := false, false
	for line := range strings.Lines(e.Stderr) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", strings.HasPrefix(line, "hint:"), strings.HasPrefix(line, "warning:"):
			continue
		case strings.HasPrefix(line, "fatal: "), strings.HasPrefix(line, "error: "), strings.HasPrefix(line, "usage: "):
			own = true
		}
		others = others || strings.Contains(line, "hook") || strings.Contains(line, "failed to sign")
		lines = append(lines, line)
	}
	if own && !others || len(lines) < 2 {
		return ""
	}
	return redact.Clean(strings.Join(lines[max(0, len(lines)-mostWords):], "; "))
}

// Cause returns git's own sentence on what went wrong, without its advice: that may name commands which destroy work, and agents follow
// what they read. For a hook or signing program it is that program's output.
func (e *Error) Cause() string {
	if words := e.words(); words != "" {
		return words
	}
	cause := ""
	for line := range strings.Lines(e.Stderr) {
		line = strings.TrimSpace(line)
		for _, prefix := range []string{"fatal: ", "error: "} {
			if rest, ok := strings.CutPrefix(line, prefix); ok && cause == "" {
				cause = rest
			}
		}
	}
	if cause == "" {
		first, _, _ := strings.Cut(strings.TrimSpace(e.Stderr), "\n")
		cause = strings.TrimSpace(first)
		if strings.HasPrefix(cause, "hint:") || strings.HasPrefix(cause, "warning:") {
			return ""
		}
	}
	for _, advice := range []string{"; use ", ", use ", " (use ", "\nUse ", ". Use ", "; run ", " Run "} {
		cause, _, _ = strings.Cut(cause, advice)
	}
	return cause
}

// ExitCode is the exit status in err's chain: 0 for nil, -1 when git did not
// exit by itself or err is of another kind.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return -1
}

// NoMergeBase reports whether the error of `git merge-base` means that the commits have none in common. It exits alike where it cannot read a
// commit, but not silently.
func NoMergeBase(err error) bool {
	e, is := errors.AsType[*Error](err)
	return is && e.Code == 1 && e.Cause() == ""
}

// Fault turns a failure of git into a fault for users; format names what was being done. Known errors of git get the suite's own words and
// a hint.
func Fault(err error, format string, args ...any) *fault.Fault {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		if f, ok := errors.AsType[*fault.Fault](err); ok {
			return f
		}
		return fault.Operation(err, format, args...)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fault.From(e.Err)
	}
	f := fault.Operation(e, format, args...)
	switch {
	case errors.Is(e.Err, exec.ErrNotFound):
		f.Message, f.Err = "git was not found", e
		return f.WithHint("install git and make sure that it is on PATH")
	case e.says("dubious ownership"):
		return f.WithHint("the repository belongs to another user; if you trust it, add its folder to safe.directory in your git configuration")
	case e.says("tell me who you are"), e.says("identity unknown"), e.says("empty ident"), e.says("auto-detect email"), e.says("no email was given"), e.says("no name was given"):
		return f.WithHint("git does not know who you are: `git config --global user.name \"Your Name\" && git config --global user.email you@example.com` tells it, then try again")
	case e.says("safe.bareRepository"):
		return f.WithHint("your git configuration (safe.bareRepository) forbids working in bare repositories")
	case e.says(".lock': File exists"):
		return f.WithHint("%s", lockHint(e.Stderr)).Retry()
	case e.says("No space left on device"), e.says("Disk quota exceeded"):
		return f.WithHint("free some space and try again").Retry()
	case e.says("unable to write file"), e.says("unable to create file"), e.says("unable to write new index"), e.says("write error"):
		return f.WithHint("check that the disk has space left and that the folder can be written")
	case e.says("Permission denied"), e.says("insufficient permission"), e.says("Read-only file system"):
		return f.WithHint("check who owns the folder and whether it can be written")
	case e.says("/commondir: "):
		return f.WithHint("a git that was killed left an empty file; `agit doctor --fix` completes it")
	case e.says("unknown repository extension"), e.says("Expected git repo version"):
		return f.WithHint("the repository uses a format that this git is too old for; install a newer git")
	}
	return f
}

// lockHint returns what to do about the lock that git's message names. Only the lock of an index is held for long, by an editor.
func lockHint(message string) string {
	path, _, _ := strings.Cut(message, ".lock': File exists")
	path = path[strings.LastIndexByte(path, '\'')+1:] + ".lock"
	if strings.HasSuffix(path, "/index.lock") {
		return fmt.Sprintf("another git, or an editor that it opened, holds the lock %q; try again when it is done; `agit doctor` reports a lock that was left", path)
	}
	return fmt.Sprintf("another git holds the lock %q for a moment; try again; `agit doctor --fix` removes a lock that was left", path)
}

// IsMissing reports whether err means that git is not installed.
func IsMissing(err error) bool { return errors.Is(err, exec.ErrNotFound) }

func (e *Error) says(text string) bool { return strings.Contains(e.Stderr, text) }
