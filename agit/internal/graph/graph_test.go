package graph_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// plan is a registry with a project "app": epic E-1 has T-1 and T-2, which waits for T-1; T-3 stands alone.
type plan struct {
	*graph.Store
	t *testing.T
}

func newPlan(t *testing.T) *plan {
	t.Helper()
	db := registrytest.Open(t)
	p := &plan{&graph.Store{DB: db, Tasks: &task.Store{DB: db}}, t}
	_, err := p.CreateProject(t.Context(), graph.NewProject{ID: "app", Name: "App"})
	p.must(err)
	_, err = p.CreateEpic(t.Context(), graph.NewEpic{ID: "E-1", Project: "app", Name: "Login", Description: "Who are you?"})
	p.must(err)
	for _, n := range []graph.NewTask{{ID: "T-1", Name: "Form", Epic: "E-1"}, {ID: "T-2", Name: "Check", Epic: "E-1", Dependencies: []string{"T-1"}}, {ID: "T-3", Name: "Menu", Project: "app"}} {
		made, err := p.Plan(t.Context(), n)
		p.must(err)
		if made.Met != (n.ID != "T-2") || made.Project != "app" || made.Status != task.Pending {
			t.Fatalf("%+v", made)
		}
	}
	return p
}

func (p *plan) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *plan) report(id, status string, more ...graph.Produced) (graph.Moved, error) {
	return p.Report(p.t.Context(), graph.Progress{Caller: task.Caller{Agent: "ann"}, Task: id, Status: status, Artifacts: more})
}

func (p *plan) bug(id string, blocks ...string) graph.Blocked {
	p.t.Helper()
	out, err := p.ReportBug(p.t.Context(), graph.BugReport{ID: id, Title: "It breaks", Severity: "critical", FoundBy: "bob", Project: "app", Blocks: blocks})
	p.must(err)
	return out
}

