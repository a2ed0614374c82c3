package cli

import "github.com/spf13/cobra"

const flagHintKey = "agit/flag-hint/"

// FlagHint is what a command answers to a flag that it does not have and people look for; name is without dashes.
func FlagHint(cmd *cobra.Command, name, hint string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[flagHintKey+name] = hint
}
