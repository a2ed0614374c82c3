package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/run/permit"
	"github.com/agit-suite/agit/shared/cli"
)

// newPermit is a program that `agit work` gives to clients which ask by an MCP tool before they call another; people do not start it.
func newPermit(env *cli.Env, run cli.Func[cli.Env]) *cobra.Command {
	return cli.Command(&cobra.Command{
		Use:    "permit",
		Hidden: true,
		Short:  "Ask the worker that runs a client what it may do",
		Long: `Speak MCP on standard input and output with one tool, by which a client that agit
work runs asks before it calls a tool. The worker decides.`,
		Example: "agit permit",
	}, env, nil, run)
}

func runPermit(ctx context.Context, env *cli.Env) error {
	return permit.Serve(ctx, env.Streams.In, env.Streams.Out, env.Getenv(permit.Variable))
}
