package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/textfile"
)

func fileOf(lines ...string) *textfile.File {
	return textfile.Parse([]byte(strings.Join(lines, "\n") + "\n"))
}

// Of many versions evenly spaced ones are chosen, with the last, and with those that create or delete the file.
func TestThin(t *testing.T) {
	t.Parallel()
	versions := func(n int) (all []git.FileVersion) {
		for i := range n {
			all = append(all, git.FileVersion{Commit: fmt.Sprint(i), Old: "1111", New: "2222"})
		}
		return all
	}
	commits := func(all []git.FileVersion) (list []string) {
		for _, v := range all {
			list = append(list, v.Commit)
		}
		return list
	}
	if got := thin(versions(100)); len(got) != 100 {
		t.Errorf("of 100 there are %d left", len(got))
	}
	if got := thin(versions(101)); len(got) != 100 || got[0].Commit != "1" || got[99].Commit != "100" {
		t.Errorf("of 101 there are %d left: %q", len(got), commits(got))
	}
	many := versions(400)
	many[1].Old, many[2].New = "0000", "0000"
	got := commits(thin(many))
	if want := []string{"1", "2", "3", "7", "11"}; len(got) != 102 || !slices.Equal(got[:5], want) || got[101] != "399" {
		t.Errorf("of 400 there are %d left: %q", len(got), got)
	}
}

// A snippet is found at its line, else at its only place, else at the only place at most two lines away.
func TestAnchorAt(t *testing.T) {
	t.Parallel()
	at := func(places ...int) *textfile.File {
		lines := slices.Repeat([]string{"other"}, 20)
		for _, p := range places {
			lines[p] = "x = 1"
		}
		return fileOf(lines...)
	}
	for _, c := range []struct {
		f         *textfile.File
		snippet   string
		line, end int
		want      []int
	}{
		{at(5, 9), "x = 1", 5, 0, []int{5}},
		{at(5, 9), "x = 1", 9, 0, []int{9}},
		{at(5, 9), "x = 1", 7, 9, []int{9}},
		{at(5), "x = 1", 19, 0, []int{5}},
		{at(5, 15), "x = 1", 7, 0, []int{5}},
		{at(5, 15), "x = 1", 3, 0, []int{5}},
		{at(5, 15), "x = 1", 8, 0, nil},
		{at(5, 15), "x = 1", 2, 0, nil},
		{at(5, 9), "x = 1", 7, 0, nil},
		{at(0, 9), "x = 1", 1, 0, []int{0}},
		{at(), "x = 1", 1, 0, nil},
		{at(5), "x = 1…", 5, 0, []int{5}},
		{fileOf("a", "", "b", "c"), "a\nb", 0, 0, []int{0, 2}},
		{fileOf("a", "", "b", "c"), "", 0, 2, []int{0, 2}},
		{fileOf("a", "", "b", "c"), "", 3, 0, []int{3}},
		{fileOf("a", "", "b", "c"), "", 3, 4, nil},
		{fileOf("a", "", "b", "c"), "", 4, 0, nil},
		{fileOf("a", "", "b", "c"), "", -1, 0, nil},
		{fileOf("a", "", "b", "c"), "", 1, 0, nil},
	} {
		a, ok := anchorAt(c.f, newSnippet(c.snippet), c.line, c.end)
		if d := cmp.Diff(c.want, a.lines); d != "" || ok != (c.want != nil) {
			t.Errorf("%q at %d-%d: %t %v, want %v", c.snippet, c.line, c.end, ok, a.lines, c.want)
		}
	}
}

