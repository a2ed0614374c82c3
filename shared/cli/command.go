package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agit-suite/agit/shared/fault"
)

// Func runs a command with its options. It does not depend on flags or cobra, so that a test can call it with options of its own.
type Func[O any] = func(context.Context, *O) error

// Command makes cmd run a function with its options. The flags of cmd are bound to o. take adds to o the values that do not come from
// flags, above all the arguments; it is nil for a command without any. A command's constructor has run as a parameter, so that a test can
// pass its own and see what a command line means. Unless cmd has Args, it takes the arguments that its use line names before [flags].
func Command[O any](cmd *cobra.Command, o *O, take func(Given) error, run Func[O]) *cobra.Command {
	if cmd.Args == nil {
		cmd.Args = argsOf(cmd.Use)
	}
	cmd.RunE = func(c *cobra.Command, args []string) error {
		if take != nil {
			if err := take(Given{Args: args, cmd: c}); err != nil {
				return err
			}
		}
		return run(c.Context(), o)
	}
	return cmd
}

// argsOf checks the arguments that a use line names, as in "edit ID [flags]".
func argsOf(use string) cobra.PositionalArgs {
	line, _, _ := strings.Cut(use, " [flags]")
	if names := strings.Fields(line)[1:]; len(names) > 0 {
		return Args(names...)
	}
	return NoArgs
}

// Given is the part of the command line beside the values of flags.
type Given struct {
	Args []string // the arguments, checked by the command's Args
	cmd  *cobra.Command
}

// Arg returns the argument at a place, from 0, or "" when it was left out.
func (g Given) Arg(place int) string {
	if place >= len(g.Args) {
		return ""
	}
	return g.Args[place]
}

// Changed reports whether a flag was given, whatever its value.
func (g Given) Changed(flag string) bool { return g.cmd.Flags().Changed(flag) }

// AtDash splits the arguments at "--". Without "--", all are before it, and dash is false.
func (g Given) AtDash() (before, behind []string, dash bool) {
	at := g.cmd.ArgsLenAtDash()
	if at < 0 {
		return g.Args, nil, false
	}
	return g.Args[:at], g.Args[at:], true
}

// Line returns the command's own flags that were given, and the arguments: the command line of another program with the same flags.
func (g Given) Line() (line []string) {
	g.cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			line = append(line, "--"+f.Name+"="+f.Value.String())
		}
	})
	return append(line, g.Args...)
}

// Check is Args for a command whose arguments depend on its flags, or on a "--".
func (g Given) Check(args []string, names ...string) error { return Args(names...)(g.cmd, args) }

// Take reads arguments into fields, in their order. The field of an omitted argument keeps its value.
func Take(fields ...*string) func(Given) error {
	return func(g Given) error {
		for i, field := range fields {
			if i < len(g.Args) {
				*field = g.Args[i]
			}
		}
		return nil
	}
}

// TakeAll reads every argument into one field.
func TakeAll(field *[]string) func(Given) error {
	return func(g Given) error {
		*field = g.Args
		return nil
	}
}

// TakeWords reads every argument into one field, as words with a space between.
func TakeWords(field *string) func(Given) error {
	return func(g Given) error {
		*field = strings.Join(g.Args, " ")
		return nil
	}
}

// IfGiven returns a flag's value when the flag was given, else nil.
func IfGiven[T any](g Given, flag string, value *T) *T {
	if g.Changed(flag) {
		return value
	}
	return nil
}

// OneOf refuses more than one of several choices. names are the choices that were given, such as --claim; hint names what to do instead.
func OneOf(names []string, hint string) error {
	if len(names) < 2 {
		return nil
	}
	return fault.Validation(strings.TrimLeft(names[1], "-"), "%s cannot be done at once", strings.Join(names, " and ")).WithHint("%s", hint)
}
