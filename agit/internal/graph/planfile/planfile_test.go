package planfile_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/graph/planfile"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

func newStore(t *testing.T) *graph.Store {
	db := registrytest.Open(t)
	s := &graph.Store{DB: db, Tasks: &task.Store{DB: db}}
	if _, err := s.CreateProject(t.Context(), graph.NewProject{ID: "plan"}); err != nil {
		t.Fatal(err)
	}
	return s
}

func load(t *testing.T, s *graph.Store, name string, files map[string]string) graph.Imported {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, files)
	plan, err := planfile.Read(name, dir)
	if err != nil {
		t.Fatal(err)
	}
	done, err := s.Import(t.Context(), plan, graph.ImportOptions{Project: "plan", Tolerant: true})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func ready(t *testing.T, s *graph.Store) (ids []string) {
	t.Helper()
	err := s.DB.Read(t.Context(), func(tx *registry.Tx) (err error) {
		ids, err = registry.Collect(tx, registry.One[string], `SELECT ref FROM items WHERE items.kind = 'task' AND `+work.Ready, 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(ids)
	return ids
}

type edge struct {
	On   string `json:"depends_on_id"`
	Type string `json:"type"`
}

type issue struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Status string `json:"status"`
	Type   string `json:"issue_type"`
	Edges  []edge `json:"dependencies"`
}

// reference returns the ready ones among issues, by the definition.
func reference(issues []issue) (ids []string) {
	byID, openParts := map[string]issue{}, map[string]int{}
	for _, i := range issues {
		byID[i.ID] = i
		for _, e := range i.Edges {
			if e.Type == "parent-child" && i.Status != "closed" {
				openParts[e.On]++
			}
		}
	}
	var blocked func(i issue) bool
	blocked = func(i issue) bool {
		for _, e := range i.Edges {
			if on, known := byID[e.On]; known && (e.Type == "blocks" && on.Status != "closed" || e.Type == "parent-child" && blocked(on)) {
				return true
			}
		}
		return false
	}
	for _, i := range issues {
		if i.Status != "closed" && i.Type != "epic" && openParts[i.ID] == 0 && !blocked(i) {
			ids = append(ids, i.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// without removes the relationships that an import reported as left out.
func without(issues []issue, skipped []string) []issue {
	for _, s := range skipped {
		var a, relation, b string
		if _, err := fmt.Sscanf(s, "%s %s %s", &a, &relation, &b); err != nil {
			continue
		}
		b = strings.TrimSuffix(b, ":")
		for i := range issues {
			issues[i].Edges = slices.DeleteFunc(slices.Clone(issues[i].Edges), func(e edge) bool {
				return issues[i].ID == b && e.On == a && (e.Type == "blocks") == (relation == "blocks")
			})
		}
	}
	return issues
}

func TestBeadsReadyIsTheReferences(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 4 {
		var issues []issue
		var text strings.Builder
		for n := range 250 {
			i := issue{ID: fmt.Sprintf("bd-%d", n), Title: "x", Status: []string{"open", "open", "closed", "in_progress"}[r.IntN(4)], Type: "task"}
			if r.IntN(10) == 0 {
				i.Type = "epic"
			}
			for range r.IntN(3) {
				if n > 0 {
					if on := issues[r.IntN(n)]; on.Type != "epic" {
						i.Edges = append(i.Edges, edge{On: on.ID, Type: "blocks"})
					}
				}
			}
			if n > 0 && r.IntN(2) == 0 {
				i.Edges = append(i.Edges, edge{On: issues[r.IntN(n)].ID, Type: "parent-child"})
			}
			issues = append(issues, i)
			line, _ := json.Marshal(i)
			fmt.Fprintf(&text, "%s\n", line)
		}
		s := newStore(t)
		done := load(t, s, "beads", map[string]string{".beads/issues.jsonl": text.String()})
		issues = without(issues, done.Skipped) // a parent that waits for its child would wait for ever
		if diff := cmp.Diff(reference(issues), ready(t, s)); diff != "" {
			t.Errorf("-reference +ready: %s", diff)
		}
	}
}

// TestBeadsHistory imports a real tracker's history from the file that BEADS_HISTORY names. The ready tasks are those of the reference
// program; dangling references and cycles are reported.
func TestBeadsHistory(t *testing.T) {
	path := os.Getenv("BEADS_HISTORY")
	if path == "" {
		t.Skip("BEADS_HISTORY names no issues.jsonl of beads")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var issues []issue
	for line := range strings.Lines(string(text)) {
		var i issue
		if err := json.Unmarshal([]byte(line), &i); err != nil {
			t.Fatal(err)
		}
		if i.Status != "tombstone" {
			issues = append(issues, i)
		}
	}
	s := newStore(t)
	done := load(t, s, "beads", map[string]string{"issues.jsonl": string(text)})
	if len(done.Epics)+len(done.Tasks) != len(issues) {
		t.Errorf("%d epics and %d tasks of %d issues", len(done.Epics), len(done.Tasks), len(issues))
	}
	want := reference(without(issues, done.Skipped))
	if diff := cmp.Diff(want, ready(t, s)); diff != "" {
		t.Errorf("-reference +ready: %s", diff)
	}
	t.Logf("%d issues, %d relationships, %d ready; left out: %s", len(issues), done.Dependencies, len(want), strings.Join(done.Skipped, "\n"))
}

// Cycles and dangling references are reported and left out, and an epic is done when its parts are.
func TestBeadsOddities(t *testing.T) {
	s := newStore(t)
	done := load(t, s, "beads", map[string]string{"issues.jsonl": `
{"id":"a","title":"a","status":"open","priority":0,"issue_type":"task","dependencies":[{"depends_on_id":"b","type":"blocks"},{"depends_on_id":"gone","type":"blocks"}]}
{"id":"b","title":"b","status":"open","issue_type":"bug","dependencies":[{"depends_on_id":"a","type":"blocks"}]}
{"id":"e","title":"e","status":"open","issue_type":"epic"}
{"id":"p","title":"p","status":"open","issue_type":"task","dependencies":[{"depends_on_id":"e","type":"parent-child"}]}
{"id":"x","title":"x","status":"open","issue_type":"task","dependencies":[{"depends_on_id":"e","type":"blocks"}]}
{"id":"t","status":"tombstone"}
`})
	if len(done.Skipped) != 2 || !strings.Contains(done.Skipped[0], "gone") || !strings.Contains(done.Skipped[1], "cycle") {
		t.Errorf("left out %v", done.Skipped)
	}
	if diff := cmp.Diff([]string{"b", "p"}, ready(t, s)); diff != "" {
		t.Error(diff)
	}
	if d, err := s.Tasks.Get(t.Context(), "a"); err != nil || d.Priority != work.PriorityCritical {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestTaskMaster(t *testing.T) {
	for name, text := range map[string]string{
		"plain":  `{"tasks":[TASKS]}`,
		"tagged": `{"master":{"tasks":[TASKS]}}`,
	} {
		s := newStore(t)
		load(t, s, "taskmaster", map[string]string{".taskmaster/tasks/tasks.json": strings.Replace(text, "TASKS",
			`{"id":1,"title":"one","status":"done","priority":"high","dependencies":[]},
			 {"id":2,"title":"two","status":"pending","dependencies":[1],"subtasks":[
			   {"id":1,"title":"first","status":"pending"},{"id":2,"title":"second","status":"pending","dependencies":[1]}]},
			 {"id":3,"title":"three","status":"pending","dependencies":[2]}`, 1)})
		if diff := cmp.Diff([]string{"tm-2.1"}, ready(t, s)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		d, err := s.Tasks.Get(t.Context(), "tm-2.2")
		if err != nil || d.Parent != "tm-2" || cmp.Diff([]string{"tm-2.1"}, d.DependsOn) != "" {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}

// A part's id that includes its parent's id is not prefixed again, and a part that names its own number means the task of that number.
func TestTaskMastersIDs(t *testing.T) {
	s := newStore(t)
	load(t, s, "taskmaster", map[string]string{".taskmaster/tasks/tasks.json": `{"master":{"tasks":[
		{"id":1,"title":"one","status":"pending","subtasks":[{"id":1,"title":"part","status":"pending"},{"id":2,"title":"more","status":"pending","dependencies":[1]}]},
		{"id":1000000,"title":"many","status":"pending","subtasks":[{"id":1,"title":"its part","status":"pending","dependencies":[1]}]},
		{"id":"HAM-1","title":"ham","status":"pending","subtasks":[{"id":"HAM-1.1","title":"a","status":"pending"},{"id":"HAM-1.2","title":"b","status":"pending","dependencies":["HAM-1.1"]}]}]}}`})
	for id, want := range map[string][]string{"tm-1.2": {"tm-1.1"}, "tm-1000000.1": {"tm-1"}, "tm-HAM-1.2": {"tm-HAM-1.1"}} {
		if d, err := s.Tasks.Get(t.Context(), id); err != nil || cmp.Diff(want, d.DependsOn) != "" {
			t.Errorf("%s waits for %v, %v, want %v", id, d.DependsOn, err, want)
		}
	}
}

func TestBacklog(t *testing.T) {
	s := newStore(t)
	load(t, s, "backlog", map[string]string{
		"backlog/tasks/task-1 - one.md":  "---\nid: task-1\ntitle: one\nstatus: To Do\npriority: high\ndependencies: [task-2]\n---\n\n## Description\n\nDo it.\n",
		"backlog/tasks/task-2 - two.md":  "---\nid: task-2\ntitle: two\nstatus: Done\ndependencies: []\n---\n",
		"backlog/tasks/task-3 - more.md": "---\nid: task-3\ntitle: more\nstatus: To Do\ndependencies:\n  - task-1\n---\n",
		"backlog/tasks/readme.md":        "# no task\n",
	})
	if diff := cmp.Diff([]string{"task-1"}, ready(t, s)); diff != "" {
		t.Error(diff)
	}
}

func TestTD(t *testing.T) {
	s := newStore(t)
	done := load(t, s, "td", map[string]string{"td.json": `[
{"issue":{"id":"td-e","title":"An epic","status":"open","type":"epic","priority":"P1"},"logs":[],"dependencies":[]},
{"issue":{"id":"td-1","title":"first","status":"closed","type":"task","priority":"P0","parent_id":"td-e"},"dependencies":[]},
{"issue":{"id":"td-2","title":"second","status":"in_review","type":"bug","priority":"P3","parent_id":"td-e","acceptance":"it works"},
 "dependencies":[{"issue_id":"td-2","depends_on_id":"td-1","relation_type":"depends_on"}]},
{"issue":{"id":"td-3","title":"third","status":"open","type":"feature","priority":"P2"},"dependencies":[{"issue_id":"td-3","depends_on_id":"td-e","relation_type":"depends_on"}]},
{"issue":{"id":"td-4","title":"fourth","status":"open","type":"chore","priority":"P4"},"dependencies":["td-gone"]},
{"issue":{"id":"td-5","title":"gone","status":"open","deleted_at":"2026-01-01T00:00:00Z"}}]`})
	if len(done.Epics) != 1 || len(done.Tasks) != 4 || len(done.Skipped) != 1 || !strings.Contains(done.Skipped[0], "td-gone") {
		t.Errorf("%+v", done)
	}
	if diff := cmp.Diff([]string{"td-4"}, ready(t, s)); diff != "" {
		t.Error(diff)
	}
	d, err := s.Tasks.Get(t.Context(), "td-2")
	if err != nil || d.Epic != "td-e" || d.Priority != work.PriorityLow || !strings.Contains(d.Description, "it works") {
		t.Errorf("%+v, %v", d, err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".todos"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := planfile.Read("td", dir); err == nil || !strings.Contains(fmt.Sprint(fault.From(err).Hint), "td export") {
		t.Errorf("td's own folder: %v", err)
	}
}

// Items that beads does not offer to agents as ready work are left out.
func TestBeadsThatAreNotWork(t *testing.T) {
	s := newStore(t)
	var lines strings.Builder
	for _, kind := range []string{"merge-request", "convoy", "session", "molecule", "rig", "chore"} {
		lines.WriteString(`{"id":"b-` + kind + `","title":"` + kind + `","status":"open","issue_type":"` + kind + `"}` + "\n")
	}
	load(t, s, "beads", map[string]string{".beads/issues.jsonl": lines.String()})
	if diff := cmp.Diff([]string{"b-chore"}, ready(t, s)); diff != "" {
		t.Error(diff)
	}
}