func TestNewJob(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		c       Citation
		verdict Verdict
		reason  string
	}{
		{Citation{}, Unverifiable, "the citation names no file"},
		{Citation{Path: " "}, Unverifiable, "the citation names no file"},
		{Citation{Path: "../a"}, Outside, "the path leaves the repository"},
		{Citation{Path: "a", Line: -1}, Gone, "there is no such range of lines"},
		{Citation{Path: "a", EndLine: -1}, Gone, "there is no such range of lines"},
		{Citation{Path: "a", Line: 3, EndLine: 2}, Gone, "there is no such range of lines"},
		{Citation{Path: "a", Line: 3, EndLine: 3}, "", ""},
		{Citation{Path: "a", Line: 3}, "", ""},
		{Citation{Path: "a"}, "", ""},
	} {
		j := newJob("", c.c)
		if j.result.Verdict != c.verdict || j.result.Reason != c.reason || j.done != (c.verdict != "") {
			t.Errorf("%+v: %s %q", c.c, j.result.Verdict, j.result.Reason)
		}
	}
	j := newJob("sub", Citation{Path: "./a", Line: 3, EndLine: 5, Snippet: "x\n\n  the heaviest of them  \ny"})
	if j.path != "sub/a" || string(j.text) != "the heaviest of them" || j.line() != 2 || j.end() != 4 || len(j.snippet.lines) != 3 {
		t.Errorf("%q %q %d-%d", j.path, j.text, j.line(), j.end())
	}
	for line, want := range map[int]int{1: 0, 2: 0, 3: 1, 4: 2, 5: 0} {
		if got := j.offset(anchor{lines: []int{line}}); got != want {
			t.Errorf("an anchor at %d is %d lines into the range, want %d", line, got, want)
		}
	}
	if got := newJob("", Citation{Path: "a", Line: 3}).offset(anchor{lines: []int{2}}); got != 0 {
		t.Errorf("a single line has an offset of %d", got)
	}
}

// A sentence names up to four places, or three of more.
func TestNamedPlaces(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "line 1", 2: "lines 1 and 2", 3: "lines 1, 2 and 3", 4: "lines 1, 2, 3 and 4", 5: "lines 1, 2, 3 and 2 more", 9: "lines 1, 2, 3 and 6 more"} {
		var lines []int
		for i := range n {
			lines = append(lines, i)
		}
		if got := linesNamed(lines); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	long := strings.Repeat("x", maxText-1) + "é"
	for text, want := range map[string]string{" a ": "a", strings.Repeat("x", maxText): strings.Repeat("x", maxText), long: strings.Repeat("x", maxText-1)} {
		if got := clip([]byte(text)); got != want {
			t.Errorf("%d bytes are clipped to %d, want %d", len(text), len(got), len(want))
		}
	}
	if got := short("0123456789abcdef") + short("0123"); got != "01234567890123" {
		t.Errorf("%q", got)
	}
}

