package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agit-suite/agit/shared/sibling"
)

// NewProgram returns the root command of a program that a command starts, such as agit-web: the global flags, the flags that bind adds, and
// at most one argument.
func NewProgram(env *Env, short, argument string, bind func(*pflag.FlagSet), run func(ctx context.Context, args []string) error) *cobra.Command {
	var args []string
	root := Command(NewRoot(env, short), &args, TakeAll(&args), func(ctx context.Context, args *[]string) error { return run(ctx, *args) })
	root.Use += " [" + argument + "]"
	root.Args = Args("[" + argument + "]")
	bind(root.Flags())
	return RunsAlone(root)
}

// Become replaces this program by another of the suite, with args and the global flags as given. It returns only when that fails. A screen
// that has to restore the terminal needs a parent that stays: see Attend.
func (e *Env) Become(program string, args []string) error {
	path, err := sibling.Find(program)
	if err != nil {
		return err
	}
	return sibling.Exec(path, append(e.Globals.Args(), args...), e.Environ)
}

// Attend is Become for a program that draws on the terminal: this process stays, and restores the terminal however the program ends.
func (e *Env) Attend(program string, args []string) error {
	path, err := sibling.Find(program)
	if err != nil {
		return err
	}
	return sibling.Attend(path, append(e.Globals.Args(), args...), e.Environ)
}
