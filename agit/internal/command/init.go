package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/term"
)

type initOptions struct {
	env    *cli.Env
	config func() (path string, made bool, err error)
}

func newInit(env *cli.Env, run cli.Func[initOptions]) *cobra.Command {
	o := &initOptions{env: env, config: func() (string, bool, error) {
		return config.WriteTemplate(env.ConfigOptions(env.Dir))
	}}
	return cli.Command(&cobra.Command{
		Use:   "init",
		Short: "Make the registry and a commented config.toml",
		Long: `Make the registry and a commented config.toml in ~/.agit (AGIT_HOME moves it).
What is there already is kept. Nothing else is touched: no hook, no AGENTS.md,
no repository. Other commands make the registry too when it is missing.`,
	}, o, nil, run)
}

type initResult struct {
	Registry   string `json:"registry"`
	Config     string `json:"config"`
	ConfigMade bool   `json:"config_made"`
}

func runInit(ctx context.Context, o *initOptions) error {
	path, made, err := o.config()
	if err != nil {
		return err
	}
	db, err := o.env.Registry(ctx)
	if err != nil {
		return err
	}
	result := initResult{Registry: db.Name(), Config: path, ConfigMade: made}
	return o.env.Printer().Document(ctx, result, func(s *term.Streams) error {
		if err := s.Lines([]string{"registry", result.Registry}, []string{"config", result.Config}); err != nil {
			return err
		}
		s.Notice("next: `agit add PATH` registers a repository")
		return nil
	})
}
