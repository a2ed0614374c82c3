package index

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

// The state of each client: its files before any reading, then the rows that could not be read, and a client that is turned off, with files
// or without.
func TestStates(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	const known, odd, broken = ".claude/projects/-x/a.jsonl", ".claude/projects/-x/b.jsonl", ".local/share/opencode/opencode.db"
	sessionstest.Write(t, filepath.Join(home, known), "{}\n{\"no\": 1}\n")
	sessionstest.Write(t, filepath.Join(home, odd), "{\"no\": 2}\n")
	sessionstest.Write(t, filepath.Join(home, broken), "not a database at all")
	k := Kept{Path: filepath.Join(home, "agit", FileName), Options: Options{Home: sessions.Home{Dir: home}, Off: []string{"codex"}}}
	states := func() []State {
		t.Helper()
		all, err := k.States(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(all, func(a, b State) int { return len(a.Client) - len(b.Client) })
		return all
	}
	want := []State{{Client: "codex", Off: true}, {Client: "opencode", Files: 1, Bytes: 21}, {Client: "claude-code", Files: 2, Bytes: 23}}
	if diff := cmp.Diff(want, states()); diff != "" {
		t.Errorf("before anything was read: %s", diff)
	}
	x, err := k.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	want[1].Trouble, want[2].Passed = []string{filepath.Join(home, broken)}, 3
	if diff := cmp.Diff(want, states()); diff != "" {
		t.Errorf("after: %s", diff)
	}
	if all, err := (Kept{}).States(t.Context()); all != nil || err != nil {
		t.Errorf("without an index: %v, %v", all, err)
	}
}
