package check

import (
	"context"
	"fmt"
	"slices"

	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
)

// bystanders are references in a memory's prose that are not to be fixed, but that fixing would affect. A reference in a rewritten line
// would lose the commit that dates it. A reference that names the new place of a citation would be taken for that citation.
type bystanders struct {
	moves []bystander
	// leave has the lines that are not rewritten, because the current place of a reference in them is not known.
	leave map[int]bool
	// taken has the references whose places no citation may move to.
	taken []memoryfile.Citation
}

// bystander is a reference that can be moved to its new place along with the others.
type bystander struct {
	ref memoryfile.Citation
	to  memoryfile.Place
}

// bystanders finds the bystanders of a memory and follows each to its current place.
func (s *Service) bystanders(ctx context.Context, m *Memory, movable []Citation) (out bystanders, err error) {
	out.leave = map[int]bool{}
	if len(movable) == 0 {
		return out, nil
	}
	d := s.Lib.Read(m.doc.Entry, memoryfile.All)
	if d.Memory == nil {
		return out, nil
	}
	touched := map[int]bool{}
	for _, r := range d.References {
		if moves(r, movable) {
			touched[r.At] = true
		}
	}
	var refs []memoryfile.Citation
	for _, r := range d.References {
		if !r.InCode && !r.Adopted && !moves(r, movable) && (touched[r.At] || goesTo(movable, r)) {
			refs = append(refs, r)
		}
	}
	if len(refs) == 0 {
		return out, nil
	}
	results, err := s.followReferences(ctx, d.Memory, s.Lib.File(m.doc.Entry), refs)
	if err != nil {
		return out, err
	}
	for i, r := range refs {
		if !results[i].Verdict.True() {
			out.leave[r.At] = touched[r.At]
		}
	}
	for i, r := range refs {
		to := memoryfile.Place{Path: r.Path, Line: results[i].FoundLine, EndLine: results[i].FoundEnd}
		if results[i].FoundPath != results[i].Citation.Path {
			to.Path = wording(r.Path, m.File, results[i].FoundPath)
		}
		switch now := r.Place; {
		case results[i].Verdict.True() && !out.leave[r.At] && to != now:
			out.moves = append(out.moves, bystander{r, to})
		case (!results[i].Verdict.True() || to != now) && goesTo(movable, r):
			out.taken = append(out.taken, r)
		}
	}
	return out, nil
}

// moves reports whether a reference is rewritten with one of the citations.
func moves(r memoryfile.Citation, movable []Citation) bool {
	return slices.ContainsFunc(movable, func(c Citation) bool {
		return c.cited.Form == memoryfile.Prose && same(r, c.cited.Citation) || r.Adopted && memoryfile.Means(r.Path, c.cited.Citation.Path) && r.Line == c.cited.Citation.Line
	})
}

// goesTo reports whether one of the citations moves to the place that a reference names.
func goesTo(movable []Citation, r memoryfile.Citation) bool {
	return slices.ContainsFunc(movable, func(c Citation) bool {
		to := c.target()
		return memoryfile.Means(r.Path, to.Path) && r.Line == to.Line
	})
}

// followReferences returns the current places of references in the prose of one memory.
func (s *Service) followReferences(ctx context.Context, m *memoryfile.Memory, file string, refs []memoryfile.Citation) ([]verify.Result, error) {
	checker, err := s.checker(ctx, verify.WorkingTree)
	if err != nil {
		return nil, err
	}
	defer checker.Close()
	n := &names{checker: checker}
	cites := make([]verify.Citation, len(refs))
	for i, r := range refs {
		found, err := n.meant(ctx, r.Path, file, func(files []string) string { return m.Meant(r, files) })
		if err != nil {
			return nil, err
		}
		path := r.Path
		if len(found) == 1 {
			path = found[0]
		}
		cites[i] = verify.Citation{Path: path, Line: r.Line, EndLine: r.EndLine, Source: verify.Source{Path: file, Line: r.At, Holds: m.Written(r)}}
	}
	return checker.Verify(ctx, cites)
}

// spare removes the fixes from a plan that bystanders prevent, and adds the bystanders that move along.
func (b bystanders) spare(m *Memory, fixes []Fix, movable []Citation) ([]Fix, []Citation) {
	var kept []Citation
	done := 0
	for _, c := range movable {
		for !fixes[done].Done {
			done++
		}
		f := &fixes[done]
		done++
		switch {
		case c.cited.Form == memoryfile.Prose && b.leave[c.At]:
			f.Done, f.Reason = false, f.Reason+"; another reference in its line is not known to be anywhere, and would lose what it means"
			continue
		case b.blockedAt(c) > 0:
			f.Done, f.Reason = false, f.Reason+fmt.Sprintf("; but line %d of the memory says that place and means another one: mend or `citecheck adopt` it first", b.blockedAt(c))
			continue
		}
		kept = append(kept, c)
	}
	if len(kept) == 0 {
		return fixes, nil
	}
	for _, by := range b.moves {
		fixes = append(fixes, Fix{
			Memory: m.ID, At: by.ref.At, Verdict: verify.Moved, Done: true, Reason: "it is rewritten with the citations beside it",
			From: by.ref.Place.String(), To: by.to.String(),
		})
	}
	return fixes, kept
}

// blockedAt returns the line of a reference that prevents a citation from moving to its place, 0 for none.
func (b bystanders) blockedAt(c Citation) int {
	for _, r := range b.taken {
		if goesTo([]Citation{c}, r) {
			return r.At
		}
	}
	return 0
}
