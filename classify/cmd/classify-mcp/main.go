// Command classify-mcp is the MCP server that `classify serve` starts. It is a program of
// its own because the MCP library costs every start 5 ms, which classify's commands,
// run from hooks and scripts, would pay for nothing.
package main

import (
	"os"

	"github.com/agit-suite/agit/classify/internal/mcpserver"
)

func main() { os.Exit(mcpserver.Server.Main(os.Args[1:])) }
