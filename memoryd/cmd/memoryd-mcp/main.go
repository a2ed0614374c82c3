// Command memoryd-mcp is the MCP server that `memoryd serve` starts. It is a
// program of its own because the MCP library costs every start 5 ms, which
// memoryd's commands, run from hooks and scripts, would pay for nothing.
package main

import (
	"context"
	"os"

	"github.com/agit-suite/agit/memoryd/internal/mcpserver"
	"github.com/agit-suite/agit/shared/cli"
)

func main() {
	env := cli.NewEnv("memoryd-mcp", cli.Version, cli.Commit)
	os.Exit(cli.Main(context.Background(), env, mcpserver.Root(env), os.Args[1:]))
}