func TestKindsOfFilesAndLines(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]bool{"a.md": true, "docs/a.TXT": true, "a.go": false, "README": true, "Makefile": false, "x/Dockerfile": false, "Gemfile": false, "Rakefile": false, "Jenkinsfile": false, "LICENSE": true, "a.html": true, "a.ts": false} {
		if got := isDocument(p); got != want {
			t.Errorf("%s is a document: %t", p, got)
		}
	}
	for _, c := range []struct {
		line, text string
		want       bool
	}{
		{"//x()", "x()", true}, {"#x()", "x()", true}, {"--x()", "x()", true}, {";x()", "x()", true}, {";;x()", "x()", true}, {"%x()", "x()", true}, {"/*x()", "x()", true}, {"*x()", "x()", true}, {"<!--x()", "x()", true}, {"REMx()", "x()", true},
		{"///x()", "x()", true}, {"##x()", "x()", true}, {"x()", "x()", false}, {"ifx()", "x()", false}, {"//x()//", "x()", false},
	} {
		if got := commentedOut([]byte(c.line), []byte(c.text)); got != c.want {
			t.Errorf("%q is %q in a comment: %t", c.line, c.text, got)
		}
	}
	for _, v := range Verdicts() {
		isTrue, fixable := v == Valid || v == Moved || v == Renamed, v == Moved || v == Renamed
		if v.True() != isTrue || v.Fixable() != fixable || v.Checkable() == (v == Unverifiable) {
			t.Errorf("%s is true %t, fixable %t, checkable %t", v, v.True(), v.Fixable(), v.Checkable())
		}
	}
	for p, want := range map[string]string{"a/web.go": "web", "web": "web", "a.b/web.test.js": "web.test", "": "."} {
		if got := stem(p); got != want {
			t.Errorf("the stem of %q is %q", p, got)
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"a/b/c.go", "a/b/c.go", 3}, {"a/b/c.go", "b/c.go", 2}, {"a/c.go", "a/b/c.go", 2}, {"x/c.go", "a/b/d.go", 0}, {"b/a/c", "a/b/c", 2}, {"a/a", "a", 1}} {
		if got, back := kinship(c.a, c.b), kinship(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%s and %s share %d and %d parts, want %d", c.a, c.b, got, back, c.want)
		}
	}
	for _, c := range [][4]int{{3, 5, 8, 2}, {5, 5, 8, 0}, {7, 5, 8, 0}, {8, 5, 8, 1}, {10, 5, 8, 3}, {4, 5, 5, 1}, {5, 5, 5, 1}} {
		if got := distance(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("line %d is %d from %d-%d, want %d", c[0], got, c[1], c[2], c[3])
		}
	}
	if compareBool(true, true) != 0 || compareBool(false, true) != -1 || compareBool(true, false) != 1 {
		t.Error("false does not come before true")
	}
	for p, want := range map[string]bool{"/a": true, "/a/b": true, `/a\b`: true, "/ab": false, "/b": false} {
		if got := within("/a", p); got != want {
			t.Errorf("%s is within /a: %t", p, got)
		}
	}
	if !within("/", "/a") {
		t.Error("/a is not within /")
	}
}

// A snippet is a part of a line between words only; begin and end require the line's beginning and end, open lets the last word go on.
func TestHolds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line, snippet    string
		begin, end, open bool
		want             bool
	}{
		{"return err", "err", false, false, false, true},
		{"returnerr", "err", false, false, false, false},
		{"(err)", "err", false, false, false, true},
		{"errors", "err", false, false, false, false},
		{"errors", "err", false, false, true, true},
		{"errors.err", "err", false, false, false, true},
		{"xerr err", "err", true, false, false, false},
		{"err x", "err", true, false, false, true},
		{"x err", "err", false, true, false, true},
		{"err x", "err", false, true, false, false},
		{"a(b", "(", false, false, false, true},
		{"err", "err", true, true, false, true},
		{"er", "err", false, false, false, false},
		{"", "err", false, false, false, false},
	} {
		if got := holds([]byte(c.line), []byte(c.snippet), c.begin, c.end, c.open); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
	for line, want := range map[string]string{"a.bcd(ef)": "bcd", "abc.def": "abc", "ab.cde": "cde", "(){": "(", "": "", "a": "a", "()abc": "abc"} {
		if got := string(longestWord([]byte(line))); got != want {
			t.Errorf("the longest word of %q is %q", line, got)
		}
	}
	for text, want := range map[string]string{"open(na...": "open(na", "open(na…": "open(na", "open": "", "…": "", "a\nb…": "a b"} {
		got := ""
		if s, ok := newSnippet(text).shortened(); ok {
			if got = string(slices.Concat(s.lines[0])); len(s.lines) > 1 {
				got += " " + string(s.lines[1])
			}
			if !s.open || s.hash[len(s.hash)-1] != textfile.Hash(s.lines[len(s.lines)-1]) {
				t.Errorf("%q is cut to %+v", text, s)
			}
		}
		if got != want {
			t.Errorf("%q without its ellipsis is %q", text, got)
		}
	}
	if s := newSnippet("{\nconst Limit = 250\nx\nconst Limit = 251"); s.heaviest() != 1 || s.more() != 3 || newSnippet("").more() != 0 {
		t.Errorf("the heaviest line is %d, %d more", s.heaviest(), s.more())
	}
}

