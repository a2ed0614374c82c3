// Command agit coordinates several AI coding agents in one repository:
// worktrees, tasks, conflicts and merges.
package main

import (
	"context"
	"os"

	"github.com/agit-suite/agit/agit/internal/command"
	"github.com/agit-suite/agit/shared/cli"
)

func main() {
	env, args := cli.NewEnv("agit", cli.Version, cli.Commit), os.Args[1:]
	os.Exit(cli.Main(context.Background(), env, command.Root(env, args), args))
}
