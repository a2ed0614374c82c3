package planfile

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	pathpkg "path"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
)

// backlog keeps one Markdown file a task, with its fields in front.
func backlog(path string) ([]graph.PlanEntry, error) {
	root, err := os.OpenRoot(path) // a link in a clone must not bring other files over
	if err != nil {
		return nil, fault.NotFound("plan", path).WithHint("name the folder of a Backlog.md project")
	}
	defer root.Close()
	var files []string
	for _, place := range []string{".", "tasks", "completed", "backlog/tasks", "backlog/completed"} {
		found, err := fs.Glob(root.FS(), pathpkg.Join(place, "*.md"))
		if err != nil {
			return nil, fault.Operation(err, "look for tasks in %q", path)
		}
		files = append(files, found...)
	}
	var plan []graph.PlanEntry
	for _, name := range files {
		file := filepath.Join(path, filepath.FromSlash(name))
		data, err := root.ReadFile(filepath.FromSlash(name))
		if err != nil {
			return nil, fault.Operation(err, "read %q", file)
		}
		e, ok, err := backlogTask(file, data)
		if err != nil {
			return nil, err
		}
		if ok {
			plan = append(plan, e)
		}
	}
	if len(plan) == 0 {
		return nil, fault.NotFound("plan", path).WithHint("name the folder of a Backlog.md project")
	}
	return plan, nil
}

// backlogTask reads one file; ok is false for a page that is not a task.
func backlogTask(file string, data []byte) (e graph.PlanEntry, ok bool, err error) {
	front, text, ok := bytes.Cut(bytes.TrimPrefix(data, []byte("---\n")), []byte("\n---"))
	if !ok || !bytes.HasPrefix(data, []byte("---\n")) {
		return e, false, nil
	}
	entries, err := output.ParseSections(front)
	if err != nil || len(entries) != 1 {
		return e, false, fault.Validation("-", "the front matter of %q cannot be read", file)
	}
	var t struct {
		ID           string   `json:"id"`
		Title        string   `json:"title"`
		Status       string   `json:"status"`
		Priority     string   `json:"priority"`
		Parent       string   `json:"parent_task_id"`
		Dependencies []string `json:"dependencies"`
	}
	if err := json.Unmarshal(entries[0].JSON, &t); err != nil {
		return e, false, fault.Validation("-", "the front matter of %q cannot be read: %s", file, graph.Unreadable(err))
	}
	if t.ID == "" {
		return e, false, nil
	}
	e = graph.PlanEntry{Kind: "task", ID: t.ID, Name: t.Title, Description: strings.TrimSpace(string(text)), Parent: t.Parent, DependsOn: t.Dependencies}
	if t.Priority != "" {
		e.Priority = t.Priority
	}
	if strings.EqualFold(t.Status, "done") {
		e.Status = "completed"
	}
	return e, true, nil
}
