package doctor

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

func TestSources(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	sessionstest.Write(t, filepath.Join(home, ".claude/projects/-x/a.jsonl"), "{}\n{\"no\": 1}\n")
	sessionstest.Write(t, filepath.Join(home, ".local/share/opencode/opencode.db"), "not a database at all")
	d := &Doctor{Sessions: index.For(filepath.Join(home, "agit"), home, nil, []string{"codex"})}
	look := func() (said []string) {
		t.Helper()
		checks, err := d.sources(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range checks {
			said = append(said, string(c.Status)+" "+c.Name+" "+c.Message)
		}
		return said
	}
	want := []string{"ok sessions of claude-code 1 file of 0 MB are read", "ok sessions of codex are not read: sources.off", "ok sessions of opencode 1 file of 0 MB are read"}
	if diff := cmp.Diff(want, look()); diff != "" {
		t.Errorf("before anything was read: %s", diff)
	}
	x, err := d.Sessions.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_ = x.Close()
	want[0] += "; 2 rows are in a format that is not known"
	want[2] = "warning sessions of opencode 1 file or folder could not be read, the first is \"" + filepath.Join(home, ".local/share/opencode/opencode.db") + "\""
	if diff := cmp.Diff(want, look()); diff != "" {
		t.Errorf("after: %s", diff)
	}
}
