package graph_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// script calls a store, and writes down each call with its answer and the rows that it changes.
type script struct {
	*graph.Store
	t     *testing.T
	watch *registrytest.Watch // nil on a server
	shown strings.Builder
	rows  strings.Builder
}

func newScript(t *testing.T) *script {
	t.Helper()
	db := registrytest.Open(t)
	s := &script{Store: &graph.Store{DB: db, Tasks: &task.Store{DB: db}, StaleAfter: time.Hour}, t: t}
	if !registrytest.OnServer() {
		s.watch = registrytest.NewWatch(t, db, []string{"changes", "projects", "project_folders", "items", "tasks", "leases", "item_history", "dependencies", "item_capabilities", "item_holds", "outside_blockers",
			"epics", "bugs", "artifacts", "scenarios", "scenario_tasks", "agents"},
			"changes.seq", "changes.at", "items.uid", "items.version", "dependencies.uid", "agents.uid", "agents.host", "agents.last_seen_at", "project_folders.host", "project_folders.path", "project_folders.uid", "outside_blockers.uid")
	}
	return s
}

func (s *script) part(title string) { fmt.Fprintf(&s.shown, "\n# %s\n", title) }

// note writes a call with its answer down.
func (s *script) note(answer any, err error, call string, args ...any) {
	s.t.Helper()
	call = strings.ReplaceAll(fmt.Sprintf(call, args...), "\x00", "NUL")
	if s.watch != nil {
		if changed := s.watch.Changes(); changed != "" {
			fmt.Fprintf(&s.rows, "%s\n%s", s.watch.Text(call), changed)
		}
	}
	if err != nil {
		f := fault.From(err)
		fmt.Fprintf(&s.shown, "%s\n  %s %s: %v\n", call, f.Kind, f.Field, err)
		return
	}
	encoded, err := json.Marshal(answer)
	if err != nil {
		s.t.Fatal(err)
	}
	fmt.Fprintf(&s.shown, "%s\n  %s\n", call, encoded)
}

// numbers are those of the log's entries. A server leaves some out.
var numbers = regexp.MustCompile(`"seq":\d+`)

func (s *script) compare(name string) {
	s.t.Helper()
	shown := numbers.ReplaceAllString(strings.TrimPrefix(s.shown.String(), "\n"), `"seq":0`)
	clitest.Golden(s.t, filepath.Join("testdata", name+".txt"), clitest.NewMasks(s.t).Apply(shown))
	if s.watch != nil {
		clitest.Golden(s.t, filepath.Join("testdata", name+"-rows.txt"), s.rows.String())
	}
}

func (s *script) plan(n graph.NewTask) {
	got, err := s.Plan(s.t.Context(), n)
	s.note(got, err, "plan %+v", n)
}

func (s *script) report(p graph.Progress) {
	got, err := s.Report(s.t.Context(), p)
	s.note(got, err, "report %s %s by %q, artifacts %v, metrics %v, notes %q", p.Task, p.Status, p.Agent, p.Artifacts, p.Metrics, p.Notes)
}

func (s *script) bug(r graph.BugReport) {
	got, err := s.ReportBug(s.t.Context(), r)
	s.note(got, err, "bug %+v", r)
}

func (s *script) scenario(r graph.ScenarioRecord) {
	rate := "none"
	if r.PassRate != nil {
		rate = fmt.Sprint(*r.PassRate)
	}
	got, err := s.RecordScenario(s.t.Context(), r)
	s.note(got, err, "scenario %s %q %q %q priority %q rate %s validates %v project %q by %q", r.ID, r.Name, r.Description, r.Status, r.Priority, rate, r.Validates, r.Project, r.Agent)
}

