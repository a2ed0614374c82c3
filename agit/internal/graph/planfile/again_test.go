package planfile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/graph/planfile"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

func beadsOf(lines ...string) map[string]string {
	return map[string]string{"issues.jsonl": strings.Join(lines, "\n")}
}

func said(t *testing.T, done graph.Imported, want ...string) {
	t.Helper()
	all := strings.Join(append(done.Notes, done.Skipped...), "\n")
	for _, w := range want {
		if !strings.Contains(all, w) {
			t.Errorf("%q is not told:\n%s", w, all)
		}
	}
}

// Work that its tracker holds back is not offered here.
func TestNotNow(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	done := load(t, s, "beads", beadsOf(
		`{"id":"a","title":"a","status":"open"}`,
		`{"id":"b","title":"b","status":"open","dependencies":[{"depends_on_id":"a","type":"waits-for"}]}`,
		`{"id":"c","title":"c","status":"open","dependencies":[{"depends_on_id":"a","type":"conditional-blocks"}]}`,
		`{"id":"d","title":"d","status":"deferred"}`,
		`{"id":"e","title":"e","status":"open","defer_until":"2999-01-01T00:00:00Z"}`,
		`{"id":"f","title":"f","status":"open","defer_until":"2020-01-01"}`,
		`{"id":"g","title":"g","status":"open","pinned":true}`,
		`{"id":"h","title":"h","status":"in_review"}`,
		`{"id":"i","title":"i","status":"in_progress"}`,
		`{"id":"j","title":"j","status":"simmering"}`,
		`{"id":"k","title":"k","status":"open","issue_type":"message"}`,
		`{"id":"l","title":"l","status":"open","is_template":true}`,
		`{"id":"m","title":"m","status":"open","issue_type":"gate"}`,
		`{"id":"n","title":"n","status":"open","dependencies":[{"depends_on_id":"m","type":"blocks"}]}`,
		`{"id":"o","title":"o","status":"closed","issue_type":"gate"}`,
		`{"id":"p","title":"p","status":"open","dependencies":[{"depends_on_id":"o","type":"blocks"}]}`,
		`{"id":"q","title":"q","status":"open","dependencies":[{"depends_on_id":"a","type":"rhymes-with"}]}`,
		`{"id":"r","title":"r","status":"open","dependencies":[{"depends_on_id":"external:other:x","type":"blocks"}]}`))
	if diff := cmp.Diff([]string{"a", "f", "i", "j", "p", "q"}, ready(t, s)); diff != "" {
		t.Error(diff)
	}
	said(t, done, "1 in progress there", `"simmering" there: its meaning is not known`, "1 of type message left out", "1 of type template left out", "2 of type gate left out",
		`"rhymes-with" there`, "6 not to be worked on now there")
	if d, err := s.Tasks.Get(t.Context(), "e"); err != nil || !strings.Contains(d.BlockedWhy, "put off until 2999-01-01") {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestEpicsThatAreWaitedFor(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	done := load(t, s, "beads", beadsOf(
		`{"id":"e1","title":"empty","status":"open","issue_type":"epic"}`,
		`{"id":"e2","title":"closed","status":"closed","issue_type":"epic"}`,
		`{"id":"a","title":"part of a closed one","status":"open","dependencies":[{"depends_on_id":"e2","type":"parent-child"}]}`,
		`{"id":"b","title":"waits for the empty one","status":"open","dependencies":[{"depends_on_id":"e1","type":"blocks"}]}`,
		`{"id":"c","title":"waits for the closed one","status":"open","dependencies":[{"depends_on_id":"e2","type":"blocks"}]}`,
		`{"id":"e3","title":"own","status":"open","issue_type":"epic"}`,
		`{"id":"d1","title":"d1","status":"open","dependencies":[{"depends_on_id":"e3","type":"parent-child"},{"depends_on_id":"e3","type":"blocks"}]}`,
		`{"id":"d2","title":"d2","status":"open","dependencies":[{"depends_on_id":"e3","type":"parent-child"},{"depends_on_id":"e3","type":"blocks"}]}`))
	if diff := cmp.Diff([]string{"a", "c", "d1", "d2"}, ready(t, s)); diff != "" {
		t.Error(diff)
	}
	said(t, done, "b waits for epic e1, which has no tasks", "e3 blocks d1: e3 contains it", "e3 blocks d2: e3 contains it")
}

// All texts of a tracker's entry are imported, or reported as left out.
func TestTextsComeOver(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	done := load(t, s, "beads", beadsOf(`{"id":"a","title":"a","description":"first","acceptance_criteria":"it works","design":"boxes","notes":"ask","labels":["x"],`+
		`"comments":[{"author":"kim","text":"per tenant","created_at":"2026-01-02T03:04:05Z"}],"created_at":"2026-01-01T00:00:00Z"}`))
	d, err := s.Tasks.Get(t.Context(), "a")
	want := "a\n\nfirst\n\n## Acceptance criteria\n\nit works\n\n## Design\n\nboxes\n\n## Notes\n\nask\n\n## Comments\n\nkim, 2026-01-02: per tenant"
	if err != nil || d.Description != want {
		t.Errorf("%q, %v", d.Description, err)
	}
	if d.CreatedAt.Format("2006-01-02") != "2026-01-01" {
		t.Errorf("created %s", d.CreatedAt)
	}
	said(t, done, "1 with labels there")
	load(t, s, "taskmaster", map[string]string{"tasks.json": `{"tasks":[{"id":1000000,"title":"big","details":"how","testStrategy":"twice","status":"deferred"}]}`})
	if d, err := s.Tasks.Get(t.Context(), "tm-1000000"); err != nil || !strings.Contains(d.Description, "how\n\n## Test strategy\n\ntwice") {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestSubtaskWaitsForATask(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	done := load(t, s, "taskmaster", map[string]string{"tasks.json": `{"ham":{"tasks":[{"id":7,"title":"seven"},
		{"id":8,"title":"eight","subtasks":[{"id":1,"title":"a","dependencies":[7]},{"id":2,"title":"b","dependencies":[1]},{"id":3,"title":"c","dependencies":["7.1"]}]}]}}`})
	if diff := cmp.Diff([]string{"tm-ham-7"}, ready(t, s)[:1]); diff != "" {
		t.Error(diff)
	}
	for id, on := range map[string]string{"tm-ham-8.1": "tm-ham-7", "tm-ham-8.2": "tm-ham-8.1"} {
		if d, err := s.Tasks.Get(t.Context(), id); err != nil || cmp.Diff([]string{on}, d.DependsOn) != "" {
			t.Errorf("%s: %+v, %v", id, d.DependsOn, err)
		}
	}
	said(t, done, "tm-ham-7.1 blocks tm-ham-8.3")
}

// A second import leaves later changes made here as they are.
func TestASecondImport(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	first := beadsOf(`{"id":"a","title":"a","status":"open"}`, `{"id":"b","title":"b","status":"open","dependencies":[{"depends_on_id":"a","type":"blocks"}]}`, `{"id":"c","title":"c","status":"open"}`)
	load(t, s, "beads", first)
	err := s.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		a, err := work.Find(tx, "", "a")
		if err != nil {
			return err
		}
		b, err := work.Find(tx, "", "b")
		if err != nil {
			return err
		}
		if _, err := work.Unlink(tx, work.Edge{Source: a.ID, Target: b.ID, Relation: work.Blocks}); err != nil {
			return err
		}
		c, err := work.Find(tx, "", "c")
		if err != nil {
			return err
		}
		return work.Delete(tx, c.ID, work.Event{})
	})
	if err != nil {
		t.Fatal(err)
	}
	done := load(t, s, "beads", beadsOf(first["issues.jsonl"], `{"id":"d","title":"d","status":"open","dependencies":[{"depends_on_id":"a","type":"blocks"}]}`,
		`{"id":"a","title":"a","status":"open","issue_type":"epic","updated_at":"2026-01-01T00:00:00Z"}`))
	if diff := cmp.Diff([]string{"a", "b"}, ready(t, s)); diff != "" || len(done.Tasks) != 1 {
		t.Error(diff)
	}
	said(t, done, "1 deleted here before", "a is an epic there and a task here", "1 twice in the file")
}

// Every project of a tracker has a task 1: the second project's is imported under a prefix, and the prefix finds it again.
func TestIDsThatAnotherProjectHas(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	if _, err := s.CreateProject(t.Context(), graph.NewProject{ID: "two", Name: "Number Two"}); err != nil {
		t.Fatal(err)
	}
	plan := func(text string) []graph.PlanEntry {
		dir := t.TempDir()
		write(t, dir, map[string]string{"tasks.json": text})
		plan, err := planfile.Read("taskmaster", dir)
		if err != nil {
			t.Fatal(err)
		}
		return plan
	}
	into := func(project, text, prefix string) graph.Imported {
		done, err := s.Import(t.Context(), plan(text), graph.ImportOptions{Project: project, Tolerant: true, Prefix: prefix})
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	into("plan", `{"tasks":[{"id":1,"title":"one"}]}`, "")
	done := into("two", `{"tasks":[{"id":1,"title":"other"},{"id":2,"title":"next","dependencies":[1]}]}`, "")
	if diff := cmp.Diff([]string{"Number-Two-tm-1", "Number-Two-tm-2"}, done.Tasks); diff != "" || done.Dependencies != 1 {
		t.Errorf("%s, %+v", diff, done)
	}
	done = into("two", `{"tasks":[{"id":1,"title":"other"},{"id":2,"title":"next"},{"id":3,"title":"new"}]}`, "")
	if diff := cmp.Diff([]string{"Number-Two-tm-3"}, done.Tasks); diff != "" || len(done.Existing) != 2 {
		t.Errorf("%s, %+v", diff, done)
	}
	if done = into("plan", `{"tasks":[{"id":1,"title":"one"}]}`, ""); len(done.Tasks) != 0 || len(done.Existing) != 1 {
		t.Errorf("%+v", done)
	}
	if done = into("plan", `{"tasks":[{"id":1,"title":"one"}]}`, "x-"); cmp.Diff([]string{"x-tm-1"}, done.Tasks) != "" {
		t.Errorf("%+v", done)
	}
}

// One entry that cannot be stored is named, and the others are imported.
func TestOneBadEntry(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	done := load(t, s, "beads", beadsOf(`{"id":"a","title":"a","status":"open"}`, `{"id":"b","title":"b","status":"open","description":"`+strings.Repeat("y", 70000)+`"}`,
		`{"id":"c","title":"nul \u0000","status":"open"}`, `{"id":"d","title":"d","status":"open","dependencies":[{"depends_on_id":"b","type":"blocks"}]}`))
	if diff := cmp.Diff([]string{"a"}, ready(t, s)); diff != "" {
		t.Error(diff)
	}
	said(t, done, "b: ", "c: ", "d waits for b, which did not come over")
}

func TestBacklogsFiles(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	done := load(t, s, "backlog", map[string]string{
		"tasks/a.md": "---\r\nid: task-1\r\ntitle: one\r\nstatus: To Do\r\n---\r\n\r\ntext\r\n",
		"tasks/b.md": "\ufeff---\nid: task-2\ntitle: two\nstatus: In Progress\nassignee: [@kim, @lee]\n---\n",
		"tasks/c.md": "---\nid: task-3\ntitle: three\nstatus: To Do\nassignee: @kim\ndependencies: task-1\n---\n",
		"tasks/d.md": "---\nid: task-4\ntitle: Console: skip\nstatus: To Do\n---\n",
		"tasks/e.md": "---\nid: handbook\ntitle: Handbook\n---\n",
		"tasks/f.md": "---\nid: task-6\ntitle: 6\nstatus: Someday\ncreated_date: '2026-01-02 10:00'\n---\n",
	})
	if diff := cmp.Diff([]string{"task-1", "task-2", "task-3", "task-6"}, done.Tasks); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"task-1", "task-2"}, ready(t, s)); diff != "" {
		t.Error(diff)
	}
	said(t, done, "d.md", "mapping values", "assigned to kim there", "1 in progress there")
}
