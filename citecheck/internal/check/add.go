package check

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/text"
)

// New is a citation to add to a memory.
type New struct {
	Memory           string
	memoryfile.Place        // its path is from the root or the current folder, and may end in :12 or :12-14
	Snippet          string // taken from the code when empty
}

// Added is the citation that Add wrote.
type Added struct {
	Memory string `json:"memory_id"`
	File   string `json:"file"`
	memoryfile.Place
	memoryfile.Quote        // with lines beside a snippet whose text is at other lines too
	Commit           string `json:"commit,omitempty"`
	Changed          bool   `json:"changed"` // false: it was already cited
}

// beginning returns a hint on how to begin a memory of this name, with the command when the name is a simple one.
func (s *Service) beginning(name string) string {
	hint := fmt.Sprintf("a new memory begins as a file in %q", s.Lib.Dir)
	if strings.ContainsFunc(name, func(r rune) bool {
		return r == '.' || r == '/' || r == '\\' || unicode.IsSpace(r) || unicode.IsControl(r)
	}) {
		return hint
	}
	return hint + ": `echo " + text.ShellWord("# "+name) + " > " + text.ShellWord(filepath.Join(s.Lib.Dir, name+".md")) + "`"
}

// Add writes a citation into a memory after verifying that it is true.
func (s *Service) Add(ctx context.Context, n New) (*Added, error) {
	e, err := s.Lib.Find(s.From, n.Memory)
	if err != nil {
		if d, ok := s.registered(ctx, n.Memory, Options{}); ok {
			return nil, fault.Validation("memory", "memoryd keeps the memory %q: citecheck writes files alone", n.Memory).
				WithHint("%s", recite(cmp.Or(d.Name, d.ID))).About("memory", n.Memory)
		}
		if fault.Is(err, fault.KindNotFound) {
			f := fault.From(err)
			return nil, f.WithHint("%s; %s", f.Hint, s.beginning(n.Memory))
		}
		return nil, err
	}
	checker, err := s.checker(ctx, verify.WorkingTree)
	if err != nil {
		return nil, err
	}
	defer checker.Close()
	to, err := s.place(ctx, checker, n)
	if err != nil {
		return nil, err
	}
	if err := s.settle(ctx, checker, &to, &n); err != nil {
		return nil, err
	}
	redact.Stored(n.Snippet)
	n.Snippet = redact.Lines(n.Snippet)
	quote, err := quoteAt(ctx, checker, to, n.Snippet)
	if err != nil {
		return nil, err
	}
	out := &Added{Memory: e.ID, File: s.Lib.File(e), Place: to, Quote: quote}
	day := s.now().UTC().Format(time.DateOnly)
	out.Changed, err = s.rewrite(ctx, e, func(m *memoryfile.Memory, edit *memoryfile.Edit) ([]memoryfile.Place, error) {
		for _, c := range m.Citations {
			if c.Place != to {
				continue
			}
			edit.Verified(c, day)
			if n.Snippet != "" && c.Quote.Cell() != quote.Cell() {
				edit.Quote(c, quote)
			}
			return nil, nil
		}
		if err := edit.Add(to, quote, day); err != nil {
			return nil, fault.Validation("path", "%v", err)
		}
		return []memoryfile.Place{to}, nil
	})
	if err != nil {
		return nil, err
	}
	return out, s.recordAdded(ctx, checker, e.ID, out)
}

// recite names the command that replaces the citations of a memory of the registry.
func recite(memory string) string {
	return fmt.Sprintf("`memoryd update %s --cite PATH:LINE`, once for each place that it cites", text.ShellWord(memory))
}

// recordAdded notes the commit that the new citation is right at.
func (s *Service) recordAdded(ctx context.Context, checker *verify.Checker, id string, out *Added) error {
	if s.History == nil {
		return nil
	}
	at := verify.Citation{Path: out.Path, Line: out.Line, EndLine: out.EndLine, Snippet: out.Snippet, After: out.After, Before: out.Before}
	results, err := checker.Verify(ctx, []verify.Citation{at})
	if err != nil || results[0].Verdict != verify.Valid {
		return err
	}
	commits, err := checker.Remember(ctx, results)
	if err != nil || len(commits) == 0 {
		return err
	}
	out.Commit = commits[0]
	e, err := s.Lib.Find(s.From, id)
	if err != nil {
		return err
	}
	doc := s.document(s.Lib.Read(e, memoryfile.All), Options{}, true)
	return s.History.Record(ctx, []history.Check{{Key: doc.Key, Statement: doc.Statement, State: StateValid, Found: []history.Found{{
		Place: history.Place{Path: out.Path, Line: out.Line}, Snippet: out.Snippet, Verdict: string(verify.Valid), At: checker.Commit(), Commit: out.Commit, Surroundings: results[0].Around,
	}}}})
}

