package check

import (
	"cmp"
	"context"
	"time"

	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/fault"
)

// Fix is what was done, or would be done, about one citation that is not valid.
type Fix struct {
	Memory  string         `json:"memory_id"`
	At      int            `json:"at,omitempty"`
	Verdict verify.Verdict `json:"verdict"`
	From    string         `json:"from"`
	To      string         `json:"to,omitempty"`
	Done    bool           `json:"done"` // with a dry run: would be
	Reason  string         `json:"reason"`
	Score   float64        `json:"score,omitempty"`
	Text    string         `json:"found_text,omitempty"`
}

// FixOptions say which citations are rewritten.
type FixOptions struct {
	Prose    bool // references in prose too
	Reviewed bool // changed ones too: a person looked at them
	DryRun   bool
}

// Fixes is the result of fix.
type Fixes struct {
	Fixes []Fix `json:"fixes"`
	Files int   `json:"files"` // changed
	Left  int   `json:"left"`  // citations that are still not valid
}

// Fix rewrites the citations whose new place is known, and the references in prose to the same place. Other references keep their meaning
// (see bystanders).
func (s *Service) Fix(ctx context.Context, docs []Document, o FixOptions) (*Fixes, error) {
	sum, err := s.Verify(ctx, docs, Options{Prose: o.Prose, Whole: true})
	if err != nil {
		return nil, err
	}
	out := &Fixes{Fixes: []Fix{}}
	day := s.now().UTC().Format(time.DateOnly)
	for _, m := range sum.Memories {
		if len(m.Stale) == 0 || m.doc.Entry.Alias && len(docs) > 1 {
			continue
		}
		fixes, movable := m.plan(o)
		if m.Source != "" { // memoryd writes its own
			for i := range fixes {
				fixes[i].Done = false
				fixes[i].Reason += "; memoryd keeps this memory: " + recite(m.ID)
			}
			movable = nil
		}
		along, err := s.bystanders(ctx, &m, movable)
		if err != nil {
			return nil, err
		}
		fixes, movable = along.spare(&m, fixes, movable)
		if len(movable) > 0 && !o.DryRun {
			if o.Reviewed {
				if err := s.quoteAnew(ctx, movable); err != nil {
					return nil, err
				}
			}
			wrote, err := s.rewrite(ctx, m.doc.Entry, func(mem *memoryfile.Memory, e *memoryfile.Edit) ([]memoryfile.Place, error) {
				return nil, m.apply(mem, e, movable, along, day)
			})
			if err != nil {
				if ctx.Err() != nil || len(docs) == 1 {
					return nil, err
				}
				notWritten(fixes, err)
			}
			if wrote {
				out.Files++
			}
		}
		for _, f := range fixes {
			if !f.Done {
				out.Left++
			}
		}
		out.Fixes = append(out.Fixes, fixes...)
	}
	if out.Files > 0 && s.History != nil { // a fixed citation is right as of now
		err = s.again(ctx, docs, Options{Prose: o.Prose})
	}
	return out, err
}

// notWritten marks the fixes of one memory as not done, with the error; the other memories are written.
func notWritten(fixes []Fix, err error) {
	for i := range fixes {
		if fixes[i].Done {
			fixes[i].Done, fixes[i].Reason = false, fault.From(err).Message
		}
	}
}

// again reads and checks documents anew, for the history.
func (s *Service) again(ctx context.Context, docs []Document, o Options) error {
	fresh := make([]Document, 0, len(docs))
	for _, d := range docs {
		if d.File != "" {
			fresh = append(fresh, s.document(s.Lib.Read(d.Entry, s.wants(o)), o, false))
		}
	}
	_, err := s.Verify(ctx, fresh, o)
	return err
}

// plan decides for each citation that is not valid whether it is rewritten.
func (m *Memory) plan(o FixOptions) (fixes []Fix, movable []Citation) {
	for _, c := range m.Stale {
		f := Fix{Memory: m.ID, At: c.At, Verdict: c.Verdict, Reason: c.Reason, Score: c.Score, Text: c.FoundText, From: c.Place().String()}
		if c.FoundPath != "" {
			f.To = c.target().String()
		}
		switch {
		case c.FoundPath != "" && c.FoundPath != c.cited.place() && !memoryfile.Nameable(c.FoundPath):
			f.Reason += "; a memory cannot name that file: give it another name"
		case c.Verdict.Fixable(), c.Verdict == verify.Changed && o.Reviewed && c.FoundPath != "":
			f.Done = true
			movable = append(movable, c)
		case c.Verdict == verify.Changed:
			f.Reason += "; look at it, then fix it with --reviewed"
		case c.Verdict == verify.Ambiguous:
			f.Reason += "; cite the one that is meant"
		case c.Verdict == verify.Gone:
			f.Reason += "; cite what took its place, or take it out of the memory"
		}
		fixes = append(fixes, f)
	}
	return fixes, movable
}

// target returns the place of a citation once it is fixed, as the citation writes paths.
func (c *Citation) target() memoryfile.Place {
	to := c.Now()
	if to.Path == c.cited.place() {
		to.Path = c.Path // a path written short stays short
	}
	to.Line = cmp.Or(to.Line, c.Line)
	if c.Line == 0 {
		to.Line, to.EndLine = 0, 0
	}
	return to
}

// quoteAnew replaces the snippets of changed ranges by the current code, quoted as add does.
func (s *Service) quoteAnew(ctx context.Context, movable []Citation) error {
	checker, err := s.checker(ctx, verify.WorkingTree)
	if err != nil {
		return err
	}
	defer checker.Close()
	for i := range movable {
		c := &movable[i]
		if c.Verdict != verify.Changed || c.FoundText == "" || c.FoundEnd <= c.FoundLine {
			continue
		}
		text, err := checker.Text(ctx, c.FoundPath, c.FoundLine, c.FoundEnd)
		if err != nil {
			return err
		}
		if quoted := quote(text); quoted != "" {
			c.FoundText = quoted
		}
	}
	return nil
}

func (m *Memory) apply(mem *memoryfile.Memory, e *memoryfile.Edit, movable []Citation, along bystanders, day string) error {
	for _, c := range movable {
		now, ok := again(mem, c.cited.Citation)
		if !ok {
			return changedMeanwhile(m.ID)
		}
		to := c.target()
		if err := e.Move(now, to); err != nil {
			return err
		}
		if c.Verdict == verify.Changed && c.FoundText != "" {
			e.Quote(now, memoryfile.Quote{Snippet: c.FoundText, After: now.After, Before: now.Before})
		}
		e.Verified(now, day)
		for _, r := range mem.References {
			if r.Adopted && !along.leave[r.At] && memoryfile.Means(r.Path, now.Path) && r.Line == now.Line {
				path := r.Path
				if to.Path != now.Path {
					path = wording(r.Path, m.File, to.Path)
				}
				at := memoryfile.Place{Path: path, Line: to.Line, EndLine: to.Line + r.EndLine - r.Line}
				if r.EndLine == now.EndLine {
					at.EndLine = to.EndLine
				}
				if err := e.Move(r, at); err != nil {
					return err
				}
			}
		}
	}
	for _, by := range along.moves {
		now, ok := again(mem, by.ref)
		if !ok {
			return changedMeanwhile(m.ID)
		}
		if err := e.Move(now, by.to); err != nil {
			return err
		}
	}
	return nil
}
