package worktree

import (
	"fmt"

	"github.com/agit-suite/agit/shared/fault"
)

// Conflictf is a Conflict fault about a worktree.
func Conflictf(w Worktree, format string, args ...any) *fault.Fault {
	return fault.Conflict("worktree", w.Ref, "%s", fmt.Sprintf(format, args...))
}
