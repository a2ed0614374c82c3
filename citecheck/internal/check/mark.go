package check

import (
	"cmp"
	"context"
	"time"

	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
)

// Mark writes into checked memory files when each citation was last found valid, and the memory's confidence. It needs a Summary made with
// Whole, and returns the number of changed files. When one cannot be written, the others still are; the first error is returned in the end.
func (s *Service) Mark(ctx context.Context, sum *Summary) (changed int, first error) {
	now := s.now()
	day := now.UTC().Format(time.DateOnly)
	for _, m := range sum.Memories {
		if m.Source != "" || m.State == StateUnreadable || len(m.Citations) == 0 || m.doc.Entry.Alias && len(sum.Memories) > 1 {
			continue
		}
		wrote, err := s.rewrite(ctx, m.doc.Entry, func(mem *memoryfile.Memory, e *memoryfile.Edit) ([]memoryfile.Place, error) {
			for _, c := range m.Citations {
				found, ok := again(mem, c.cited.Citation)
				if !ok {
					return nil, changedMeanwhile(m.ID)
				}
				if c.Verdict == verify.Valid {
					e.Verified(found, day)
				}
			}
			confidence := -1.0
			if m.Confidence != nil {
				confidence = *m.Confidence
			}
			e.Metadata(confidence, now)
			return nil, nil
		})
		if err != nil {
			if ctx.Err() != nil {
				return changed, err
			}
			first = cmp.Or(first, err)
		}
		if wrote {
			changed++
		}
	}
	return changed, first
}
