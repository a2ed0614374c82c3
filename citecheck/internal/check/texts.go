package check

import (
	"context"

	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
)

// Text is a text other than a memory, such as an instruction file: its references to lines are checked like those in a memory's prose.
type Text struct {
	File string // from the root; "" of one outside, whose lines git does not date
	Src  []byte
}

// Referred is one reference of a text, with the verdict on it.
type Referred struct {
	Text  int // which of the texts
	At    int // the line of it
	Place string
	verify.Result
}

// References checks the references to lines in texts against the working tree. Nothing is recorded.
func (s *Service) References(ctx context.Context, texts []Text) ([]Referred, error) {
	var docs []Document
	var of []int
	for i, t := range texts {
		m := memoryfile.Parse(t.Src, memoryfile.References)
		d := Document{ID: t.File, File: t.File, Key: history.Key{Source: history.File, Doc: t.File}}
		for _, r := range m.References {
			if !r.InCode {
				d.Cited = append(d.Cited, Cited{Citation: r, written: m.Written(r), meant: func(files []string) string { return m.Meant(r, files) }})
			}
		}
		if len(d.Cited) > 0 {
			docs, of = append(docs, d), append(of, i)
		}
	}
	if len(docs) == 0 {
		return nil, nil
	}
	sum, err := s.Verify(ctx, docs, Options{Prose: true, Whole: true, NoRecord: true})
	if err != nil {
		return nil, err
	}
	var found []Referred
	for i, m := range sum.Memories {
		for _, c := range m.Citations {
			place := memoryfile.Place{Path: c.cited.Path, Line: c.Line, EndLine: c.EndLine}.String()
			found = append(found, Referred{Text: of[i], At: c.At, Place: place, Result: c.Result})
		}
	}
	return found, nil
}
