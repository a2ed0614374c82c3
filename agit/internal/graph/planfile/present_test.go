package planfile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A tracker is present by the files that hold its plan, not by a folder of its name.
func TestPresent(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		".beads/issues.jsonl": "beads", ".beads/beads.jsonl": "beads", ".beads/config.yaml": "", ".todos/issues.db": "td",
		"backlog/tasks/task-1.md": "backlog", "backlog/config.yml": "", ".taskmaster/tasks/tasks.json": "taskmaster", "tasks.json": "",
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := Present(dir); want == "" && len(got) != 0 || want != "" && !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q", file, got)
		}
	}
	if got := Present(filepath.Join(t.TempDir(), "nothing")); got != nil {
		t.Errorf("a folder that does not exist: %q", got)
	}
}
