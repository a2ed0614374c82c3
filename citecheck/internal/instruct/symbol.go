package instruct

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/shared/git"
	"golang.org/x/sync/errgroup"
)

// symbols judges the names of code that texts write in code spans. A name that the code does not have is reported only when the code had it
// when the line was written; otherwise it may belong to a library.
func (c *Checker) symbols(ctx context.Context, spots []spot) error {
	wanted := map[string]bool{}
	for _, s := range spots {
		wanted[s.ref.Target] = true
	}
	missing, err := c.tree.lacking(ctx, wanted)
	if err != nil {
		return err
	}
	var lost []spot
	for _, s := range spots {
		if missing[s.ref.Target] {
			lost = append(lost, s)
		} else {
			c.holds(s)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	if err := c.past.blame(ctx, lost); err != nil {
		return err
	}
	had, err := c.past.hadSymbols(ctx, lost)
	if err != nil {
		return err
	}
	for _, s := range lost {
		commit := c.past.written(s)
		file := had[s.ref.Target+"@"+commit]
		switch {
		case file == "":
			c.pass(s, whyWord)
		case s.said(true) != "":
			c.pass(s, s.said(true))
		default:
			c.tell(s, Finding{Verdict: Removed, Commit: short(commit), from: file, Message: fmt.Sprintf("%s is nowhere in the code; when this was written, it was defined in %s (%s)", s.ref.Target, file, short(commit))})
		}
	}
	return nil
}

// prose are the endings of files that are text about the code rather than code: a name that occurs only in such files does not exist.
var prose = []string{".md", ".mdx", ".mdc", ".rst", ".txt", ".adoc", ".lock", ".sum", ".svg", ".png", ".jpg", ".gif", ".webp", ".pdf", ".woff2", ".snap"}

// lacking returns the names that no file of code contains as words.
func (t *Tree) lacking(ctx context.Context, names map[string]bool) (map[string]bool, error) {
	w := &wordSearch{missing: map[string]bool{}}
	for name := range names {
		w.missing[name] = true
		w.long[min(len(name), len(w.long)-1)] = true
	}
	for _, f := range t.files { // a file's name is a name of the code, too
		w.look([]byte(f))
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for part := range slices.Chunk(t.files, 256) {
		if w.done() {
			break
		}
		g.Go(func() error {
			r := memoryfile.Reader{Root: t.root}
			defer r.Close()
			for _, f := range part {
				if ctx.Err() != nil || w.done() {
					return ctx.Err()
				}
				if slices.Contains(prose, strings.ToLower(path.Ext(f))) {
					continue
				}
				if src, err := r.Read(f); err == nil && bytes.IndexByte(src[:min(len(src), 8000)], 0) < 0 {
					w.look(src)
				}
			}
			return nil
		})
	}
	return w.missing, g.Wait()
}

// wordSearch looks for many words at once.
type wordSearch struct {
	mu      sync.RWMutex
	missing map[string]bool
	long    [64]bool // the word lengths in use; the last stands for longer ones
}

func (w *wordSearch) done() bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return len(w.missing) == 0
}

// look removes the words of a text from the missing ones.
func (w *wordSearch) look(src []byte) {
	var seen []string
	w.mu.RLock()
	for i := 0; i < len(src); i++ {
		if !inWord(src[i]) {
			continue
		}
		start := i
		for i < len(src) && inWord(src[i]) {
			i++
		}
		if n := i - start; w.long[min(n, len(w.long)-1)] && w.missing[string(src[start:i])] {
			seen = append(seen, string(src[start:i]))
		}
	}
	w.mu.RUnlock()
	if len(seen) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range seen {
		delete(w.missing, name)
	}
}

func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// maxSearched bounds the commits whose code is searched for names.
const maxSearched = 6

// hadSymbols finds the names that the code defined when their lines were written. It returns the defining file by NAME@COMMIT.
func (p *past) hadSymbols(ctx context.Context, lost []spot) (map[string]string, error) {
	byCommit := map[string][]string{}
	var commits []string
	for _, s := range lost {
		commit := p.written(s)
		if commit == "" || slices.Contains(byCommit[commit], s.ref.Target) {
			continue
		}
		if byCommit[commit] == nil {
			commits = append(commits, commit)
		}
		byCommit[commit] = append(byCommit[commit], s.ref.Target)
	}
	had := map[string]string{}
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, commit := range commits[:min(len(commits), maxSearched)] {
		g.Go(func() error {
			found, err := p.defined(ctx, commit, byCommit[commit])
			mu.Lock()
			defer mu.Unlock()
			for name, file := range found {
				had[name+"@"+commit] = file
			}
			return err
		})
	}
	return had, g.Wait()
}

// defined finds the files that define names in a commit.
func (p *past) defined(ctx context.Context, commit string, names []string) (map[string]string, error) {
	args := []string{"grep", "-I", "-w", "-F", "-z", "--full-name", "--no-color"}
	for _, name := range names {
		args = append(args, "-e", name)
	}
	args = append(args, commit, "--", ".")
	for _, ending := range []string{"md", "mdx", "mdc", "rst", "txt", "adoc", "lock", "sum", "svg", "snap"} {
		args = append(args, ":(exclude)*."+ending)
	}
	out, err := p.t.repo.Output(ctx, git.Options{Dir: p.t.root.Name()}, args...)
	if err != nil {
		return nil, ctx.Err() // it found nothing
	}
	found := map[string]string{}
	for line := range strings.Lines(string(out)) {
		file, text, ok := strings.Cut(line, "\x00")
		_, file, cut := strings.Cut(file, ":")
		if !ok || !cut || len(text) > 2000 {
			continue
		}
		for _, name := range names {
			if found[name] == "" && defines(text, name) {
				found[name] = file
			}
		}
	}
	return found, nil
}

// defines reports whether a line of code defines a name. A line that only uses the name does not, since a library may define it.
func defines(line, name string) bool {
	for from := 0; ; {
		at := strings.Index(line[from:], name)
		if at < 0 {
			return false
		}
		at += from
		from = at + len(name)
		if at > 0 && inWord(line[at-1]) || from < len(line) && inWord(line[from]) {
			continue
		}
		before, after := strings.TrimSpace(line[:at]), strings.TrimSpace(line[from:])
		if strings.HasPrefix(before, "func (") && strings.HasSuffix(before, ")") {
			return true // a method of Go
		}
		words := strings.FieldsFunc(before, func(r rune) bool { return r == ' ' || r == '\t' || r == '*' })
		if len(words) > 0 && slices.Contains(introducing, words[len(words)-1]) {
			return true
		}
		modified := !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(modifiers, w) })
		if modified && (strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "==") || strings.HasPrefix(after, ":") && !strings.HasPrefix(after, "::") ||
			strings.HasPrefix(after, "(") && strings.HasSuffix(after, "{")) {
			return true
		}
	}
}

// introducing are keywords of programming languages that stand before a name and make the line its definition.
var introducing = []string{
	"func", "function", "function*", "def", "class", "fn", "struct", "enum", "trait", "interface", "type", "const", "let", "var", "val", "static", "macro_rules!",
	"mod", "module", "object", "record", "#define", "namespace", "protocol", "union", "defp", "defmodule", "sub", "proc",
}

// modifiers are words that only modify the name that follows them.
var modifiers = []string{
	"export", "default", "public", "private", "protected", "static", "readonly", "async", "pub", "pub(crate)", "final", "abstract", "override", "declare",
}
