package seen

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestSweep(t *testing.T) {
	t.Parallel()
	home, now := t.TempDir(), time.Now()
	at := func(age time.Duration, parts ...string) string {
		path := filepath.Join(append([]string{home}, parts...)...)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const day = 24 * time.Hour
	s := Sweeper{Home: home}
	for _, c := range []struct {
		age  time.Duration
		near bool
	}{{22 * day, false}, {24 * day, true}, {40 * day, true}} {
		old := at(c.age, "repo", "fix")
		sweep, ok := s.Of(Tree{Path: old, Maker: ClaudeCode}, filepath.Join(home, "none"))
		if !ok || sweep.By != ClaudeCode || sweep.Near(now) != c.near || !sweep.At.Equal(changed(old, "").Add(30*day)) {
			t.Errorf("%v: %+v %v", c.age, sweep, ok)
		}
	}
	// A change of git's entry counts too.
	entry := at(0, "entry")
	if err := os.WriteFile(filepath.Join(entry, "index"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if sweep, _ := s.Of(Tree{Path: at(40*day, "repo", "fix"), Maker: ClaudeCode}, entry); sweep.Near(now) {
		t.Errorf("a worktree with a new index is due: %+v", sweep)
	}
	// The user's settings count.
	if err := os.WriteFile(filepath.Join(at(0, ".claude"), "settings.json"), []byte(`{"cleanupPeriodDays": 90}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if sweep, _ := s.Of(Tree{Path: at(40*day, "repo", "fix"), Maker: ClaudeCode}, ""); sweep.Near(now) {
		t.Errorf("90 days are configured: %+v", sweep)
	}
	for i := range 16 {
		at(time.Duration(i)*time.Hour, ".codex", "worktrees", fmt.Sprintf("%04x", i))
	}
	for i, near := range map[int]bool{0: false, 13: false, 14: true, 15: true} {
		sweep, ok := s.Of(Tree{Path: filepath.Join(home, ".codex", "worktrees", fmt.Sprintf("%04x", i), "app"), Maker: Codex}, "")
		if !ok || sweep.Place != i+1 || sweep.Near(now) != near {
			t.Errorf("%d: %+v %v", i, sweep, ok)
		}
	}
	for _, other := range []Tree{
		{Path: home, Maker: Git}, {Path: home, Marks: Marks{Main: true}}, {Path: home, Maker: ClaudeCode, Marks: Marks{LockHeld: true}}, {Path: home, Maker: ClaudeCode, Marks: Marks{Prunable: true}},
	} {
		if sweep, ok := s.Of(other, ""); ok {
			t.Errorf("%+v: %+v", other, sweep)
		}
	}
}
