package ignore

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"*.go", "a/b/main.go", true},
		{"/*.go", "a/main.go", false},
		{"src/", "src/a/b.go", true},
		{"src/", "src", false},
		{"src/api", "src/api/x.go", true},
		{"src/**/test", "src/a/b/test/x", true},
		{"src/**", "src/a", true},
		{"src/**", "src", false},
		{"**/x.go", "x.go", true},
		{"a/*/c", "a/b/b/c", false},
		{"[a-c]?.[[:digit:]]", "bx.7", true},
		{"[!a]", "a", false},
		{`\#x`, "#x", true},
		{"x ", "x", true},
		{`x\ `, "x ", true},
		{"a**b", "a/b", false},
	} {
		p, ok := Parse(tt.pattern)
		if !ok {
			t.Errorf("Parse(%q) is not a pattern", tt.pattern)
			continue
		}
		if got := p.Match(tt.path); got != tt.want {
			t.Errorf("%q matches %q: %v, want %v", tt.pattern, tt.path, got, tt.want)
		}
	}
	for _, line := range []string{"", "# x", "   ", "/", "!"} {
		if _, ok := Parse(line); ok {
			t.Errorf("Parse(%q) is a pattern", line)
		}
	}
}

func TestWildIsBounded(t *testing.T) {
	p, _ := Parse(strings.Repeat("a*", 40) + "b")
	if p.MatchOne(strings.Repeat("a", 200), false) {
		t.Error("a glob without its last letter matched")
	}
	left := 10
	many := []Pattern{p, p, p}
	if LastWithin(&left, many, strings.Repeat("a", 200), false); left >= 0 || left < -len(many) {
		t.Errorf("%d steps are left of 10 that three endless patterns share", left)
	}
}

// TestAgainstGit compares with git on random patterns and paths.
func TestAgainstGit(t *testing.T) {
	repo := gittest.New(t)
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(alphabet []string, most int) string {
		var b strings.Builder
		for range 1 + random.IntN(most) {
			b.WriteString(alphabet[random.IntN(len(alphabet))])
		}
		return b.String()
	}
	var patterns, paths []string
	for range 300 {
		patterns = append(patterns, pick([]string{"a", "b", "*", "**", "/", "?", "[ab]", "[!a]", "[a-c]", "**/", "/**", `\a`, "!", " ", "[", "]", "[[:alpha:]]", "[^b-]"}, 5))
		paths = append(paths, strings.Trim(pick([]string{"a", "b", "c", "/a", "/b/", "ab", "-"}, 5), "/"))
	}
	check := exec.Command("git", "check-ignore", "-z", "-v", "-n", "--no-index", "--stdin")
	for _, line := range patterns {
		repo.Write(".gitignore", line+"\n")
		for i, p := range paths {
			paths[i] = filepath.ToSlash(filepath.Clean(strings.ReplaceAll(p, "//", "/")))
		}
		cmd := *check
		cmd.Dir = repo.Dir
		cmd.Env = os.Environ()
		cmd.Stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
		out, err := cmd.Output()
		if err != nil && cmd.ProcessState.ExitCode() != 1 {
			t.Fatalf("git check-ignore with %q: %v", line, err)
		}
		fields := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0})
		p, ok := Parse(line)
		for i, path := range paths {
			want := len(fields[4*i]) > 0
			got := ok && p.Match(path)
			if p.Negated { // a "!" on a folder covers what is in it
				got = p.MatchOne(path, false)
			}
			if got != want {
				t.Errorf("pattern %q, path %q: %v, git says %v", line, path, got, want)
			}
		}
	}
}

func FuzzWild(f *testing.F) {
	f.Add("a/**/[!b]*", "a/c/d")
	f.Add("[[:alpha:]-z]", "b")
	f.Fuzz(func(t *testing.T, glob, text string) {
		p, ok := Parse(glob)
		if ok {
			if path, exact := p.Literal(); exact && !p.Match(path) && !strings.HasSuffix(glob, "/") && !strings.Contains(glob, "/\r") {
				t.Errorf("pattern %q does not match the path %q that it stands for", glob, path)
			}
			p.Match(text)
		}
		left := maxSteps
		wild(&left, glob, text)
	})
}
