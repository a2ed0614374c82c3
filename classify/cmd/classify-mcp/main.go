// Command classify-mcp is the MCP server that `classify serve` starts. It is a
// program of its own because the MCP library costs every start 5 ms.
package main

import (
	"context"
	"os"

	"github.com/agit-suite/agit/classify/internal/mcpserver"
	"github.com/agit-suite/agit/shared/cli"
)

func main() {
	env := cli.NewEnv("classify-mcp", cli.Version, cli.Commit)
	os.Exit(cli.Main(context.Background(), env, mcpserver.Root(env), os.Args[1:]))
}
