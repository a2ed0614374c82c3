package verify_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/goldentest"
)

var update = flag.Bool("update", false, "write the verdicts on generated histories anew, for review")

// invented writes code that looks like people's, and edits it as people do; the same for the same seed.
type invented struct{ *rand.Rand }

func inventedFrom(seed uint64) invented { return invented{rand.New(rand.NewPCG(seed, 1))} }

func (r invented) of(words ...string) string { return words[r.IntN(len(words))] }

func (r invented) name() string {
	return r.of("read", "write", "parse", "send", "count", "close", "merge", "check") + r.of("Ticket", "Limit", "Request", "Page", "Token", "Branch", "Answer")
}

func (r invented) statement() []string {
	name := r.name()
	switch r.IntN(9) {
	case 0:
		return []string{"\tif err != nil {", "\t\treturn err", "\t}"}
	case 1:
		return []string{"\t// " + name + " must come before the answer is written.", "\t" + name + "(context)"}
	case 2:
		return []string{fmt.Sprintf("\t%s := %s(context, %d)", strings.ToLower(name[:4]), name, r.IntN(90))}
	case 3:
		return []string{"\tfor _, one := range all {", "\t\t" + name + "(one)", "\t}"}
	case 4:
		return []string{""}
	case 5:
		return []string{"\tif closed {", "\t\tbreak", "\t}"}
	case 6:
		return []string{"\tmu.Lock()", "\tdefer mu.Unlock()"}
	case 7:
		return []string{fmt.Sprintf("\treturn errors.New(%q)", name+" failed")}
	}
	return []string{"\t" + name + "(context, request)"}
}

func (r invented) function() (lines []string) {
	lines = append(lines, "func "+r.name()+"("+r.of("context Context", "all []Ticket", "")+") error {")
	for range 3 + r.IntN(4) {
		lines = append(lines, r.statement()...)
	}
	return append(lines, "\treturn nil", "}", "")
}

func (r invented) file(functions int) (lines []string) {
	lines = append(lines, "package "+r.of("ticket", "branch", "page"), "")
	for range functions {
		lines = append(lines, r.function()...)
	}
	return lines
}

// block returns a piece of a file: often a whole function.
func (r invented) block(lines []string) (from, to int) {
	from = r.IntN(len(lines))
	if r.IntN(3) > 0 {
		for from > 0 && !strings.HasPrefix(lines[from], "func ") {
			from--
		}
		for to = from + 1; to < len(lines) && lines[to-1] != ""; to++ {
		}
		return from, to
	}
	return from, min(from+1+r.IntN(6), len(lines))
}

// edit changes one file of the code, or moves something between files.
func (r invented) edit(code map[string][]string) {
	names := slices.Sorted(maps.Keys(code))
	name := names[r.IntN(len(names))]
	other := names[r.IntN(len(names))]
	lines := code[name]
	if len(lines) < 12 {
		code[name] = cat(lines, r.function())
		return
	}
	at := r.IntN(len(lines))
	from, to := r.block(lines)
	piece := slices.Clone(lines[from:to])
	switch r.IntN(14) {
	case 0, 1:
		code[name] = cat(lines[:at], r.statement(), lines[at:])
	case 2:
		code[name] = cat(lines[:at], r.function(), lines[at:])
	case 3:
		code[name] = cat(lines[:from], lines[to:])
	case 4:
		rest := cat(lines[:from], lines[to:])
		at %= len(rest)
		code[name] = cat(rest[:at], piece, rest[at:])
	case 5, 6:
		code[name] = cat(lines[:from], lines[to:])
		at = r.IntN(len(code[other]))
		code[other] = cat(code[other][:at], piece, code[other][at:])
	case 7:
		at = r.IntN(len(code[other]))
		code[other] = cat(code[other][:at], piece, code[other][at:])
	case 8, 9:
		lines = slices.Clone(lines)
		lines[at] = strings.NewReplacer("context", r.of("ctx", "run"), "request", "call", "Ticket", "Issue", "all", "found", "err", "problem").Replace(lines[at])
		code[name] = lines
	case 10:
		lines = slices.Clone(lines)
		for i := from; i < to; i++ {
			lines[i] = "\t" + lines[i]
		}
		code[name] = cat(lines[:from], []string{"\tif ready {"}, lines[from:to], []string{"\t}"}, lines[to:])
	case 11:
		folder := r.of("lib/", "core/", "")
		delete(code, name)
		code[folder+r.of("old", "new", "main")+filepath.Base(name)] = lines
	case 12:
		lines = slices.Clone(lines)
		lines[at] = "// " + strings.TrimSpace(lines[at])
		code[name] = lines
	case 13:
		if len(names) > 6 {
			delete(code, name)
		}
	}
}

// history is a repository of invented code with a commit for each round of edits.
type history struct {
	repo    *gittest.Repo
	commits []string
	days    []string
	states  []map[string][]string // by commit
}

