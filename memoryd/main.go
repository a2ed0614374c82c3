// Command memoryd keeps agents' sessions, long-term memory and records.
package main

import (
	"context"
	"os"

	"github.com/agit-suite/agit/memoryd/internal/command"
	"github.com/agit-suite/agit/shared/cli"
)

func main() {
	env, args := cli.NewEnv("memoryd", cli.Version, cli.Commit), os.Args[1:]
	os.Exit(cli.Main(context.Background(), env, command.Root(env, args), args))
}
