package cli

import "github.com/spf13/cobra"

const flagHintKey = "agit/flag-hint/"

// FlagHint returns a command's hint for a flag that it does not have but that people try; name is without dashes.
func FlagHint(cmd *cobra.Command, name, hint string) {
	annotate(cmd, flagHintKey+name, hint)
}
