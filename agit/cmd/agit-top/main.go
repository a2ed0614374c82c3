// Command agit-top is the screen that `agit top` shows. It is a program of its own so
// that agit's commands, run from hooks and scripts, do not link a terminal library.
package main

import (
	"context"
	"os"

	"github.com/agit-suite/agit/agit/internal/top"
)

func main() { os.Exit(top.Main(context.Background(), os.Args[1:])) }
