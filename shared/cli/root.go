package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/text"
)

// NewRoot makes the root command of a binary with the global flags, and the
// commands every binary has: completion, version and the hidden docs. The
// commands of a binary come with Tree.
func NewRoot(env *Env, short string) *cobra.Command {
	root := Parent(&cobra.Command{Use: env.Name, Short: short, Version: env.Version})
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetIn(env.Streams.In)
	root.SetOut(env.Streams.Out)
	root.SetErr(env.Streams.ErrWriter())
	bindGlobals(root.PersistentFlags(), &env.Globals)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { printHelp(env, c) })
	root.SetUsageFunc(func(c *cobra.Command) error { printHelp(env, c); return nil })
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp(env, root, runHelp))
	root.AddCommand(newVersion(env, runVersion), newDocs(root, runDocs))
	CompleteFlag(root, "output", Words(output.Formats()...))
	CompleteFlag(root, "log-level", Words(logLevels()...))
	return root
}

func bindGlobals(f *pflag.FlagSet, g *Globals) {
	f.BoolVar(&g.JSON, "json", false, "print one JSON document (the same as -o json)")
	f.StringVarP(&g.Output, "output", "o", "", "output `format`: table, json or ndjson")
	f.StringVar(&g.JQ, "jq", "", "filter the JSON output with a jq `expression`")
	f.BoolVarP(&g.Quiet, "quiet", "q", false, "print no notices and no progress")
	f.BoolVar(&g.Table, "table", false, "print tables as a terminal shows them, with headings, into pipes too (or AGIT_TABLE=1)")
	f.BoolVar(&g.NoColor, "no-color", false, "print no colour")
	f.StringVar(&g.DB, "db", "", "registry `file` to use")
	f.StringVar(&g.Config, "config", "", "configuration `file` to use instead of config.toml")
	f.StringVar(&g.LogLevel, "log-level", "", "least important log `level`: debug, info, warn or error")
}

// Parent makes cmd a command that only groups others: alone it prints its help, and an unknown subcommand is an error that names the
// nearest one.
func Parent(cmd *cobra.Command, subcommands ...*cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return unknownCommand(c, args[0])
	}
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	cmd.AddCommand(subcommands...)
	for _, sub := range subcommands { // an overview shows one of each
		if first, _, _ := strings.Cut(sub.Example, "\n"); first != "" {
			cmd.Example = strings.TrimPrefix(cmd.Example+"\n"+first, "\n")
		}
	}
	return cmd
}

// ForID in the SuggestFor of a command makes it the default for an id: `pmsync ticket SEM-12` means `pmsync ticket show SEM-12`.
const ForID = "ID"

func unknownCommand(c *cobra.Command, name string) error {
	f := fault.Validation("command", "there is no command %q", name)
	if c.HasParent() {
		f.Message = fmt.Sprintf("%s has no command %q", called(c), name)
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(append(names, sub.Name()), sub.Aliases...)
		}
	}
	meant := suggesting(c, strings.ToLower(name))
	if len(meant) == 0 && text.Identifies(name) {
		for _, command := range suggesting(c, ForID) {
			meant = append(meant, strings.TrimSuffix(command, "`")+" "+name+"`")
		}
	}
	if near := text.Nearest(name, names); len(meant) == 0 && near != "" {
		meant = []string{fmt.Sprintf("`%s %s`", c.CommandPath(), near)}
	}
	if len(meant) == 0 {
		meant = under(c, strings.ToLower(name))
	}
	if len(meant) > 0 {
		return f.WithHint("did you mean %s?", strings.Join(meant, " or "))
	}
	return f.WithHint("`%s --help` lists the commands", c.CommandPath())
}

// suggesting returns the commands that list a word in their SuggestFor.
func suggesting(c *cobra.Command, name string) (meant []string) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && slices.Contains(sub.SuggestFor, name) {
			meant = append(meant, "`"+sub.CommandPath()+"`")
		}
	}
	return meant
}

// under returns the subcommands of a name, at most three.
func under(c *cobra.Command, name string) (meant []string) {
	const most = 3
	for _, group := range c.Commands() {
		for _, sub := range group.Commands() {
			if sub.Name() == name && sub.IsAvailableCommand() && len(meant) < most {
				meant = append(meant, "`"+sub.CommandPath()+"`")
			}
		}
	}
	return meant
}

// prepare readies every command of the tree for Main: arguments that do not fit
// are ValidationErrors, and the global flags are applied before the command runs.
func prepare(env *Env, c *cobra.Command) {
	args := c.Args
	switch {
	case args != nil:
		c.Args = func(c *cobra.Command, given []string) error {
			if err := usageError(c, args(c, given)); err != nil {
				return err
			}
			return together(c)
		}
		if c.ValidArgsFunction == nil && c.ValidArgs == nil {
			c.ValidArgsFunction = filesWhere(args)
		}
	case c.HasParent(): // it takes any arguments; of the program itself cobra refuses them
		c.Args = func(c *cobra.Command, _ []string) error { return together(c) }
	}
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			env.hasJQ = c.Flags().Changed("jq")
			if err := env.Start(); err != nil {
				return err
			}
			env.running = true
			return run(c, args)
		}
	}
	for _, sub := range c.Commands() {
		prepare(env, sub)
	}
}

func usageError(c *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	if fault.Is(err, fault.KindValidation) {
		return err
	}
	return fault.Validation("", "%s: %v", called(c), err).WithHint("usage: %s", c.UseLine())
}
