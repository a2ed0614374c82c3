package instruct

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/shared/git"
)

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
