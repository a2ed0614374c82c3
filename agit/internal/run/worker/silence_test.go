package worker

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestSilence(t *testing.T) {
	dir := t.TempDir()
	begun := time.Now().Add(-time.Hour)
	at := func(minutes int) time.Time { return begun.Add(time.Duration(minutes) * time.Minute) }
	change := func(name string, when time.Time) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		for at := path; len(at) >= len(dir); at = filepath.Dir(at) {
			if err := os.Chtimes(at, when, when); err != nil {
				t.Fatal(err)
			}
		}
	}
	change("old", at(-60))
	s := silence{dir: dir, most: 10 * time.Minute}
	for _, step := range []struct {
		name   string
		now    int
		heard  int
		change int // of a file, before this check; 0 for none
		idle   bool
	}{
		{"just begun", 1, 0, 0, false},
		{"it prints", 9, 8, 0, false},
		{"silent for less", 17, 8, 0, false},
		{"silent, but it writes", 18, 8, 17, false},
		{"the change is not old", 26, 8, 0, false},
		{"it writes again", 28, 8, 20, false},
		{"it prints again", 40, 35, 0, false},
		{"silent since", 45, 35, 0, true},
	} {
		if step.change != 0 {
			change("deep/er/file", at(step.change))
		}
		wait, idle := s.next(at(step.now), at(step.heard))
		if idle != step.idle || !idle && (wait <= 0 || wait > lookEvery) {
			t.Errorf("%s: idle %v, look again in %s", step.name, idle, wait)
		}
	}
	if _, idle := (&silence{dir: dir}).next(at(60), at(0)); idle {
		t.Error("idle without a limit")
	}
}