// fill makes two projects with some of everything.
func (s *script) fill() {
	ctx := s.t.Context()
	for _, n := range []graph.NewProject{
		{ID: "app", Name: "An app", Description: "What it is", Agent: "ann"}, {ID: "lib", Name: "A lib"}, {ID: "app", Name: "Another"}, {ID: "old", Name: "Old", Status: "on_hold"}, {ID: "bad", Status: "lost"}, {ID: "x", Path: "/nowhere/at/all"},
	} {
		got, err := s.CreateProject(ctx, n)
		s.note(got, err, "project %+v", n)
	}
	for _, n := range []graph.NewEpic{
		{ID: "E-1", Project: "app", Name: "Login", Description: "Who are you?", Priority: work.PriorityHigh, Agent: "ann"}, {ID: "E-2", Project: "app", Name: "Logout", Description: "Logout\nand be gone"},
		{ID: "E-9", Project: "lib", Name: "Elsewhere", Description: "Elsewhere"}, {Project: "none", Name: "x"}, {Project: "app"}, {ID: "e-1", Project: "app", Name: "x"},
	} {
		got, err := s.CreateEpic(ctx, n)
		s.note(got, err, "epic %+v", n)
	}
	for _, n := range []graph.NewTask{
		{ID: "T-1", Name: "Form", Description: "With a field", Epic: "E-1", Priority: "high", Estimate: "1h", Agent: "ann", Capabilities: []string{"go", "css"}}, {ID: "T-2", Name: "Check", Epic: "E-1", Dependencies: []string{"T-1"}, Estimate: "30m"},
		{ID: "T-3", Name: "Menu", Project: "app"}, {ID: "T-4", Name: "Bye", Epic: "E-2", Dependencies: []string{"T-2", "T-3"}}, {ID: "T-9", Name: "Sort", Project: "lib", Estimate: "2h"},
		{Name: "x", Project: "app", Priority: "mad"}, {Name: "x", Project: "app", Estimate: "soon"}, {Name: "x"}, {Name: "x", Project: "app", Dependencies: []string{"none"}}, {Project: "app"},
	} {
		s.plan(n)
	}
}

func rate(r float64) *float64 { return &r }

