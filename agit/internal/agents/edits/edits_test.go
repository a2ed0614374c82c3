package edits

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	os.Exit(m.Run())
}

// world is a repository with a worktree, and a client's sessions beside it.
type world struct {
	t    *testing.T
	g    *gittest.Repo
	main string // as the index names it
	home string
	n    int
}

func (w *world) edit(session, tree, path string, at time.Time) {
	w.t.Helper()
	w.n++
	c := sessionstest.Claude{Session: session, Folder: tree, Branch: "main"}
	when := at.UTC().Format("2006-01-02T15:04:05.000Z")
	sessionstest.Write(w.t, filepath.Join(w.home, fmt.Sprintf(".claude/projects/-x/%d.jsonl", w.n)), sessionstest.Lines(
		c.User(fmt.Sprint("u", w.n), when, "Ask of "+session),
		c.Calls(fmt.Sprint("c", w.n), when, fmt.Sprint("m", w.n), fmt.Sprint("t", w.n), "Edit", sessionstest.Row{"file_path": filepath.Join(tree, path)}, 1, 1)))
}

// commit commits everything at a time.
func (w *world) commit(message string, at time.Time) {
	w.t.Helper()
	w.g.Git("add", "-A")
	cmd := exec.Command("git", "commit", "-q", "-m", message)
	cmd.Dir, cmd.Env = w.g.Dir, append(git.Environment(), "GIT_COMMITTER_DATE="+at.Format(time.RFC3339))
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
}

func (w *world) of(path string, n int) string {
	w.t.Helper()
	all, err := Finder{Kept: index.For(filepath.Join(w.home, "agit"), w.home, nil, nil)}.Of(w.t.Context(), w.main, path, n)
	if err != nil {
		w.t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range all {
		state := "not kept"
		if e.Commit != "" {
			state = w.g.Git("log", "-1", "--format=%s", e.Commit)
		}
		if e.Uncommitted {
			state += " uncommitted"
		}
		fmt.Fprintf(&b, "%s x%d %s: %s\n", e.ID, e.Edits, strings.TrimSpace(state), e.Title)
	}
	return b.String()
}

func TestWhoEditedAFile(t *testing.T) {
	t.Parallel()
	g := gittest.New(t)
	w := &world{t: t, g: g, main: index.ProjectOf(g.Dir), home: t.TempDir()}
	if got := w.of("src/a.go", 9); got != "" {
		t.Errorf("without a client: %s", got)
	}
	now := time.Now().Truncate(time.Second)
	g.Write("src/a.go", "one\n")
	g.Write("vendor/src/a.go", "one\n")
	w.commit("first", now.Add(-3*time.Hour))
	w.edit("before", g.Dir, "src/a.go", now.Add(-4*time.Hour))
	w.edit("committed", g.Dir, "src/a.go", now.Add(-2*time.Hour))
	g.Write("src/a.go", "two\n")
	w.commit("second", now.Add(-time.Hour))
	w.edit("open", g.Dir, "src/a.go", now.Add(-20*time.Minute))
	w.edit("open", g.Dir, "src/a.go", now.Add(-10*time.Minute))
	w.edit("other", g.Dir, "vendor/src/a.go", now.Add(-time.Minute))
	tree := filepath.Join(filepath.Dir(g.Dir), "tree")
	g.Git("worktree", "add", "-q", "-b", "fix", tree)
	w.edit("tree", tree, "src/a.go", now.Add(-5*time.Minute))
	w.edit("moved", filepath.Join(g.Dir, "old"), "src/a.go", now.Add(-time.Minute)) // a subfolder that is gone
	w.edit("swept", filepath.Join(g.Dir, ".claude/worktrees/x"), "src/a.go", now.Add(-6*time.Minute))
	w.edit("elsewhere", t.TempDir(), "src/a.go", now.Add(-time.Minute))
	const clean = "tree x1 not kept: Ask of tree\nswept x1 not kept: Ask of swept\nopen x2 not kept: Ask of open\ncommitted x1 second: Ask of committed\nbefore x1 first: Ask of before\n"
	if diff := cmp.Diff(clean, w.of("src/a.go", 9)); diff != "" {
		t.Errorf("nothing is uncommitted: %s", diff)
	}
	g.Write("src/a.go", "three\n")
	if diff := cmp.Diff(strings.Replace(clean, "open x2 not kept", "open x2 not kept uncommitted", 1), w.of("src/a.go", 9)); diff != "" {
		t.Errorf("the main checkout is changed: %s", diff)
	}
	g.Git("worktree", "remove", "--force", tree)
	if got := w.of("src/a.go", 1); got != "tree x1 not kept: Ask of tree\n" {
		t.Errorf("a worktree that is gone, at most one: %s", got)
	}
}
