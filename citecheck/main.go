// Command citecheck verifies that statements of memories about the code are still true, before an agent acts on them.
package main

import (
	"context"
	"os"

	"github.com/agit-suite/agit/citecheck/internal/command"
	"github.com/agit-suite/agit/shared/cli"
)

func main() {
	env, args := cli.NewEnv("citecheck", cli.Version, cli.Commit), os.Args[1:]
	os.Exit(cli.Main(context.Background(), env, command.Root(env, args), args))
}
