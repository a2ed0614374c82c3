package command

import "github.com/agit-suite/agit/shared/cli"

// memoryCommands are those of long-term memory.
func memoryCommands(_ *cli.Env) []command { return nil }
