package verify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/textfile"
)

// TestAgainstBlame follows lines of the repository at REPO from COMMITS first
// parents back to its head, and compares each verdict with what `git blame -w -M
// -C` says of every line of today. SAMPLES says how many lines, SHOW prints that
// many disagreements, ONLY those of one kind, FORMS only some ways of citing,
// CACHE is a folder that keeps what blame said for the next run.
func TestAgainstBlame(t *testing.T) {
	repo := os.Getenv("REPO")
	if repo == "" {
		t.Skip("REPO names no repository to measure")
	}
	b := &blamed{t: t, repo: repo, to: revision(t, repo, envOr("TO", "HEAD"))}
	chain := strings.Fields(must(t, repo, "rev-list", "--first-parent", "--max-count="+strconv.Itoa(number("COMMITS", 500)+1), b.to))
	b.from = chain[len(chain)-1]
	b.sample(number("SAMPLES", 400))
	b.blame()
	fmt.Printf("%s, %d commits, %.8s..%.8s\n", repo, len(chain)-1, b.from, b.to)
	fmt.Printf("%-9s %6s %8s %6s %6s %6s %6s %6s | %5s %6s %6s %6s\n", "form", "living", "found", "wrong", "chang.", "ambig.", "gone", "unver.", "dead", "valid", "moved", "chang.")
	for _, form := range forms {
		if only := os.Getenv("FORMS"); only == "" || slices.Contains(strings.Split(only, ","), form.name) {
			b.judge(form)
		}
	}
}

func revision(t *testing.T, repo, rev string) string { return must(t, repo, "rev-parse", rev) }

func must(t *testing.T, repo string, args ...string) string {
	t.Helper()
	out, err := gitOutput(repo, args...)
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return out
}

// blamed is a sample of old lines, with their current places according to blame.
type blamed struct {
	t        *testing.T
	repo     string
	from, to string
	lines    []oldLine
	now      map[string][]string // by path:line of from: the current places of this line
}

type oldLine struct {
	path string
	line int
	text string
	file *textfile.File
}

func (l oldLine) String() string { return fmt.Sprintf("%s:%d", l.path, l.line) }

// sample chooses distinctive lines, as people cite them.
func (b *blamed) sample(count int) {
	rng := rand.New(rand.NewPCG(uint64(number("SEED", 5)), 3))
	for path := range strings.Lines(must(b.t, b.repo, "ls-tree", "-r", "--name-only", b.from)) {
		path = strings.TrimSpace(path)
		if !source(path) || strings.HasPrefix(path, `"`) {
			continue
		}
		f := textfile.Parse([]byte(must(b.t, b.repo, "show", b.from+":"+path)))
		if f == nil {
			continue
		}
		for i := range f.Len() {
			if len(textfile.Squeeze(nil, f.Line(i))) >= number("LEAST", 1) {
				b.lines = append(b.lines, oldLine{path, i + 1, strings.TrimSpace(string(f.Line(i))), f})
			}
		}
	}
	rng.Shuffle(len(b.lines), func(i, k int) { b.lines[i], b.lines[k] = b.lines[k], b.lines[i] })
	b.lines = b.lines[:min(len(b.lines), count)]
}

// blame asks git where each current line was at from.
func (b *blamed) blame() {
	b.now = map[string][]string{}
	kept := ""
	if dir := os.Getenv("CACHE"); dir != "" {
		kept = filepath.Join(dir, b.from[:12]+"-"+b.to[:12]+".json")
		if data, err := os.ReadFile(kept); err == nil && json.Unmarshal(data, &b.now) == nil {
			return
		}
	}
	for path := range strings.Lines(must(b.t, b.repo, "ls-tree", "-r", "--name-only", b.to)) {
		path = strings.TrimSpace(path)
		if !source(path) || strings.HasPrefix(path, `"`) {
			continue
		}
		out, err := gitOutput(b.repo, "blame", "--first-parent", "-w", "-M", "-C", "--line-porcelain", b.from+".."+b.to, "--", path)
		if err != nil {
			continue
		}
		b.read(path, out)
	}
	if data, err := json.Marshal(b.now); err == nil && kept != "" {
		_ = os.WriteFile(kept, data, 0o600)
	}
}

