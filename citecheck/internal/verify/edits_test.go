package verify_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// The tests of this file are exact by construction: a real source file is edited in one known way, so that the verdict and the place of
// each of its lines are known.

// world maps the names of files to their texts. A text that begins with "link:" is a symbolic link.
type world map[string]string

// want is the expected result for a line. Verdicts are alternatives; a line of 0 is not compared.
type want struct {
	verdicts []verify.Verdict
	path     string
	line     int
}

func is(path string, line int, verdicts ...verify.Verdict) want { return want{verdicts, path, line} }

// edit changes the world and returns the expected result for each old line (from 1); without verdicts any result is accepted.
type edit struct {
	name  string
	apply func(w world, lines []string) func(line int) want
}

const subject = "pkg/subject.go"

// shiftedBy is the expected result for a line that moved down by that many lines.
func shiftedBy(line, by int) want {
	if by == 0 {
		return is(subject, line, verify.Valid)
	}
	return is(subject, line+by, verify.Moved)
}

func text(lines []string) string { return strings.Join(lines, "\n") + "\n" }

func cat(parts ...[]string) (all []string) {
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// fresh returns n lines that occur nowhere else.
func fresh(n int) (lines []string) {
	for i := range n {
		lines = append(lines, fmt.Sprintf("// Remark %d was put here by the test %d.", i, i*i+7))
	}
	return lines
}

// function is the longest function of the file, from the comment above it up to
// its closing brace, lines from 1.
func function(lines []string) (first, last int) {
	for i, line := range lines {
		if !strings.HasPrefix(line, "func ") || !strings.HasSuffix(line, "{") {
			continue
		}
		start := i
		for start > 0 && strings.HasPrefix(lines[start-1], "//") {
			start--
		}
		for end := i; end < len(lines); end++ {
			if lines[end] == "}" {
				if end-start > last-first && end < len(lines)-3 {
					first, last = start+1, end+1
				}
				break
			}
		}
	}
	return first, last
}

// telling returns a distinctive line within the longest function that occurs once in the file.
func telling(lines []string) int {
	first, last := function(lines)
	for i := (first + last) / 2; i < last; i++ {
		if line := strings.TrimSpace(lines[i-1]); len(line) > 24 && !strings.HasPrefix(line, "//") && strings.Count(text(lines), line) == 1 &&
			strings.ContainsAny(line, "(.=") {
			return i
		}
	}
	for i := first; i < last; i++ {
		if line := strings.TrimSpace(lines[i-1]); len(line) > 16 && strings.Count(text(lines), line) == 1 {
			return i
		}
	}
	return first
}

var edits = []edit{
	{"nothing", func(w world, lines []string) func(int) want {
		return func(line int) want { return shiftedBy(line, 0) }
	}},
	{"insert above", func(w world, lines []string) func(int) want {
		w[subject] = text(cat(fresh(7), lines))
		return func(line int) want { return shiftedBy(line, 7) }
	}},
	{"insert inside a function", func(w world, lines []string) func(int) want {
		at := telling(lines)
		w[subject] = text(cat(lines[:at-1], fresh(3), lines[at-1:]))
		return func(line int) want {
			if line >= at {
				return shiftedBy(line, 3)
			}
			return shiftedBy(line, 0)
		}
	}},
	{"delete above", func(w world, lines []string) func(int) want {
		first, last := function(lines)
		w[subject] = text(cat(lines[:first-1], lines[last+1:])) // with the blank line after it
		return func(line int) want {
			switch {
			case line < first:
				return shiftedBy(line, 0)
			case line <= last+1:
				return want{verdicts: []verify.Verdict{verify.Gone, verify.Changed}}
			}
			return shiftedBy(line, first-last-2)
		}
	}},
	{"move a function to the end", func(w world, lines []string) func(int) want {
		first, last := function(lines)
		w[subject] = text(cat(lines[:first-1], lines[last+1:], []string{""}, lines[first-1:last]))
		return func(line int) want {
			switch {
			case line < first:
				return shiftedBy(line, 0)
			case line > last+1:
				return shiftedBy(line, first-last-2)
			}
			return is(subject, len(lines)-(last-first+2)+1+line-first+1, verify.Moved)
		}
	}},
	{"move a function to a new file", func(w world, lines []string) func(int) want {
		first, last := function(lines)
		w[subject] = text(cat(lines[:first-1], lines[last+1:]))
		w["pkg/other.go"] = text(cat([]string{"package other", ""}, lines[first-1:last]))
		return func(line int) want {
			switch {
			case line < first:
				return shiftedBy(line, 0)
			case line > last+1:
				return shiftedBy(line, first-last-2)
			}
			return is("pkg/other.go", line-first+3, verify.Moved)
		}
	}},
	{"move a function to another file", func(w world, lines []string) func(int) want {
		first, last := function(lines)
		w[subject] = text(cat(lines[:first-1], lines[last+1:]))
		w["pkg/neighbour.go"] += "\n" + text(lines[first-1:last])
		before := strings.Count(neighbour, "\n") + 1
		return func(line int) want {
			switch {
			case line < first:
				return shiftedBy(line, 0)
			case line > last+1:
				return shiftedBy(line, first-last-2)
			}
			return is("pkg/neighbour.go", before+line-first+1, verify.Moved)
		}
	}},
	{"rename the file", func(w world, lines []string) func(int) want {
		w["lib/renamed.go"] = w[subject]
		delete(w, subject)
		return func(line int) want { return is("lib/renamed.go", line, verify.Renamed, verify.Moved) }
	}},
	{"rename and edit a tenth", renameAndEdit(10)},
	{"rename and edit a third", renameAndEdit(3)},
	{"indent everything", func(w world, lines []string) func(int) want {
		w[subject] = strings.ReplaceAll("\t"+strings.ReplaceAll(text(lines), "\n", "\n\t"), "\n\t\n", "\n\n")
		return func(line int) want { return shiftedBy(line, 0) }
	}},
	{"indent a function", func(w world, lines []string) func(int) want {
		first, last := function(lines)
		inner := make([]string, 0, last-first+1)
		for _, line := range lines[first-1 : last] {
			inner = append(inner, "    "+line)
		}
		w[subject] = text(cat(lines[:first-1], []string{"wrapped {"}, inner, []string{"} // wrapped"}, lines[last:]))
		return func(line int) want {
			switch {
			case line < first:
				return shiftedBy(line, 0)
			case line > last:
				return shiftedBy(line, 2)
			}
			return shiftedBy(line, 1)
		}
	}},
	{"CRLF", func(w world, lines []string) func(int) want {
		w[subject] = strings.ReplaceAll(text(lines), "\n", "\r\n")
		return func(line int) want { return shiftedBy(line, 0) }
	}},
	{"tabs to blanks", func(w world, lines []string) func(int) want {
		w[subject] = strings.ReplaceAll(text(lines), "\t", "    ")
		return func(line int) want { return shiftedBy(line, 0) }
	}},
	{"no final line end", func(w world, lines []string) func(int) want {
		w[subject] = strings.TrimSuffix(text(lines), "\n")
		return func(line int) want { return shiftedBy(line, 0) }
	}},
	{"rename an identifier", inLine(func(line string) []string {
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r != '_' && (r < 'A' || r > 'z' || r > 'Z' && r < 'a') }) {
			if len(word) > 3 {
				return []string{strings.Replace(line, word, "zebra", 1)}
			}
		}
		return []string{line + "zebra"}
	})},
	{"change the end of the line", inLine(func(line string) []string { return []string{line + " && false"} })},
	{"split the line", inLine(func(line string) []string {
		at := strings.LastIndexAny(line, "(.=,")
		return []string{line[:at+1], "\t\t" + line[at+1:]}
	})},
	{"delete the line", func(w world, lines []string) func(int) want {
		at := telling(lines)
		w[subject] = text(cat(lines[:at-1], lines[at:]))
		return func(line int) want {
			switch {
			case line < at:
				return shiftedBy(line, 0)
			case line > at:
				return shiftedBy(line, -1)
			}
			return want{verdicts: []verify.Verdict{verify.Gone, verify.Changed}}
		}
	}},
	{"delete the line, add one like it", func(w world, lines []string) func(int) want {
		at := telling(lines)
		like := strings.Replace(lines[at-1], "(", "Too(", 1) + " // again"
		w[subject] = text(cat(lines[:at-1], lines[at:], []string{"", "func other() {", like, "}"}))
		return func(line int) want {
			switch {
			case line < at:
				return shiftedBy(line, 0)
			case line > at:
				return shiftedBy(line, -1)
			}
			return want{verdicts: []verify.Verdict{verify.Gone, verify.Changed}}
		}
	}},
	{"join with the next line", func(w world, lines []string) func(int) want {
		at := telling(lines)
		w[subject] = text(cat(lines[:at-1], []string{lines[at-1] + "; " + strings.TrimSpace(lines[at])}, lines[at+1:]))
		return func(line int) want {
			switch {
			case line < at:
				return shiftedBy(line, 0)
			case line == at:
				return is(subject, at, verify.Changed)
			case line == at+1:
				return want{verdicts: []verify.Verdict{verify.Changed, verify.Gone, verify.Ambiguous}}
			}
			return shiftedBy(line, -1)
		}
	}},
	{"copy a function below", func(w world, lines []string) func(int) want {
		first, last := function(lines)
		w[subject] = text(cat(lines, []string{""}, lines[first-1:last]))
		return func(line int) want { return shiftedBy(line, 0) }
	}},
	{"copy the file", func(w world, lines []string) func(int) want {
		w["pkg/copy.go"] = w[subject]
		return func(line int) want { return shiftedBy(line, 0) }
	}},
	{"delete the file", func(w world, lines []string) func(int) want {
		delete(w, subject)
		return func(line int) want { return want{verdicts: []verify.Verdict{verify.Gone}} }
	}},
	{"symbolic link out of the repository", func(w world, lines []string) func(int) want {
		w[subject] = "link:../../outside.go"
		return func(int) want { return want{verdicts: []verify.Verdict{verify.Outside}} }
	}},
	{"binary", func(w world, lines []string) func(int) want {
		w[subject] = "\x7fELF\x02\x01\x01\x00\x00\x00" + text(lines)
		return func(int) want { return want{verdicts: []verify.Verdict{verify.Unverifiable}} }
	}},
	{"UTF-16", func(w world, lines []string) func(int) want {
		w[subject] = wide(text(lines))
		return func(line int) want { return shiftedBy(line, 0) }
	}},
	{"a line of 5 MB above", func(w world, lines []string) func(int) want {
		w[subject] = text(cat([]string{"// " + strings.Repeat("0123456789 x", 5<<20/12)}, lines))
		return func(line int) want { return shiftedBy(line, 1) }
	}},
	{"everything in a line of 5 MB", func(w world, lines []string) func(int) want {
		w[subject] = strings.Repeat("0123456789 x", 5<<20/12) + "\n"
		return func(int) want { return want{verdicts: []verify.Verdict{verify.Gone, verify.Changed}} }
	}},
}

