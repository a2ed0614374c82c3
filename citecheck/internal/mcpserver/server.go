// Package mcpserver is citecheck's MCP server.
package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
)

// Root is the command line of the server program: the flags of `citecheck serve`.
func Root(env *cli.Env) *cli.Command {
	return cli.NewServer(env, "Serve citecheck to MCP clients (started by citecheck serve)", stores.Port,
		func(ctx context.Context, o *cli.ServeOptions) error { return nil })
}
