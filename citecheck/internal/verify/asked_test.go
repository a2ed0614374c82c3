package verify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// Questions about one state: revisions, texts, names, the lines beside a text, and what is in place.
func TestQuestions(t *testing.T) {
	repo := gittest.New(t)
	long := "package a\n\nfunc first() {\n" + strings.Repeat("\tstep()\n", 60) + "}\n\nfunc second() {\n\tsecondStep()\n}\n"
	from := repo.Commit("first", "sub/a.go", alpha, "sub/long.go", long, "top.go", "package top\n", "blob.bin", "\x00\x01", ".gitignore", "ignored\n")
	repo.Commit("second", "sub/a.go", "// more\n"+alpha)
	repo.Write("sub/new.go", "package fresh\n")
	repo.Write("sub/ignored", "package ignored\n")
	head := repo.Git("rev-parse", "HEAD")
	open := func(dir, at string) *verify.Checker {
		t.Helper()
		c, err := verify.Open(t.Context(), dir, verify.Options{At: at})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	bare := gittest.TempDir(t)
	put(t, bare, nil, world{"a.go": alpha, "deep/b.go": alpha, "node_modules/x.js": "x\n", "deep/.git/config": "x\n"})
	c, sub, plain := open(repo.Dir, ""), open(repo.Path("sub"), ""), open(bare, "")
	told := func(err error) string {
		if f := fault.From(err); f != nil {
			return fmt.Sprintf("%s: %s; %s", f.Kind, f.Message, f.Hint)
		}
		return ""
	}
	for _, q := range []struct {
		c         *verify.Checker
		rev, want string
		err       string
	}{
		{c, "HEAD", head, ""}, {c, "HEAD~1", from, ""}, {c, from[:10], from, ""},
		{c, "", "", `ValidationError: "" is not a revision; `}, {c, "-x", "", `ValidationError: "-x" is not a revision; `},
		{c, "nothing", "", "NotFoundError: revision \"nothing\" does not exist; `git log` shows the commits there are; a shallow clone holds few"}, {c, "HEAD:top.go", "", "NotFoundError: revision \"HEAD:top.go\" does not exist; `git log` shows the commits there are; a shallow clone holds few"},
		{plain, "HEAD", "", `NotFoundError: revision "HEAD" does not exist; the folder is not in a git repository`},
	} {
		got, err := q.c.Resolve(t.Context(), q.rev)
		if got != q.want || told(err) != q.err {
			t.Errorf("%q is %q, %q", q.rev, got, told(err))
		}
	}
	for _, q := range []struct {
		path      string
		line, end int
		want, err string
	}{
		{"top.go", 1, 0, "package top", ""}, {"sub/a.go", 1, 2, "// more\npackage alpha", ""}, {"sub/a.go", 19, 0, "}", ""},
		{"sub/a.go", 0, 0, "", `NotFoundError: line "sub/a.go:0" does not exist; the file has 19 lines`}, {"sub/a.go", 19, 20, "", `NotFoundError: line "sub/a.go:20" does not exist; the file has 19 lines`}, {"sub/a.go", 20, 0, "", `NotFoundError: line "sub/a.go:20" does not exist; the file has 19 lines`},
		{"none.go", 1, 0, "", `NotFoundError: file "none.go" does not exist; paths are relative to the project's folder`}, {"sub", 1, 0, "", `ValidationError: "sub" is a folder; `}, {"../x", 1, 0, "", `ValidationError: "../x" was not read: the path leaves the repository; `},
		{"blob.bin", 1, 0, "", `ValidationError: "blob.bin" is not a text file; `}, {`sub\a.go`, 1, 0, "// more", ""},
	} {
		got, err := c.Text(t.Context(), q.path, q.line, q.end)
		if got != q.want || told(err) != q.err {
			t.Errorf("%s:%d-%d is %q, %q", q.path, q.line, q.end, got, told(err))
		}
	}
	for _, q := range []struct {
		c    *verify.Checker
		want []string
	}{
		{c, []string{".gitignore", "blob.bin", "sub/a.go", "sub/long.go", "sub/new.go", "top.go"}}, {plain, []string{"a.go", "deep/b.go"}}, {sub, []string{"a.go", "long.go", "new.go"}}, {open(repo.Dir, "HEAD"), []string{".gitignore", "blob.bin", "sub/a.go", "sub/long.go", "top.go"}},
		{open(repo.Path("sub"), verify.Index), []string{"a.go", "long.go"}},
	} {
		files, err := q.c.Files(t.Context())
		if d := cmp.Diff(q.want, files); d != "" || err != nil {
			t.Error(d, err)
		}
	}
	for _, q := range []struct {
		c    *verify.Checker
		path string
		want bool
	}{{c, "sub", true}, {c, "sub/a.go", true}, {c, "a.go", false}, {c, ".", true}, {c, "../x", false}, {sub, "a.go", true}, {sub, "../top.go", true}, {sub, "../../x", false}, {c, ".git/config", false}} {
		if got := q.c.Exists(t.Context(), q.path); got != q.want {
			t.Errorf("%s exists: %t", q.path, got)
		}
	}
	changed, err := sub.ChangedSince(t.Context(), from)
	if d := cmp.Diff(map[string]bool{"a.go": true, "new.go": true}, changed); d != "" || err != nil {
		t.Error(d, err)
	}
	if _, err := sub.ChangedSince(t.Context(), "nothing"); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("since a revision that does not exist: %v", err)
	}

	// Lines of long.go: first is at 3, its block ends at 64; second is at 66, secondStep at 67.
	for _, q := range []struct {
		path      string
		line, end int
		names     []string
		want      string
	}{
		{"sub/long.go", 67, 0, []string{"second"}, ""},
		{"sub/long.go", 67, 0, nil, ""},
		{"sub/long.go", 0, 0, []string{"second"}, ""},
		{"sub/long.go", 5, 0, []string{"secondStep"}, "secondStep is at line 67"},
		{"sub/long.go", 36, 0, []string{"second"}, ""},
		{"sub/long.go", 35, 0, []string{"second"}, "second is at line 66"},
		{"sub/long.go", 20, 37, []string{"secondStep"}, ""},
		{"sub/long.go", 20, 36, []string{"secondStep"}, "secondStep is at line 67"},
		{"sub/long.go", 60, 0, []string{"first"}, ""}, // it begins the block around
		{"sub/long.go", 67, 0, []string{"first"}, "first is at line 3"},
		{"sub/long.go", 33, 0, []string{"package"}, "package is at line 1"},
		{"sub/long.go", 31, 0, []string{"package"}, ""},
		{"sub/long.go", 5, 0, []string{"nowhere", "secondStep", "second"}, "secondStep is at line 67"},
		{"sub/long.go", 5, 0, []string{"secondStep", "first"}, ""},
		{"sub/long.go", 5, 0, []string{"Step"}, ""},
		{"sub/long.go", 68, 0, []string{"package"}, "package is at line 1"},
		{"sub/long.go", 69, 0, []string{"package"}, ""},
		{"none.go", 5, 0, []string{"second"}, ""},
		{"blob.bin", 1, 0, []string{"second"}, ""},
	} {
		got, err := c.NamedElsewhere(t.Context(), q.path, q.line, q.end, q.names)
		if got != q.want || err != nil {
			t.Errorf("%q beside %s:%d-%d: %q, %v", q.names, q.path, q.line, q.end, got, err)
		}
	}
	for _, q := range []struct {
		c             verify.Citation
		after, before string
	}{
		{verify.Citation{Path: "sub/a.go", Line: 9, Snippet: "return false"}, "if count > Limit {", ""},
		{verify.Citation{Path: "sub/a.go", Line: 16, Snippet: "return false"}, "if count < 0 {", ""},
		{verify.Citation{Path: "sub/a.go", Line: 18, Snippet: "return !Allow(count)"}, "", ""},
		{verify.Citation{Path: "sub/a.go", Line: 19, Snippet: "}"}, "return !Allow(count)", ""},
		{verify.Citation{Path: "sub/a.go", Line: 9, Snippet: ""}, "", ""},
		{verify.Citation{Path: "sub/a.go", Line: 0, Snippet: "}"}, "", ""},
		{verify.Citation{Path: "sub/a.go", Line: 20, Snippet: "}"}, "", ""},
		{verify.Citation{Path: "none.go", Line: 1, Snippet: "}"}, "", ""},
		{verify.Citation{Path: "blob.bin", Line: 1, Snippet: "}"}, "", ""},
		{verify.Citation{Path: "sub/long.go", Line: 30, Snippet: "step()"}, "", ""},
	} {
		after, before, err := c.Beside(t.Context(), q.c)
		if after != q.after || before != q.before || err != nil {
			t.Errorf("beside %s:%d %q are %q and %q, %v", q.c.Path, q.c.Line, q.c.Snippet, after, before, err)
		}
	}
	there, err := c.InPlace(t.Context(), []verify.Citation{{Path: "sub/a.go", Line: 5, Snippet: "const Limit = 250"}, {Path: "sub/a.go", Line: 4, Snippet: "const Limit = 250"}, {Path: "sub/a.go"}, {Path: "sub/a.go", Line: 99}, {Path: "none.go", Line: 1, Snippet: "x"}, {Path: "sub"},
		{Path: "blob.bin", Line: 1, Snippet: "x"}, {Path: "../x"}, {Path: "sub/a.go", Snippet: "nothing like it"}, {Path: "sub", Line: 1, Snippet: "x"}})
	if want := []bool{true, false, true, true, false, true, true, false, true, true}; err != nil || !slices.Equal(there, want) {
		t.Errorf("in place are %v, %v", there, err)
	}
	for dir, want := range map[string]string{repo.Path("none"): "NotFoundError: folder ", repo.Path("top.go"): "ValidationError: "} {
		if _, err := verify.Open(t.Context(), dir, verify.Options{}); !strings.HasPrefix(told(err), want) {
			t.Errorf("%s: %s", dir, told(err))
		}
	}
	if c.Commit() != head || open(repo.Dir, "HEAD~1").Commit() != from || open(repo.Dir, verify.Index).Commit() != head || plain.Commit() != "" {
		t.Error("a state is based on another commit")
	}
	oids, err := sub.Remember(t.Context(), []verify.Result{{Verdict: verify.Valid, FoundPath: "a.go"}, {Verdict: verify.Moved, FoundPath: "new.go"}, {Verdict: verify.Changed, FoundPath: "a.go"}, {Verdict: verify.Renamed, FoundPath: "../top.go"}, {Verdict: verify.Valid, FoundPath: "none"}})
	if want := []string{head, "", "", head, ""}; err != nil || !slices.Equal(oids, want) {
		t.Errorf("to be recorded are %q, %v", oids, err)
	}
}