func renameAndEdit(nth int) func(world, []string) func(int) want {
	return func(w world, lines []string) func(int) want {
		changed := append([]string(nil), lines...)
		for i := nth - 1; i < len(changed); i += nth {
			changed[i] = fmt.Sprintf("// Line %d is another one now, by test %d.", i, i*i)
		}
		w["lib/renamed.go"] = text(changed)
		delete(w, subject)
		return func(line int) want {
			if line%nth == 0 {
				return want{verdicts: []verify.Verdict{verify.Gone, verify.Changed, verify.Ambiguous}}
			}
			return is("lib/renamed.go", line, verify.Renamed, verify.Moved)
		}
	}
}

// inLine replaces the telling line by one or several lines.
func inLine(into func(string) []string) func(world, []string) func(int) want {
	return func(w world, lines []string) func(int) want {
		at := telling(lines)
		now := into(lines[at-1])
		w[subject] = text(cat(fresh(2), lines[:at-1], now, lines[at:]))
		return func(line int) want {
			switch {
			case line == at:
				return is(subject, at+2, verify.Changed)
			case line > at:
				return shiftedBy(line, 2+len(now)-1)
			}
			return shiftedBy(line, 2)
		}
	}
}

func wide(s string) string {
	b := []byte{0xFF, 0xFE}
	for _, unit := range utf16.Encode([]rune(s)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return string(b)
}

const neighbour = "package pkg\n\n// Neighbour lives next door.\nfunc Neighbour() int {\n\treturn 42\n}\n"

// subjects are real source files of this project.
var subjects = []string{"shared/git/hunks.go", "shared/git/refs.go"}

func TestEdits(t *testing.T) {
	subjects := subjects
	if testing.Short() {
		subjects = subjects[:1] // every edit of each is a commit, judged in six ways
	}
	for _, name := range subjects {
		source, err := os.ReadFile(filepath.Join("../../..", name))
		if err != nil {
			t.Skip("the project's tree is not here")
		}
		lines := strings.Split(strings.TrimSuffix(string(source), "\n"), "\n")
		repo := gittest.New(t)
		if err := os.WriteFile(filepath.Join(filepath.Dir(repo.Dir), "outside.go"), source, 0o644); err != nil {
			t.Fatal(err)
		}
		base := world{subject: text(lines), "pkg/neighbour.go": neighbour, "README.md": "# Subject\n"}
		put(t, repo.Dir, nil, base)
		from := repo.Commit("base")
		current := base
		for _, e := range edits {
			next := world{}
			for name, text := range base {
				next[name] = text
			}
			wanted := e.apply(next, lines)
			put(t, repo.Dir, current, next)
			current = next
			t.Run(filepath.Base(name)+"/"+e.name, func(t *testing.T) {
				t.Run("commit", func(t *testing.T) { check(t, repo.Dir, verify.WorkingTree, lines, from, true, wanted) })
				t.Run("line", func(t *testing.T) { check(t, repo.Dir, verify.WorkingTree, lines, from, false, wanted) })
				t.Run("snippet", func(t *testing.T) { check(t, repo.Dir, verify.WorkingTree, lines, "", true, wanted) })
				repo.Git("add", "--all")
				t.Run("index", func(t *testing.T) { check(t, repo.Dir, verify.Index, lines, from, true, wanted) })
				to := repo.Commit("edit")
				t.Run("revision", func(t *testing.T) { check(t, repo.Dir, to, lines, from, true, wanted) })
				repo.Git("update-ref", "refs/heads/main", from)
				repo.Git("read-tree", from)
			})
		}
	}
}

// check verifies every line of the old file that is not blank.
func check(t *testing.T, dir, at string, lines []string, commit string, snippets bool, wanted func(int) want) {
	t.Helper()
	ctx := context.Background()
	c, err := verify.Open(ctx, dir, verify.Options{At: at})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var citations []verify.Citation
	for i, line := range lines {
		if strings.TrimSpace(line) != "" {
			cited := verify.Citation{Path: subject, Line: i + 1, Commit: commit}
			if snippets {
				cited.Snippet = strings.TrimSpace(line)
			}
			citations = append(citations, cited)
		}
	}
	results, err := c.Verify(ctx, citations)
	if err != nil {
		t.Fatal(err)
	}
	bad := 0
	for _, r := range results {
		w := wanted(r.Citation.Line)
		problem := !fits(r, w)
		if commit == "" && r.Verdict.True() && w.verdicts[0] == verify.Changed && r.FoundPath == w.path && r.FoundLine == w.line {
			continue // the line still contains the snippet; that the snippet was all of it is not known
		}
		if commit == "" && problem && (!r.Verdict.True() || little(r.Citation.Snippet)) {
			// Without a commit, the result for repeated text or text of low weight is open.
			problem = count(lines, r.Citation.Snippet) == 1 && !little(r.Citation.Snippet) && w.line > 0 && w.verdicts[0] != verify.Changed
		}
		if problem {
			if bad++; bad <= 4 {
				t.Errorf("line %d %q: %s %s:%d (%s), want %v %s:%d", r.Citation.Line, strings.TrimSpace(lines[r.Citation.Line-1]),
					r.Verdict, r.FoundPath, r.FoundLine, r.Reason, w.verdicts, w.path, w.line)
			}
		}
	}
	if bad > 4 {
		t.Errorf("%d of %d lines", bad, len(results))
	}
}

func fits(r verify.Result, w want) bool {
	for _, v := range w.verdicts {
		if r.Verdict == v && (w.line == 0 || r.FoundPath == w.path && r.FoundLine == w.line) {
			return true
		}
	}
	return false
}

func count(lines []string, snippet string) (n int) {
	for _, line := range lines {
		if strings.TrimSpace(line) == snippet {
			n++
		}
	}
	return n
}

func little(snippet string) bool {
	n := 0
	for _, r := range snippet {
		if r >= '0' && r <= 'z' {
			n++
		}
	}
	return n < 16
}

// put writes the files of next that differ from those of before.
func put(t *testing.T, dir string, before, next world) {
	t.Helper()
	for name := range before {
		if _, stays := next[name]; !stays {
			os.Remove(filepath.Join(dir, name))
		}
	}
	for name, text := range next {
		path := filepath.Join(dir, name)
		if old, ok := before[name]; ok && old == text {
			if now, err := os.ReadFile(path); err == nil && bytes.Equal(now, []byte(text)) {
				continue
			}
		}
		os.MkdirAll(filepath.Dir(path), 0o755)
		os.Remove(path)
		var err error
		if target, ok := strings.CutPrefix(text, "link:"); ok {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
