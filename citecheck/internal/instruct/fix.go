package instruct

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/shared/fault"
)

// Fix is one rewritten, or rewritable, reference of an instruction file.
type Fix struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	From   string `json:"from"`
	To     string `json:"to,omitempty"`
	Done   bool   `json:"done"`
	Reason string `json:"reason,omitempty"` // why it is not rewritten
}

// Fixes is the result of Rewrite.
type Fixes struct {
	Fixes []Fix `json:"fixes"`
	Files int   `json:"files"` // changed
	Left  int   `json:"left"`  // statements that still do not hold
}

// change is one replacement in a text.
type change struct {
	start, end int
	to         string
}

// Rewrite writes the new names of files and folders that git saw renamed, and the new
// places of lines that moved, into the instruction files below root. Everything else
// stays byte for byte. Memories of clients are never written, nor is anything with
// dryRun.
func Rewrite(ctx context.Context, root string, o Options, dryRun bool) (*Fixes, error) {
	t, err := OpenTree(ctx, root, o.IndexFile)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	c, err := run(ctx, t, root, o)
	if err != nil {
		return nil, err
	}
	out := &Fixes{Fixes: []Fix{}}
	changes := map[*Source][]change{}
	var sources []*Source
	for _, f := range c.report.Findings {
		if f.Verdict == Hidden {
			continue // it may be true, and nothing of it is written
		}
		for _, s := range f.spots {
			fix := Fix{File: f.File, Line: s.ref.Line, From: s.ref.Text, To: f.Found}
			ch, why := s.rewritten(f)
			if fix.Reason = why; why == "" {
				fix.Done, fix.To = true, ch.to
				if changes[s.src] == nil {
					sources = append(sources, s.src)
				}
				changes[s.src] = append(changes[s.src], ch)
			} else {
				out.Left++
			}
			out.Fixes = append(out.Fixes, fix)
		}
	}
	out.Files = len(sources)
	if dryRun {
		return out, nil
	}
	for _, src := range sources {
		if _, err := memoryfile.Update(ctx, t.root, src.Path, func(now []byte) ([]byte, error) {
			if !bytes.Equal(now, src.text) {
				return nil, fault.Conflict("file", src.Path, "%q was changed while it was checked; it was left alone", src.Path).Retry()
			}
			return applied(now, changes[src]), nil
		}); err != nil {
			return out, err
		}
	}
	return out, nil
}

// Fixable reports whether Rewrite corrects the statement, in at least one of its places.
func (f Finding) Fixable() bool {
	return slices.ContainsFunc(f.spots, func(s spot) bool {
		_, why := s.rewritten(f)
		return why == ""
	})
}

// applied returns a text with the changes made; a change that overlaps an earlier one is skipped.
func applied(text []byte, changes []change) []byte {
	slices.SortFunc(changes, func(a, b change) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, ch := range changes {
		if ch.start < at {
			continue
		}
		out = append(append(out, text[at:ch.start]...), ch.to...)
		at = ch.end
	}
	return append(out, text[at:]...)
}

// rewritten returns the replacement of a reference, or the reason why there is none.
func (s spot) rewritten(f Finding) (change, string) {
	switch {
	case f.Kind == Place && f.Verdict == Renamed:
		return change{}, "no commit shows which line of it was meant"
	case f.Found == "":
		return change{}, "there is nothing that takes its place"
	case s.src.outside:
		return change{}, "a client keeps this memory"
	case f.Kind == Place:
		return s.moved(f)
	case s.ref.Start >= s.ref.End:
		return change{}, "it stands in a form that is not rewritten"
	}
	to := s.renamedTo(f.from, f.Found)
	if strings.HasSuffix(s.ref.Target, "/") {
		to += "/"
	}
	return change{s.ref.Start, s.ref.End, to}, ""
}

// renamedTo returns the new path in the style of the old one: from the root, from the file's folder, or without the same folders.
func (s spot) renamedTo(old, now string) string {
	written := strings.TrimSuffix(s.ref.Target, "/")
	bare := strings.TrimPrefix(written, "./")
	dir := path.Dir(s.src.Path)
	switch {
	case strings.TrimPrefix(written, "/") == old:
		return strings.Repeat("/", len(written)-len(old)) + now
	case s.ref.Kind != Link && s.ref.Kind != Import && bare == old:
		return strings.TrimSuffix(written, bare) + now
	case path.Join(dir, written) == old:
		to := relative(dir, now)
		if strings.HasPrefix(written, "./") && !strings.HasPrefix(to, "../") {
			to = "./" + to
		}
		return to
	case s.ref.Base != "" && path.Join(s.ref.Base, written) == old:
		return relative(s.ref.Base, now)
	}
	if left, ok := strings.CutSuffix(old, bare); ok {
		if rest, ok := strings.CutPrefix(now, left); ok {
			return rest
		}
	}
	return now
}

// moved returns the change that writes the new place of a line over the old one, or the reason why it cannot be made.
func (s spot) moved(f Finding) (change, string) {
	start := 0
	for range s.ref.Line - 1 {
		start += bytes.IndexByte(s.src.text[start:], '\n') + 1
	}
	line, _, _ := bytes.Cut(s.src.text[start:], []byte("\n"))
	if bytes.Count(line, []byte(s.ref.Text)) != 1 {
		return change{}, "it stands in a form that is not rewritten"
	}
	at := start + bytes.Index(line, []byte(s.ref.Text))
	if end := at + len(s.ref.Text); end < len(s.src.text) && s.src.text[end] >= '0' && s.src.text[end] <= '9' {
		return change{}, "it stands in a form that is not rewritten"
	}
	to := f.Found
	if written, _, ok := strings.Cut(s.ref.Text, ":"); ok {
		if file, lines, ok := strings.Cut(f.Found, ":"); ok && strings.HasSuffix(file, "/"+written) {
			to = written + ":" + lines // a path without folders stays so
		}
	}
	return change{at, at + len(s.ref.Text), to}, ""
}