// The files of a tree or an index: conflicts, links, folders and submodules.
func TestListing(t *testing.T) {
	t.Parallel()
	l := newListing([]git.ListedFile{{Path: "a/b/c", Mode: "100644"}, {Path: "both", Stage: 1, OID: "1"}, {Path: "both", Stage: 2, OID: "2"}, {Path: "both", Stage: 3, OID: "3"}, {Path: "lib", Mode: git.ModeSubmodule}, {Path: "link", Mode: git.ModeLink}, {Path: "a/up", Mode: git.ModeLink}})
	if d := cmp.Diff([]string{"a/b/c", "both", "link", "a/up"}, l.names()); d != "" {
		t.Error(d)
	}
	if l.byPath["both"].OID != "2" {
		t.Errorf("of a conflict, stage %d is taken", l.byPath["both"].Stage)
	}
	for p, want := range map[string]bool{"lib": true, "lib/x": true, "lib/x/y": true, "a/b/c": false, "a/b": false, ".": false, "libx": false} {
		if got := l.belowSubmodule(p); got != want {
			t.Errorf("%s is in a submodule: %t", p, got)
		}
	}
	for p, want := range map[string]bool{".": true, "a": true, "a/b": true, "a/b/c": false, "x": false} {
		if got := l.isFolder(p); got != want {
			t.Errorf("%s is a folder: %t", p, got)
		}
	}
	for p, want := range map[string]string{"link": "link|", "link/x/y": "link|x/y", "a/up/z": "a/up|z", "a/b/c": "", "linkx": ""} {
		got := ""
		if file, rest := l.firstLink(p); file != nil {
			got = file.Path + "|" + rest
		}
		if got != want {
			t.Errorf("on the way to %s is %q, want %q", p, got, want)
		}
	}
	names, err := parseRenames([]byte("R100\x00a\x00b\x00M\x00c\x00"))
	if d := cmp.Diff(map[string]string{"a": "b"}, names); d != "" || err != nil {
		t.Error(d, err)
	}
}

// A citation that was right at several times is dated by the others of its memory.
func TestTogether(t *testing.T) {
	t.Parallel()
	once := func(from, to int) []stand { return []stand{{from, to, "c", 1}} }
	two := []stand{{0, 1, "new", 1}, {3, 4, "old", 2}}
	for name, c := range map[string]struct {
		own    []stand
		others [][]stand
		same   int // of the others, into the same file
		want   string
	}{
		"the newer":                     {two, [][]stand{once(0, 2), once(1, 4)}, 2, "new"},
		"the older":                     {two, [][]stand{once(2, 3), once(3, 4)}, 2, "old"},
		"both":                          {two, [][]stand{once(0, 4), once(0, 4)}, 2, ""},
		"one line at both times":        {[]stand{{0, 1, "new", 1}, {3, 4, "old", 1}}, [][]stand{once(0, 4), once(0, 4)}, 2, "new"},
		"too few":                       {two, [][]stand{once(2, 3)}, 1, ""},
		"one was never right":           {two, [][]stand{once(2, 3), nil}, 2, ""},
		"a third was never right":       {two, [][]stand{once(2, 3), once(3, 4), nil}, 3, "old"},
		"others that are not sure":      {two, [][]stand{once(2, 3), {{0, 0, "c", 1}, {3, 4, "c", 2}}}, 2, ""},
		"never at once":                 {two, [][]stand{once(0, 0), once(4, 4)}, 2, ""},
		"never at once, but in a file":  {two, [][]stand{once(3, 4), once(4, 4), once(2, 2)}, 2, "old"},
		"at the beginning of a period":  {two, [][]stand{once(3, 3), once(3, 3)}, 2, "old"},
		"at the end of a period":        {two, [][]stand{once(4, 4), once(4, 4)}, 2, "old"},
		"between the periods":           {two, [][]stand{once(2, 2), once(2, 2)}, 2, ""},
		"only those of other files":     {two, [][]stand{once(3, 3), once(3, 3)}, 0, "old"},
		"its own periods do not count":  {once(0, 4), [][]stand{once(0, 4)}, 1, ""},
		"after its last, there is none": {once(0, 1), [][]stand{once(2, 2), once(2, 2)}, 2, ""},
	} {
		j := &job{path: "a"}
		group, stands := []*job{j}, map[*job][]stand{j: c.own}
		for i, s := range c.others {
			other := &job{path: map[bool]string{true: "a", false: "b"}[i < c.same]}
			group = append(group, other)
			stands[other] = s
		}
		if j.together(group, stands, 5); j.commit != c.want {
			t.Errorf("%s: %q, want %q", name, j.commit, c.want)
		}
	}
	h := &fileHistory{files: map[string][]fileState{}}
	versions := []git.FileVersion{{Commit: "3", Path: "a", New: "a3"}, {Commit: "3", Path: "b", New: "b3"}, {Commit: "2", Path: "b", New: "0000"}, {Commit: "1", Path: "a", New: "a1"}}
	for range 2 {
		h.index(versions)
	}
	want := map[string][]fileState{"a": {{0, 0, "3", "a3"}, {1, 2, "1", "a1"}}, "b": {{0, 0, "3", "b3"}, {1, 1, "2", ""}}}
	if d := cmp.Diff(want, h.files, cmp.AllowUnexported(fileState{})); d != "" || h.moments != 3 {
		t.Error(h.moments, d)
	}
}