func TestTranscript(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	ctx := t.Context()
	s.part("Making")
	s.fill()

	s.part("Links")
	for _, l := range []graph.Link{
		{A: "T-3", Relation: "related_to", B: "T-1", Bidirectional: true, Notes: "both are shown", Agent: "ann"}, {A: "t-9", Relation: "blocks", B: "t-4"}, {A: "T-4", Relation: "blocks", B: "T-1"}, {A: "T-1", Relation: "likes", B: "T-2"},
		{A: "none", Relation: "blocks", B: "T-1"}, {A: "T-1", Relation: "blocks", B: "none"}, {A: "T-4", Relation: "discovered_from", B: "T-3"},
	} {
		got, err := s.AddLink(ctx, l)
		s.note(got, err, "link %+v", l)
	}
	for _, l := range []graph.Link{{A: "t-9", Relation: "blocks", B: "T-4", Agent: "bob"}, {A: "T-9", Relation: "blocks", B: "T-4"}, {A: "none", Relation: "blocks", B: "T-4"}} {
		got, err := s.RemoveLink(ctx, l)
		s.note(got, err, "unlink %+v", l)
	}

	s.part("Reports")
	ann := task.Caller{Agent: "ann"}
	s.report(graph.Progress{Caller: ann, Task: "T-1", Status: task.InProgress, Notes: "on it", Metrics: map[string]any{"tokens": 12, "duration": "5m", "cost": 0.5}, Artifacts: []graph.Produced{{Path: " login.go "}, {Path: "shots/login.PNG"}, {Path: "login_test.go", Size: 7}}})
	s.report(graph.Progress{Caller: ann, Task: "T-1", Status: task.InProgress, Artifacts: []graph.Produced{{Path: "login.go", Type: "test"}, {Path: "notes.md"}}})
	s.report(graph.Progress{Caller: task.Caller{Agent: "bob"}, Task: "T-1", Status: task.Completed})
	s.report(graph.Progress{Caller: ann, Task: "T-1", Status: task.Completed, Notes: "it logs in", Metrics: map[string]any{"duration": 90.0}})
	for _, p := range []graph.Progress{
		{Status: task.Completed}, {Status: task.Completed, Notes: "it logs in", Metrics: map[string]any{"duration": 90.0}, Artifacts: []graph.Produced{{Path: "login.go"}}}, {Status: task.Completed, Artifacts: []graph.Produced{{Path: "login.go"}, {Path: "late.go"}}},
		{Status: task.Completed, Metrics: map[string]any{"duration": 91.0}}, {Status: task.Completed, Notes: "it does not"}, {Status: task.Failed}, {Status: task.Blocked}, {Status: task.InProgress},
	} {
		p.Caller, p.Task = ann, "T-1"
		s.report(p)
	}
	for _, p := range []graph.Progress{
		{Artifacts: []graph.Produced{{Path: " "}}}, {Artifacts: []graph.Produced{{Path: "x", Type: "idea"}}}, {Metrics: map[string]any{"duration": "soon"}}, {Metrics: map[string]any{"": 1}}, {Metrics: map[string]any{"x": "a\x00"}}, {Notes: "a\x00"},
		{Metrics: map[string]any{"duration": -1}},
	} {
		p.Caller, p.Task, p.Status = ann, "T-3", task.InProgress
		s.report(p)
	}
	s.report(graph.Progress{Caller: ann, Task: "none", Status: task.InProgress})
	s.report(graph.Progress{Caller: ann, Task: "T-2", Status: task.Failed, Notes: "no time"})
	for _, c := range []struct{ project, task string }{{"app", ""}, {"", "T-1"}, {"app", "T-1"}, {"lib", "T-1"}, {"lib", ""}, {"", ""}, {"none", ""}, {"", "none"}, {"", " "}} {
		got, err := s.Artifacts(ctx, c.project, c.task)
		s.note(got, err, "artifacts of %q of %q", c.task, c.project)
	}
	for _, c := range []struct {
		task, agent string
		list        []graph.Produced
	}{{"T-3", "ann", []graph.Produced{{Path: "menu.go", Size: 3}, {Path: "report.html", Size: 4}}}, {"T-3", "", []graph.Produced{{Path: "menu.go", Type: "code", Size: 5}}}, {"T-1", "bob", []graph.Produced{{Path: "late.go", Size: 1}}}, {"none", "ann", []graph.Produced{{Path: "x"}}}, {"T-3", "ann", nil}} {
		got, err := s.AddArtifacts(ctx, c.task, "", c.list, c.agent)
		s.note(got, err, "add artifacts %v to %s by %q", c.list, c.task, c.agent)
	}

	s.part("Bugs")
	for _, r := range []graph.BugReport{
		{ID: "BUG-1", Title: "It breaks", Description: "At once", Severity: "critical", FoundBy: "bob", FoundIn: "T-1", Artifact: "login.go", Blocks: []string{"T-1", "T-3", "t-3", "T-4"}},
		{ID: "BUG-2", Title: "It is slow", Severity: "low", Blocks: []string{"T-9"}}, {ID: "BUG-3", Title: "It looks odd", Severity: "medium", Artifact: "shots/login.PNG"}, {ID: "BUG-4", Title: "It lags", Severity: "high", Project: "app", Blocks: []string{"T-3"}},
		{ID: "BUG-5", Title: "Of lib", Severity: "low", Project: "lib", FoundIn: "T-3"},
		{Title: "x", Severity: "bad", Project: "app"}, {Title: "x", Severity: "low"}, {Title: "x", Severity: "low", FoundIn: "none"}, {Title: "x", Severity: "low", Blocks: []string{"none"}}, {Title: "x", Severity: "low", Artifact: "none"}, {Title: "x", Severity: "low", Project: "none"},
		{Title: "", Severity: "low", Project: "app"},
	} {
		s.bug(r)
	}
	list := func() {
		for _, project := range []string{"app", "lib", "", "none"} {
			for _, all := range []bool{false, true} {
				got, err := s.Bugs(ctx, project, all)
				s.note(got, err, "bugs of %q, all %t", project, all)
			}
		}
	}
	list()
	for _, c := range []struct{ id, status, agent string }{
		{"BUG-1", "investigating", "ann"}, {"BUG-1", "investigating", ""}, {"BUG-1", "fixed", "ann"}, {"BUG-1", "wont_fix", ""}, {"BUG-4", "fixed", "bob"}, {"BUG-4", "open", ""}, {"BUG-2", "wont_fix", ""}, {"BUG-2", "done", ""}, {"none", "fixed", ""}, {"", "fixed", ""}, {"T-1", "fixed", ""},
	} {
		got, err := s.SetBugStatus(ctx, c.id, c.status, c.agent)
		s.note(got, err, "bug %s is %s by %q", c.id, c.status, c.agent)
	}
	list()
	for _, id := range []string{"bug-1", "BUG-5", "none"} {
		got, err := s.Bug(ctx, id)
		s.note(got, err, "bug %s", id)
	}

	s.part("Scenarios")
	for _, r := range []graph.ScenarioRecord{
		{ID: "S-1", Name: "Sign in", Description: "By name", Validates: []string{"T-1"}, Agent: "ann"}, {ID: "S-1", Status: "running", Validates: []string{"T-2", "t-1"}}, {ID: "s-1", Status: "passed", PassRate: rate(87.5), Agent: "bob"}, {ID: "S-1", Status: "passed"},
		{ID: "S-2", Status: "failed", Priority: "high", PassRate: rate(0), Project: "lib"}, {ID: "S-3", Name: "Sign out", Status: "passed", PassRate: rate(100), Project: "app", Validates: []string{"T-9"}},
		{ID: "S-4", Status: "green"}, {ID: "S-4", PassRate: rate(100.1), Project: "app"}, {ID: "S-4", PassRate: rate(-0.1), Project: "app"}, {ID: "S-4"}, {ID: "S-4", Project: "none"}, {ID: "S-4", Validates: []string{"none"}}, {ID: "S-4", Project: "app", Validates: []string{"none"}}, {ID: "S-4", Project: "app", Priority: "mad"}, {Project: "app"},
	} {
		s.scenario(r)
	}
	for _, project := range []string{"app", "lib", "", "none"} {
		got, err := s.Scenarios(ctx, project)
		s.note(got, err, "scenarios of %q", project)
	}

	s.part("Epics")
	for _, c := range []struct{ id, status, agent string }{{"E-1", "completed", "ann"}, {"E-1", "in_progress", ""}, {"E-1", "pending", ""}, {"E-1", "", "ann"}, {"E-1", "done", ""}, {"none", "pending", ""}, {"T-1", "pending", ""}, {"E-9", "completed", ""}} {
		got, err := s.SetEpicStatus(ctx, c.id, c.status, c.agent)
		s.note(got, err, "epic %s is %q by %q", c.id, c.status, c.agent)
	}
	for _, project := range []string{"app", "lib", "", "none"} {
		got, err := s.Epics(ctx, project)
		s.note(got, err, "epics of %q", project)
	}

	s.part("Status")
	s.report(graph.Progress{Caller: ann, Task: "T-3", Status: task.InProgress})
	for _, id := range []string{"app", "lib", "old", "none"} {
		got, err := s.ProjectStatus(ctx, id)
		s.note(got, err, "status of %s", id)
	}
	for _, c := range []struct{ from, to string }{
		{"T-1", "t-1"}, {"T-1", "T-2"}, {"T-2", "T-1"}, {"BUG-1", "T-4"}, {"E-1", "T-4"}, {"T-1", "E-1"}, {"S-1", "T-2"}, {"T-2", "S-1"}, {"BUG-3", "T-1"}, {"T-9", "T-1"}, {"BUG-2", "E-9"}, {"none", "T-1"}, {"T-1", "none"}, {"BUG-5", "T-3"}, {"T-3", "BUG-5"},
	} {
		got, err := s.Path(ctx, c.from, c.to)
		s.note(got, err, "path from %s to %s", c.from, c.to)
	}
	for _, c := range []struct {
		project string
		limit   int
	}{{"app", 3}, {"lib", 2}, {"", 1}, {"none", 0}} {
		got, err := s.Log(ctx, c.project, c.limit)
		s.note(got, err, "log of %q, %d", c.project, c.limit)
	}
	newest, err := s.Log(ctx, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	seq, err := s.LastEvent(ctx)
	s.note(seq == newest[0].Seq, err, "the last event is the newest of the log")
	for _, c := range []struct{ id, status string }{{"app", "completed"}, {"app", "active"}, {"app", "lost"}, {"none", "active"}} {
		got, err := s.SetProjectStatus(ctx, c.id, c.status, "ann")
		s.note(got, err, "project %s is %s", c.id, c.status)
	}
	all, err := s.Projects(ctx)
	s.note(all, err, "projects")
	for _, id := range []string{"app", "APP", "none"} {
		uid, err := s.ProjectID(ctx, id)
		s.note(uid, err, "id of project %s", id)
	}

	for _, project := range []string{"app", "lib", "", "none"} {
		s.part("Picture of " + project)
		p, err := s.Draw(ctx, project)
		s.note(p, err, "draw %q", project)
		if project == "" || err != nil {
			continue
		}
		fmt.Fprintf(&s.shown, "%s%s%s%s%s", p.Text(), p.Dot(), p.Mermaid(), p.GraphML(), p.HTML(project))
		for _, name := range []struct{ label, id string }{{"Task", "T-3"}, {"Epic", "T-3"}, {"Bug", "BUG-1"}} {
			fmt.Fprintf(&s.shown, "%s %s is %q\n", name.label, name.id, p.NameOf(name.label, name.id))
		}
	}
	s.compare("transcript")
}

func TestImportTranscript(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.part("Before")
	s.fill()
	imported := func(title string, o graph.ImportOptions, plan ...graph.PlanEntry) {
		t.Helper()
		before := fmt.Sprintf("%+v", plan)
		got, err := s.Import(t.Context(), plan, o)
		if after := fmt.Sprintf("%+v", plan); after != before {
			t.Errorf("%s: the plan was changed to %s", title, after)
		}
		s.note(got, err, "%s", title)
	}
	made := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	app := graph.ImportOptions{Project: "app", Agent: "ann"}

	s.part("A plan")
	whole := []graph.PlanEntry{
		{Line: 1, Kind: "task", ID: "I-2", Name: "Second", DependsOn: []string{"I-1"}, Dependencies: []string{"T-3"}, Epic: "I-E", Status: task.Blocked, Estimate: "1h", Capabilities: []string{"go"}},
		{Line: 2, Kind: "epic", ID: "I-E", Title: "Import", Description: "All of it", Priority: "high", Status: "in_progress"}, {Line: 3, Kind: "epic", ID: "I-F", Name: "Later", Project: "lib", Status: "pending"},
		{Line: 4, Kind: "task", ID: "I-1", Title: "First", Priority: 3, Status: task.InProgress, Assignee: "cy", Created: made}, {Line: 5, Kind: "task", ID: "I-3", Description: "Words\nof it", Status: task.Completed, Parent: "I-1", Assignee: "cy"},
		{Line: 6, Kind: "task", ID: "I-4", Name: "Fourth", Status: task.Failed, Project: "lib", Assignee: "bo"}, {Line: 7, Kind: "task", ID: "I-5", Name: "Fifth", Status: task.Claimed, Held: "it is on hold there"}, {Line: 8, Kind: "task", Name: "Nameless", Status: task.Pending},
		{Line: 9, Kind: "dependency", Source: "I-1", Target: "I-5"}, {Line: 10, Kind: "dependency", Source: "I-5", Relation: "related_to", Target: "I-2"}, {Line: 11, Kind: graph.KindNote, Name: "a note"}, {Line: 12, Kind: graph.KindLeftOut, Name: "left out"},
	}
	imported("whole", app, whole...)
	for _, e := range []graph.PlanEntry{
		{Kind: "task", ID: "x"}, {Kind: "task", ID: "x", Name: "x", Status: "done"}, {Kind: "task", ID: "x", Name: "x", Priority: "mad"}, {Kind: "task", ID: "x", Name: "x", Estimate: "soon"}, {Kind: "task", ID: "x", Name: "x", Epic: "none"}, {Kind: "task", ID: "I-1", Name: "again"},
		{Kind: "epic", ID: "x", Name: "x", Status: "done"}, {Kind: "epic", ID: "x", Name: "x", Priority: "mad"}, {Kind: "epic", ID: "I-E", Name: "again"}, {Kind: "epic", ID: "x", Name: "x", Project: "none"}, {Kind: "dependency", Source: "none", Target: "I-1"}, {Kind: "dependency", Source: "I-1", Target: "none"},
		{Kind: "dependency", Source: "I-5", Target: "I-1"}, {Kind: "dependency", Source: "I-5", Relation: "likes", Target: "I-1"}, {Kind: "task", ID: "x", Name: "x", Repo: "none"},
	} {
		e.Line = 7
		imported(fmt.Sprintf("%+v", e), app, e)
	}
	imported("an edge between known tasks", app, graph.PlanEntry{Kind: "dependency", Source: "T-3", Target: "T-9"})
	imported("without a project", graph.ImportOptions{}, graph.PlanEntry{Kind: "epic", ID: "x", Name: "x"})
	imported("nothing", app)

	s.part("A tracker")
	tracker := graph.ImportOptions{Project: "lib", Tolerant: true}
	issues := []graph.PlanEntry{
		{Line: 1, Kind: "epic", ID: "1", Name: "Big"}, {Line: 2, Kind: "task", ID: "2", Name: "Two", Epic: "1", DependsOn: []string{"3", "4", "none"}, Status: task.InProgress, Assignee: "cy"}, {Line: 3, Kind: "task", ID: "3", Name: "Three", Held: "it waits for a person", Parent: "2"},
		{Line: 4, Kind: "task", ID: "4", Priority: "mad", Name: "Four"}, {Line: 5, Kind: "task", ID: "5", Name: "Five", Priority: "mad", Status: task.Completed}, {Line: 6, Kind: "task", ID: "6", Name: "Six", Dependencies: []string{"5", "2"}},
		{Line: 7, Kind: "task", Name: strings.Repeat("long ", 20), Priority: "mad"}, {Line: 8, Kind: "dependency", Source: "6", Target: "2"}, {Line: 9, Kind: "dependency", Source: "2", Target: "3", Relation: "related_to"}, {Line: 10, Kind: "task", ID: "7", Name: "Seven", Status: task.Completed, DependsOn: []string{"4"}},
		{Line: 11, Kind: "dependency", Source: "4", Target: "6", Relation: "related_to"},
	}
	imported("new", tracker, issues...)
	imported("again", tracker, issues...)
	for _, l := range []graph.Link{{A: "2", Relation: "blocks", B: "6"}, {A: "2", Relation: "related_to", B: "3"}, {A: "2", Relation: "parent_of", B: "3"}} {
		got, err := s.RemoveLink(t.Context(), l)
		s.note(got, err, "unlink %+v", l)
	}
	imported("after edges were removed", tracker, issues...)
	gone, err := s.Tasks.Delete(t.Context(), []string{"6"}, task.Caller{Force: true}, false)
	s.note(gone, err, "delete 6")
	imported("after a task was deleted", tracker, append(issues[:len(issues):len(issues)], graph.PlanEntry{Line: 12, Kind: "task", ID: "8", Name: "Eight", DependsOn: []string{"2", "6"}})...)
	imported("as another kind", tracker, graph.PlanEntry{Line: 1, Kind: "task", ID: "1", Name: "Big"}, graph.PlanEntry{Line: 2, Kind: "epic", ID: "2", Name: "Two"})
	imported("an epic that cannot be stored", tracker, graph.PlanEntry{Line: 1, Kind: "epic", ID: "9", Name: "Nine", Priority: "mad"})

	s.part("Another tracker with the same ids")
	other := graph.ImportOptions{Project: "app", Tolerant: true}
	imported("new", other, issues[:3]...)
	imported("again", other, issues[:3]...)
	imported("with another entry", other, append(issues[:3:3], graph.PlanEntry{Line: 4, Kind: "task", ID: "10", Name: "Ten", DependsOn: []string{"2", "T-1"}}, graph.PlanEntry{Line: 5, Kind: "dependency", Source: "3", Target: "10"})...)
	imported("under a prefix", graph.ImportOptions{Project: "app", Tolerant: true, Prefix: "P:"}, issues[:3]...)
	imported("only new ids", graph.ImportOptions{Project: "app", Tolerant: true}, graph.PlanEntry{Line: 1, Kind: "task", ID: "N-1", Name: "New"})
	imported("in no project", graph.ImportOptions{Project: "none", Tolerant: true}, issues[:3]...)
	for _, id := range []string{"I-1", "I-2", "I-3", "I-5", "2", "3", "7", "8"} {
		d, err := s.Tasks.Get(t.Context(), id)
		d.History = nil
		s.note(d, err, "task %s", id)
	}
	s.compare("import")
}

// A folder's project is the one that was made for it, and the sizes of artifacts are read where the caller stands.
func TestProjectOfAFolder(t *testing.T) {
	t.Parallel()
	p := newPlan(t)
	dir := t.TempDir()
	made, err := p.CreateProject(t.Context(), graph.NewProject{ID: "here", Name: "Here", Description: "It", Status: "on_hold", Path: dir})
	p.must(err)
	if made.UID != "here" || made.Name != "Here" || made.Status != "on_hold" {
		t.Errorf("%+v", made)
	}
	err = p.DB.Read(t.Context(), func(tx *registry.Tx) error {
		for folder, want := range map[string]string{dir: "here", t.TempDir(): "", filepath.Join(dir, "none"): ""} {
			if got, err := p.ProjectAt(tx, folder); got != want || err != nil {
				t.Errorf("%s: %q, %v, want %q", folder, got, err, want)
			}
		}
		return nil
	})
	p.must(err)
	p.must(os.WriteFile(filepath.Join(dir, "menu.go"), make([]byte, 5), 0o600))
	for _, folder := range []string{"", dir} {
		all, err := p.AddArtifacts(t.Context(), "T-3", folder, []graph.Produced{{Path: "menu.go"}}, "ann")
		p.must(err)
		if want := map[string]int64{"": 0, dir: 5}[folder]; len(all) != 1 || all[0].Size != want || all[0].ID == "" || all[0].Task != "T-3" || all[0].Project != "app" || all[0].Created.IsZero() {
			t.Errorf("from %q: %+v", folder, all)
		}
	}
}
