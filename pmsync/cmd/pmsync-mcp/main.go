// Command pmsync-mcp is the MCP server that `pmsync serve` starts. It is a program of
// its own because the MCP library costs every start 5 ms, which pmsync's commands,
// run from hooks and scripts, would pay for nothing.
package main

import (
	"os"

	"github.com/agit-suite/agit/pmsync/internal/mcpserver"
)

func main() { os.Exit(mcpserver.Server.Main(os.Args[1:])) }