func invent(t *testing.T, seed uint64, rounds, edits int) *history {
	h := &history{repo: gittest.New(t)}
	r := inventedFrom(seed)
	code := map[string][]string{}
	for _, name := range []string{"ticket.go", "branch.go", "pkg/page.go", "pkg/limit.go", "pkg/token.go", "web/answer.js", "web/request.js"} {
		code[name] = r.file(3 + r.IntN(3))
	}
	var before world
	for round := range rounds {
		day := fmt.Sprintf("2026-03-%02d", 1+2*round)
		t.Setenv("GIT_COMMITTER_DATE", day+"T10:00:00Z")
		t.Setenv("GIT_AUTHOR_DATE", day+"T10:00:00Z")
		state := maps.Clone(code)
		h.states, h.days = append(h.states, state), append(h.days, day)
		next := world{}
		for name, lines := range state {
			next[name] = text(lines)
		}
		if round == rounds-1 {
			put(t, h.repo.Dir, before, next) // the last round is not committed
			break
		}
		// A memory for each file cites some of its lines.
		for _, name := range slices.Sorted(maps.Keys(state)) {
			memory := fmt.Sprintf("memory/%d-%s.md", round, strings.ReplaceAll(name, "/", "-"))
			for line := 2; line < len(state[name]); line += 3 {
				next[memory] += fmt.Sprintf("| %s | %d |\n", name, line)
			}
		}
		for name, text := range before {
			if strings.HasPrefix(name, "memory/") {
				next[name] = text
				if r.IntN(3) == 0 {
					next[name] = strings.Replace(text, " |\n", " | seen again |\n", 1+r.IntN(4))
				}
			}
		}
		put(t, h.repo.Dir, before, next)
		before = next
		h.commits = append(h.commits, h.repo.Commit("round"))
		for range edits {
			r.edit(code)
		}
	}
	return h
}

