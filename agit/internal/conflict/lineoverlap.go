package conflict

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/agit/internal/conflict/scan"
)

// changedLines are the lines of a base that a side changed.
type changedLines struct {
	whole bool // everything changed, or it has no lines
	lines []Lines
}

// sideText returns what to compare for one side of a shared path. changed is false when the content did not change; whole is true when
// there are no lines to compare.
func (s *state) sideText(path string, base scan.Blob) (t mergetree.Texts, whole, changed bool) {
	now := s.Entries[path].Now
	if to := s.Entries[path].To; now.Mode == 0 && to != "" {
		now = s.Entries[to].Now // its lines live on under another name
	}
	switch {
	case now.OID == base.OID && sameType(now.Mode, base.Mode):
		return t, false, false // only the mode or the name is new
	case !text(base) || !text(now):
		return t, true, true
	}
	return mergetree.Texts{Base: base.OID, Side: now.OID}, false, true
}

// job is a comparison of texts whose result is not known yet, with the state that has the second text.
type job struct {
	mergetree.Texts
	state *state
}

func (j job) key() string { return j.Base + " " + j.Side }

// lineJobs lists the comparisons that are needed for the lines that shared paths change, and takes known results from the cache.
func (c *comparison) lineJobs() []job {
	var need []job
	seen := map[string]bool{}
	for _, p := range c.pairs {
		if len(p.bases) == 0 {
			continue // without a common base there are no lines to compare
		}
		for _, path := range p.shared {
			base, _ := p.va.at(path)
			for _, s := range []*state{p.a, p.b} {
				t, whole, changed := s.sideText(path, base.from)
				j := job{t, s}
				if whole || !changed || seen[j.key()] {
					continue
				}
				seen[j.key()] = true
				if known, ok := c.last.Hunks[j.key()]; ok {
					c.usedHunks[j.key()] = known
					continue
				}
				need = append(need, j)
			}
		}
	}
	return need
}

// compareLines answers jobs. The states concerned are in the store.
func (c *comparison) compareLines(ctx context.Context, jobs []job) error {
	if len(jobs) == 0 {
		return nil
	}
	store, err := c.store.get(ctx)
	if err != nil {
		return err
	}
	texts := make([]mergetree.Texts, len(jobs))
	for i, j := range jobs {
		texts[i] = j.Texts
	}
	found, err := store.Hunks(ctx, texts)
	if err != nil {
		return err
	}
	for i, j := range jobs {
		c.usedHunks[j.key()] = found[i]
	}
	return nil
}

// set returns the lines of the base that a state changed in path.
func (c *comparison) set(s *state, path string, base scan.Blob) changedLines {
	t, whole, changed := s.sideText(path, base)
	if whole || !changed {
		return changedLines{whole: whole}
	}
	h := c.usedHunks[t.Base+" "+t.Side]
	set := changedLines{whole: h.Binary}
	for _, r := range h.Ranges {
		first := r.OldStart
		if r.OldLines == 0 {
			first++ // git names the line an insertion comes after
		}
		set.lines = append(set.lines, Lines{first, first + r.OldLines - 1})
	}
	return set
}

// overlapping returns the lines that both sets touch. As in git's merge, changes that
// touch without an unchanged line between them overlap.
func overlapping(a, b changedLines) (lines []Lines, meet bool) {
	switch {
	case a.whole && b.whole:
		return nil, true
	case a.whole:
		return b.lines, len(b.lines) > 0
	case b.whole:
		return a.lines, len(a.lines) > 0
	}
	for i, j := 0, 0; i < len(a.lines) && j < len(b.lines); {
		x, y := a.lines[i], b.lines[j]
		if x.Last >= y.First-1 && y.Last >= x.First-1 {
			first := max(x.First, y.First)
			lines = append(lines, Lines{first, max(min(x.Last, y.Last), first-1)}) // of two ranges that only touch: an empty one between them
		}
		if x.Last < y.Last {
			i++
		} else {
			j++
		}
	}
	return lines, len(lines) > 0
}
