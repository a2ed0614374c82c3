// Command pmsync-mcp is the MCP server that `pmsync serve` starts. It is a separate program because linking the MCP library costs every
// start 5 ms, and pmsync's commands run from hooks and scripts.
package main

import (
	"os"

	"github.com/agit-suite/agit/pmsync/internal/mcpserver"
)

func main() { os.Exit(mcpserver.Server.Main(os.Args[1:])) }
