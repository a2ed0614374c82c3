// Command agit-web is the page that `agit web` shows. It is a program of its own so
// that agit's commands, run from hooks and scripts, do not link a web server.
package main

import (
	"context"
	"os"

	"github.com/agit-suite/agit/agit/internal/web"
)

func main() { os.Exit(web.Main(context.Background(), os.Args[1:])) }
