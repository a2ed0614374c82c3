package record_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/project"
)

func TestStateFiles(t *testing.T) {
	w := newWorld(t)
	w.grade(w.store, "ann", "abcd", 2, 5)
	day := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for i, task := range []string{"first\nthing", "second"} {
		if _, err := w.store.Log(t.Context(), record.Activity{By: w.by("bob"), Task: task, Outcome: "done", At: day.AddDate(0, 0, i)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.store.Log(t.Context(), record.Activity{Task: "of another project", By: record.By{Agent: "carl",
		Place: project.Place{At: &project.Identity{UID: "p-2", Name: "other", Folder: "/other"}}}}); err != nil {
		t.Fatal(err)
	}
	files, err := w.store.StateFiles(t.Context(), w.place)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, f := range files {
		names[f.Path] = string(f.Content)
	}
	if page := names[".journal/2026-03-04.md"]; page != "# 2026-03-04\n\n## 05:06 bob: first thing\n\n**Outcome:** done\n" {
		t.Errorf("%q", page)
	}
	if len(files) != 4 || !strings.Contains(names[".agent/status.json"], `"agent": "ann"`) || !strings.Contains(names[".agent/status.json"], `"cs": 7`) ||
		!strings.Contains(names[".journal/communication.json"], `"score_after": 7`) || !strings.Contains(names[".journal/communication.json"], `"agent": "ann"`) {
		t.Errorf("%v", names)
	}

	folder := t.TempDir()
	wrote, err := record.WriteFiles(folder, files)
	if err != nil || len(wrote.Written) != 4 {
		t.Fatalf("%+v, %v", wrote, err)
	}
	if wrote, err = record.WriteFiles(folder, files); err != nil || len(wrote.Written) != 0 || wrote.Unchanged != 4 {
		t.Errorf("again: %+v, %v", wrote, err)
	}
	if left, err := filepath.Glob(filepath.Join(folder, ".*", "*.tmp")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A clone may contain links in place of the folders; nothing is written through them.
func TestStateFilesStayInside(t *testing.T) {
	outside := t.TempDir()
	for _, link := range []struct{ name, to string }{{".agent", outside}, {".agent/status.json", filepath.Join(outside, "x")}} {
		folder := t.TempDir()
		if strings.Contains(link.name, "/") {
			if err := os.Mkdir(filepath.Join(folder, ".agent"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(link.to, filepath.Join(folder, filepath.FromSlash(link.name))); err != nil {
			t.Skip(err)
		}
		if _, err := record.WriteFiles(folder, []record.File{{Path: record.StatusFile, Content: []byte("{}")}}); err == nil {
			t.Errorf("written through %s", link.name)
		}
		if there, err := os.ReadDir(outside); err != nil || len(there) > 0 {
			t.Errorf("%s: outside there is %v, %v", link.name, there, err)
		}
	}
}
