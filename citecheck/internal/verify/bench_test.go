package verify_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/textfile"
)

// BenchmarkVerify: 1,000 citations of a clone of this repository (or of that at
// REPO), made some commits ago, beside `git grep -c .` over the cited files.
func BenchmarkVerify(b *testing.B) {
	for _, back := range []int{0, 10, 100} {
		for _, known := range []bool{true, false} {
			name := strconv.Itoa(back) + "-commits-ago"
			if !known {
				name += "/no-commit"
			}
			b.Run(name, func(b *testing.B) { benchVerify(b, back, known) })
		}
	}
}

func benchVerify(b *testing.B, back int, known bool) {
	dir, from := cloned(b, back)
	citations, files := citationsAt(b, dir, from, 1000)
	if known {
		for i := range citations {
			citations[i].Commit = from
		}
	}
	ctx := context.Background()
	run := func() error {
		c, err := verify.Open(ctx, dir, verify.Options{})
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = c.Verify(ctx, citations)
		return err
	}
	grep := func() error {
		cmd := exec.Command("git", append([]string{"grep", "-c", ".", "--"}, files...)...)
		cmd.Dir, cmd.Env = dir, git.Environment()
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git grep: %w: %s", err, out)
		}
		return nil
	}
	benchtest.Beside(b, "git-grep", benchtest.Of(run), benchtest.Of(grep))
	b.ReportMetric(float64(len(files)), "files")
}

// cloned returns a working tree of the repository and the commit back ago.
func cloned(b *testing.B, back int) (dir, from string) {
	repo := os.Getenv("REPO")
	if repo == "" {
		repo = "../../.."
	}
	repo, _ = filepath.Abs(repo)
	dir = filepath.Join(b.TempDir(), "clone")
	if out, err := exec.Command("git", "clone", "--quiet", "--shared", repo, dir).CombinedOutput(); err != nil {
		b.Skipf("no repository to clone: %s", out)
	}
	from, err := gitOutput(dir, "rev-list", "--first-parent", "--max-count=1", "--skip="+strconv.Itoa(back), "HEAD")
	if err != nil || from == "" {
		b.Skip("history is too short")
	}
	return dir, from
}

// citationsAt cites distinctive lines of a commit.
func citationsAt(b *testing.B, dir, from string, count int) (citations []verify.Citation, files []string) {
	names, err := gitOutput(dir, "ls-tree", "-r", "--name-only", from)
	if err != nil {
		b.Fatal(err)
	}
	for path := range strings.Lines(names) {
		if path = strings.TrimSpace(path); !source(path) {
			continue
		}
		text, err := gitOutput(dir, "show", from+":"+path)
		if err != nil {
			b.Fatal(err)
		}
		f := textfile.Parse([]byte(text))
		for i := range f.Len() {
			if f.Weights()[i] > 16 {
				citations = append(citations, verify.Citation{Path: path, Line: i + 1, Snippet: strings.TrimSpace(string(f.Line(i)))})
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(citations), func(i, k int) { citations[i], citations[k] = citations[k], citations[i] })
	citations = citations[:min(len(citations), count)]
	seen := map[string]bool{}
	for _, c := range citations {
		if _, err := os.Stat(filepath.Join(dir, c.Path)); err == nil && !seen[c.Path] {
			seen[c.Path] = true
			files = append(files, c.Path)
		}
	}
	return citations, files
}

// BenchmarkOneFile: the citations of one changed and staged file, checked as by a hook, beside `git diff --cached` of the file.
func BenchmarkOneFile(b *testing.B) {
	dir, from := cloned(b, 5)
	citations, files := citationsAt(b, dir, from, 4000)
	counts := map[string]int{}
	for _, c := range citations {
		counts[c.Path]++
	}
	path := files[0]
	for _, f := range files {
		if counts[f] > counts[path] {
			path = f
		}
	}
	var cited []verify.Citation
	for _, c := range citations {
		if c.Path == path && len(cited) < 20 {
			c.Commit = from
			cited = append(cited, c)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil {
		b.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	half := len(lines) / 2
	edited := strings.Join(lines[:half], "") + "// something new\n" + strings.Join(lines[half+3:], "")
	if err := os.WriteFile(filepath.Join(dir, path), []byte(edited), 0o644); err != nil {
		b.Fatal(err)
	}
	if _, err := gitOutput(dir, "add", "--all"); err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	benchtest.Beside(b, "git-diff", benchtest.Of(func() error {
		c, err := verify.Open(ctx, dir, verify.Options{At: verify.Index})
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = c.Verify(ctx, cited)
		return err
	}), benchtest.Of(func() error {
		_, err := gitOutput(dir, "diff", "--cached", "--", path)
		return err
	}))
}
