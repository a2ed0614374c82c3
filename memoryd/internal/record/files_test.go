package record_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/timestamp"
)

func TestStateFiles(t *testing.T) {
	w := newWorld(t)
	w.grade(w.store, "ann", "abcd", 2, 5)
	day := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for i, task := range []string{"first\nthing", "second"} {
		if _, err := w.store.Log(t.Context(), record.Activity{By: w.by("bob"), Task: task, Outcome: "done", At: timestamp.Of(day.AddDate(0, 0, i))}); err != nil {
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
	if page := names[".journal/2026-03-04.md"]; page != "# 2026-03-04\n\n<!-- memoryd export --status-file -->\n\n## 05:06 bob: first thing\n\n**Outcome:** done\n" {
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

// A file that is not of an export stays as it is, and so does everything beside it.
func TestStateFilesReplaceOnlyTheirOwn(t *testing.T) {
	files := []record.File{
		{Path: record.StatusFile, Content: []byte(`{"written_by": "memoryd export --status-file"}`)},
		{Path: ".journal/2026-03-04.md", Content: []byte("# new")},
	}
	for _, c := range []struct {
		name, there string
		content     string // of that file
		want        string // "" when the files are written
	}{
		{"of a person", ".journal/2026-03-04.md", "# mine", `".journal/2026-03-04.md" was not written by memoryd, and nothing was exported; move it`},
		{"a file in the place of a folder", ".journal", "x", `".journal" is not a folder`},
		{"a folder in the place of a file", ".journal/2026-03-04.md/x", "x", `".journal/2026-03-04.md" is not a file`},
		{"of an earlier export", ".journal/2026-03-04.md", "# old <!-- memoryd export --status-file -->", ""},
		{"of an export of 0.1.0", ".journal/2026-03-04.md", "# 2026-03-04\n\n## 05:06 ann: tidy up\n\n**Outcome:** done\n", ""},
		{"the same", ".journal/2026-03-04.md", "# new", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			there := filepath.Join(folder, filepath.FromSlash(c.there))
			if err := os.MkdirAll(filepath.Dir(there), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(there, []byte(c.content), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := record.WriteFiles(folder, files)
			if c.want == "" {
				if now, readErr := os.ReadFile(there); err != nil || readErr != nil || string(now) != "# new" {
					t.Errorf("%v; %q, %v", err, now, readErr)
				}
				return
			}
			if !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if now, err := os.ReadFile(there); err != nil || string(now) != c.content {
				t.Errorf("the content is %q now, %v", now, err)
			}
			if _, err := os.Lstat(filepath.Join(folder, ".agent")); err == nil {
				t.Error("another file was written")
			}
		})
	}
}

// Version 0.1.0 did not name the origin of its files; they are replaced all the same, and other JSON is not.
func TestStateFilesOfTheFirstVersion(t *testing.T) {
	for _, c := range []struct {
		name, there string
		replaced    bool
	}{
		{record.StatusFile, `{"project": "p-1", "name": "app", "agents": [{"agent": "ann", "cs": 7}]}`, true},
		{record.CommunicationFile, `{"retrospectives": []}`, true},
		{record.StatusFile, `{"project": "app", "agents": 3}`, false},
		{record.CommunicationFile, `{"retrospectives": [], "mine": 1}`, false},
		{record.StatusFile, `[]`, false},
	} {
		folder := t.TempDir()
		there := filepath.Join(folder, filepath.FromSlash(c.name))
		if err := os.Mkdir(filepath.Dir(there), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(there, []byte(c.there), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := record.WriteFiles(folder, []record.File{{Path: c.name, Content: []byte("new")}})
		if now, readErr := os.ReadFile(there); readErr != nil || (string(now) == "new") != c.replaced || (err == nil) != c.replaced {
			t.Errorf("%s: %v; the content is %q now, %v", c.there, err, now, readErr)
		}
	}
}
