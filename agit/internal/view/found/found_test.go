package found

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/sessions/index"
)

// A key in the environment takes precedence over the remote.
func TestTrackerOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ remote, variable, tracker, by string }{
		{"git@github.com:acme/app.git", "", "github", "its remote"},
		{"https://github.com/acme/app", "LINEAR_API_KEY", "linear", "LINEAR_API_KEY"},
		{"git@ssh.dev.azure.com:v3/acme/app/app", "", "azure_devops", "its remote"},
		{"https://gitlab.com/acme/app.git", "", "", ""},
		{"/srv/git/github.com/app.git", "", "", ""},
		{"", "", "", ""},
		{"", "JIRA_API_TOKEN", "jira", "JIRA_API_TOKEN"},
	} {
		tracker, by := trackerOf(c.remote, func(name string) string { return map[bool]string{true: "x"}[name == c.variable] })
		if tracker != c.tracker || by != c.by {
			t.Errorf("%q with %q: %s by %s, want %s by %s", c.remote, c.variable, tracker, by, c.tracker, c.by)
		}
	}
}

// The main checkout is not counted, the most frequent maker comes first, and agit's own worktrees are agit's.
func TestMade(t *testing.T) {
	t.Parallel()
	main := worktree.Worktree{}
	main.Marks.Main = true
	all, makers := made([]worktree.Worktree{main, {Maker: "git"}, {}, {Maker: "claude-code"}, {Maker: "claude-code"}})
	if diff := cmp.Diff([]Count{{"claude-code", 2}, {"agit", 1}, {"git", 1}}, makers); all != 4 || diff != "" {
		t.Errorf("%d worktrees, made by (-want +got):\n%s", all, diff)
	}
}

// The content of a folder is listed; parts that need a tracker or citecheck are left out when it is missing.
func TestLook(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", "")
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(".beads/issues.jsonl", "{}\n")
	write("backlog/tasks/task-1 - Login.md", "# Login\n")
	write(".serena/memories/dates.md", "Dates are stored in UTC.\n")
	var steps []string
	w := Where{Folder: dir, Remote: "git@github.com:acme/app.git", Home: t.TempDir(), Getenv: func(string) string { return "" },
		Sessions: func() []index.Count { return []index.Count{{Client: "codex", Sessions: 3}} },
		Progress: func(what string) func() { return func() { steps = append(steps, what) } }}
	f := Look(t.Context(), w)
	want := Found{Sessions: []index.Count{{Client: "codex", Sessions: 3}}, Memories: []Count{{"serena", 1}}, Plans: []string{"beads", "backlog"}, Tracker: "github", PointedBy: "its remote"}
	if diff := cmp.Diff(want, f); diff != "" || len(steps) != 1 {
		t.Errorf("%d steps (-want +got):\n%s", len(steps), diff)
	}
	w.Tracker, w.Off = "linear", []string{"memories"}
	if f := Look(t.Context(), w); f.Tracker != "" || len(f.Memories) != 0 || !slices.Contains(f.Plans, "beads") {
		t.Errorf("with a tracker, and without memories: %+v", f)
	}
}