func (b *blamed) read(path, out string) {
	commit, old, now, file := "", "", "", ""
	for line := range strings.Lines(out) {
		switch field := strings.Fields(line); {
		case line[0] == '\t':
			if commit == b.from {
				key := file + ":" + old
				b.now[key] = append(b.now[key], path+":"+now)
			}
		case len(field) >= 3 && len(field[0]) == 40:
			commit, old, now = field[0], field[1], field[2]
		case field[0] == "filename":
			file = strings.TrimSpace(strings.TrimPrefix(line, "filename "))
		}
	}
}

// form is one way of citing a line.
type form struct {
	name string
	// open returns the checker and the citations of the lines.
	open func(b *blamed) (*verify.Checker, []verify.Citation)
}

var forms = []form{
	{"registry", func(b *blamed) (*verify.Checker, []verify.Citation) {
		return b.checker(b.repo, b.to), b.cite(func(_ int, c *verify.Citation) { c.Commit = b.from })
	}},
	{"line", func(b *blamed) (*verify.Checker, []verify.Citation) {
		return b.checker(b.repo, b.to), b.cite(func(_ int, c *verify.Citation) { c.Commit, c.Snippet = b.from, "" })
	}},
	{"snippet", func(b *blamed) (*verify.Checker, []verify.Citation) {
		return b.checker(b.repo, b.to), b.cite(func(int, *verify.Citation) {})
	}},
	{"dated", func(b *blamed) (*verify.Checker, []verify.Citation) {
		day := strings.TrimSpace(must(b.t, b.repo, "-c", "log.showSignature=false", "log", "-1", "--date=format-local:%Y-%m-%d", "--format=%cd", b.from))
		return b.checker(b.repo, b.to), b.cite(func(_ int, c *verify.Citation) { c.Verified = day })
	}},
	{"branch", func(b *blamed) (*verify.Checker, []verify.Citation) {
		dir, tip := b.lateBranch()
		return b.checker(dir, tip), b.cite(func(i int, c *verify.Citation) { c.Source = verify.Source{Path: "memory.md", Line: i + 1} })
	}},
	{"beside", func(b *blamed) (*verify.Checker, []verify.Citation) {
		then := b.checker(b.repo, b.from)
		defer then.Close()
		return b.checker(b.unpacked(), verify.WorkingTree), b.cite(func(_ int, c *verify.Citation) {
			var err error
			if c.After, c.Before, err = then.Beside(context.Background(), *c); err != nil {
				b.t.Fatal(err)
			}
		})
	}},
	{"kept", func(b *blamed) (*verify.Checker, []verify.Citation) {
		return b.checker(b.unpacked(), verify.WorkingTree), b.cite(b.surround)
	}},
	{"shallow", func(b *blamed) (*verify.Checker, []verify.Citation) {
		return b.checker(b.newest(), b.to), b.cite(func(i int, c *verify.Citation) {
			c.Commit = b.from
			b.surround(i, c)
		})
	}},
	{"nogit", func(b *blamed) (*verify.Checker, []verify.Citation) {
		return b.checker(b.unpacked(), verify.WorkingTree), b.cite(func(int, *verify.Citation) {})
	}},
}

