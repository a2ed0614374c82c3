package verify_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/textfile"
)

// handlers has the same few lines in each function.
const handlers = `package web

func list(w writer) error {
	rows, err := query("list")
	if err != nil {
		return err
	}
	return w.write(rows)
}

func show(w writer) error {
	row, err := query("show")
	if err != nil {
		return err
	}
	return w.write(row)
}

func remove(w writer) error {
	done, err := query("remove")
	if err != nil {
		return err
	}
	return w.write(done)
}
`

// cited is a line of a text with its surroundings stored.
func cited(path, text string, line int) verify.Citation {
	f := textfile.Parse([]byte(text))
	return verify.Citation{
		Path: path, Line: line, Snippet: strings.TrimSpace(string(f.Line(line - 1))), Surroundings: f.Discreet(line-1, line-1).String(),
	}
}

func TestSurroundingsTellEqualLinesApart(t *testing.T) {
	gittest.Isolate()
	with := func(old, new string) string { return strings.Replace(handlers, old, new, 1) }
	create := "func create(w writer) error {\n\tmade, err := query(\"create\")\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn w.write(made)\n}\n\n"
	show := handlers[strings.Index(handlers, "func show"):strings.Index(handlers, "func remove")]
	for _, test := range []struct {
		name, now string
		line      int
		verdict   verify.Verdict
		path      string
		found     int
	}{
		{"nothing changed", handlers, 14, verify.Valid, "web.go", 14},
		{"another function above", with("func list", create+"func list"), 14, verify.Moved, "web.go", 22},
		{"one above and one between", with("func list", create+"func list") + create, 22, verify.Moved, "web.go", 30},
		{"its function stands last", with(show, "") + "\n" + show, 14, verify.Moved, "web.go", 22},
		{"what is beside it was edited", with("func list", create+"func list"+"") + "// end\n", 13, verify.Moved, "web.go", 21},
		{"an equal brace closer by", with(`query("show")`, "query(\"show\")\n\tif row == nil {\n\t\tw.empty()\n\t}"), 15, verify.Moved, "web.go", 18},
		{"its function is gone", with(show, ""), 14, verify.Ambiguous, "", 0},
	} {
		dir := gittest.TempDir(t)
		put(t, dir, nil, world{"web.go": test.now})
		r := one(t, dir, verify.WorkingTree, cited("web.go", handlers, test.line))
		if r.Verdict != test.verdict || r.FoundPath != test.path || r.FoundLine != test.found || r.Low {
			t.Errorf("%s: %s %s:%d (%s), want %s %s:%d", test.name, r.Verdict, r.FoundPath, r.FoundLine, r.Reason, test.verdict, test.path, test.found)
		}
	}
}

// When the stored surroundings contradict, the text at the line is not valid, and another place is not the cited one.
func TestSurroundingsLeaveDoubt(t *testing.T) {
	gittest.Isolate()
	before, after := "open(connection)\nauthenticate(connection)\n", "send(connection, greeting)\nexpect(connection, answer)\nsend(connection, goodbye)\n"
	for _, test := range []struct {
		name, old, now string
		line           int
		verdict        verify.Verdict
		found          int
	}{
		{"what stood above and below parted", before + "break\n" + after, before + "break\nreport(failure)\n" + "count(attempts)\nbreak\n" + after, 3, verify.Ambiguous, 0},
		{"a brace ends another line now", before + "{\n" + after + "}\n", "if closed {\n}\nif lost {\n}\n" + before + "{\n" + after + "}\n", 3, verify.Moved, 7},
		{"the block that it ends begins as before", "func a() {\n\tfor {\n\t\tsend(x)\n\t}\n}\n",
			"func a() {\n\tfor {\n\t\tif late {\n\t\t\tbreak\n\t\t}\n\t}\n\tclose(x)\n}\n", 4, verify.Moved, 6},
		{"a sign of a comment stands once, elsewhere", "/**\n * Opens it.\n *\n * @param name\n */\nopen(name)\n",
			"if (false) {\n}\n\n#\n *\nlater()\n", 3, verify.Ambiguous, 0},
		{"neither line beside it is there", rewritten(""), "// new\n" + rewritten("2"), 18, verify.Ambiguous, 0},
		{"a second one came beside it", before + "}\n" + after, before + "}\n}\n" + after, 3, verify.Ambiguous, 0},
		{"two are as likely, and nothing was done", strings.Repeat("a {\n\tb()\n}\n", 40), strings.Repeat("a {\n\tb()\n}\n", 40), 60, verify.Valid, 60},
	} {
		dir := gittest.TempDir(t)
		put(t, dir, nil, world{"web.go": test.now})
		if r := one(t, dir, verify.WorkingTree, cited("web.go", test.old, test.line)); r.Verdict != test.verdict || r.FoundLine != test.found {
			t.Errorf("%s: %s %d (%s), want %s %d", test.name, r.Verdict, r.FoundLine, r.Reason, test.verdict, test.found)
		}
	}
	// A brace on a line of its own is not the end of another line.
	brace := gittest.TempDir(t)
	put(t, brace, nil, world{"web.php": "class Web extends Page {\n}\n"})
	if r := one(t, brace, verify.WorkingTree, verify.Citation{Path: "web.php", Line: 1, Snippet: "{"}); r.Verdict == verify.Valid {
		t.Errorf("a brace at the end of another line: %s %d (%s)", r.Verdict, r.FoundLine, r.Reason)
	}
	// A brace from a deleted file may be at any place that fits.
	dir := gittest.TempDir(t)
	put(t, dir, nil, world{"new/other.go": handlers + strings.Replace(handlers, "package web", "", 1)})
	if r := one(t, dir, verify.WorkingTree, cited("web.go", handlers, 15)); r.Verdict != verify.Ambiguous || len(r.Candidates) != 2 {
		t.Errorf("a brace of a file that is gone: %s %v (%s)", r.Verdict, r.Candidates, r.Reason)
	}
}

