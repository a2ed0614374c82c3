package instruct

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// BenchmarkCheck: an instruction file of 200 paths, symbols and commands, some of them
// stale, in a repository of 10,000 files, beside `git grep -l` for one word in them all.
func BenchmarkCheck(b *testing.B) {
	dir := large(b, 10_000)
	ctx := context.Background()
	run := func() error {
		r, err := Check(ctx, dir, Options{})
		if err == nil && (r.True < 150 || r.Stale() != 11) {
			err = fmt.Errorf("%d hold and %d do not", r.True, r.Stale())
		}
		return err
	}
	grep := func() error {
		cmd := exec.Command("git", "grep", "-l", "-w", "-F", "nowhereAtAll")
		cmd.Dir, cmd.Env = dir, git.Environment()
		if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
			return err
		}
		return nil
	}
	benchtest.Beside(b, "git-grep", benchtest.Of(run), benchtest.Of(grep))
}

// large makes a repository of that many files with instructions, and removes some.
func large(b *testing.B, files int) string {
	b.Helper()
	r := gittest.New(b)
	body := strings.Repeat("// A line of a comment that says little.\nvar used = value + 1\n\n", 20)
	var told strings.Builder
	for i := range files {
		name := fmt.Sprintf("pkg%d/sub%d/file%d.go", i%50, i%7, i)
		full := filepath.Join(r.Dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(full, fmt.Appendf(nil, "package p\n\nfunc theFunction%d() {}\n\n%s", i, body), 0o644); err != nil {
			b.Fatal(err)
		}
		if i%100 == 0 {
			fmt.Fprintf(&told, "`%s` has `theFunction%d`.\n\n", name, i)
		}
	}
	told.WriteString("Run `make test` and `make nothing`.\n")
	r.Write("Makefile", "test:\n\tgo test ./...\n")
	r.Write("CLAUDE.md", told.String())
	r.Commit("base")
	for i := range 5 {
		r.Git("rm", "-q", fmt.Sprintf("pkg%d/sub%d/file%d.go", i*1000%50, i*1000%7, i*1000))
	}
	r.Commit("without some")
	return r.Dir
}
