package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agit-suite/agit/shared/fault"
)

// NoArgs refuses arguments. A word after a command with subcommands was meant to be one of them.
func NoArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 && c.HasParent() && c.HasSubCommands() {
		return unknownCommand(c, args[0])
	}
	if len(args) > 0 {
		return fault.Validation("", "%s takes no argument, but was given %q", called(c), args[0]).
			WithHint("usage: %s", c.UseLine())
	}
	return nil
}

// Args requires one argument for each name. A name in brackets, such as "[TASK]", may be left out; the last one may end in "..." for any
// number. No argument may be empty.
func Args(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		usage := func(f *fault.Fault) error { return f.WithHint("usage: %s", c.UseLine()) }
		for i, name := range names {
			bare := strings.TrimSuffix(strings.Trim(name, "[]"), "...")
			switch {
			case i < len(args) && args[i] == "":
				return usage(fault.Validation(strings.ToLower(bare), "%s: %s is empty", called(c), bare))
			case i >= len(args) && !strings.HasPrefix(name, "["):
				return usage(fault.Validation(strings.ToLower(bare), "%s needs %s", called(c), bare))
			}
		}
		endless := len(names) > 0 && strings.Contains(names[len(names)-1], "...")
		if endless && slices.Contains(args[min(len(names), len(args)):], "") {
			bare := strings.TrimSuffix(strings.Trim(names[len(names)-1], "[]"), "...")
			return usage(fault.Validation(strings.ToLower(bare), "%s: %s is empty", called(c), bare))
		}
		if len(args) > len(names) && !endless {
			f := fault.Validation("", "%s was given an argument too many: %q", called(c), args[len(names)])
			if takesWords(c, names) {
				return f.WithHint("words that belong together go in quotes; usage: %s", c.UseLine())
			}
			return usage(f)
		}
		return nil
	}
}

// takesWords reports whether a command line has a place for a text of several words: an argument, or a flag that was given.
func takesWords(c *cobra.Command, names []string) bool {
	words := slices.ContainsFunc(names, func(name string) bool {
		return slices.Contains([]string{"TEXT", "TEXT|-", "TITLE", "CONTENT", "QUERY", "TASK"}, strings.Trim(name, "[]"))
	})
	c.Flags().Visit(func(f *pflag.Flag) {
		words = words || f.Value.Type() == "string" && c.LocalFlags().Lookup(f.Name) != nil
	})
	return words
}

// called returns the command's name without the program's, which every error already begins with.
func called(c *cobra.Command) string {
	if !c.HasParent() {
		return c.Name()
	}
	return strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
}