func (b *blamed) checker(dir, at string) *verify.Checker {
	c, err := verify.Open(context.Background(), dir, verify.Options{At: at})
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

func (b *blamed) cite(with func(int, *verify.Citation)) []verify.Citation {
	citations := make([]verify.Citation, len(b.lines))
	for i, l := range b.lines {
		citations[i] = verify.Citation{Path: l.path, Line: l.line, Snippet: l.text}
		with(i, &citations[i])
	}
	return citations
}

// lateBranch makes a repository in which a branch from the commit from wrote the citations and was merged only now.
func (b *blamed) lateBranch() (dir, tip string) {
	dir = filepath.Join(b.t.TempDir(), "late.git")
	must(b.t, b.repo, "clone", "-q", "--bare", "--shared", b.repo, dir)
	var memory strings.Builder
	for _, l := range b.lines {
		fmt.Fprintf(&memory, "- %s %q\n", l, l.text)
	}
	put := func(stdin string, args ...string) string {
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, append(git.Environment(), "GIT_INDEX_FILE="+filepath.Join(dir, "spare")), strings.NewReader(stdin)
		out, err := cmd.Output()
		if err != nil {
			b.t.Fatalf("git %v: %v", args, err)
		}
		return string(bytes.TrimSpace(out))
	}
	blob := put(memory.String(), "hash-object", "-w", "--stdin")
	commit := func(on string, parents ...string) string {
		put("", "read-tree", on)
		put("", "update-index", "--add", "--cacheinfo", "100644,"+blob+",memory.md")
		args := []string{"commit-tree", put("", "write-tree"), "-m", "memory"}
		for _, p := range parents {
			args = append(args, "-p", p)
		}
		return put("", args...)
	}
	return dir, commit(b.to, b.to, commit(b.from, b.from))
}

// surround stores the surroundings of a line in its citation; AROUND sets how many lines.
func (b *blamed) surround(i int, c *verify.Citation) {
	line := b.lines[i].line - 1
	s, count := b.lines[i].file.Discreet(line, line), number("AROUND", textfile.Surrounding)
	s.Above, s.Below = s.Above[:min(len(s.Above), count)], s.Below[:min(len(s.Below), count)]
	c.Surroundings = s.String()
}

// newest is a clone with only the newest commit.
func (b *blamed) newest() string {
	dir := filepath.Join(b.t.TempDir(), "shallow.git")
	must(b.t, b.repo, "clone", "-q", "--bare", "--depth=1", "file://"+b.repo, dir)
	return dir
}

// unpacked is the head without git; git archive would leave out files that .gitattributes excludes. Files too large for a stored copy may
// be missing.
func (b *blamed) unpacked() string {
	dir := b.t.TempDir()
	cmd := exec.Command("git", "--work-tree="+dir, "checkout", "--force", b.to, "--", ".")
	cmd.Dir, cmd.Env = b.repo, append(git.Environment(), "GIT_INDEX_FILE="+filepath.Join(b.t.TempDir(), "index"))
	if out, err := cmd.CombinedOutput(); err != nil && !bytes.Contains(out, []byte("unable to read sha1 file")) {
		b.t.Fatalf("%v: %s", err, out)
	}
	return dir
}

func (b *blamed) judge(f form) {
	checker, citations := f.open(b)
	defer checker.Close()
	results, err := checker.Verify(context.Background(), citations)
	if err != nil {
		b.t.Fatal(err)
	}
	show := number("SHOW", 0)
	count := map[string]int{}
	for i, r := range results {
		l := b.lines[i]
		places := b.now[l.String()]
		here := slices.Contains(places, fmt.Sprintf("%s:%d", r.FoundPath, r.FoundLine))
		kind := "missed " + string(r.Verdict)
		switch {
		case len(places) == 0 && r.Verdict.True():
			kind = "dead moved"
			if r.Verdict == verify.Valid {
				kind = "dead valid"
			}
		case len(places) == 0:
			kind = "dead " + string(r.Verdict)
		case here && r.Verdict.True():
			kind = "found"
		case r.Verdict.True():
			kind = "wrong"
		}
		count[kind]++
		if len(places) == 0 {
			count["dead"]++
		} else {
			count["living"]++
		}
		if only := os.Getenv("ONLY"); show > 0 && kind != "found" && (only == "" || strings.HasPrefix(kind, only)) {
			show--
			fmt.Printf("%s: %s %q\n    blame %v\n    said %s %s:%d %.2f %q %s\n", kind, l, l.text, places, r.Verdict, r.FoundPath, r.FoundLine, r.Score, r.FoundText, r.Reason)
			for _, c := range r.Candidates {
				fmt.Printf("        %s:%d %s\n", c.Path, c.Line, c.Text)
			}
		}
	}
	share := func(n int) string { return fmt.Sprintf("%.1f", 100*float64(n)/float64(max(count["living"], 1))) }
	fmt.Printf("%-9s %6d %7s%% %6d %6d %6d %6d %6d | %5d %6d %6d %6d\n", f.name, count["living"], share(count["found"]), count["wrong"],
		count["missed changed"], count["missed ambiguous"], count["missed gone"], count["missed unverifiable"],
		count["dead"], count["dead valid"], count["dead moved"], count["dead changed"])
}
