package land

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// spareRoom is the space that a disk must have left besides the files of a merge, for git's own files and the registry's.
const spareRoom = 1 << 20

// roomFor refuses a merge whose files would not fit on the disk: once the branch is moved there is no way back.
func (f workingTree) roomFor(ctx context.Context, m *merging) error {
	free, known := durable.Free(f.Path)
	if !known {
		return nil
	}
	var names bytes.Buffer
	for _, c := range m.changes {
		if c.Status != 'D' && c.Mode != gitlink {
			names.WriteString(c.OID + "\n")
		}
	}
	out, err := m.g.Output(ctx, git.Options{Stdin: &names}, "cat-file", "--batch-check=%(objectsize)")
	if err != nil {
		return git.Fault(err, "measure the merge of %q", m.w.Ref)
	}
	return m.refuseRoom(f.Path, roomNeeded(string(out)), free)
}

// roomNeeded returns the space in bytes for the files whose sizes `git cat-file` prints. It leaves out missing ones: a partial clone fetches
// them when it writes them.
func roomNeeded(sizes string) (need uint64) {
	need = spareRoom
	for _, size := range strings.Fields(sizes) {
		if n, err := strconv.ParseUint(size, 10, 63); err == nil {
			need += n
		}
	}
	return need
}

// refuseRoom refuses to write files that need more bytes in a folder than its disk has free.
func (m *merging) refuseRoom(folder string, need, free uint64) error {
	if need <= free {
		return nil
	}
	return fault.Operation(nil, "worktree %q was not %s: its files need up to %d MB in %q and the disk has %d MB left", m.w.Ref, m.deed, need>>20, folder, free>>20).
		WithHint("free some space, then try again").About("worktree", m.w.Ref).Retry()
}
