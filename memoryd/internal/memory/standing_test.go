package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/goldentest"
)

// The places of memories in a repository: what is added to each citation, what is reported, and which places a text names.
func TestPlacesInARepository(t *testing.T) {
	t.Parallel()
	token := "ghp_" + strings.Repeat("aB3dE6", 6)
	repo := gittest.New(t)
	repo.Commit("first", "main.go", "package main\n\nfunc main() {\n\tstart(3)\n}\n", "src/pool.go", "package src\r\n\r\nvar size = 20\r\n", "src/deep/only.go", "package deep\nvar one = 1\n", "a/twice.go", "package a\nvar a = 1\n",
		"b/twice.go", "package b\nvar b = 1\n", "key.yml", "name: x\ntoken: "+token+"\n", "odd[1].go", "package odd\nvar odd = 1\n", "data.bin", "a\x00b\nc\n", "empty.txt", "", "long.txt", strings.Repeat("x", MaxSnippet+10)+"\nshort\n")
	head := strings.TrimSpace(repo.Git("rev-parse", "HEAD"))
	repo.Write("main.go", "package main\n\nfunc main() {\n\tstart(4)\n}\n")
	repo.Write("new.go", "package new\nvar fresh = 1\n")
	repo.Write("src/deep/new.go", "package deep\nvar fresh = 1\n")
	repo.Write(".gitignore", "*.out\n")
	repo.Write("src/built.out", "built\nout\n")
	plain := gittest.TempDir(t)
	if err := os.WriteFile(filepath.Join(plain, "notes.txt"), []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	tell := func(list []Citation) {
		for _, c := range list {
			commit := strings.ReplaceAll(c.Commit, head, "HEAD")
			snippet := c.Snippet
			if len(snippet) > 100 {
				snippet = fmt.Sprintf("%.10s… of %d bytes", snippet, len(snippet))
			}
			fmt.Fprintf(&b, "\t%s:%d %q at %q, %d marks around\n", c.Path, c.Line, snippet, commit, len(c.Surroundings))
		}
	}
	other := strings.Repeat("0", 40)
	for _, c := range []struct {
		name, folder string
		list         []Citation
	}{
		{"the root", repo.Dir, []Citation{
			{Path: "main.go"}, {Path: "main.go", Line: 1}, {Path: "main.go", Line: 4}, {Path: "main.go", Line: 4, Snippet: "start(4)"}, {Path: "main.go", Line: 3, Snippet: "start(4)"}, {Path: "main.go", Line: 3, Snippet: "func main() {\n\tstart(4)\n"}, {Path: "main.go", Line: 5}, {Path: "main.go", Line: 6},
			{Path: "main.go", Line: 2}, {Path: "main.go", Line: 2, Snippet: "\n"}, {Path: "main.go", Commit: other}, {Path: "main.go", Line: 4, Commit: other}, {Path: "main.go", Line: 9, Commit: other}, {Path: "main.go", Line: -1}, {Path: "main.go", Commit: "main"},
			{Path: `src\pool.go`, Line: 3}, {Path: "src/../src/pool.go", Line: 1}, {Path: "none.go", Line: 1}, {Path: "none.go"}, {Path: "none.go", Commit: other}, {Path: "src", Line: 1}, {Path: "data.bin", Line: 1}, {Path: "data.bin", Line: 9}, {Path: "empty.txt"}, {Path: "empty.txt", Line: 1}, {Path: "long.txt", Line: 1}, {Path: "long.txt", Line: 2},
			{Path: "new.go"}, {Path: "new.go", Line: 1}, {Path: "../out.go", Line: 1}, {Path: "/etc/hosts", Line: 1}, {Path: ""}, {Path: token + ".go"}, {Path: "key.yml", Line: 2, Snippet: "token"},
		}},
		{"a folder", filepath.Join(repo.Dir, "src"), []Citation{{Path: "pool.go", Line: 3}, {Path: "../main.go", Line: 1}, {Path: "main.go", Line: 1}, {Path: "deep/only.go", Line: 2}}},
		{"no repository", plain, []Citation{{Path: "notes.txt", Line: 2}, {Path: "notes.txt", Line: 3}, {Path: "none.txt"}, {Path: "notes.txt", Commit: other}}},
		{"a missing folder", filepath.Join(plain, "none"), []Citation{{Path: "notes.txt", Line: 2}}},
		{"no folder", "", []Citation{{Path: "notes.txt", Line: 2}}},
		{"no citations", repo.Dir, nil},
	} {
		fmt.Fprintln(&b, c.name)
		warnings := Standing(t.Context(), c.folder, c.list)
		tell(c.list)
		for _, w := range warnings {
			fmt.Fprintf(&b, "\twarns: %s\n", w)
		}
	}
	many := strings.Builder{}
	for i := range MaxCitations + 3 {
		fmt.Fprintf(&many, "main.go:1 and src/deep/new.go:%d, ", i%2+1)
	}
	for _, c := range []struct {
		name, folder string
		texts        []string
	}{
		{"texts", repo.Dir, []string{
			"It starts at main.go:4.", "no place", "main.go:1 and again main.go:1, then main.go:3", "src/pool.go, line 3, and line 1 of main.go", "pool.go:3 is short", "only.go:2 lies deep", "twice.go:2 is two files", "a/twice.go:2 is one", "deep/new.go:2 is not committed",
			"new.go:2 is two files, but one lies at the root", "built.out:1 is ignored", "main.go:2 is blank", "main.go:99 is beyond", "key.yml:2 has a secret", "none.go:1 does not exist", "../out.go:1 and /etc/hosts:1 lie outside", "odd[1].go:2 is a file", "o*.go:2 and p?ol.go:3 are patterns",
			"ool.go:3 is a part of a name", "./src/./pool.go:3 is not clean", many.String(),
		}},
		{"texts in a folder", filepath.Join(repo.Dir, "src"), []string{"pool.go:3", "main.go:4", "only.go:2 and deep/only.go:1", "src/pool.go:1"}},
		{"texts without a repository", plain, []string{"notes.txt:2 and other.txt:1", "none.txt:1"}},
		{"no texts", repo.Dir, nil},
	} {
		fmt.Fprintln(&b, c.name)
		named := Named(t.Context(), c.folder, c.texts...)
		if len(named) != len(c.texts) {
			t.Errorf("%s: %d lists", c.name, len(named))
		}
		for i, list := range named {
			fmt.Fprintf(&b, " %.50q\n", c.texts[i])
			tell(list)
		}
	}
	goldentest.Same(t, "places.txt", b.String(), *update)
}
