package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

// configOptions are the options of the config commands.
type configOptions struct {
	env *Env

	Key    string
	Values []string
	Yes    bool
}

// sources returns which files make the configuration, once the flags are parsed.
func (o *configOptions) sources() config.Options { return o.env.ConfigOptions(o.env.Dir) }

// take reads [KEY] [VALUE...].
func (o *configOptions) take(g Given) error {
	if len(g.Args) > 0 {
		o.Key, o.Values = g.Args[0], g.Args[1:]
	}
	return nil
}

func configCommand(env *Env, o *configOptions, run Func[configOptions], cmd *cobra.Command) *cobra.Command {
	o.env = env
	return Command(cmd, o, o.take, run)
}

// ConfigCommand returns `config` with its subcommands, which are the same in every binary.
func ConfigCommand(env *Env) *cobra.Command {
	return Parent(&cobra.Command{
		Use:   "config",
		Short: "Show and change the configuration, and trust a project's",
		Long: `Show and change the configuration. Later wins: built-in values, config.toml,
.agit.toml in the project, AGIT_CFG_SECTION_KEY variables, flags.

A project's file comes with a clone: it may not set commands, secrets or
database paths, nor shorten what protects work, and its hooks, hosts and
folders take effect only after ` + "`config trust`" + `. ` + "`config show`" + ` shows what was ignored.`,
	},
		newConfigShow(env, runConfigShow), newConfigGet(env, runConfigGet), newConfigSet(env, runConfigSet),
		newConfigUnset(env, runConfigUnset), newConfigPath(env, runConfigPath),
		newConfigTrust(env, runConfigTrust), newConfigUntrust(env, runConfigUntrust))
}

func newConfigShow(env *Env, run Func[configOptions]) *cobra.Command {
	return configCommand(env, &configOptions{}, run, &cobra.Command{
		Use:        "show",
		SuggestFor: []string{"list", "ls"},
		Short:      "Print every value and where it comes from",
	})
}

func runConfigShow(ctx context.Context, o *configOptions) error {
	o.env.OnlyLooks() // a mistake in a file is what one looks for with it
	c, err := o.env.Config(ctx)
	if err != nil {
		return err
	}
	err = output.List(ctx, o.env.Printer(), "settings", c.Origins(), []output.Column[config.Value]{
		{Title: "key", Value: func(v config.Value) string { return v.Key }},
		{Title: "value", Value: config.Value.Text, Flex: true},
		{Title: "origin", Value: func(v config.Value) string { return v.Origin }, Flex: true, Style: term.Styles{config.BuiltIn: term.Dim}.Of},
	})
	if err != nil {
		return err
	}
	for _, v := range c.Origins() {
		for _, i := range v.Ignored {
			o.env.Streams.Notice("%s", i.Sentence(v.Key))
		}
	}
	if sentence := c.UntrustedWarning(); sentence != "" {
		o.env.Streams.Warn("%s", sentence)
	}
	return nil
}

func newConfigGet(env *Env, run Func[configOptions]) *cobra.Command {
	return configCommand(env, &configOptions{}, run, &cobra.Command{
		Use:               "get KEY",
		Short:             "Print one value",
		Example:           env.Name + " config get agent.stale_after",
		ValidArgsFunction: completeKeys,
	})
}

func runConfigGet(ctx context.Context, o *configOptions) error {
	o.env.OnlyLooks()
	c, err := o.env.Config(ctx)
	if err != nil {
		return err
	}
	v, err := c.Get(o.Key)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, v, func(s *term.Streams) error {
		text := v.Text()
		if s.OutTTY {
			text = term.Escape(text)
		}
		_, err := io.WriteString(s.Out, text+"\n")
		return err
	})
}

func newConfigPath(env *Env, run Func[configOptions]) *cobra.Command {
	return configCommand(env, &configOptions{}, run, &cobra.Command{
		Use:   "path",
		Short: "Print which files the configuration and the registry are",
	})
}

// configPaths is the document of `config path`.
type configPaths struct {
	Home     string   `json:"home"`
	File     string   `json:"file"`
	Database string   `json:"database"`
	Read     []string `json:"read"`
}

func runConfigPath(ctx context.Context, o *configOptions) error {
	o.env.OnlyLooks()
	c, err := o.env.Config(ctx)
	if err != nil {
		return err
	}
	paths := configPaths{Home: c.Home(), File: c.UserFile(), Database: c.Database.Place(), Read: c.LoadedFiles()}
	return o.env.Printer().Document(ctx, paths, func(s *term.Streams) error {
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
