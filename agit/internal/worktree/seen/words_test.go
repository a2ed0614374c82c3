package seen

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/registry"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		marks Marks
		want  []string
	}{
		{Marks{}, nil},
		{Marks{Main: true}, nil},
		{Marks{Prunable: true, Detached: true}, []string{"folder is gone", "on no branch"}},
		{Marks{Locked: "mine"}, []string{"locked"}},
		{Marks{Locked: "pid 12", LockedBy: 12}, []string{"locked by a process that is gone"}},
		{Marks{Locked: "pid 12", LockedBy: 12, LockHeld: true}, []string{"locked by process 12"}},
		{Marks{MovedFrom: "/old"}, []string{"moved"}},
	} {
		if diff := cmp.Diff(c.want, c.marks.Words()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.marks, diff)
		}
	}
	for _, c := range []struct {
		maker Maker
		main  bool
		want  string
	}{{"cursor", false, "cursor"}, {"", true, "main checkout"}} {
		if got := Label(c.maker, c.main); got != c.want {
			t.Errorf("the label is %q, want %q", got, c.want)
		}
	}
}

func TestSentences(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, c := range []struct {
		sweep Sweep
		want  string
		near  bool
	}{
		{Sweep{By: Codex, Place: 14, Keeps: 15}, "codex keeps 15 worktrees, and this is number 14", false},
		{Sweep{By: Codex, Place: 15, Keeps: 15}, "codex keeps 15 worktrees, and this is number 15", true},
		{Sweep{By: ClaudeCode, At: now.Add(-time.Hour)}, "claude-code removes it when it starts next", true},
		{Sweep{By: ClaudeCode, At: now}, "claude-code removes it when it starts next", true},
		{Sweep{By: ClaudeCode, At: now.Add(time.Nanosecond)}, "claude-code removes it within a day", true},
		{Sweep{By: ClaudeCode, At: now.Add(23 * time.Hour)}, "claude-code removes it within a day", true},
		{Sweep{By: ClaudeCode, At: now.Add(24 * time.Hour)}, "claude-code removes it in 1 day", true},
		{Sweep{By: ClaudeCode, At: now.Add(71 * time.Hour)}, "claude-code removes it in 2 days", true},
		{Sweep{By: ClaudeCode, At: now.Add(7*24*time.Hour - 1)}, "claude-code removes it in 6 days", true},
		{Sweep{By: ClaudeCode, At: now.Add(7 * 24 * time.Hour)}, "claude-code removes it in 7 days", false},
	} {
		if got := c.sweep.Sentence(now); got != c.want {
			t.Errorf("%+v: %q, want %q", c.sweep, got, c.want)
		}
		if got := c.sweep.Near(now); got != c.near {
			t.Errorf("%+v is near: %t", c.sweep, got)
		}
	}
}

func TestPlacesAndPeriods(t *testing.T) {
	dir := t.TempDir()
	began := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for i, name := range []string{"a", "b", "c"} {
		at := filepath.Join(dir, name)
		if err := os.Mkdir(at, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(at, began, began.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil { // newer, but no folder
		t.Fatal(err)
	}
	for name, want := range map[string]int{"c": 1, "b": 2, "a": 3, "gone": 0, "file": 0} {
		if got := placeAmong(filepath.Join(dir, name)); got != want {
			t.Errorf("the place of %s is %d, want %d", name, got, want)
		}
	}
	if got := placeAmong(filepath.Join(dir, "none", "a")); got != 0 {
		t.Errorf("the place in a folder that is gone is %d", got)
	}

	for settings, days := range map[string]int{
		`{"cleanupPeriodDays": 3}`: 3, `{"cleanupPeriodDays": 0}`: 30, `{"cleanupPeriodDays": -1}`: 30, `{"cleanupPeriodDays": 36499}`: 36499,
		`{"cleanupPeriodDays": 36500}`: 30, `{}`: 30, `no`: 30,
	} {
		home := t.TempDir()
		if err := os.Mkdir(filepath.Join(home, ".claude"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, ".claude", "settings.json"), []byte(settings), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, s := range []Sweeper{{Home: home}, {ClaudeDir: filepath.Join(home, ".claude")}, {Home: dir, ClaudeDir: filepath.Join(home, ".claude")}} {
			if got := s.claudePeriod(); got != time.Duration(days)*24*time.Hour {
				t.Errorf("%s, %+v: %s, want %d days", settings, s, got, days)
			}
		}
	}
	for _, s := range []Sweeper{{}, {Home: dir}} {
		if got := s.claudePeriod(); got != 30*24*time.Hour {
			t.Errorf("without settings, %+v: %s", s, got)
		}
	}

	entry := filepath.Join(dir, "entry")
	if err := os.MkdirAll(filepath.Join(entry, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"HEAD", "index", "logs/HEAD"} {
		at := filepath.Join(entry, filepath.FromSlash(name))
		if err := os.WriteFile(at, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		when := began.Add(time.Duration(10+i) * time.Hour)
		if err := os.Chtimes(at, when, when); err != nil {
			t.Fatal(err)
		}
		if got := changed(filepath.Join(dir, "a"), entry); !got.Equal(when) {
			t.Errorf("with %s: %s, want %s", name, got, when)
		}
	}
	if got := changed(filepath.Join(dir, "a"), filepath.Join(dir, "none")); !got.Equal(began) {
		t.Errorf("without an entry: %s", got)
	}
	if got := changed(filepath.Join(dir, "gone"), filepath.Join(dir, "none")); !got.IsZero() {
		t.Errorf("of nothing: %s", got)
	}
}

func TestWanted(t *testing.T) {
	patterns := []string{"origin/team/*", "*/fix-?", "[", "fork/main"}
	own := checkout.SharedBy(registry.Host())
	for name, want := range map[string]bool{
		"origin/main": false, "origin/copilot/fix": true, "origin/codex/x": true, "up/claude/x": true, "origin/cursor/x": true, "origin/jules/x": true, "origin/devin/x": true,
		"copilot/fix": false, "origin/copilot": false, "origin/x/copilot/fix": false, "main": false,
		"origin/team/a": true, "origin/team/a/b": true, "origin/team": false, "origin/teams/a": false,
		"up/fix-1": true, "up/fix-12": false, "up/x/fix-1": false, "fork/main": true, "fork/main/x": false,
		checkout.Hosts + "/other/x": true, own + "x": false,
	} {
		if got := wanted(name, patterns); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if wanted("origin/team/a", nil) {
		t.Error("a branch that no pattern names is wanted")
	}
}

func TestNamesOfMainCheckouts(t *testing.T) {
	for _, c := range []struct {
		linked []Tree
		want   string
	}{
		{nil, "app"}, {[]Tree{{Name: "other"}}, "app"}, {[]Tree{{Name: "APP"}}, "app-main"}, {[]Tree{{Name: "app-main"}, {Name: "app"}}, "app-main-main"},
	} {
		if got := mainName("/src/app", c.linked); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	for path, want := range map[string]bool{"/a/b": true, "/a": true, "/ab": false, "/": false, "/a/..b": true} {
		if got := inside(filepath.FromSlash(path), filepath.FromSlash("/a")); got != want {
			t.Errorf("%s lies in /a: %t", path, got)
		}
	}
}
