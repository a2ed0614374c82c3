package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

// hookFlagKey is the annotation that names the flag of ForHooks.
const hookFlagKey = "agit/hook-flag"

// ForHooks declares that cmd serves an agent client's hook when the flag is given. A client takes exit status 2 as "do not do that", so a
// line with a flag from another version must not end with it: unknown flags are ignored then, and other wrong usage is reported with exit
// status 0.
func ForHooks(cmd *cobra.Command, flag string) {
	annotate(cmd, hookFlagKey, flag)
}

// forHook finds the command that args name and reports whether it serves a hook in this run.
func forHook(root *cobra.Command, args []string) bool {
	if len(args) == 0 {
		return false
	}
	for _, c := range root.Commands() {
		flag := c.Annotations[hookFlagKey]
		if flag == "" || !slices.Contains(args, c.Name()) || !slices.Contains(args, "--"+flag) {
			continue
		}
		c.FParseErrWhitelist.UnknownFlags = true
		return true
	}
	return false
}
