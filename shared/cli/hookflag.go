package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

// hookFlagKey is the annotation that names the flag of ForHooks.
const hookFlagKey = "agit/hook-flag"

// ForHooks says that cmd serves an agent client's hook when the flag is given. A client takes exit status 2 for "do not do that", so that a line
// with a flag from another version must not end with it: unknown flags are passed over then, and other wrong usage is told and exits with 0.
func ForHooks(cmd *cobra.Command, flag string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[hookFlagKey] = flag
}

// forHook finds the command that args name and reports whether it serves a hook now.
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
