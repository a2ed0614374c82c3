package verify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/goldentest"
)

// Lines cited at every commit of a history with branches, merges, renames, a deletion that is taken back, and edits that are not committed:
// where each is now, in four states.
func TestBranchesAndRenames(t *testing.T) {
	repo := gittest.New(t)
	function := func(name string, lines int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "func %s(file File) error {\n", name)
		for i := range lines {
			fmt.Fprintf(&b, "\tif err := %sStep%d(file); err != nil {\n\t\treturn err\n\t}\n", name, i)
		}
		return b.String() + "\treturn nil\n}\n\n"
	}
	open, parse, send, count := function("open", 3), function("parse", 3), function("send", 3), function("count", 2)
	other := "package b\n\n" + function("render", 4)
	var commits []string
	commit := func(subject string, files ...string) { commits = append(commits, repo.Commit(subject, files...)) }
	merge := func(branch string) {
		repo.Git("merge", "--quiet", "--no-edit", branch)
		commits = append(commits, repo.Git("rev-parse", "HEAD"))
	}
	commit("base", "a.go", "package a\n\n"+open+parse+send+count, "b.go", other)
	repo.Git("checkout", "--quiet", "-b", "side")
	commit("edit on a branch", "a.go", strings.Replace(repo.Read("a.go"), "sendStep1(file)", "sendAgain(file, 3)", 1))
	commit("more on a branch", "a.go", strings.Replace(repo.Read("a.go"), "func send(", "// send sends a file to the server.\nfunc send(", 1))
	repo.Git("checkout", "--quiet", "main")
	commit("above", "a.go", strings.Replace(repo.Read("a.go"), "package a\n", "// Package a reads.\npackage a\n", 1))
	repo.Git("checkout", "--quiet", "-b", "second")
	repo.Git("mv", "b.go", "lib.go")
	commit("rename on a branch")
	repo.Git("checkout", "--quiet", "main")
	commit("move a function", "a.go", strings.Replace(repo.Read("a.go"), open, "", 1), "c.go", "package a\n\n"+open)
	merge("side")
	commit("edit what is renamed elsewhere", "b.go", strings.Replace(other, "renderStep2(file)", "renderTwice(file)", 1))
	merge("second")
	commit("delete a function", "a.go", strings.Replace(repo.Read("a.go"), parse, "", 1))
	commit("take it back", "a.go", repo.Read("a.go")+parse)
	repo.Remove("c.go")
	commit("delete a file")
	repo.Git("mv", "a.go", "core.go")
	commit("rename and edit", "core.go", strings.Replace(repo.Read("core.go"), "countStep0(file)", "countAll(file)", 1))
	commit("split", "core.go", strings.Replace(repo.Read("core.go"), count, "", 1), "d.go", "package a\n\n"+strings.Replace(count, "countAll(file)", "countAll(file, true)", 1))
	lib := repo.Read("lib.go")
	repo.Remove("lib.go")
	repo.Write("library.go", "// Moved, and not committed.\n"+strings.Replace(lib, "renderStep0(file)", "renderFirst(file)", 1))
	repo.Write("core.go", strings.Replace(repo.Read("core.go"), "openStep", "openPart", 1)+"// the end\n")

	var cited []verify.Citation
	var forms []string
	for n, oid := range commits {
		for _, name := range strings.Fields(repo.Git("ls-tree", "-r", "--name-only", oid)) {
			lines := strings.Split(repo.Git("show", oid+":"+name), "\n")
			for i := (n + len(name)) % 4; i < len(lines); i += 5 {
				c := verify.Citation{Path: name, Line: i + 1, Commit: oid, Snippet: strings.TrimSpace(lines[i])}
				form := []string{"text", "line", "range", "quoted range"}[(n+i)%4]
				switch form {
				case "line":
					c.Snippet = ""
				case "range":
					c.EndLine = min(i+4, len(lines))
				case "quoted range":
					c.EndLine = min(i+4, len(lines))
					c.Snippet = strings.Join(lines[i:c.EndLine], "\n")
				}
				cited, forms = append(cited, c), append(forms, fmt.Sprintf("%d %s %s:%d-%d", n, form, name, c.Line, c.EndLine))
			}
		}
	}
	var b strings.Builder
	states := []string{verify.WorkingTree, verify.Index, "HEAD~1", commits[6]}
	told := make([][]string, len(states))
	for i, at := range states {
		for _, r := range all(t, repo.Dir, at, cited) {
			said := tell(r)
			if r.Verdict.True() { // the sentences are compared elsewhere
				said, _, _ = strings.Cut(said, " (")
			}
			told[i] = append(told[i], said)
		}
	}
	for k := range cited {
		fmt.Fprintf(&b, "%s\n\t%s\n", forms[k], told[0][k])
		for i, at := range states[1:] {
			if told[i+1][k] != told[0][k] {
				fmt.Fprintf(&b, "\tstate %d: %s\n", slices.Index(states, at), told[i+1][k])
			}
		}
	}
	goldentest.Same(t, "branches.txt", b.String(), *update)
}
