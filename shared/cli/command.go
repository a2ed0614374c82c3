package cli

import "github.com/spf13/cobra"

// Command is a command of a binary, for the few who pass one on without making
// it and so need not import cobra.
type Command = cobra.Command
