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
		if c.Status != 'D' && c.Mode != "160000" {
			names.WriteString(c.OID + "\n")
		}
	}
	out, err := m.g.Output(ctx, git.Options{Stdin: &names}, "cat-file", "--batch-check=%(objectsize)")
	if err != nil {
		return git.Fault(err, "measure the merge of %q", m.w.Ref)
	}
	need := uint64(spareRoom)
	for _, size := range strings.Fields(string(out)) {
		n, err := strconv.ParseUint(size, 10, 63)
		if err != nil {
			continue // "missing": a partial clone fetches it when it is written
		}
		need += n
	}
	if need > free {
		return fault.Operation(nil, "worktree %q was not %s: its files need up to %d MB in %q and the disk has %d MB left", m.w.Ref, m.deed, need>>20, f.Path, free>>20).
			WithHint("free some space, then try again").About("worktree", m.w.Ref).Retry()
	}
	return nil
}
