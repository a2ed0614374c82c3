package integration

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ofEverything are the writes that may touch every project at once, and why: a
// registry on a server lets nothing run beside one. All others name their project,
// which registries of tests check row by row.
var ofEverything = map[string]string{
	"agit/internal/doctor/doctor.go":    "counts what all items wait for",
	"agit/internal/roster/roster.go":    "an agent that is swept or removed gives back its tasks of every project",
	"agit/internal/task/next.go":        "the queue over all projects",
	"integration/passtime/main.go":      "makes a whole registry older, for examples and pictures",
	"memoryd/internal/memory/index.go":  "indexes what a merge brought",
	"memoryd/internal/record/buffer.go": "what was collected of several projects",
	"memoryd/internal/session/sweep.go": "a server that ended had sessions of several projects",
}

func TestFewWritesAreOfEverything(t *testing.T) {
	found := map[string]bool{}
	root := ".."
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		if entry.IsDir() {
			if name == "shared/registry" || strings.HasPrefix(entry.Name(), ".") && len(entry.Name()) > 2 || strings.HasSuffix(entry.Name(), "test") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		content, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(content), "registry.Everything") {
			found[name] = true
			if ofEverything[name] == "" {
				t.Errorf("%s writes to every project: name the one it touches (registry.Scope, registry.Named), or say here why not", name)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range ofEverything {
		if !found[name] {
			t.Errorf("%s does not write to every project any more", name)
		}
	}
}
