package planfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	pathpkg "path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/textfile"
)

// backlog reads Backlog.md's tasks: one Markdown file for each, with its fields as front matter.
func backlog(path string) ([]graph.PlanEntry, error) {
	root, err := os.OpenRoot(path) // a link in a clone must not import files from outside
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
	counts := tally{}
	for _, name := range files {
		file := filepath.Join(path, filepath.FromSlash(name))
		opened, err := root.Open(filepath.FromSlash(name))
		if err != nil {
			return nil, fault.Operation(err, "read %q", file)
		}
		data, err := textfile.Whole(opened, file, mostBytes)
		if err != nil {
			return nil, err
		}
		e, ok, err := backlogTask(file, data, counts)
		if err != nil { // the other files are still read
			plan = append(plan, graph.PlanEntry{Kind: graph.KindLeftOut, Name: fault.From(err).Message})
		} else if ok {
			plan = append(plan, e)
		}
	}
	plan = append(plan, counts.notes()...)
	if len(plan) == 0 {
		return nil, fault.NotFound("plan", path).WithHint("name the folder of a Backlog.md project")
	}
	return plan, nil
}

// handle is a person in Backlog.md's notation, which is not valid YAML.
var handle = regexp.MustCompile(`(^|[\s\[,:-])(@[\w.-]+)`)

// notInput removes from the parser's errors that a text came from standard input.
var notInput = strings.NewReplacer("standard input is", "it is", " of standard input", "")

// taskID is an id in Backlog.md's form.
var taskID = regexp.MustCompile(`^[A-Za-z]+-\d+(\.\d+)*$`)

// strs is a list, or one value that stands for a list of one.
type strs []string

// UnmarshalJSON reads both forms; numbers are taken as they are written.
func (s *strs) UnmarshalJSON(b []byte) error {
	var one any
	if err := json.Unmarshal(b, &one); err != nil {
		return err
	}
	all, isList := one.([]any)
	if !isList && one != nil {
		all = []any{one}
	}
	for _, v := range all {
		*s = append(*s, fmt.Sprint(v))
	}
	return nil
}

// first joins the values with commas; "" when there are none.
func (s strs) first() string { return strings.Join(s, ", ") }

// backlogTask reads one file; ok is false for a page that is not a task.
func backlogTask(file string, data []byte, counts tally) (e graph.PlanEntry, ok bool, err error) {
	data = bytes.ReplaceAll(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	front, text, ok := bytes.Cut(bytes.TrimPrefix(data, []byte("---\n")), []byte("\n---"))
	if !ok || !bytes.HasPrefix(data, []byte("---\n")) {
		return e, false, nil
	}
	lines := bytes.Split(front, []byte("\n"))
	for i, line := range lines {
		if !bytes.ContainsAny(line, `"'`) && !bytes.HasPrefix(line, []byte("title:")) {
			lines[i] = handle.ReplaceAll(line, []byte(`$1"$2"`))
		}
	}
	entries, err := output.ParseSections(bytes.Join(lines, []byte("\n")))
	if err != nil || len(entries) != 1 {
		said := "it is not one list of fields"
		if err != nil {
			said = notInput.Replace(fault.From(err).Message)
		}
		return e, false, fault.Validation("-", "the front matter of %q cannot be read: %s", file, said)
	}
	var t struct {
		ID           strs `json:"id"`
		Title        strs `json:"title"`
		Status       strs `json:"status"`
		Priority     strs `json:"priority"`
		Parent       strs `json:"parent_task_id"`
		Assignee     strs `json:"assignee"`
		Labels       strs `json:"labels"`
		Created      strs `json:"created_date"`
		Dependencies strs `json:"dependencies"`
	}
	if err := json.Unmarshal(entries[0].JSON, &t); err != nil {
		return e, false, fault.Validation("-", "the front matter of %q cannot be read: %s", file, graph.Unreadable(err))
	}
	id := t.ID.first()
	if id == "" || len(t.Status) == 0 && !taskID.MatchString(id) {
		return e, false, nil
	}
	e = graph.PlanEntry{Kind: "task", ID: id, Name: t.Title.first(), Description: strings.TrimSpace(string(text)), Parent: t.Parent.first(), DependsOn: t.Dependencies,
		Assignee: strings.TrimPrefix(t.Assignee.first(), "@"), Created: created(t.Created.first())}
	if priority := t.Priority.first(); priority != "" {
		e.Priority = priority
	}
	if len(t.Labels) > 0 {
		counts["with labels there: labels have no place here"]++
	}
	counts.stand(&e, t.Status.first())
	return e, true, nil
}
