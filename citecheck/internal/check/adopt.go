package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/fault"
)

// Adoption is the outcome for one reference in prose.
type Adoption struct {
	Memory    string `json:"memory_id"`
	At        int    `json:"at"`        // line of the memory
	Reference string `json:"reference"` // as written
	// Outcome is adopted (would be adopted, in a dry run), cited (already), or the obstacle: missing, ambiguous, changed, gone, outside,
	// unverifiable, code (in a code block, where nothing is cited), left (the memory could not be written).
	Outcome string `json:"outcome"`
	memoryfile.Place
	memoryfile.Quote        // with lines beside a snippet whose text is at other lines too
	Reason           string `json:"reason,omitempty"`
	// Rewritten is the new place in the prose, when the prose named another one.
	Rewritten string `json:"rewritten,omitempty"`

	ref  memoryfile.Citation
	kept bool // it is in the file that the prose names, perhaps by a shorter path
}

// The outcomes of Adoption that are not verdicts.
const (
	OutcomeAdopted = "adopted"
	OutcomeCited   = "cited"
	OutcomeMissing = "missing"
	OutcomeInCode  = "code"
	OutcomeLeft    = "left"
)

// Adoptions is the result of Adopt.
type Adoptions struct {
	References []Adoption     `json:"references"`
	Outcomes   map[string]int `json:"outcomes"`
	Files      int            `json:"files"` // changed; 0 in a dry run
}

// Adopt turns references in prose into citations. It follows each from the commit that wrote it to its current place and adds that to its
// memory's table. When the place differs, it is written into the prose as well: once the table stands below the line and is committed, git
// may take the line as newly written, and would read the old number as of that commit. References that are not found, or only as similar
// text, are reported.
func (s *Service) Adopt(ctx context.Context, entries []library.Entry, dryRun bool) (*Adoptions, error) {
	checker, err := s.checker(ctx, verify.WorkingTree)
	if err != nil {
		return nil, err
	}
	defer checker.Close()
	docs, err := library.Map(ctx, s.Lib, entries, memoryfile.Citations|memoryfile.References, func(d library.Doc) library.Doc {
		if d.Memory == nil || len(d.References) == 0 || d.Alias && len(entries) > 1 {
			d.Memory = nil
		}
		return d
	})
	if err != nil {
		return nil, err
	}
	out := &Adoptions{References: []Adoption{}, Outcomes: map[string]int{}}
	found, err := s.followAll(ctx, checker, docs)
	if err != nil {
		return nil, err
	}
	var changed []Document
	for i, d := range docs {
		if len(found[i]) == 0 {
			continue
		}
		if !dryRun {
			wrote, err := s.writeAdopted(ctx, d.Entry, found[i])
			if err != nil {
				if ctx.Err() != nil || len(entries) == 1 {
					return nil, err
				}
				for k := range found[i] {
					if a := &found[i][k]; a.Outcome == OutcomeAdopted {
						a.Outcome, a.Reason, a.Rewritten = OutcomeLeft, fault.From(err).Message, ""
					}
				}
			}
			if wrote {
				out.Files++
				changed = append(changed, Document{Entry: d.Entry, File: s.Lib.File(d.Entry)})
			}
		}
		for _, a := range found[i] {
			out.Outcomes[a.Outcome]++
		}
		out.References = append(out.References, found[i]...)
	}
	if len(changed) > 0 && s.History != nil {
		err = s.again(ctx, changed, Options{})
	}
	return out, err
}

