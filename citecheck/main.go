// Command citecheck checks that what a memory says about the code is still
// true, before anyone acts on it.
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
