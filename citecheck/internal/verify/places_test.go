package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/textfile"
)

// The new place of a text that left its file: by its weight, and by the weight of what came with it.
func TestArrived(t *testing.T) {
	t.Parallel()
	spot := func(path string, run int) textPlace {
		return textPlace{path: path, run: run, sole: true, out: standsAt(1)}
	}
	copies := func(s textPlace) textPlace { s.sole = false; return s }
	alike := func(s textPlace) textPlace { s.out.how = alike; return s }
	for _, c := range []struct {
		name   string
		j      job
		spots  []textPlace
		weight int
		want   string
	}{
		{"only similar", job{anchored: true}, []textPlace{alike(spot("b.go", 99))}, 30, ""},
		{"a brace with much around", job{anchored: true}, []textPlace{spot("b.go", 24)}, 5, "b.go"},
		{"a brace with less around", job{anchored: true}, []textPlace{spot("b.go", 23)}, 5, ""},
		{"anchored, with much around", job{anchored: true}, []textPlace{copies(spot("b.go", 24))}, 6, "b.go"},
		{"anchored and deleted, with much around", job{anchored: true, dead: true}, []textPlace{copies(spot("b.go", 24))}, 6, ""},
		{"anchored and deleted, the only one", job{anchored: true, dead: true}, []textPlace{spot("b.go", 24)}, 6, "b.go"},
		{"anchored, with less around", job{anchored: true}, []textPlace{spot("b.go", 23)}, 6, ""},
		{"clearly ahead", job{anchored: true}, []textPlace{spot("b.go", 30), spot("c.go", 24)}, 6, "b.go"},
		{"not clearly ahead", job{anchored: true}, []textPlace{spot("b.go", 29), spot("c.go", 24)}, 6, ""},
		{"not anchored", job{}, []textPlace{spot("b.go", 6)}, 10, "b.go"},
		{"not anchored, too light", job{}, []textPlace{spot("b.go", 6)}, 9, ""},
		{"not anchored, too little around", job{}, []textPlace{spot("b.go", 5)}, 11, ""},
		{"heavy enough by itself", job{anchored: true}, []textPlace{spot("b.go", 0)}, 24, "b.go"},
		{"not heavy enough", job{anchored: true}, []textPlace{spot("b.go", 0)}, 23, ""},
		{"heavy, one of several", job{anchored: true}, []textPlace{copies(spot("b.go", 0))}, 24, ""},
		{"heavy, at two places", job{anchored: true}, []textPlace{spot("b.go", 0), spot("c.go", 0)}, 24, ""},
		{"its file is gone, with a neighbour", job{anchored: true, absent: true}, []textPlace{spot("b.go", 1)}, 16, "b.go"},
		{"its file is gone, without", job{anchored: true, absent: true}, []textPlace{spot("b.go", 0)}, 16, ""},
		{"its file is gone, too light", job{anchored: true, absent: true}, []textPlace{spot("b.go", 1)}, 15, ""},
		{"a file of its name", job{anchored: true, absent: true}, []textPlace{spot("x/a.go", 1)}, 6, "x/a.go"},
		{"a file of its name, lighter", job{anchored: true, absent: true}, []textPlace{spot("x/a.go", 1)}, 5, ""},
		{"a file of its name, without a neighbour", job{anchored: true, absent: true}, []textPlace{spot("x/a.go", 0)}, 23, ""},
		{"a file of its name, heavy", job{anchored: true, absent: true}, []textPlace{spot("b.go", 0), spot("x/a.go", 0)}, 24, "x/a.go"},
		{"a file of its name that still exists", job{anchored: true}, []textPlace{spot("x/a.go", 1)}, 15, ""},
		{"two files of its name", job{anchored: true, absent: true}, []textPlace{spot("x/a.go", 9), spot("y/a.go", 1)}, 8, ""},
		{"two files of its name, clearly ahead", job{absent: true}, []textPlace{spot("x/a.go", 7), spot("y/a.go", 1)}, 8, "x/a.go"},
		{"two files of its name, not ahead", job{absent: true}, []textPlace{spot("x/a.go", 7), spot("y/a.go", 2)}, 8, ""},
		{"a file of its name, only similar", job{absent: true}, []textPlace{spot("b.go", 1), alike(spot("x/a.go", 1))}, 8, ""},
	} {
		c.j.path = "a.go"
		best, ok := (&textSearch{}).arrived(&c.j, c.spots, c.weight)
		got := ""
		if ok {
			got = best.path
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Stored surroundings choose among files: the same name first, then the most similar path.
func TestWhereSurrounded(t *testing.T) {
	t.Parallel()
	kept := fileOf("first := open(file)", "x", "last := close(file)").Around(1, 1).String()
	spot := func(path string, run int) textPlace { return textPlace{path: path, run: run, out: standsAt(1)} }
	for _, c := range []struct {
		name   string
		kept   string
		edit   func(*job)
		spots  []textPlace
		weight int
		want   string
	}{
		{"no surroundings", "", nil, []textPlace{spot("lib/b.go", 99)}, 30, ""},
		{"anchored", kept, func(j *job) { j.anchored = true }, []textPlace{spot("lib/b.go", 99)}, 30, ""},
		{"a light text needs much around", kept, nil, []textPlace{spot("lib/b.go", 24)}, 5, "lib/b.go"},
		{"less is not enough", kept, nil, []textPlace{spot("lib/b.go", 23)}, 5, ""},
		{"a heavier text needs less", kept, nil, []textPlace{spot("lib/b.go", 6)}, 10, "lib/b.go"},
		{"still less is not enough", kept, nil, []textPlace{spot("lib/b.go", 5)}, 10, ""},
		{"between the two", kept, nil, []textPlace{spot("lib/b.go", 9)}, 7, "lib/b.go"},
		{"just below", kept, nil, []textPlace{spot("lib/b.go", 8)}, 7, ""},
		{"beside a suggestion", kept, func(j *job) { j.result.Verdict = Changed }, []textPlace{spot("lib/b.go", 23)}, 10, ""},
		{"the best", kept, nil, []textPlace{spot("x/b.go", 40), spot("y/c.go", 30)}, 10, "x/b.go"},
		{"about as good, a nearer path", kept, nil, []textPlace{spot("x/b.go", 40), spot("lib/c.go", 31)}, 10, "lib/c.go"},
		{"about as good, paths alike", kept, nil, []textPlace{spot("x/b.go", 40), spot("y/c.go", 31)}, 10, ""},
		{"the best behind a worse one", kept, nil, []textPlace{spot("x/b.go", 1), spot("lib/d.go", 29), spot("y/c.go", 40)}, 10, "y/c.go"},
		{"paths alike, then a nearer one", kept, nil, []textPlace{spot("x/b.go", 40), spot("y/c.go", 31), spot("lib/d.go", 31)}, 10, "lib/d.go"},
		{"a nearer path, then another as near", kept, nil, []textPlace{spot("lib/b.go", 40), spot("y/c.go", 31), spot("lib/d.go", 31)}, 10, ""},
		{"a file of its name first", kept, func(j *job) { j.absent = true }, []textPlace{spot("lib/c.go", 99), spot("x/a.js", 0)}, 10, "x/a.js"},
		{"a file of its name, for a light text", kept, func(j *job) { j.absent = true }, []textPlace{spot("lib/c.go", 99), spot("x/a.go", 0)}, 5, "lib/c.go"},
		{"a file of its name, while it exists", kept, nil, []textPlace{spot("lib/c.go", 99), spot("x/a.go", 0)}, 10, "lib/c.go"},
	} {
		j := newJob("", Citation{Path: "lib/a.go", Line: 2, Snippet: "x", Surroundings: c.kept})
		if c.edit != nil {
			c.edit(j)
		}
		best, ok := j.whereSurrounded(c.spots, c.weight)
		got := ""
		if ok {
			got = best.path
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The verdict and its sentence for the places where a text was found, when none of them is sure.
func TestChoose(t *testing.T) {
	t.Parallel()
	f := fileOf("one", "two", "three")
	spot := func(path string, line, run int, copied bool) textPlace {
		return textPlace{path: path, line: line, run: run, copy: copied, sole: true, out: standsAt(line), file: f}
	}
	const text = "limit(x)" // of the weight of a text that says something, and not more
	for _, c := range []struct {
		name  string
		edit  func(*job)
		spots []textPlace
		want  string
	}{
		{"sure", nil, []textPlace{spot("b.go", 1, 24, false)}, `moved b.go:2-0 (the same text is now in b.go)`},
		{"two, in files that the citation knows nothing of", nil, []textPlace{spot("c.go", 2, 1, false), spot("b.go", 1, 1, false)}, "ambiguous :0-0 (the text left a.go and stands at b.go:2 and c.go:3) ?2 ?3"},
		{"the one with more around stands first", nil, []textPlace{spot("b.go", 1, 1, false), spot("c.go", 2, 2, false)}, "ambiguous :0-0 (the text left a.go and stands at c.go:3 and b.go:2) ?3 ?2"},
		{"of one file, in order", nil, []textPlace{spot("b.go", 2, 1, false), spot("b.go", 0, 1, false)}, "ambiguous :0-0 (the text left a.go and stands at b.go:1 and b.go:3) ?1 ?3"},
		{"deleted", func(j *job) { j.dead = true }, []textPlace{spot("b.go", 1, 1, false)}, "changed b.go:2-0 0.600 (the same text stands there, but nothing says that the cited line went there) ?2"},
		{"anchored and light", func(j *job) { j.anchored = true }, []textPlace{spot("b.go", 1, 1, false)}, "changed b.go:2-0 0.600 (the same text stands there, but nothing says that the cited line went there) ?2"},
		{"a copy that was there before", func(j *job) { j.anchored = true }, []textPlace{spot("b.go", 1, 99, true)}, "changed b.go:2-0 0.600 (the cited line was removed; the same text stands there, as it did before) ?2"},
		{"a copy stands behind", func(j *job) { j.anchored = true }, []textPlace{spot("b.go", 1, 99, true), spot("c.go", 2, 1, false)}, "changed c.go:3-0 0.600 (the same text stands there, but nothing says that the cited line went there) ?3 ?2"},
		{"beside a suggestion", func(j *job) { j.result.Verdict, j.result.Score, j.result.Reason = Changed, 0.5, "similar" }, []textPlace{spot("b.go", 1, 99, false)}, "changed :0-0 0.500 (similar) ?2"},
	} {
		j := newJob("", Citation{Path: "a.go", Line: 2, Snippet: text})
		if c.edit != nil {
			c.edit(j)
		}
		(&textSearch{c: &Checker{}}).choose(j, c.spots)
		said := j.tell()
		if j.result.Verdict.True() {
			said += " (" + j.result.Reason + ")"
		}
		if said != c.want {
			t.Errorf("%s: %s, want %s", c.name, said, c.want)
		}
	}
}

// A line that left its file is found among the added lines of others by the neighbours that came with it.
func TestFindAdded(t *testing.T) {
	t.Parallel()
	old := fileOf("package a", "", "func one() {", "\tprepare(theFirst, andTheSecond)", "\tlimit := readLimit(configuration)", "\tconclude(theFirst, andTheSecond)", "}")
	moved := []string{"\tprepare(theFirst, andTheSecond)", "\tlimit := readLimit(configuration)", "\tconclude(theFirst, andTheSecond)"}
	text := func(lines ...string) *textfile.File { return fileOf(append([]string{"package b"}, lines...)...) }
	with := func(path string, f, before *textfile.File) *writtenFile {
		return &writtenFile{path: path, new: before == nil, load: func(context.Context) (*textfile.File, *textfile.File, error) { return f, before, nil }}
	}
	many := func(n int, last *writtenFile) (all []*writtenFile) {
		for i := range n - 1 {
			all = append(all, with(fmt.Sprint(i), nil, nil))
		}
		return append(all, last)
	}
	from := func(w *writtenFile, path string) *writtenFile { w.from = path; return w }
	for _, c := range []struct {
		name     string
		arrivals []*writtenFile
		want     string
	}{
		{"with its neighbours", []*writtenFile{with("b.go", text(moved...), nil)}, "b.go:2 turned true"},
		{"to its own file", []*writtenFile{with("a.go", text(moved...), nil)}, "a.go:2 turned false"},
		{"alone", []*writtenFile{with("b.go", text(moved[1]), nil)}, ""},
		{"with one neighbour", []*writtenFile{with("b.go", text(moved[:2]...), nil)}, "b.go:2 turned true"},
		{"twice", []*writtenFile{with("b.go", text(moved...), nil), with("c.go", text(moved...), nil)}, ""},
		{"twice, once with less", []*writtenFile{with("b.go", text(moved...), nil), with("c.go", text(moved[1]), nil)}, "b.go:2 turned true"},
		{"twice, first with less", []*writtenFile{with("c.go", text(moved[1]), nil), with("b.go", text(moved...), nil)}, "b.go:2 turned true"},
		{"where it stood before", []*writtenFile{with("b.go", text(moved...), text(moved...))}, ""},
		{"added to a file that existed", []*writtenFile{with("b.go", text(append([]string{"func b() {}"}, moved...)...), text("func b() {}"))}, "b.go:3 turned true"},
		{"the new name of its file, where it was not found", []*writtenFile{from(with("b.go", text(moved...), nil), "a.go")}, ""},
		{"another's new name", []*writtenFile{from(with("b.go", text(moved...), nil), "z.go")}, "b.go:2 turned true"},
		{"not a text", []*writtenFile{with("b.go", nil, nil)}, ""},
		{"the last of four hundred", many(maxChanges, with("b.go", text(moved...), nil)), "b.go:2 turned true"},
		{"the last of more", many(maxChanges+1, with("b.go", text(moved...), nil)), ""},
	} {
		one := &trace{path: "a.go", line: 4, last: old, end: died}
		lost := &trace{path: "a.go", line: 4, end: died} // no file is known that had it
		if err := findAdded(t.Context(), []*trace{one, lost}, c.arrivals); err != nil {
			t.Fatal(err)
		}
		got := ""
		if one.end == going {
			got = fmt.Sprintf("%s:%d turned %t", one.path, one.line, one.turned)
		}
		if got != c.want || lost.end != died {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	broken := errors.New("broken")
	fails := &writtenFile{path: "b.go", load: func(context.Context) (*textfile.File, *textfile.File, error) { return nil, nil, broken }}
	if err := findAdded(t.Context(), []*trace{{path: "a.go", line: 4, last: old}}, []*writtenFile{fails}); !errors.Is(err, broken) {
		t.Errorf("a file that cannot be read: %v", err)
	}
	if err := findAdded(t.Context(), nil, []*writtenFile{fails}); err != nil {
		t.Errorf("nothing is looked for, and a file was read: %v", err)
	}
}

// The verdict of a citation that no rule settled, and of one whose file was not read.
func TestConclusions(t *testing.T) {
	t.Parallel()
	place := Place{Path: "b.go"}
	for _, c := range []struct {
		c    Citation
		edit func(*job)
		want string
	}{
		{Citation{Path: "x/a.go", Line: 3, Snippet: "y"}, nil, "gone :0-0 (neither the text nor anything like it is in a.go)"},
		{Citation{Path: "x/a.go", Line: 3, Snippet: "y"}, func(j *job) { j.stands = "; line 3 is empty" }, "gone :0-0 (neither the text nor anything like it is in a.go; line 3 is empty)"},
		{Citation{Path: "x/a.go", Line: 3}, func(j *job) { j.anchored, j.text = true, []byte("was") }, `gone :0-0 (neither the text nor anything like it is in a.go; it was "was")`},
		{Citation{Path: "x/a.go", Line: 3}, func(j *job) { j.anchored, j.text = true, []byte(strings.Repeat("w", 81)) }, `gone :0-0 (neither the text nor anything like it is in a.go; it was "` + strings.Repeat("w", 80) + `")`},
		{Citation{Path: "x/a.go", Line: 3}, nil, "unverifiable :0-0 (there is no snippet to compare with, and the commit it was written at is not known)"},
		{Citation{Path: "x/a.go", Line: 3}, func(j *job) { j.text = []byte("was") }, "unverifiable :0-0 (there is no snippet to compare with, and the commit it was written at is not known)"},
		{Citation{Path: "x/a.go", Line: 3}, func(j *job) { j.why = "line 3 is beyond the end" }, "gone :0-0 (line 3 is beyond the end)"},
		{Citation{Path: "x/a.go", Line: 3, Commit: "abcd"}, func(j *job) { j.why = "commit abcd is not in this clone" }, "unverifiable :0-0 (there is no snippet to compare with, and commit abcd is not in this clone)"},
		{Citation{Path: "x/a.go", Line: 3}, func(j *job) { j.why, j.commit = "it is beyond", "c" }, "unverifiable :0-0 (there is no snippet to compare with, and it is beyond)"},
		{Citation{Path: "x/a.go", Line: 3, Snippet: "y"}, func(j *job) { j.absent = true }, "gone :0-0 (x/a.go does not exist)"},
		{Citation{Path: "x/a.go", Line: 3, Snippet: "y"}, func(j *job) { j.absent, j.result.Candidates = true, []Place{place} }, "gone :0-0 (x/a.go is gone; it may be b.go now) ?0"},
		{Citation{Path: "x/a.go", Line: 3, Snippet: "y"}, func(j *job) {
			j.absent, j.result.Verdict, j.result.FoundPath, j.result.Reason = true, Changed, "b.go", "similar"
		}, "changed b.go:0-0 (x/a.go is gone; b.go: similar)"},
		{Citation{Path: "x/a.go", Line: 3, Snippet: "y"}, func(j *job) { j.result.Verdict, j.result.FoundPath, j.result.Reason = Changed, "b.go", "similar" }, "changed b.go:0-0 (similar)"},
		{Citation{Path: "x/a.go", Line: 3, Snippet: "y"}, func(j *job) { j.finish(Ambiguous, "two") }, "ambiguous :0-0 (two)"},
		{Citation{Path: "x/a.go", Line: 3}, func(j *job) { j.settleUnread(content{is: escaping, why: "it leaves"}) }, "outside :0-0 (it leaves)"},
		{Citation{Path: "x/a.go", Line: 3}, func(j *job) { j.settleUnread(content{is: unreadable, why: "is a pipe"}) }, "unverifiable :0-0 (x/a.go is a pipe)"},
		{Citation{Path: "x/a.go", Line: 3}, func(j *job) { j.settleUnread(content{is: absent}) }, "gone :0-0 (x/a.go does not exist)"},
		{Citation{Path: "x/a.go", Line: 3}, func(j *job) { j.settleUnread(content{is: folder}) }, "gone :0-0 (x/a.go is a folder now)"},
		{Citation{Path: "x/a.go", Snippet: "y"}, func(j *job) { j.settleUnread(content{is: folder}) }, "gone :0-0 (x/a.go is a folder now)"},
		{Citation{Path: "x/a.go"}, func(j *job) { j.settleUnread(content{is: folder}) }, "valid x/a.go:0-0"},
		{Citation{Path: "x/a.go"}, func(j *job) { j.settleUnread(content{is: present}) }, "valid x/a.go:0-0"},
		{Citation{Path: "x/a.go", Snippet: "y"}, func(j *job) { j.settleUnread(content{is: present}) }, "gone :0-0 (neither the text nor anything like it is in a.go)"},
		{Citation{Path: "x/a.go", Line: 3}, func(j *job) { j.settleUnread(content{is: present}) }, "unverifiable :0-0 (there is no snippet to compare with, and the commit it was written at is not known)"},
	} {
		j := newJob("", c.c)
		if c.edit != nil {
			c.edit(j)
		}
		j.conclude()
		j.quote()
		if got := j.tell(); got != c.want || !j.done {
			t.Errorf("%+v: %s, want %s", c.c, got, c.want)
		}
	}
	f := fileOf("one", "two", "three", "four", "five", "six")
	for _, c := range []struct {
		c    Citation
		o    outcome
		path string
		edit func(*job)
		off  int
		want string
	}{
		{Citation{Path: "a", Line: 2, Snippet: "x"}, standsAt(1), "a", nil, 0, "valid a:2-0 [the text is there]"},
		{Citation{Path: "a", Line: 2, Snippet: "x"}, standsAt(3), "a", nil, 0, "moved a:4-0 [the same text is now at line 4]"},
		{Citation{Path: "a", Line: 2, Snippet: "x"}, standsAt(3), "a", nil, 2, "valid a:2-0 [the text is there]"},
		{Citation{Path: "a", Line: 2, Snippet: "x"}, standsAt(0), "a", nil, 2, "moved a:1-0 [the same text is now at line 1]"},
		{Citation{Path: "a", Snippet: "x"}, standsAt(3), "a", nil, 0, "valid a:4-0 [the text is there]"},
		{Citation{Path: "a", Line: 2, Snippet: "x"}, standsAt(1), "b", nil, 0, "moved b:2-0 [the same text is now in b]"},
		{Citation{Path: "a", Line: 2, Snippet: "x"}, standsAt(1), "b", func(j *job) { j.absent = true }, 0, "moved b:2-0 [the file is gone; the same text is in b]"},
		{Citation{Path: "a", Line: 2, Snippet: "x"}, outcome{how: found, line: 1, last: 1, rivals: true}, "a", nil, 0, "valid a:2-0 low [the text is there, but at other lines too, and nothing says which was meant]"},
		{Citation{Path: "a", Line: 2, Snippet: "x"}, outcome{how: found, line: 1, last: 1, rivals: true, why: "in a comment"}, "a", nil, 0, "valid a:2-0 low [in a comment]"},
		{Citation{Path: "a", Line: 2, Snippet: "x"}, outcome{how: found, line: 2, last: 2, rivals: true}, "a", nil, 0, "moved a:3-0 [the same text is now at line 3]"},
		{Citation{Path: "a", Line: 2, EndLine: 4, Snippet: "x"}, standsAt(2), "a", nil, 0, "moved a:3-5 [the same text is now at line 3]"},
		{Citation{Path: "a", Line: 2, EndLine: 4, Snippet: "x"}, standsAt(4), "a", nil, 0, "moved a:5-6 [the same text is now at line 5]"},
		{Citation{Path: "a", Line: 2, EndLine: 4}, outcome{how: found, line: 2, last: 3}, "a", nil, 0, "moved a:3-4 [the same text is now at line 3]"},
		{Citation{Path: "a", Line: 2, EndLine: 4, Snippet: "x"}, outcome{how: found, line: 2, last: 3}, "a", nil, 0, "moved a:3-5 [the same text is now at line 3]"},
		{Citation{Path: "a", Line: 2, EndLine: 4, Snippet: "x"}, outcome{how: found, line: 2, last: 3, ranged: true}, "a", nil, 0, "moved a:3-4 [the same text is now at line 3]"},
		{Citation{Path: "a", Line: 2, EndLine: 4, Snippet: "x"}, outcome{how: found, line: 3, last: 4, ranged: true}, "a", nil, 1, "moved a:3-5 [the same text is now at line 3]"},
		{Citation{Path: "a", Line: 2, Snippet: "x"}, outcome{how: several, lines: []int{3}}, "a", nil, 0, "ambiguous :0-0 ?4 [the text is at line 4, and nothing says that it is the cited one]"},
		{Citation{Path: "a", Line: 2, Snippet: "x"}, outcome{how: several, lines: []int{3, 5}}, "a", nil, 0, "ambiguous :0-0 ?4 ?6 [the text is at lines 4 and 6, and nothing says which is meant]"},
		{Citation{Path: "a", Line: 2, Snippet: "x"}, outcome{how: several, lines: []int{3}, why: "so"}, "a", nil, 0, "ambiguous :0-0 ?4 [the text is at line 4, and so]"},
		{Citation{Path: "a", Line: 2, Snippet: "x"}, outcome{how: alike, line: 3, last: 3, score: 0.7, why: "similar"}, "a", func(j *job) { j.result.Verdict, j.result.Score, j.result.Reason = Changed, 0.6, "worse" }, 0, "changed a:4-0 0.700 [similar]"},
		{Citation{Path: "a", Line: 2, Snippet: "x"}, outcome{how: alike, line: 3, last: 3, score: 0.6, why: "similar"}, "a", func(j *job) { j.result.Verdict, j.result.Score, j.result.Reason = Changed, 0.6, "as good" }, 0, "changed :0-0 0.600 [as good]"},
		{Citation{Path: "a", Line: 2, Snippet: "x"}, outcome{}, "a", nil, 0, " :0-0 []"},
	} {
		j := newJob("", c.c)
		if c.edit != nil {
			c.edit(j)
		}
		j.settle(c.o, f, c.path, c.off)
		reason := j.result.Reason
		j.result.Reason = ""
		if got := j.tell() + " [" + reason + "]"; got != c.want || j.done != (c.o.how == found || c.o.how == several) {
			t.Errorf("%+v of %+v: %s, want %s", c.o, c.c, got, c.want)
		}
	}
}

// The measures by which places are told apart.
func TestMeasures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b agreement
		want bool
	}{{agreement{1, 0}, agreement{0, 99}, true}, {agreement{1, 6}, agreement{1, 0}, true}, {agreement{1, 5}, agreement{1, 0}, false}, {agreement{0, 99}, agreement{1, 0}, false}, {agreement{}, agreement{}, false}} {
		if got := c.a.clearly(c.b); got != c.want {
			t.Errorf("%+v is clearly better than %+v: %t", c.a, c.b, got)
		}
	}
	for _, c := range []struct {
		s, best sidesFit
		want    bool
	}{{sidesFit{19, 0}, sidesFit{0, 50}, true}, {sidesFit{18, 0}, sidesFit{0, 50}, false}, {sidesFit{0, 40}, sidesFit{50, 21}, true}, {sidesFit{0, 40}, sidesFit{50, 22}, false}} {
		if got := c.s.contradicts(c.best); got != c.want {
			t.Errorf("%+v contradicts %+v: %t", c.s, c.best, got)
		}
	}
	for _, c := range []struct {
		fit  []fitting
		best int
		want bool
	}{{[]fitting{100, 91}, 0, true}, {[]fitting{100, 90}, 0, false}, {[]fitting{100, 100}, 0, false}, {[]fitting{100}, 0, false}} {
		if got := nearly(c.fit, c.best); got != c.want {
			t.Errorf("%v, the best of %d: %t", c.fit, c.best, got)
		}
	}
	marks := make([]textfile.Mark, textfile.Surrounding)
	for _, c := range []struct {
		above, below int
		want         fitting
	}{{0, 0, 6}, {textfile.Surrounding, textfile.Surrounding, 24}, {textfile.Surrounding, 0, 12}, {1, 1, 6}} {
		if got := enough(textfile.Surroundings{Above: marks[:c.above], Below: marks[:c.below]}); got != c.want {
			t.Errorf("%d above and %d below need %v, want %v", c.above, c.below, got, c.want)
		}
	}
	f := fileOf("first()", "", "same()", "last()")
	for _, c := range []struct {
		line, step, count int
		want              string
	}{{2, -1, 4, "[0]"}, {2, 1, 4, "[3]"}, {3, -1, 4, "[2 0]"}, {3, -1, 1, "[2]"}, {3, 1, 4, "[]"}, {-1, 1, 2, "[0 2]"}} {
		if got := fmt.Sprint(neighbours(f, c.line, c.step, c.count)); got != c.want {
			t.Errorf("%d of the neighbours of %d by %d are %s, want %s", c.count, c.line, c.step, got, c.want)
		}
	}
	if step(f, 0, 1) != 2 || step(f, 2, -1) != 0 || step(f, 0, -1) != -1 || step(f, 3, 1) != -1 {
		t.Error("the next line that is not blank")
	}
	above, below := linesBeside{above: []byte("first()")}, linesBeside{below: []byte("last()")}
	if above.none() || below.none() || !(linesBeside{}).none() {
		t.Error("which lines are named")
	}
	if a := above.agree(f, []int{2}, 2); a.same != 1 || a.weight != 1+textfile.Weight([]byte("first()")) {
		t.Errorf("the line above agrees by %+v", a)
	}
	if a := below.agree(f, []int{2}, 2); a.same != 1 || a.weight != 1+textfile.Weight([]byte("last()")) {
		t.Errorf("the line below agrees by %+v", a)
	}
}
