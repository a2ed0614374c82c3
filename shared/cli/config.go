package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

// configOptions are what the config commands work with.
type configOptions struct {
	io      *term.Streams
	printer *output.Printer
	load    func(context.Context) (*config.Config, error)
	sources config.Options

	Key    string
	Values []string
	Yes    bool
}

// ConfigCommand is `config` with its subcommands, the same in every binary.
func ConfigCommand(env *Env) *cobra.Command {
	return Parent(&cobra.Command{
		Use:   "config",
		Short: "Show and change the configuration, and trust a project's",
		Long: `Show and change the configuration. Later wins: built-in values, config.toml,
.agit.toml in the project, AGIT_CFG_SECTION_KEY variables, flags.

A project's file comes with a clone: it may not set commands, secrets or
database paths, nor shorten what protects work, and its hooks, hosts and
folders take effect only after ` + "`config trust`" + `. ` + "`config show`" + ` says what was ignored.`,
	},
		newConfigShow(env, runConfigShow), newConfigGet(env, runConfigGet), newConfigSet(env, runConfigSet),
		newConfigUnset(env, runConfigUnset), newConfigPath(env, runConfigPath),
		newConfigTrust(env, runConfigTrust), newConfigUntrust(env, runConfigUntrust))
}

// options are complete once the flags are parsed.
func (e *Env) configCommandOptions() *configOptions {
	return &configOptions{io: e.Streams, printer: e.Printer(), load: e.Config, sources: e.ConfigOptions(e.Dir)}
}

func configRun(env *Env, run func(context.Context, *configOptions) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		o := env.configCommandOptions()
		if len(args) > 0 {
			o.Key, o.Values = args[0], args[1:]
		}
		if f := c.Flags().Lookup("yes"); f != nil {
			o.Yes = f.Changed && f.Value.String() == "true"
		}
		return run(c.Context(), o)
	}
}

func newConfigShow(env *Env, run func(context.Context, *configOptions) error) *cobra.Command {
	return &cobra.Command{
		Use:        "show",
		SuggestFor: []string{"list", "ls"},
		Short:      "Print every value and where it comes from",
		Args:       NoArgs,
		RunE:       configRun(env, run),
	}
}

func runConfigShow(ctx context.Context, o *configOptions) error {
	c, err := o.load(ctx)
	if err != nil {
		return err
	}
	err = output.List(ctx, o.printer, "settings", c.Origins(), []output.Column[config.Value]{
		{Title: "key", Value: func(v config.Value) string { return v.Key }},
		{Title: "value", Value: config.Value.Text, Flex: true},
		{Title: "origin", Value: func(v config.Value) string { return v.Origin }, Flex: true, Style: func(cell string) term.Style {
			if cell == config.BuiltIn {
				return term.Dim
			}
			return term.Plain
		}},
	})
	if err != nil {
		return err
	}
	for _, v := range c.Origins() {
		for _, i := range v.Ignored {
			o.io.Notice("%s", i.Sentence(v.Key))
		}
	}
	if sentence := c.UntrustedWarning(); sentence != "" {
		o.io.Warn("%s", sentence)
	}
	return nil
}

func newConfigGet(env *Env, run func(context.Context, *configOptions) error) *cobra.Command {
	return &cobra.Command{
		Use:               "get KEY",
		Short:             "Print one value",
		Example:           env.Name + " config get agent.stale_after",
		Args:              Args("KEY"),
		ValidArgsFunction: completeKeys,
		RunE:              configRun(env, run),
	}
}

func runConfigGet(ctx context.Context, o *configOptions) error {
	c, err := o.load(ctx)
	if err != nil {
		return err
	}
	v, err := c.Get(o.Key)
	if err != nil {
		return err
	}
	return o.printer.Document(ctx, v, func(s *term.Streams) error {
		text := v.Text()
		if s.OutTTY {
			text = term.Escape(text)
		}
		_, err := io.WriteString(s.Out, text+"\n")
		return err
	})
}

func newConfigPath(env *Env, run func(context.Context, *configOptions) error) *cobra.Command {
	return &cobra.Command{
		Use:   "path",
		Short: "Print which files the configuration and the registry are",
		Args:  NoArgs,
		RunE:  configRun(env, run),
	}
}

// configPaths is the document of `config path`.
type configPaths struct {
	Home     string   `json:"home"`
	File     string   `json:"file"`
	Database string   `json:"database"`
	Read     []string `json:"read"`
}

func runConfigPath(ctx context.Context, o *configOptions) error {
	c, err := o.load(ctx)
	if err != nil {
		return err
	}
	paths := configPaths{Home: c.Home(), File: c.UserFile(), Database: c.Database.Path, Read: c.LoadedFiles()}
	return o.printer.Document(ctx, paths, func(s *term.Streams) error {
		t := term.NewTable(term.Column{Title: "what"}, term.Column{Title: "path"})
		t.Add("home", paths.Home)
		t.Add("file", paths.File)
		t.Add("database", paths.Database)
		for _, path := range paths.Read {
			t.Add("read", path)
		}
		return t.WriteTo(s)
	})
}

func completeKeys(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return config.Keys(), cobra.ShellCompDirectiveNoFileComp
}
