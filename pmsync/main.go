// Command pmsync keeps tickets, plans, acceptance criteria and what waits for what.
package main

import (
	"context"
	"os"

	"github.com/agit-suite/agit/pmsync/internal/command"
	"github.com/agit-suite/agit/shared/cli"
)

func main() {
	env, args := cli.NewEnv("pmsync", cli.Version, cli.Commit), os.Args[1:]
	os.Exit(cli.Main(context.Background(), env, command.Root(env, args), args))
}