// A bug blocks each open task that it names, once. Resolving it returns only the tasks that are no longer blocked.
func TestBugs(t *testing.T) {
	t.Parallel()
	p := newPlan(t)
	_, err := p.report("T-1", task.Completed)
	p.must(err)
	got := p.bug("BUG-1", "T-1", "T-2", "T-2", "T-3")
	want := graph.Blocked{Success: true, BugID: "BUG-1", Count: 2, Blocked: []string{"T-2", "T-3"}, NotBlocked: []string{"T-1"}, Project: "app"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	p.bug("BUG-2", "T-3")
	for _, c := range []struct {
		id, status string
		unblocked  string
	}{
		{"BUG-1", "investigating", ""}, {"BUG-1", "fixed", "T-2"}, {"BUG-1", "wont_fix", ""}, {"BUG-2", "fixed", "T-3"}, {"BUG-2", "open", ""}, {"BUG-2", "wont_fix", "T-3"},
	} {
		out, err := p.SetBugStatus(t.Context(), c.id, c.status, "ann")
		p.must(err)
		if strings.Join(out.Unblocked, " ") != c.unblocked || out.Status != c.status {
			t.Errorf("%s %s: %+v, want %q", c.id, c.status, out, c.unblocked)
		}
	}
	if _, err := p.SetBugStatus(t.Context(), "BUG-1", "done", ""); !fault.Is(err, fault.KindValidation) {
		t.Errorf("another status: %v", err)
	}
	for all, want := range map[bool]int{false: 0, true: 2} {
		if bugs, err := p.Bugs(t.Context(), "app", all); err != nil || len(bugs) != want {
			t.Errorf("all %t: %+v, %v", all, bugs, err)
		}
	}
	if b, err := p.Bug(t.Context(), "BUG-1"); err != nil || b.FoundBy != "bob" || b.Resolved == nil || b.Blocks != nil {
		t.Errorf("%+v, %v", b, err)
	}
	for name, r := range map[string]graph.BugReport{"another severity": {Title: "x", Severity: "bad", Project: "app"}, "no project": {Title: "x", Severity: "low"}} {
		if _, err := p.ReportBug(t.Context(), r); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An epic's status follows its tasks until a person sets it, and again once that is reset.
func TestEpicStatus(t *testing.T) {
	t.Parallel()
	p := newPlan(t)
	now := func() string {
		t.Helper()
		all, err := p.Epics(t.Context(), "app")
		p.must(err)
		return all[0].Status
	}
	steps := []struct {
		do   func() error
		want string
	}{
		{func() error { return nil }, "pending"},
		{func() error { _, err := p.report("T-1", task.InProgress); return err }, "in_progress"},
		{func() error { _, err := p.report("T-1", task.Completed); return err }, "in_progress"},
		{func() error { _, err := p.report("T-2", task.Completed); return err }, "completed"},
		{func() error { _, err := p.SetEpicStatus(t.Context(), "E-1", "in_progress", ""); return err }, "in_progress"},
		{func() error { _, err := p.SetEpicStatus(t.Context(), "E-1", "", ""); return err }, "completed"},
	}
	for i, s := range steps {
		p.must(s.do())
		if got := now(); got != s.want {
			t.Errorf("step %d: %s, want %s", i, got, s.want)
		}
	}
	if _, err := p.SetEpicStatus(t.Context(), "E-1", "done", ""); !fault.Is(err, fault.KindValidation) {
		t.Errorf("another status: %v", err)
	}
}

// A report stores each artifact of a task once per path. A finished task accepts the same report again and refuses a new one.
func TestReports(t *testing.T) {
	t.Parallel()
	p := newPlan(t)
	moved, err := p.report("T-1", task.Completed, graph.Produced{Path: "login.go"}, graph.Produced{Path: "login.go", Type: "test", Size: 9}, graph.Produced{Path: "shot.png"})
	p.must(err)
	if moved.Before != task.Pending || moved.After != task.Completed || moved.Artifacts != 2 || !slices.Equal(moved.Unblocked, []string{"T-2"}) {
		t.Errorf("%+v", moved)
	}
	kept, err := p.Artifacts(t.Context(), "app", "T-1")
	p.must(err)
	if len(kept) != 2 || kept[0].Type != "test" || kept[0].Size != 9 || kept[1].Type != "screenshot" {
		t.Errorf("%+v", kept)
	}
	if again, err := p.report("T-1", task.Completed, graph.Produced{Path: "login.go"}); err != nil || again.Artifacts != 0 {
		t.Errorf("repeated: %+v, %v", again, err)
	}
	if _, err := p.report("T-1", task.Completed, graph.Produced{Path: "late.go"}); !fault.Is(err, fault.KindConflict) {
		t.Errorf("another artifact: %v", err)
	}
	if _, err := p.report("T-3", task.Pending); !fault.Is(err, fault.KindValidation) {
		t.Errorf("a status that is not reported: %v", err)
	}
	if _, err := p.report("T-3", task.InProgress, graph.Produced{Path: "x", Type: "idea"}); !fault.Is(err, fault.KindValidation) {
		t.Errorf("another type: %v", err)
	}
}

// A project status counts tasks, epics and bugs; failed and blocked ones are counted separately.
func TestProjectStatus(t *testing.T) {
	t.Parallel()
	p := newPlan(t)
	_, err := p.report("T-1", task.Completed)
	p.must(err)
	_, err = p.report("T-2", task.InProgress)
	p.must(err)
	p.bug("BUG-1", "T-3")
	st, err := p.ProjectStatus(t.Context(), "app")
	p.must(err)
	if want := (graph.TaskCounts{Total: 3, InProgress: 1, Blocked: 1, Completed: 1}); st.Tasks != want || st.Progress != 33.3 {
		t.Errorf("%+v, %v %%", st.Tasks, st.Progress)
	}
	if st.Epics.Total != 1 || st.Epics.InProgress != 1 || st.Bugs.Open != 1 || st.Bugs.Critical != 1 || len(st.CriticalPath) != 1 {
		t.Errorf("%+v", st)
	}
}

// A scenario is updated by its id; the tasks that it validates add up.
func TestScenarios(t *testing.T) {
	t.Parallel()
	p := newPlan(t)
	rate, over := 80.0, 101.0
	record := func(r graph.ScenarioRecord) graph.Scenario {
		t.Helper()
		r.ID = "SC-1"
		s, err := p.RecordScenario(t.Context(), r)
		p.must(err)
		return s
	}
	record(graph.ScenarioRecord{Name: "Sign in", Validates: []string{"T-1"}})
	got := record(graph.ScenarioRecord{Status: "passed", PassRate: &rate, Validates: []string{"T-2", "T-1"}})
	want := graph.Scenario{ID: "SC-1", Name: "Sign in", Status: "passed", Priority: work.PriorityMedium, PassRate: &rate, Validates: []string{"T-1", "T-2"}, Project: "app"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for name, r := range map[string]graph.ScenarioRecord{"another status": {ID: "x", Status: "green"}, "over a hundred": {ID: "x", PassRate: &over, Project: "app"}, "of no project": {ID: "x"}} {
		if _, err := p.RecordScenario(t.Context(), r); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A shortest path follows relationships in both directions and names each as it is stored.
func TestPath(t *testing.T) {
	t.Parallel()
	p := newPlan(t)
	p.bug("BUG-1", "T-3")
	_, err := p.AddLink(t.Context(), graph.Link{A: "T-2", Relation: "blocks", B: "T-3"})
	p.must(err)
	way, err := p.Path(t.Context(), "BUG-1", "T-1")
	p.must(err)
	want := []graph.Step{{From: "BUG-1", To: "T-3", Relation: "blocks", Forward: true}, {From: "T-3", To: "T-2", Relation: "blocks"}, {From: "T-2", To: "T-1", Relation: "blocks"}}
	if diff := cmp.Diff(want, way.Steps); diff != "" {
		t.Error(diff)
	}
	if way, err := p.Path(t.Context(), "T-1", "T-1"); err != nil || len(way.Items) != 1 || len(way.Steps) != 0 {
		t.Errorf("to itself: %+v, %v", way, err)
	}
	link := graph.Link{A: "T-2", Relation: "blocks", B: "T-3"}
	_, err = p.RemoveLink(t.Context(), link)
	p.must(err)
	for name, err := range map[string]error{"nothing connects them": second(p.Path(t.Context(), "BUG-1", "T-1")), "removed twice": second(p.RemoveLink(t.Context(), link))} {
		if !fault.Is(err, fault.KindNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A picture names the contents of a project by the words of the ontology; resolved bugs block nothing in it.
func TestDraw(t *testing.T) {
	t.Parallel()
	p := newPlan(t)
	p.bug("BUG-1", "T-3")
	_, err := p.report("T-1", task.InProgress)
	p.must(err)
	for status, blocked := range map[string]bool{"open": true, "fixed": false} {
		_, err := p.SetBugStatus(t.Context(), "BUG-1", status, "")
		p.must(err)
		picture, err := p.Draw(t.Context(), "app")
		p.must(err)
		for arrow, want := range map[graph.Arrow]bool{
			{From: "Project:app", To: "Epic:E-1", Type: "CONTAINS"}: true, {From: "Epic:E-1", To: "Task:T-1", Type: "HAS_TASK"}: true,
			{From: "Project:app", To: "Task:T-3", Type: "HAS_TASK"}: true, {From: "Project:app", To: "Task:T-1", Type: "HAS_TASK"}: false,
			{From: "Task:T-2", To: "Task:T-1", Type: "DEPENDS_ON"}: true, {From: "Task:T-3", To: "Bug:BUG-1", Type: "BLOCKED_BY"}: blocked,
			{From: "Task:T-1", To: "Agent:ann", Type: "ASSIGNED_TO"}: true,
		} {
			if slices.Contains(picture.Arrows, arrow) != want {
				t.Errorf("%s: %+v is there: %t\n%+v", status, arrow, !want, picture.Arrows)
			}
		}
	}
}

// A plan is imported in any order, all or nothing. An import from a tracker skips dangling relationships and existing entries.
func TestImport(t *testing.T) {
	t.Parallel()
	p := newPlan(t)
	entries := []graph.PlanEntry{
		{Line: 1, Kind: "task", ID: "I-2", Name: "Second", DependsOn: []string{"I-1"}, Epic: "I-E", Status: "blocked"},
		{Line: 2, Kind: "epic", ID: "I-E", Name: "Import"},
		{Line: 3, Kind: "task", ID: "I-1", Title: "First", Priority: "high", Status: "in_progress", Assignee: "cy"},
		{Line: 4, Kind: "dependency", Source: "I-1", Target: "T-3"},
	}
	_, err := p.Import(t.Context(), append(slices.Clone(entries), graph.PlanEntry{Line: 9, Kind: "dependency", Source: "nowhere", Target: "I-1"}), graph.ImportOptions{Project: "app"})
	if err == nil || !strings.HasPrefix(err.Error(), "line 9: ") {
		t.Errorf("a plan that dangles: %v", err)
	}
	out, err := p.Import(t.Context(), entries, graph.ImportOptions{Project: "app"})
	p.must(err)
	want := graph.Imported{Epics: []string{"I-E"}, Tasks: []string{"I-2", "I-1"}, Dependencies: 2,
		Notes: []string{"1 in progress there: they are pending here, where no agent holds them yet", "1 assigned to cy there: any agent can claim them here"}}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
	if d, err := p.Tasks.Get(t.Context(), "I-2"); err != nil || d.Status != task.Blocked || !slices.Equal(d.DependsOn, []string{"I-1"}) {
		t.Errorf("%+v, %v", d, err)
	}
	again, err := p.Import(t.Context(), append(entries, graph.PlanEntry{Kind: "dependency", Source: "nowhere", Target: "I-1"}), graph.ImportOptions{Project: "app", Tolerant: true})
	p.must(err)
	if len(again.Tasks)+len(again.Epics) != 0 || len(again.Existing) != 3 || len(again.Skipped) != 1 || again.Notes != nil {
		t.Errorf("again: %+v", again)
	}
	for name, e := range map[string]graph.PlanEntry{"a task without a name": {Kind: "task", ID: "x"}, "another status": {Kind: "task", ID: "x", Name: "x", Status: "done"}} {
		if _, err := p.Import(t.Context(), []graph.PlanEntry{e}, graph.ImportOptions{Project: "app"}); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// The kind of an entry follows from its list and its fields; an unreadable entry is reported with its line.
func TestParsePlanEntry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ section, document, kind, problem string }{
		{"", `{"id": "x"}`, "task", ""},
		{"epics", `{"id": "x"}`, "epic", ""},
		{"", `{"source": "a", "target": "b"}`, "dependency", ""},
		{"dependencies", `{}`, "dependency", ""},
		{"", `{"kind": "note"}`, "", `kind "note" is not known`},
		{"", `{"name": 5}`, "", "name is a number where a string belongs"},
		{"", `{"dependsOn": "x"}`, "", "dependsOn is a string where a list belongs"},
		{"", `[]`, "", "there is a list where an object belongs"},
		{"", `{"colour": "red"}`, "", `unknown field "colour"`},
	} {
		e, err := graph.ParsePlanEntry(3, c.section, []byte(c.document))
		if c.problem == "" && (err != nil || e.Kind != c.kind || e.Line != 3) {
			t.Errorf("%s: %+v, %v", c.document, e, err)
		}
		if c.problem != "" && (err == nil || !strings.HasPrefix(err.Error(), "line 3: ") || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("%s: %v, want %q", c.document, err, c.problem)
		}
	}
}

// The size of an artifact is the file's size, from whichever folder the report comes.
func TestArtifactSizes(t *testing.T) {
	t.Parallel()
	p, here := newPlan(t), t.TempDir()
	for name, size := range map[string]int{"report.md": 11, "empty.md": 0, "sub/deep.log": 7} {
		p.must(os.MkdirAll(filepath.Dir(filepath.Join(here, name)), 0o755))
		p.must(os.WriteFile(filepath.Join(here, name), make([]byte, size), 0o600))
	}
	p.must(os.Symlink("report.md", filepath.Join(here, "link.md")))
	_, err := p.Report(t.Context(), graph.Progress{Caller: task.Caller{Agent: "ann"}, Task: "T-1", Status: task.InProgress, Folder: here, Artifacts: []graph.Produced{
		{Path: "report.md"}, {Path: " sub/deep.log "}, {Path: "empty.md"}, {Path: "none.md"}, {Path: "sub"}, {Path: "link.md"}, {Path: "../" + filepath.Base(here) + "/report.md"},
		{Path: filepath.Join(here, "report.md")}, {Path: "given.md", Size: 5},
	}})
	p.must(err)
	kept, err := p.Artifacts(t.Context(), "app", "T-1")
	p.must(err)
	got := map[string]int64{}
	for _, a := range kept {
		if a.Size != 0 {
			got[a.Path] = a.Size
		}
	}
	want := map[string]int64{"report.md": 11, "sub/deep.log": 7, filepath.Join(here, "report.md"): 11, "given.md": 5}
	if !maps.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	all, err := p.AddArtifacts(t.Context(), "T-1", "", []graph.Produced{{Path: "report.md", Type: "report"}}, "ann")
	p.must(err)
	if i := slices.IndexFunc(all, func(a graph.Artifact) bool { return a.Path == "report.md" }); all[i].Size != 11 || all[i].Type != "report" {
		t.Errorf("a size that was known is kept: %+v", all[i])
	}
}
