package sibling

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"reflect"
	"runtime"
	"slices"

	xterm "golang.org/x/term"

	"github.com/agit-suite/agit/shared/fault"
)

// Attend runs a program that draws on the terminal, with this process's streams, and stays as its parent. Signals are passed on. The
// terminal is restored after a program that crashed or that a signal ended, even a signal that no program can catch. A status other than 0
// is an *ExitStatus.
func Attend(path string, args, env []string) error {
	// Where the kernel can end a program with its parent, it does so when the parent's thread ends; so this goroutine keeps its thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, _ := xterm.GetState(int(os.Stdin.Fd())) // nil where there is no terminal
	cmd := onTerminal(path, args, env, "")
	endWithParent(cmd)
	passed := make(chan os.Signal, 8)
	signal.Notify(passed, passedOn...)
	defer signal.Stop(passed)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %q: %w", path, err)
	}
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case s := <-passed:
				_ = cmd.Process.Signal(s)
			case <-done:
				return
			}
		}
	}()
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &exit):
		return fmt.Errorf("run %q: %w", path, err)
	}
	// A program that Go's runtime ended, for instance after a panic in a goroutine, was not ended by a signal, but left the terminal in its
	// own modes.
	after, _ := xterm.GetState(int(os.Stdin.Fd()))
	if before != nil && (exit.ExitCode() < 0 || !reflect.DeepEqual(before, after)) {
		_ = xterm.Restore(int(os.Stdin.Fd()), before)
		_, _ = os.Stdout.WriteString(sane)
	}
	if exit.ExitCode() >= 0 {
		return &ExitStatus{exit.ExitCode()}
	}
	return &ExitStatus{endedBy(exit.ProcessState)}
}

// sane undoes the terminal modes of a screen program: its keyboard protocols, bracketed paste, colours, the alternate screen, the hidden
// cursor.
const sane = "\x1b[<u\x1b[>4m\x1b[?2004l\x1b[m\x1b[?1049l\x1b[?25h"

// UserShell runs the user's shell in a folder, with this process's streams, until it ends. Its exit status is ignored: it is that of the
// shell's last command.
func UserShell(dir string, env []string) error {
	shell := userShell(env)
	err := onTerminal(shell, nil, env, dir).Run()
	if errors.As(err, new(*exec.ExitError)) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("start %q in %q: %w", shell, dir, err)
	}
	return nil
}

// OnTerminal runs a program from PATH in a folder on this program's terminal, until it ends. An exit status other than 0 is an ExitStatus,
// a program that is not on PATH a Validation fault.
func OnTerminal(dir, program string, args, env []string) error {
	path, err := exec.LookPath(program)
	if err != nil {
		return fault.Validation("command", "the command %q was not found", program).WithHint("install it, or put its folder on PATH")
	}
	err = onTerminal(path, args, env, dir).Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return &ExitStatus{Code: endedBy(ended.ProcessState)}
	}
	if err != nil {
		return fmt.Errorf("start %q in %q: %w", program, dir, err)
	}
	return nil
}

func onTerminal(path string, args, env []string, dir string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.Dir = slices.Clone(env), dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd
}