// followAll finds the current places of the references of all memories.
func (s *Service) followAll(ctx context.Context, checker *verify.Checker, docs []library.Doc) ([][]Adoption, error) {
	n := &names{checker: checker}
	out := make([][]Adoption, len(docs))
	var asked []verify.Citation
	var back []*Adoption
	var said [][]string
	for i, d := range docs {
		if d.Memory == nil {
			continue
		}
		out[i] = make([]Adoption, len(d.References))
		for k, r := range d.References {
			a := &out[i][k]
			*a = Adoption{Memory: d.ID, At: r.At, Reference: r.Place.String(), ref: r}
			switch {
			case r.InCode:
				a.Outcome, a.Reason = OutcomeInCode, "it stands in a code block"
				continue
			case r.Adopted:
				a.Outcome = OutcomeCited
				continue
			}
			files, err := n.meant(ctx, r.Path, s.Lib.File(d.Entry), func(files []string) string { return d.Meant(r, files) })
			if err != nil {
				return nil, err
			}
			file := r.Path
			if len(files) == 1 {
				file = files[0]
			} else if len(files) > 1 {
				a.Outcome, a.Reason = string(verify.Ambiguous), mayMean(files)
				continue
			}
			asked = append(asked, verify.Citation{Path: file, Line: r.Line, EndLine: r.EndLine, Source: verify.Source{Path: s.Lib.File(d.Entry), Line: r.At, Holds: d.Written(r)}})
			back = append(back, a)
			said = append(said, d.CodeBeside(r))
		}
	}
	results, err := checker.Verify(ctx, asked)
	if err != nil {
		return nil, err
	}
	for i, r := range results {
		if err := back[i].conclude(ctx, checker, asked[i], r); err != nil {
			return nil, err
		}
		if err := back[i].doubt(ctx, checker, said[i]); err != nil {
			return nil, err
		}
	}
	if err := proof(ctx, checker, back); err != nil {
		return nil, err
	}
	for i := range out {
		if docs[i].Memory != nil {
			settleTwice(out[i], docs[i].Memory)
			yield(out[i])
			reword(out[i], s.Lib.File(docs[i].Entry))
		}
	}
	return out, nil
}

// mayMean names the files that an incomplete path may mean, as a clause.
func mayMean(files []string) string {
	return "it may mean " + strings.Join(files[:min(len(files), 5)], ", ")
}

// conclude sets the outcome of a reference by its verdict.
func (a *Adoption) conclude(ctx context.Context, checker *verify.Checker, asked verify.Citation, r verify.Result) error {
	a.Path, a.Line, a.EndLine, a.Reason = r.FoundPath, r.FoundLine, r.FoundEnd, r.Reason
	a.kept = r.FoundPath == asked.Path
	switch {
	case r.Verdict.True():
		a.Outcome = OutcomeAdopted
	case r.Verdict == verify.Unverifiable && checker.Exists(ctx, asked.Path):
		// The line's former text is not known: the line is taken as it is, if it exists.
		a.Outcome, a.Path, a.Line, a.EndLine, a.kept = OutcomeAdopted, asked.Path, asked.Line, asked.EndLine, true
		a.Reason = "taken as it stands: nothing tells what the line was"
	default:
		if a.Outcome = string(r.Verdict); r.Verdict == verify.Gone && !checker.Exists(ctx, asked.Path) {
			a.Outcome = OutcomeMissing
		}
		return nil
	}
	text, err := checker.Text(ctx, a.Path, a.Line, a.EndLine)
	if err == nil && strings.TrimSpace(text) == "" {
		a.Outcome, a.Reason = string(verify.Unverifiable), "the line is empty"
		return nil
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a.Outcome, a.Reason = string(r.Verdict), fmt.Sprintf("%s; %v", r.Reason, err)
		return nil
	}
	a.Quote, err = quoteAt(ctx, checker, a.Place, quote(text))
	return err
}

// doubt rejects a reference whose place has none of the names in its line of the memory, while its file has one elsewhere: the number was
// wrong, or dates from before the memory was committed.
func (a *Adoption) doubt(ctx context.Context, checker *verify.Checker, said []string) error {
	if a.Outcome != OutcomeAdopted {
		return nil
	}
	where, err := checker.NamedElsewhere(ctx, a.Path, a.Line, a.EndLine, said)
	if err == nil && where != "" {
		a.Outcome, a.Reason = string(verify.Ambiguous), "nothing there is called as the memory says: "+where
	}
	return err
}

// proof verifies that the citation to be written would be found again.
func proof(ctx context.Context, checker *verify.Checker, list []*Adoption) error {
	var cites []verify.Citation
	var back []*Adoption
	for _, a := range list {
		if a.Outcome == OutcomeAdopted {
			cites = append(cites, verify.Citation{Path: a.Path, Line: a.Line, EndLine: a.EndLine, Snippet: a.Snippet, After: a.After, Before: a.Before})
			back = append(back, a)
		}
	}
	results, err := checker.Verify(ctx, cites)
	if err != nil {
		return err
	}
	for i, r := range results {
		if r.Verdict != verify.Valid {
			back[i].Outcome, back[i].Reason = string(verify.Unverifiable), "a table cannot quote the line so that it is found again"
		}
	}
	return nil
}

