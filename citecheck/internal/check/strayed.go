package check

import (
	"context"

	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/verify"
)

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