// place reads where the new citation points.
func (s *Service) place(ctx context.Context, checker *verify.Checker, n New) (to memoryfile.Place, err error) {
	to = n.Place
	if n.Path == "" || strings.ContainsRune(n.Path, 0) {
		return to, fault.Validation("path", "the citation names no file")
	}
	if n.Line < 0 || n.EndLine != 0 && n.EndLine < n.Line {
		return to, fault.Validation("line", "%d to %d are not lines", n.Line, n.EndLine)
	}
	if n.Line == 0 {
		// A file's own name may end like a line number. Below a submodule, no file can be looked up.
		if path, line, end, ok := memoryfile.SplitPlace(n.Path); ok && (!checker.Exists(ctx, n.Path) || checker.Exists(ctx, path)) {
			to.Path, to.Line, to.EndLine = path, line, end
		}
	}
	clean, here := filepath.ToSlash(filepath.Clean(to.Path)), s.fromRoot(filepath.Join(s.From, filepath.FromSlash(to.Path)))
	switch {
	case filepath.IsAbs(to.Path):
		clean = s.fromRoot(to.Path)
	case !checker.Exists(ctx, clean) && checker.Exists(ctx, here):
		clean = here
	}
	to.Path = clean
	return to, whole(ctx, checker, &to)
}

// whole completes a path that leaves folders out, and refuses one that several files may match.
func whole(ctx context.Context, checker *verify.Checker, to *memoryfile.Place) error {
	if checker.Exists(ctx, to.Path) {
		return nil
	}
	files, err := (&names{checker: checker}).find(ctx, to.Path, "")
	switch {
	case err != nil || len(files) == 0:
		return err
	case len(files) > 1:
		return fault.Validation("path", "%q does not exist below the root: %s", to.Path, mayMean(files)).WithHint("give the path from the root")
	}
	to.Path = files[0]
	return nil
}

// fromRoot makes an absolute path relative to the root, as citations have it, when it lies inside.
func (s *Service) fromRoot(full string) string {
	if folder, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil {
		full = filepath.Join(folder, filepath.Base(full))
	}
	rel, err := filepath.Rel(s.Lib.Root, full)
	if err != nil {
		return filepath.ToSlash(full)
	}
	return filepath.ToSlash(rel)
}

// settle takes the snippet from the code, or verifies the given one. It finds the line of a snippet that has none.
func (s *Service) settle(ctx context.Context, checker *verify.Checker, to *memoryfile.Place, n *New) error {
	if n.Snippet == "" && to.Line == 0 {
		return s.exists(ctx, checker, to.Path)
	}
	if n.Snippet == "" {
		text, err := checker.Text(ctx, to.Path, to.Line, to.EndLine)
		if err != nil {
			return err
		}
		if n.Snippet = quote(text); n.Snippet == "" {
			return fault.Validation("line", "%s is empty, which nothing can find again", *to).WithHint("cite the line that matters")
		}
		return nil
	}
	line := max(to.Line, 1)
	results, err := checker.Verify(ctx, []verify.Citation{{Path: to.Path, Line: line, EndLine: to.EndLine, Snippet: n.Snippet}})
	if err != nil {
		return err
	}
	r := results[0]
	switch {
	case r.Verdict == verify.Valid:
		to.Line = line
		return nil
	case r.Verdict == verify.Outside:
		return fault.Validation("path", "%q: %s", to.Path, r.Reason)
	case r.Verdict == verify.Moved && to.Line == 0 && r.FoundPath == to.Path:
		to.Line, to.EndLine = r.FoundLine, r.FoundEnd
		return nil
	}
	f := fault.Validation("snippet", "the snippet is not at %s: %s", memoryfile.Place{Path: to.Path, Line: line}, r.Reason)
	if r.Verdict.True() {
		return f.WithHint("cite %s", memoryfile.Place{Path: r.FoundPath, Line: r.FoundLine})
	}
	return f.WithHint("leave the snippet out to take the line as it is")
}

// quoteAt returns a snippet with the neighbouring lines that distinguish it from equal text.
func quoteAt(ctx context.Context, checker *verify.Checker, at memoryfile.Place, snippet string) (q memoryfile.Quote, err error) {
	q.Snippet = snippet
	if snippet == "" || at.Line == 0 {
		return q, nil
	}
	q.After, q.Before, err = checker.Beside(ctx, verify.Citation{Path: at.Path, Line: at.Line, Snippet: snippet})
	q.After, q.Before = memoryfile.Quotable(redact.Lines(q.After)), memoryfile.Quotable(redact.Lines(q.Before))
	return q, err
}

// exists makes sure that a file is there and lies inside.
func (s *Service) exists(ctx context.Context, checker *verify.Checker, path string) error {
	results, err := checker.Verify(ctx, []verify.Citation{{Path: path}})
	if err != nil {
		return err
	}
	switch r := results[0]; r.Verdict {
	case verify.Valid:
		return nil
	case verify.Outside:
		return fault.Validation("path", "%q: %s", path, r.Reason)
	default:
		return fault.NotFound("file", path).WithHint("paths are relative to %q", s.Lib.Root)
	}
}

// quote is the snippet of lines of code, without secrets.
func quote(text string) string {
	redact.Stored(text) // so that the redaction is reported
	text = redact.Lines(text)
	lines := strings.Split(text, "\n")
	if len(lines) > verify.QuotedLines {
		lines = lines[:verify.QuotedLines]
	}
	for i := range lines {
		lines[i] = memoryfile.Quotable(lines[i])
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