// settleTwice keeps a place from being cited twice when it is already cited or was just adopted.
func settleTwice(list []Adoption, m *memoryfile.Memory) {
	seen := map[memoryfile.Place]bool{}
	for i := range list {
		if list[i].Outcome != OutcomeAdopted {
			continue
		}
		at := memoryfile.Place{Path: list[i].Path, Line: list[i].Line}
		if seen[at] || cites(m, at) {
			list[i].Outcome = OutcomeCited
		}
		seen[at] = true
	}
}

// cites reports whether a memory cites a line already.
func cites(m *memoryfile.Memory, at memoryfile.Place) bool {
	return slices.ContainsFunc(m.Citations, func(c memoryfile.Citation) bool { return c.Path == at.Path && c.Line == at.Line })
}

// yield rejects a reference whose new place is named by another reference that is not adopted: that one would be taken for the citation.
func yield(list []Adoption) {
	for i := range list {
		a := &list[i]
		for k := range list {
			b := &list[k]
			if a.Outcome == OutcomeAdopted && b.Outcome != OutcomeAdopted && b.Outcome != OutcomeCited && b.Outcome != OutcomeInCode &&
				a.Line > 0 && b.ref.Line == a.Line && memoryfile.Means(b.ref.Path, a.Path) {
				a.Outcome = string(verify.Ambiguous)
				a.Reason = fmt.Sprintf("line %d of the memory says %s:%d too, and means another line", b.At, a.Path, a.Line)
			}
		}
	}
}

// reword sets the new place in the prose for references that are adopted or already cited and that name another place. A line stays as it
// is when another reference in it is not adopted: git would date the changed line, and with it that reference, to today.
func reword(list []Adoption, memory string) {
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[to].At == list[from].At {
			to++
		}
		line := list[from:to]
		from = to
		if !wholly(line, memory) {
			continue
		}
		for i := range line {
			a := &line[i]
			if now := a.prose(memory); a.Line > 0 && now != a.ref.Place {
				a.Rewritten = now.String()
			}
		}
	}
}

// wholly reports whether all references of a line can name their current places. Two that share a path, as in a.go:3,7, must stay in one
// file.
func wholly(line []Adoption, memory string) bool {
	paths := map[string]string{}
	for i := range line {
		a := &line[i]
		if a.Outcome != OutcomeAdopted && a.Outcome != OutcomeCited {
			return false
		}
		path := a.prose(memory).Path
		if other, ok := paths[a.ref.Path]; ok && other != path {
			return false
		}
		paths[a.ref.Path] = path
	}
	return true
}

// prose returns the current place of the reference as the prose writes paths: a short path stays short.
func (a *Adoption) prose(memory string) memoryfile.Place {
	if a.Line == 0 { // cited by these very words
		return a.ref.Place
	}
	to := a.Place
	if to.Path = a.ref.Path; !a.kept {
		to.Path = wording(a.ref.Path, memory, a.Path)
	}
	return to
}

func (s *Service) writeAdopted(ctx context.Context, e library.Entry, list []Adoption) (bool, error) {
	day := s.now().UTC().Format(time.DateOnly)
	return s.rewrite(ctx, e, func(m *memoryfile.Memory, edit *memoryfile.Edit) (added []memoryfile.Place, err error) {
		for i := range list {
			a := &list[i]
			if a.Outcome != OutcomeAdopted && a.Rewritten == "" {
				continue
			}
			now, ok := again(m, a.ref)
			if !ok {
				return nil, changedMeanwhile(e.ID)
			}
			if a.Rewritten != "" {
				if err := edit.Move(now, a.prose(s.Lib.File(e))); err != nil {
					a.Outcome, a.Reason, a.Rewritten = string(verify.Unverifiable), err.Error(), ""
					continue
				}
			}
			if a.Outcome != OutcomeAdopted {
				continue
			}
			if cites(m, a.Place) { // another process adopted it meanwhile
				a.Outcome = OutcomeCited
				continue
			}
			if err := edit.Add(a.Place, a.Quote, day); err != nil {
				a.Outcome, a.Reason = string(verify.Unverifiable), err.Error()
				continue
			}
			added = append(added, a.Place)
		}
		return added, nil
	})
}
