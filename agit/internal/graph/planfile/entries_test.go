package planfile_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph/planfile"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
)

// The entries that each tracker's files are read as, with every field, and how files are refused.
func TestEntries(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, c := range []struct {
		name, tracker, at string
		files             map[string]string
	}{
		{"statuses", "beads", "", beadsOf(
			`{"id":"a","title":"a","status":"open","priority":0,"estimated_minutes":90,"assignee":"kim","labels":["x"],"created_at":"2026-01-02T03:04:05.678Z"}`, ``,
			`{"id":"b","title":"b","status":"In Progress","priority":4}`, `{"id":"c","title":"c","status":"closed","priority":9,"defer_until":"2999-01-01"}`, `{"id":"d","title":"d","status":"wontfix","priority":-3,"pinned":true}`,
			`{"id":"e","title":"e","status":"ON_HOLD","priority":2}`, `{"id":"f","title":"f","status":"simmering"}`, `{"id":"g","title":"g","status":"tombstone"}`, `{"title":"without an id"}`,
			`{"id":"h","title":"h","issue_type":"epic","status":"in_progress","pinned":true}`, `{"id":"i","title":"i","issue_type":"epic","status":"done"}`, `{"id":"j","title":"j","status":"open","pinned":true,"defer_until":"2999-01-01T00:00:00Z"}`,
			`{"id":"k","title":"k","status":"open","defer_until":"2999-02-03T04:05:06Z"}`, `{"id":"l","title":"l","status":"open","defer_until":"soon"}`, `{"id":"m","title":"m","status":"open","defer_until":"2999-02-03 later"}`)},
		{"twice", "beads", "issues.jsonl", beadsOf(`{"id":"a","title":"old","updated_at":"2026-01-02"}`, `{"id":"a","title":"older","updated_at":"2026-01-01"}`, `{"id":"a","title":"same","updated_at":"2026-01-02"}`, `{"id":"b","title":"b"}`)},
		{"texts", "beads", "", beadsOf(`{"id":"a","title":"a","description":" first \n","acceptance_criteria":" ","design":"boxes","comments":[{"author":"kim","text":"yes","created_at":"2026"},{"text":"no"}]}`)},
		{"not work", "beads", "", beadsOf(`{"id":"a","issue_type":"molecule"}`, `{"id":"b","ephemeral":true}`, `{"id":"c","wisp":true,"issue_type":"task"}`, `{"id":"d","is_template":true,"wisp":true}`, `{"id":"e","title":"e","issue_type":"bug"}`)},
		{"links", "beads", "", beadsOf(`{"id":"a","title":"a","dependencies":[{"depends_on_id":"b"},{"depends_on_id":"b","type":"waits-for"},{"depends_on_id":"p","type":"parent-child"},{"depends_on_id":"b","type":"discovered-from"},{"depends_on_id":"b","type":"tracks"},{"depends_on_id":"b","type":"rhymes"}]}`, `{"id":"b","title":"b"}`)},
		{"waiting for epics", "beads", "", beadsOf(
			`{"id":"outer","title":"outer","issue_type":"epic"}`, `{"id":"inner","title":"inner","issue_type":"epic","dependencies":[{"depends_on_id":"outer","type":"parent-child"}]}`,
			`{"id":"x","title":"x","dependencies":[{"depends_on_id":"inner","type":"parent-child"},{"depends_on_id":"outer","type":"blocks"}]}`, `{"id":"y","title":"y","dependencies":[{"depends_on_id":"outer","type":"parent-child"}]}`,
			`{"id":"w","title":"w","dependencies":[{"depends_on_id":"outer","type":"blocks"}]}`, `{"id":"round","title":"round","issue_type":"epic","dependencies":[{"depends_on_id":"round","type":"parent-child"}]}`,
			`{"id":"v","title":"v","dependencies":[{"depends_on_id":"round","type":"blocks"},{"depends_on_id":"shut","type":"blocks"},{"depends_on_id":"gate","type":"blocks"}]}`, `{"id":"shut","title":"shut","issue_type":"epic","status":"closed"}`, `{"id":"gate","issue_type":"gate","status":"done"}`,
			`{"id":"u","title":"u","dependencies":[{"depends_on_id":"external:x","type":"blocks"},{"depends_on_id":"unknown","type":"blocks"},{"depends_on_id":"door","type":"blocks"}]}`, `{"id":"door","issue_type":"gate","status":"open"}`)},
		{"a broken line", "beads", "", beadsOf(`{"id":"a"}`, `{"id":`)},
		{"the first place", "beads", "", map[string]string{".beads/issues.jsonl": `{"id":"a","title":"first"}`, "issues.jsonl": `{"id":"a","title":"last"}`}},
		{"tags", "taskmaster", "", map[string]string{"tasks.json": `{"master":{"tasks":[{"id":1,"title":"one","priority":"high","status":"done"},{"id":"HAM-1","title":"ham","dependencies":[1,"HAM-1"],"subtasks":[{"id":"HAM-1.1","title":"part"},{"id":2,"title":"other","dependencies":[1,2,"HAM-1.1"],"description":"what","details":"how","testStrategy":"twice"}]}]},
			"side":{"tasks":[{"id":1000000,"title":"big","status":"deferred"},{"id":"x","title":"x","dependencies":["1.2"],"status":"odd"}]}}`}},
		{"no tags", "taskmaster", "tasks.json", map[string]string{"tasks.json": `{"tasks":[{"id":1,"title":"one","subtasks":[{"id":1,"title":"part","dependencies":[2]}]},{"id":2,"title":"two"}]}`}},
		{"neither", "taskmaster", "", map[string]string{"tasks.json": `{"tasks": 7}`}},
		{"no list", "taskmaster", "", map[string]string{"tasks.json": `[]`}},
		{"an export", "td", "", map[string]string{"td.json": `[{"issue":{"id":"a","title":"a","description":"d","acceptance":"c","status":"open","priority":"P0","created_at":"2026-01-02 10:00","defer_until":"2999-01-01"},"dependencies":["b",{"depends_on_id":"c","relation_type":"depends_on"},{"depends_on_id":"c","relation_type":"near"}],"handoffs":[1],"logs":[1,2],"comments":[1,2,3]},
			{"issue":{"id":"b","title":"b","type":"epic","status":"open","priority":"P4"}},{"issue":{"id":"c","title":"c","parent_id":"b","status":"in_review","priority":"P9"}},{"issue":{"id":"d","title":"d","deleted_at":"2026-01-01"}},{"issue":{"title":"no id"}},
			{"issue":{"id":"e","title":"e","type":"epic","status":"closed"}},{"issue":{"id":"f","title":"f","parent_id":"e","status":"closed"},"dependencies":[{"depends_on_id":"e"},{"depends_on_id":"b"}]}]`}},
		{"the second place", "td", "", map[string]string{"td-export.json": `[]`}},
		{"its database", "td", "", map[string]string{".todos/db": "x", "td.json": "[]"}},
		{"not an export", "td", "td.json", map[string]string{"td.json": "{}"}},
		{"pages", "backlog", "", map[string]string{
			"backlog/tasks/a.md": "---\nid: task-1\ntitle: one\nstatus: Done\npriority: high\nlabels: [x]\nassignee: [\"@kim\"]\nparent_task_id: task-9\ndependencies:\n  - task-2\n  - task-3\ncreated_date: '2026-01-02 10:00'\n---\n\ntext\n\n---\nmore\n",
			"tasks/b.md":         "---\nid: task-2\ntitle: two\nstatus: Draft\nassignee: @kim\ncreated_date: 2026-01-03\n---\n", "completed/c.md": "---\nid: 3\ntitle: [a, b]\nstatus: To Do\n---\n", "d.md": "---\nid: task-4\ntitle: four\n---\n",
			"tasks/e.md": "---\nid: handbook\ntitle: no task\n---\n", "tasks/f.md": "no front matter\n", "tasks/g.md": "---\nid: task-5\nno end\n", "tasks/h.md": "---\nid: task-6\ntitle: a: b\nstatus: x\n---\n", "tasks/i.md": "---\n- 1\n- 2\n---\n", "other/j.md": "---\nid: task-8\nstatus: To Do\n---\n", "tasks/k.md": "---\ntitle: no id\nstatus: To Do\n---\n"}},
		{"an empty folder", "backlog", "", map[string]string{"README.txt": "x"}},
		{"nothing", "backlog", "nowhere", nil},
		{"an empty folder", "beads", "", nil},
		{"nothing", "beads", "nowhere", nil},
		{"nothing", "td", "nowhere", nil},
		{"another tracker", "jot", "", nil},
	} {
		dir := t.TempDir()
		write(t, dir, c.files)
		fmt.Fprintf(&all, "== %s: %s\n", c.tracker, c.name)
		plan, err := planfile.Read(c.tracker, filepath.Join(dir, c.at))
		if err != nil {
			f := fault.From(err)
			fmt.Fprintf(&all, "%s of %s: %s; %s\n", f.Kind, f.Field, f.Message, f.Hint)
		}
		for _, e := range plan {
			var fields map[string]any
			text, err := json.Marshal(e)
			if err == nil {
				err = json.Unmarshal(text, &fields)
			}
			if err != nil {
				t.Fatal(err)
			}
			maps.DeleteFunc(fields, func(_ string, v any) bool { return v == nil || v == "" })
			var shown []string
			for _, name := range slices.Sorted(maps.Keys(fields)) {
				shown = append(shown, fmt.Sprintf("%s=%q", name, fmt.Sprint(fields[name])))
			}
			for name, v := range map[string]string{"assignee": e.Assignee, "held": e.Held} {
				if v != "" {
					shown = append(shown, name+"="+fmt.Sprintf("%q", v))
				}
			}
			if !e.Created.IsZero() {
				shown = append(shown, "created="+e.Created.Format(time.RFC3339Nano))
			}
			slices.Sort(shown)
			fmt.Fprintf(&all, "%d %s\n", e.Line, strings.Join(shown, " "))
		}
		all.WriteString(fmt.Sprintln("present:", planfile.Present(dir)))
		text := strings.ReplaceAll(all.String(), dir, "<folder>")
		all.Reset()
		all.WriteString(text)
	}
	clitest.Golden(t, filepath.Join("testdata", "entries.txt"), all.String())
}
