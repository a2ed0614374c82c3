package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/door"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/text"
)

// ExitStatus is an error without a message: the run ends with the status, as `conflicts --exit-code` does when it found conflicts.
type ExitStatus int

// Error is for logs.
func (s ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Main runs the command that args name and returns the status to exit with. It is
// the only place where an error becomes text: a sentence on standard error, or
// one line of JSON where programs read the output.
func Main(ctx context.Context, env *Env, root *cobra.Command, args []string) int {
	began := time.Now()
	if env.args != nil {
		args = env.args
	}
	if status, passed := handOver(env, args); passed {
		return status
	}
	ctx, signals := withSignals(ctx)
	defer signals.end()

	if !namesOwn(root, args) {
		root.InitDefaultHelpCmd()
		root.InitDefaultCompletionCmd(args...)
		if c := named(root, "completion"); c != nil {
			tuneCompletion(env, root, c)
		}
	}
	prepare(env, root)
	root.SetArgs(args)
	hook := forHook(root, args)

	cmd, err := execute(ctx, env, root)
	if closeErr := env.close(); err == nil && closeErr != nil {
		err = fault.Database(closeErr, "finish")
	}
	env.tellTaken(cmd, err)
	if env.running && cmd != nil {
		LogCall(context.WithoutCancel(ctx), env.Logger(), cmd.CommandPath(), env.Agent, time.Since(began), err)
	}
	status := env.status(signals, args, err)
	if hook && status == fault.ExitUsage {
		return fault.ExitOK
	}
	return status
}

// handOver passes a run by an agent behind the wall of `agit work` to the outside, where the registry is. Commands that do not need the
// registry run here.
func handOver(env *Env, args []string) (status int, passed bool) {
	if !env.process || len(args) == 0 || strings.HasPrefix(args[0], "-") || slices.Contains([]string{"help", "version", "completion", "docs"}, args[0]) {
		return 0, false
	}
	return door.Pass(env.Getenv(door.Variable), env.Name, args, os.Stdin, os.Stdout, os.Stderr)
}

// namesOwn reports whether args begin with one of the program's own commands. The commands that cobra adds are then left out, since making
// them takes as long as all the others. Hidden commands need the whole tree.
func namesOwn(root *cobra.Command, args []string) bool {
	for _, c := range root.Commands() {
		if len(args) > 0 && c.Name() == args[0] && !c.Hidden {
			root.CompletionOptions.DisableDefaultCmd = true
			return true
		}
	}
	return false
}

// execute runs the command and turns a panic into an error.
func execute(ctx context.Context, env *Env, root *cobra.Command) (cmd *cobra.Command, err error) {
	defer func() {
		if p := recover(); p != nil {
			env.Logger().DebugContext(ctx, "panic", "stack", string(debug.Stack()))
			err = fault.Operation(nil, "%s stopped because of a fault of its own: %v", env.Name, p).
				WithHint("please report it; --log-level debug shows where it happened")
		}
	}()
	return root.ExecuteContextC(ctx)
}

// status prints the error and chooses the exit status.
func (e *Env) status(signals *signals, args []string, err error) int {
	var silent ExitStatus
	var companion *sibling.ExitStatus
	switch {
	case err == nil:
		return fault.ExitOK
	case errors.Is(err, syscall.EPIPE) && !errors.As(err, new(*fault.Fault)):
		return fault.ExitOK // the reader of the result has seen enough and closed the pipe
	case errors.As(err, &silent):
		return int(silent)
	case errors.As(err, &companion):
		return companion.Code
	}
	f := fault.From(err)
	if !e.running && f.Kind == fault.KindOperation && signals.caught() == nil {
		// cobra's own complaints, such as a missing required flag
		f = fault.Validation(f.Field, "%s", f.Message).WithHint("`%s --help` describes its flags", e.Name)
	}
	said := *f // a message may repeat its input: secrets, or a whole file
	said.Message, said.Hint, said.EntityID = text.Brief(redact.Clean(f.Message)), text.Brief(redact.Clean(f.Hint)), text.Brief(redact.Clean(f.EntityID))
	output.Error(e.Streams, e.Name, e.machine(args), &said)
	if s := signals.caught(); s != nil {
		return exitSignal(s)
	}
	return f.Kind.ExitCode()
}

// tellTaken reports that secrets were taken out of the text that the command stored.
func (e *Env) tellTaken(cmd *cobra.Command, err error) {
	said := redact.Sentence(redact.Taken())
	if said == "" || err != nil && !errors.As(err, new(ExitStatus)) {
		return
	}
	if cmd != nil && cmd.Flags().Lookup("allow-secrets") != nil {
		said += " (--allow-secrets keeps them)"
	}
	e.Streams.Warn("%s", said)
}

// machine reports whether a program reads the output. When flags could not be parsed, it looks for the output flags in the arguments.
func (e *Env) machine(args []string) bool {
	if e.running || e.outputOptions().Machine() {
		return e.outputOptions().Machine()
	}
	for i, arg := range args {
		switch {
		case arg == "--":
			return false
		case arg == "--json", arg == "--jq", strings.HasPrefix(arg, "--jq="):
			return true
		case arg == "-o" || arg == "--output":
			if i+1 < len(args) && strings.HasSuffix(args[i+1], "json") {
				return true
			}
		case strings.HasPrefix(arg, "-o") || strings.HasPrefix(arg, "--output="):
			if strings.HasSuffix(arg, "json") {
				return true
			}
		}
	}
	return false
}

// exitSignal returns the status of a run that a signal ended: 130 for SIGINT.
func exitSignal(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return fault.ExitFailure
}

// hookFlagKey is the annotation that names the flag of ForHooks.
const hookFlagKey = "agit/hook-flag"

// ForHooks declares that cmd serves an agent client's hook when the flag is given. A client takes exit status 2 as "do not do that", so a
// line with a flag from another version must not end with it: unknown flags are ignored then, and other wrong usage is reported with exit
// status 0.
func ForHooks(cmd *cobra.Command, flag string) {
	annotate(cmd, hookFlagKey, flag)
}

// forHook finds the command that args name and reports whether it serves a hook in this run.
func forHook(root *cobra.Command, args []string) bool {
	if len(args) == 0 {
		return false
	}
	for _, c := range root.Commands() {
		flag := c.Annotations[hookFlagKey]
		if flag == "" || !slices.Contains(args, c.Name()) || !slices.Contains(args, "--"+flag) {
			continue
		}
		c.FParseErrWhitelist.UnknownFlags = true
		return true
	}
	return false
}
