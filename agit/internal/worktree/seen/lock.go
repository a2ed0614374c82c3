package seen

import (
	"cmp"
	"regexp"
	"strconv"
	"sync"

	"github.com/agit-suite/agit/agit/internal/worktree/process"
	"github.com/agit-suite/agit/shared/git"
)

// lock notes why git keeps a worktree from being pruned, and the process that the reason names.
func (t *Tree) lock(w git.Worktree) {
	if !w.Locked {
		return
	}
	t.Locked = cmp.Or(w.LockReason, "without a reason")
	if t.LockedBy = lockProcess(w.LockReason); t.LockedBy != 0 {
		t.LockHeld = process.Running(int64(t.LockedBy))
	}
}

var lockedBy = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bpid[ :=]*([0-9]{1,9})\b`) })

// lockProcess is the process that a lock's reason names, as in "claude agent agent-12 (pid 4711)"; 0 for none.
func lockProcess(reason string) int {
	found := lockedBy().FindStringSubmatch(reason)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(found[1]) // digits alone
	return n
}