// The only commit of a shallow clone does not show where a line was before.
func TestShallowHistoryIsNoWitness(t *testing.T) {
	repo := gittest.New(t)
	old := "listen(port)\n{\n\taccept(connection)\n}\n"
	from := repo.Commit("first", "web.go", old)
	repo.Commit("second", "web.go", "prepare()\nif late {\n\tsleep()\n}\n\n"+old)
	dir := filepath.Join(gittest.TempDir(t), "shallow")
	repo.Git("clone", "--quiet", "--depth=1", "file://"+repo.Dir, dir)
	c := cited("web.go", old, 2)
	c.Commit = from
	expect(t, one(t, dir, verify.WorkingTree, c), verify.Moved, "web.go", 7)
}

// The lines of a deleted file are found in the file with its name, or in the one with the most similar path.
func TestSurroundingsFindTheFile(t *testing.T) {
	gittest.Isolate()
	for _, test := range []struct {
		now  world
		line int
		path string
	}{
		{world{"src/http/web.go": handlers}, 15, "src/http/web.go"},
		{world{"src/http/handlers.go": handlers, "src/other.go": "package other\n\nfunc a() error {\n\treturn err\n}\n"}, 14, "src/http/handlers.go"},
		{world{"src/http/web.go": handlers, "copy/of/web.go": handlers}, 14, "src/http/web.go"},
	} {
		dir := gittest.TempDir(t)
		put(t, dir, nil, test.now)
		expect(t, one(t, dir, verify.WorkingTree, cited("http/web.go", handlers, test.line)), verify.Moved, test.path, test.line)
	}
	dir := gittest.TempDir(t)
	put(t, dir, nil, world{"one/web.go": handlers, "two/web.go": handlers})
	if r := one(t, dir, verify.WorkingTree, cited("http/web.go", handlers, 14)); r.Verdict != verify.Ambiguous || len(r.Candidates) != 2 {
		t.Errorf("two files are alike: %s %v (%s)", r.Verdict, r.Candidates, r.Reason)
	}
}

// In a shallow clone the recorded commit is not there, and the surroundings decide.
func TestSurroundingsInShallowClone(t *testing.T) {
	repo := gittest.New(t)
	from := repo.Commit("first", "web.go", handlers)
	repo.Commit("second", "web.go", strings.Replace(handlers, "func list", "func none() error {\n\treturn err\n}\n\nfunc list", 1))
	c := cited("web.go", handlers, 22)
	c.Commit = from
	dir := filepath.Join(gittest.TempDir(t), "shallow")
	repo.Git("clone", "--quiet", "--depth=1", "file://"+repo.Dir, dir)
	expect(t, one(t, dir, verify.WorkingTree, c), verify.Moved, "web.go", 26)
	c.Surroundings = ""
	if r := one(t, dir, verify.WorkingTree, c); r.Verdict != verify.Ambiguous {
		t.Errorf("without them: %s", r.Verdict)
	}
	c.Surroundings = "not|what is kept"
	if r := one(t, dir, verify.WorkingTree, c); r.Verdict != verify.Ambiguous {
		t.Errorf("with what no one kept: %s", r.Verdict)
	}
}

// A check returns the surroundings to store for valid citations.
func TestSurroundingsAreKept(t *testing.T) {
	repo := gittest.New(t)
	repo.Commit("base", "web.go", handlers)
	checker, err := verify.Open(t.Context(), repo.Dir, verify.Options{Around: true})
	if err != nil {
		t.Fatal(err)
	}
	defer checker.Close()
	want := cited("web.go", handlers, 14)
	results, err := checker.Verify(t.Context(), []verify.Citation{
		{Path: "web.go", Line: 14, Snippet: want.Snippet},
		{Path: "web.go", Line: 11, EndLine: 17, Snippet: want.Snippet},
		{Path: "web.go", Line: 1, Snippet: "func list(w writer) error {"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, kept := range []string{want.Surroundings, want.Surroundings, ""} {
		if r := results[i]; r.Around != kept {
			t.Errorf("%s %s:%d: %q is to be kept, want %q", r.Verdict, r.Path, r.Line, r.Around, kept)
		}
	}
}

// rewritten returns a text whose middle differs for each suffix.
func rewritten(suffix string) string {
	var b strings.Builder
	for _, name := range []string{"alpha", "beta"} {
		fmt.Fprintf(&b, "func %s() {\n\topen(%s)\n\tgreet(%s)\n\tif ready(%s%s) {\n\t\tsend(%s%s)\n\t}\n\tcount(%s%s)\n\tclose(shared)\n\tlog(shared)\n\treturn(shared)\n}\n\n",
			name, name, name, name, suffix, name, suffix, name, suffix)
	}
	return b.String()
}
