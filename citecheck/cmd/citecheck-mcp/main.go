// Command citecheck-mcp is the MCP server that `citecheck serve` starts. It is a
// program of its own because the MCP library costs every start 5 ms, which
// citecheck's commands, run from hooks and scripts, would pay for nothing.
package main

import (
	"context"
	"os"

	"github.com/agit-suite/agit/citecheck/internal/mcpserver"
	"github.com/agit-suite/agit/shared/cli"
)

func main() {
	env := cli.NewEnv("citecheck-mcp", cli.Version, cli.Commit)
	os.Exit(cli.Main(context.Background(), env, mcpserver.Root(env), os.Args[1:]))
}
