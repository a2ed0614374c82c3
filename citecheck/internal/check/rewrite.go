package check

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/shared/fault"
)

// rewrite changes one memory file: edit gets the current memory and returns the places that it adds. A result that would be read
// differently than intended is refused, and nothing is written.
func (s *Service) rewrite(ctx context.Context, e library.Entry, edit func(*memoryfile.Memory, *memoryfile.Edit) ([]memoryfile.Place, error)) (bool, error) {
	if e.Problem != "" {
		return false, fault.Validation("memory", "%q cannot be written: %s", e.ID, e.Problem).About("memory", e.ID)
	}
	return memoryfile.Update(ctx, s.Lib.Folder(), e.Name, func(src []byte) ([]byte, error) {
		m := memoryfile.Parse(src, memoryfile.All)
		if m.Unreadable {
			return nil, fault.Validation("memory", "%q cannot be written: %s", e.ID, m.Problems[0].Text).About("memory", e.ID)
		}
		change := m.Edit()
		added, err := edit(m, change)
		if err != nil || !change.Changed() {
			return src, err
		}
		out := change.Bytes()
		if err := memoryfile.Intact(m, memoryfile.Parse(out, memoryfile.All), added...); err != nil {
			return nil, fault.Operation(err, "rewrite the memory %q", e.ID).WithHint("nothing was written; look at the memory").About("memory", e.ID)
		}
		return out, nil
	})
}

// same reports whether a citation read again is the one that was checked.
func same(a, b memoryfile.Citation) bool {
	return a.Form == b.Form && a.At == b.At && a.Place == b.Place && a.Quote == b.Quote
}

// again finds a checked citation in the memory as it is now.
func again(m *memoryfile.Memory, c memoryfile.Citation) (memoryfile.Citation, bool) {
	list := m.Citations
	if c.Form == memoryfile.Prose {
		list = m.References
	}
	if i := slices.IndexFunc(list, func(now memoryfile.Citation) bool { return same(now, c) }); i >= 0 {
		return list[i], true
	}
	return memoryfile.Citation{}, false
}

func changedMeanwhile(id string) error {
	return fault.Conflict("memory", id, "the memory %q was changed while it was checked; it was left alone", id).Retry()
}

// wording returns a file's path in the style of a reference to another file: relative to the memory when that one was.
func wording(written, memory, file string) string {
	if !strings.HasPrefix(written, "../") || filepath.IsAbs(memory) {
		return file
	}
	rel, err := filepath.Rel(filepath.Dir(filepath.FromSlash(memory)), filepath.FromSlash(file))
	if err != nil {
		return file
	}
	return filepath.ToSlash(rel)
}
