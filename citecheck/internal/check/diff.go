package check

import (
	"cmp"
	"context"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/fault"
)

// Effect is what a change did to one citation.
type Effect struct {
	Memory string         `json:"memory_id"`
	File   string         `json:"file,omitempty"`
	Before verify.Verdict `json:"before"`
	Citation
	// Broken means that the citation was true before and no longer is; a moved or renamed one can be fixed.
	Broken bool `json:"broken"`
}

// Effects is what a change did to all citations into the files it touched.
type Effects struct {
	Base    string   `json:"base"`
	Head    string   `json:"head,omitempty"` // "" is the working tree
	Effects []Effect `json:"effects"`        // those whose verdict is not valid any more
	Looked  int      `json:"looked"`         // citations into touched files
	Broken  int      `json:"broken"`
	Moved   int      `json:"moved"`
	Already int      `json:"already"` // were not true before either
}

// SplitRange reads BASE..HEAD; without .. it is BASE up to the working tree.
func SplitRange(given string) (base, head string, err error) {
	if base, head, ok := strings.Cut(given, "..."); ok && base != "" {
		return base, cmp.Or(head, "HEAD"), nil
	}
	if base, head, ok := strings.Cut(given, ".."); ok && base != "" {
		return base, cmp.Or(head, "HEAD"), nil
	}
	if given == "" || strings.HasPrefix(given, "..") {
		return "", "", fault.Validation("range", "%q is not a range of revisions", given).WithHint("give it as BASE..HEAD")
	}
	return given, verify.WorkingTree, nil
}

// Diff returns the citations of the current memories that a change broke: those into touched files that are not valid at head.
func (s *Service) Diff(ctx context.Context, docs []Document, base, head string, o Options) (*Effects, error) {
	after, err := s.checker(ctx, head)
	if err != nil {
		return nil, err
	}
	defer after.Close()
	touched, err := after.ChangedSince(ctx, base)
	if err != nil {
		return nil, err
	}
	o.Whole, o.NoRecord = true, true
	into, err := s.onlyInto(ctx, after, docs, change{base, touched})
	if err != nil {
		return nil, err
	}
	now, err := s.verifyTouched(ctx, after, into, o, change{})
	if err != nil {
		return nil, err
	}
	out := &Effects{Base: base, Head: head, Effects: []Effect{}, Looked: now.Citations}
	var stale []Document
	for i := range now.Memories {
		if d := now.Memories[i].stillBroken(); len(d.Cited) > 0 {
			stale = append(stale, d)
		}
	}
	if len(stale) == 0 {
		return out, nil
	}
	before, err := s.checker(ctx, base)
	if err != nil {
		return nil, err
	}
	defer before.Close()
	then, err := s.verifyTouched(ctx, before, stale, o, change{})
	if err != nil {
		return nil, err
	}
	at := 0
	for _, m := range now.Memories {
		if len(m.Stale) == 0 {
			continue
		}
		for k, c := range m.Stale {
			out.add(Effect{Memory: m.ID, File: m.File, Before: then.Memories[at].Citations[k].Verdict, Citation: c})
		}
		at++
	}
	return out, nil
}

func (e *Effects) add(f Effect) {
	f.Broken = f.Before.True() && !f.Verdict.True()
	switch {
	case f.Broken:
		e.Broken++
	case f.Before == verify.Valid && f.Verdict.Fixable():
		e.Moved++
	default:
		e.Already++
	}
	e.Effects = append(e.Effects, f)
}

// stillBroken is the document with only the citations that are not valid.
func (m *Memory) stillBroken() Document {
	d := *m.doc
	d.Cited = nil
	for _, c := range m.Stale {
		d.Cited = append(d.Cited, c.cited)
	}
	return d
}

// onlyInto keeps the citations into touched files.
func (s *Service) onlyInto(ctx context.Context, after *verify.Checker, docs []Document, of change) ([]Document, error) {
	known, err := s.known(ctx, docs)
	if err != nil {
		return nil, err
	}
	strayed, err := s.strayed(ctx, after, docs, known, of)
	if err != nil {
		return nil, err
	}
	var kept []Document
	for i, d := range docs {
		var cited []Cited
		for k, c := range d.Cited {
			if isTouched(of.touched, c.place()) || strayed[spot{i, k}] {
				cited = append(cited, c)
			}
		}
		if len(cited) > 0 {
			d.Cited, d.Problems = cited, nil
			kept = append(kept, d)
		}
	}
	return kept, nil
}

// change restricts a check.
type change struct {
	base    string          // the commit that it starts from; "" when there is none
	touched map[string]bool // the files it touches; nil means no restriction
}

// concerns reports whether a citation names a touched file, or stands in one.
func (of change) concerns(d *Document, c Cited) bool {
	return isTouched(of.touched, c.place()) || d.File != "" && of.touched[d.File]
}

// spot is one citation in a list of documents.
type spot struct{ doc, citation int }

// strayed finds the citations that name an untouched file, although their text was in a touched one when the change began: the file was
// renamed, or the lines moved, and the citation was not rewritten since.
func (s *Service) strayed(ctx context.Context, after *verify.Checker, docs []Document, known map[history.Key]*history.Known, of change) (map[spot]bool, error) {
	if len(of.touched) == 0 || of.base == "" {
		return nil, nil
	}
	var at []spot
	var cites []verify.Citation
	for i := range docs {
		for k, c := range docs[i].Cited {
			if !of.concerns(&docs[i], c) {
				at = append(at, spot{i, k})
				cites = append(cites, cite(&docs[i], c, known[docs[i].Key]))
			}
		}
	}
	there, err := after.InPlace(ctx, cites) // untouched files are as they were
	if err != nil {
		return nil, err
	}
	var which []spot
	var asked []verify.Citation
	for i := range cites {
		if !there[i] {
			which, asked = append(which, at[i]), append(asked, cites[i])
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	before, err := s.checker(ctx, of.base)
	if err != nil {
		return nil, err
	}
	defer before.Close()
	results, err := before.Verify(ctx, asked)
	if err != nil {
		return nil, err
	}
	strayed := map[spot]bool{}
	for i, r := range results {
		if r.Verdict.True() && r.FoundPath != "" && isTouched(of.touched, r.FoundPath) {
			strayed[which[i]] = true
		}
	}
	return strayed, nil
}
