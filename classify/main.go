// Command classify describes projects and finds the known projects that are like them.
package main

import (
	"context"
	"os"

	"github.com/agit-suite/agit/classify/internal/command"
	"github.com/agit-suite/agit/shared/cli"
)

func main() {
	env, args := cli.NewEnv("classify", cli.Version, cli.Commit), os.Args[1:]
	os.Exit(cli.Main(context.Background(), env, command.Root(env, args), args))
}