// cite cites lines of the state at a commit, each in the next form. For the forms that quote surroundings, a Checker of that state is asked.
func (h *history) cite(t *testing.T, r invented, round, count int) (forms []string, citations []verify.Citation) {
	t.Helper()
	checker, err := verify.Open(t.Context(), h.repo.Dir, verify.Options{At: h.commits[round], Around: true})
	if err != nil {
		t.Fatal(err)
	}
	defer checker.Close()
	state := h.states[round]
	names := slices.Sorted(maps.Keys(state))
	for n := range count {
		name := names[r.IntN(len(names))]
		line := 2 + 3*r.IntN((len(state[name])-3)/3+1)
		snippet := strings.TrimSpace(state[name][line-1])
		if snippet == "" && n%7 > 0 {
			line++
			snippet = strings.TrimSpace(state[name][min(line, len(state[name]))-1])
		}
		c := verify.Citation{Path: name, Line: line, Snippet: snippet}
		source := verify.Source{Path: fmt.Sprintf("memory/%d-%s.md", round, strings.ReplaceAll(name, "/", "-")), Line: (line-2)/3 + 1}
		form := []string{"text", "commit", "commit, no text", "commit, range", "source", "source, no text", "day", "together", "around", "around, lost commit", "beside", "part", "range",
			"commit, folder"}[n%14]
		switch form {
		case "commit":
			c.Commit = h.commits[round][:12]
		case "commit, no text":
			c.Commit, c.Snippet = h.commits[round], ""
		case "commit, range":
			c.Commit, c.EndLine = h.commits[round], min(line+4, len(state[name]))
		case "source":
			c.Source = source
			c.Source.Holds = func(line []byte) bool { return bytes.Contains(line, []byte(name)) }
		case "source, no text":
			c.Source, c.Snippet = source, ""
		case "day":
			c.Verified = h.days[round]
		case "together":
			c.Together = fmt.Sprint("memory of round ", round)
		case "around", "around, lost commit":
			results, err := checker.Verify(t.Context(), []verify.Citation{{Path: name, Line: line, Snippet: snippet, Commit: h.commits[round]}})
			if err != nil {
				t.Fatal(err)
			}
			if c.Surroundings = results[0].Around; form != "around" {
				c.Commit = "0123456789abcdef"
			}
		case "beside":
			if c.After, c.Before, err = checker.Beside(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		case "part":
			c.Snippet = snippet[len(snippet)/3:]
		case "range":
			c.EndLine = min(line+3, len(state[name]))
			c.Snippet = strings.Join(state[name][line-1:c.EndLine], "\n")
		case "commit, folder":
			c.Commit, c.Line, c.Snippet = h.commits[round], 0, ""
		}
		forms, citations = append(forms, form), append(citations, c)
	}
	return forms, citations
}

// tell writes a result in full.
func tell(r verify.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", r.Verdict)
	if r.FoundPath != "" {
		fmt.Fprintf(&b, " %s:%d", r.FoundPath, r.FoundLine)
	}
	if r.FoundEnd > 0 {
		fmt.Fprintf(&b, "-%d", r.FoundEnd)
	}
	if r.FoundText != "" {
		fmt.Fprintf(&b, " %q", r.FoundText)
	}
	if r.Score > 0 && r.Score < 1 {
		fmt.Fprintf(&b, " %.2f", r.Score)
	}
	if r.Low {
		b.WriteString(" low")
	}
	fmt.Fprintf(&b, " (%s)", r.Reason)
	for _, c := range r.Candidates {
		fmt.Fprintf(&b, " ?%s:%d", c.Path, c.Line)
	}
	if r.Around != "" {
		fmt.Fprintf(&b, " around %.16s", r.Around)
	}
	return b.String()
}

// The verdicts on many citations into a history, with everything they say, stay as they are recorded in testdata: whoever changes a rule
// sees in the difference which lines it judges in another way. Each citation is judged in all states of the repository, and without git.
// The verdicts do not depend on the order of the citations or on the others.
func TestGeneratedHistory(t *testing.T) {
	var out strings.Builder
	for seed := range uint64(2) {
		h := invent(t, seed, 6, 9)
		r := inventedFrom(100 + seed)
		var forms []string
		var citations []verify.Citation
		for round := range h.commits {
			f, c := h.cite(t, r, round, 28)
			forms, citations = append(forms, f...), append(citations, c...)
		}
		plain := gittest.TempDir(t)
		files := world{}
		for name, lines := range h.states[len(h.states)-1] {
			files[name] = text(lines)
		}
		put(t, plain, nil, files)
		places := []struct{ name, dir, at string }{{"", h.repo.Dir, verify.WorkingTree}, {"index", h.repo.Dir, verify.Index}, {"HEAD~2", h.repo.Dir, "HEAD~2"}, {"without git", plain, verify.WorkingTree}}
		told := make([][]string, len(places))
		for i, place := range places {
			checker, err := verify.Open(t.Context(), place.dir, verify.Options{At: place.at, Around: true})
			if err != nil {
				t.Fatal(err)
			}
			results, err := checker.Verify(t.Context(), citations)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				told[i] = append(told[i], tell(r))
			}
			if i == 0 {
				shuffled := r.Perm(len(citations))
				again := make([]verify.Citation, len(citations))
				for to, from := range shuffled {
					again[to] = citations[from]
				}
				results, err := checker.Verify(t.Context(), again)
				if err != nil {
					t.Fatal(err)
				}
				for to, from := range shuffled {
					if got := tell(results[to]); got != told[0][from] {
						t.Errorf("in another order, %s %s:%d is %s, not %s", forms[from], citations[from].Path, citations[from].Line, got, told[0][from])
					}
				}
			}
			there, err := checker.InPlace(t.Context(), citations)
			if err != nil {
				t.Fatal(err)
			}
			commits, err := checker.Remember(t.Context(), results)
			if err != nil {
				t.Fatal(err)
			}
			for k := range results {
				if there[k] {
					told[i][k] += " in place"
				}
				if n := slices.Index(h.commits, commits[k]); n >= 0 {
					told[i][k] += fmt.Sprintf(" recorded at %d", n)
				}
			}
			checker.Close()
		}
		fmt.Fprintf(&out, "# Seed %d\n\n", seed)
		for k, c := range citations {
			fmt.Fprintf(&out, "%s %s:%d", forms[k], c.Path, c.Line)
			if c.EndLine > 0 {
				fmt.Fprintf(&out, "-%d", c.EndLine)
			}
			fmt.Fprintf(&out, " %q", c.Snippet)
			if c.After+c.Before != "" {
				fmt.Fprintf(&out, " after %q before %q", c.After, c.Before)
			}
			fmt.Fprintf(&out, " at %d\n\t%s\n", k/28, told[0][k])
			for i, place := range places[1:] {
				if told[i+1][k] != told[0][k] {
					fmt.Fprintf(&out, "\t%s: %s\n", place.name, told[i+1][k])
				}
			}
		}
		h.writers(t, &out)
	}
	goldentest.Same(t, "history.txt", out.String(), *update)
}

// writers prints the commits that wrote the lines of the memories, for all of them at once.
func (h *history) writers(t *testing.T, out *strings.Builder) {
	t.Helper()
	checker, err := verify.Open(t.Context(), h.repo.Dir, verify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer checker.Close()
	entries, err := os.ReadDir(h.repo.Path("memory"))
	if err != nil {
		t.Fatal(err)
	}
	var places []verify.Source
	for _, entry := range entries {
		for line := range strings.Count(h.repo.Read("memory/"+entry.Name()), "\n") {
			places = append(places, verify.Source{Path: "memory/" + entry.Name(), Line: line + 1})
		}
	}
	commits, err := checker.LastTouched(t.Context(), places)
	if err != nil {
		t.Fatal(err)
	}
	for i, place := range places {
		if place.Line == 1 {
			fmt.Fprintf(out, "\n%s was written at", place.Path)
		}
		fmt.Fprintf(out, " %d", slices.Index(h.commits, commits[i]))
	}
	changed, err := checker.ChangedSince(t.Context(), h.commits[2])
	if err != nil {
		t.Fatal(err)
	}
	files, err := checker.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(out, "\nchanged since 2: %q\nfiles: %q\n\n", slices.Sorted(maps.Keys(changed)), files)
}
