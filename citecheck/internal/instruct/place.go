package instruct

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
)

// lines checks the references to lines of files like citations in memories. Only sure results are reported: the line moved, its file was
// renamed, or nothing like it is left.
func (c *Checker) lines(ctx context.Context, spots []spot) error {
	var texts []check.Text
	var of []*Source
	for _, s := range spots {
		if len(of) == 0 || of[len(of)-1] != s.src {
			t := check.Text{File: s.src.Path, Src: s.src.text}
			if s.src.outside {
				t.File = ""
			}
			texts, of = append(texts, t), append(of, s.src)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	service := &check.Service{Lib: library.Bare(c.report.Root), IndexFile: c.o.IndexFile}
	referred, err := service.References(ctx, texts)
	if err != nil {
		return err
	}
	for _, r := range referred {
		s := spot{of[r.Text], Reference{Kind: Place, Text: r.Place, Line: r.At}}
		s.src.References++
		c.report.References++
		f := Finding{Verdict: Moved, Message: fmt.Sprintf("%s: %s", r.Place, r.Reason)}
		switch v := r.Verdict; {
		case v == verify.Valid:
			c.holds(s)
			continue
		case v == verify.Moved, v == verify.Renamed:
			f.Found = memoryfile.Place{Path: r.FoundPath, Line: r.FoundLine, EndLine: r.FoundEnd}.String()
			f.Message = fmt.Sprintf("%s is at %s now", r.Place, f.Found)
		case v == verify.Gone && c.tree.repo == nil && !c.tree.find(spot{s.src, Reference{Target: r.Path}}):
			c.pass(s, whyNoGit)
			continue
		case v == verify.Gone:
			f.Verdict = Removed
		case v == verify.Unverifiable && len(r.Candidates) > 0: // of the file only the new name is known
			f.Verdict = Renamed
		default:
			c.pass(s, "it cannot be told where the line is: "+r.Reason)
			continue
		}
		c.tell(s, f)
	}
	return nil
}