// A citation of a range quotes its first lines; of a longer one only the first five.
func TestQuotedRange(t *testing.T) {
	t.Parallel()
	lines := []string{"one", "two", "", "three", "four", "five", "six", "seven", "eight"}
	f := fileOf(lines...)
	for _, c := range []struct {
		line, end int
		snippet   string
		begins    bool
		less      bool
	}{
		{1, 2, "one\ntwo", true, false},
		{1, 2, "one", false, false},
		{2, 3, "one\ntwo", false, false},
		{1, 5, "one\ntwo\nthree\nfour", true, false},
		{1, 6, "one\ntwo\nthree\nfour", true, true},
		{1, 6, "one\ntwo\nthree", false, true},
		{1, 9, "one\ntwo\nthree\nfour", true, true},
		{1, 10, "one\ntwo\nthree\nfour", false, true},
		{3, 5, "three\nfour", true, false},
		{1, 1, "one\ntwo", false, false},
		{0, 0, "one\ntwo", false, false},
	} {
		j := newJob("", Citation{Path: "a", Line: c.line, EndLine: c.end, Snippet: c.snippet})
		if got := j.quotesBeginning(f); got != c.begins || j.quotesLess() != c.less {
			t.Errorf("%q of %d-%d begins it %t, less %t", c.snippet, c.line, c.end, got, j.quotesLess())
		}
	}
	for _, c := range []struct {
		line, end, at int
		snippet       string
		how           outcomeKind
		want          bool
	}{
		{2, 5, 1, "x", found, true}, {2, 5, 4, "x", found, true}, {2, 5, 5, "x", found, false}, {2, 5, 0, "x", found, false}, {2, 5, 1, "x", alike, false}, {0, 0, 0, "x", found, false},
		{3, 5, 3, "x\ny", found, true}, {2, 5, 3, "x\ny", found, false}, {2, 5, 1, "x\ny", found, true},
	} {
		j := newJob("", Citation{Path: "a", Line: c.line, EndLine: c.end, Snippet: c.snippet})
		if got := j.within(f, outcome{how: c.how, line: c.at}); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
	for _, c := range []struct {
		line, end int
		want      bool
	}{{2, 2, true}, {1, 2, false}, {2, 3, false}, {-1, 2, false}, {2, 9, false}, {9, 0, false}, {2, 0, true}} {
		if got := blank(f, c.line, c.end); got != c.want {
			t.Errorf("%d-%d is blank: %t", c.line, c.end, got)
		}
	}
}
