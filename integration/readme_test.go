package integration

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

var printTour = flag.Bool("print-tour", false, "print the README's tour with the output of now")

// changing are the parts of the tour's output that vary between runs.
var changing = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`\b([tw])-[0-9a-z]{10}\b`), "$1-ID"},
	{regexp.MustCompile(`-[0-9a-z]{6}\b`), "-SHORT"},
	{regexp.MustCompile(`\b[0-9a-f]{12,40}\b|\bsince [0-9a-f]{10}\b|\bmain [0-9a-f]{7}\b`), "COMMIT"},
	{regexp.MustCompile(`\b\d\d:\d\d\s*$`), "TIME"},
	{regexp.MustCompile(`\bseen (now|\d+s)\b`), "seen NOW"},
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`), "DATE"},
	{regexp.MustCompile(`[ \t]+`), " "},
}

func steady(s string) string {
	for _, c := range changing {
		s = c.pattern.ReplaceAllString(s, c.with)
	}
	return strings.TrimSpace(s)
}

// TestReadmeTour runs the commands of the README's tour on a terminal and compares their output with the README.
func TestReadmeTour(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("script"); err != nil {
		t.Skip("script(1), which gives the tour a terminal, is not installed")
	}
	h := newHome(t)
	h.repo = filepath.Join(h.dir, "home", "src", "app")
	must(t, os.MkdirAll(h.repo, 0o755))
	must(t, os.WriteFile(filepath.Join(h.repo, "README.md"), []byte("# App\n\nIt does things.\n"), 0o644))
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-qm", "first"}} {
		h.ok("git", args...)
	}
	printsAsShown(t, h, "## Five minutes")
}

// TestReadmeFirstMinute runs the README's first commands in a repository where Claude Code has worked in two worktrees.
func TestReadmeFirstMinute(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("script"); err != nil {
		t.Skip("script(1), which gives the tour a terminal, is not installed")
	}
	h := newHome(t)
	h.repo = filepath.Join(h.dir, "home", "src", "app")
	for name, text := range map[string]string{"README.md": "# App\n\nIt does things.\n", "src/pay.go": "package app\n", "Makefile": "test:\n\ttrue\n",
		"CLAUDE.md": "# App\n\nPayments are in `src/pay.go`. Run `make test`.\n"} {
		path := filepath.Join(h.repo, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-qm", "first"}, {"mv", "src/pay.go", "src/payment.go"}, {"commit", "-qm", "Rename payments"}} {
		h.ok("git", args...)
	}
	for name, text := range map[string]string{"login": "# Log in here\n", "readme": "# Short\n"} {
		tree := filepath.Join(h.repo, ".claude", "worktrees", name)
		h.ok("git", "worktree", "add", "-q", "-b", "worktree-"+name, tree)
		must(t, os.WriteFile(filepath.Join(tree, "README.md"), []byte(text), 0o644))
		now, session := time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), sessionstest.Claude{Session: "s-" + name, Folder: tree}
		answer := session.Says("a-"+name, now, "m-"+name, "Done.", 152_000, 31_000)

		sessionstest.Write(t, filepath.Join(h.dir, "home", ".claude", "projects", name, "s-"+name+".jsonl"), sessionstest.Lines(session.User("u-"+name, now, "Work on "+name), answer))
	}
	printsAsShown(t, h, "## What you get for nothing")
}

// printsAsShown runs the console commands below a heading of the README on a terminal, and compares their output with it.
func printsAsShown(t *testing.T, h *home, heading string) {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	must(t, err)
	_, rest, ok := strings.Cut(string(readme), heading)
	if !ok {
		t.Fatalf("the README has no %q", heading)
	}
	_, rest, _ = strings.Cut(rest, "```console\n")
	tour, _, _ := strings.Cut(rest, "\n```")

	var said []string
	script := "cd ~/src/app\n"
	for line := range strings.Lines(tour) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			quoted := strings.ReplaceAll(strings.TrimSuffix(command, "\n"), "'", `'\''`)
			script += "printf '%s\\n' '$ " + quoted + "'\n" + command + "\n"
		}
		said = append(said, line)
	}
	file := filepath.Join(h.dir, "tour.sh")
	must(t, os.WriteFile(file, []byte(script), 0o644))
	cmd := exec.Command("script", "-qec", "stty cols 120; bash "+file, "/dev/null")
	cmd.Env, cmd.Dir = append(h.env, "NO_COLOR=1", "TERM=xterm", "GIT_ADVICE=0"), h.repo
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	// Removes progress output, which a slow machine shows.
	printed := strings.ReplaceAll(strings.Join(shown(t, string(out)), "\n"), filepath.Join(h.dir, "home"), "~")
	if *printTour {
		t.Log("\n" + printed)
		return
	}
	if diff := cmp.Diff(lines(strings.Join(said, "")), lines(printed)); diff != "" {
		t.Errorf("the README's tour is not what agit prints (-README +agit):\n%s", diff)
	}
}

// lines returns the lines to compare. A sentence with a folder is one line, because its wrapping depends on the length of this
// machine's paths.
func lines(s string) (all []string) {
	sentence := false
	for line := range strings.Lines(s) {
		if strings.HasPrefix(line, "$ ") {
			sentence = false
		}
		if sentence {
			all[len(all)-1] += " " + steady(line)
			continue
		}
		sentence = strings.HasPrefix(line, "agit: ") || strings.HasPrefix(line, "the worktree stays: ")
		all = append(all, steady(line))
	}
	for len(all) > 0 && all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}
