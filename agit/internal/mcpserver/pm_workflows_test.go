package mcpserver

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph"
)

// todoApp is the project of the documents that this is drawn from: an epic with
// the given tasks, each waiting for those named with it.
func todoApp(t *testing.T, tasks ...[]string) *world {
	w := newWorld(t)
	w.must("pm_create_project", args{"id": "working-todo-app", "name": "Working Todo App", "description": "Production-ready todo application"}, nil)
	w.must("pm_create_epic", args{"epicId": "uat-testing", "projectId": "working-todo-app", "name": "UAT Testing", "priority": "high"}, nil)
	for _, task := range tasks {
		w.must("pm_create_task", args{"taskId": task[0], "name": "do " + task[0], "epicId": "uat-testing", "priority": "high",
			"requiredCapabilities": []string{"browser-automation"}, "dependencies": task[1:], "estimatedDuration": "5m"}, nil)
	}
	return w
}

var browser = []string{"browser-automation"}

// next asks as an agent; "" is nothing to do.
func (w *world) next(agent string) string {
	w.t.Helper()
	var out nextTaskOutput
	w.must("pm_get_next_task", args{"agentName": agent, "capabilities": browser, "projectId": "working-todo-app"}, &out)
	if out.TaskID == nil {
		return ""
	}
	return *out.TaskID
}

func (w *world) report(agent, task, status string) (out progressOutput) {
	w.t.Helper()
	w.must("pm_report_progress", args{"agentName": agent, "taskId": task, "status": status}, &out)
	return out
}

func (w *world) status() (out graph.Status) {
	w.t.Helper()
	w.must("pm_get_project_status", args{"projectId": "WORKING-TODO-APP"}, &out)
	return out
}

// Initialising a project, then the complete flow: next, start, complete with
// artifacts, which unblocks, next.
func TestCompleteFlow(t *testing.T) {
	w := todoApp(t, []string{"UAT-001"}, []string{"UAT-002", "UAT-001"})
	var made pmCreateTaskOutput
	w.must("pm_create_task", args{"taskId": "UAT-003", "name": "third", "epicId": "uat-testing", "dependencies": []string{"uat-002"}}, &made)
	if !made.Success || made.Status != "pending" || made.Met || made.BookedOn.Project != "working-todo-app" {
		t.Errorf("made %+v", made)
	}
	var first nextTaskOutput
	w.must("pm_get_next_task", args{"agentName": "orchestrator", "capabilities": browser}, &first)
	if *first.TaskID != "UAT-001" || first.Priority != "high" || first.EstimatedDuration != "5m" || first.ClaimToken != 1 ||
		first.Context.EpicName != "UAT Testing" || first.Context.ProjectName != "Working Todo App" || len(first.Dependencies) != 0 {
		t.Errorf("first %+v", first)
	}
	if got := w.report("integration-tester", "UAT-001", "in_progress"); got.Before != "claimed" || got.After != "in_progress" {
		t.Errorf("started %+v", got)
	}
	var done progressOutput
	w.must("pm_report_progress", args{
		"agentName": "integration-tester", "taskId": "UAT-001", "status": "completed",
		"artifacts": []args{{"path": "screenshots/scenario-001/", "type": "screenshot"}, {"path": "reports/UAT-001.md", "type": "report"}},
		"metrics":   args{"passRate": 100, "duration": "4m 30s"},
	}, &done)
	if !done.Success || done.Before != "in_progress" || done.After != "completed" || done.Artifacts != 2 || done.BookedOn.Agent != "integration-tester" {
		t.Errorf("done %+v", done)
	}
	if diff := cmp.Diff([]string{"UAT-002"}, done.Unblocked); diff != "" {
		t.Error(diff)
	}
	if d, err := w.stores.Tasks.Get(t.Context(), "UAT-001"); err != nil || d.ActualDuration != "4m 30s" || len(d.Artifacts) != 2 || d.Epic != "uat-testing" {
		t.Errorf("%+v, %v", d, err)
	}
	if got := w.next("orchestrator"); got != "UAT-002" {
		t.Errorf("then %q", got)
	}
	want := graph.Status{
		ProjectID: "working-todo-app", ProjectName: "Working Todo App", Status: "active",
		Epics: graph.EpicCounts{Total: 1, InProgress: 1}, Tasks: graph.TaskCounts{Total: 3, Pending: 1, Claimed: 1, Completed: 1},
		Agents: graph.AgentCounts{Active: 1, Idle: 1}, Progress: 33.3, CriticalPath: []string{"UAT-002", "UAT-003"},
	}
	if diff := cmp.Diff(want, w.status()); diff != "" {
		t.Error(diff)
	}
}

// The loop of an orchestrator: ends by itself, at 100 %.
func TestExecutionLoop(t *testing.T) {
	w := todoApp(t, []string{"A"}, []string{"B", "A"}, []string{"C", "A"}, []string{"D", "B", "C"})
	var order []string
	for id := w.next("orchestrator"); id != ""; id = w.next("orchestrator") {
		order = append(order, id)
		w.report("worker", id, "completed")
	}
	if diff := cmp.Diff([]string{"A", "B", "C", "D"}, order); diff != "" {
		t.Error(diff)
	}
	if st := w.status(); st.Progress != 100 || st.Epics.Completed != 1 || len(st.CriticalPath) != 0 {
		t.Errorf("at the end %+v", st)
	}
}

// Bug triage: a bug blocks what is open, whatever it was, names what was
// finished, and its end restores what no other bug blocks.
func TestBugFlow(t *testing.T) {
	w := todoApp(t, []string{"UAT-014"}, []string{"UAT-015"}, []string{"UAT-016", "UAT-015"}, []string{"UAT-017", "UAT-015"}, []string{"UAT-018"})
	w.report("x", "UAT-014", "completed")
	w.report("integration-tester", "UAT-015", "in_progress")
	var bug bugOutput
	w.must("pm_report_bug", args{
		"title": "Delete button removes wrong todo", "description": "Clicking delete removes a random todo", "severity": "critical",
		"foundBy": "integration-tester", "foundInTask": "UAT-015", "blockedTasks": []string{"UAT-016", "UAT-017", "UAT-014", "UAT-015"},
	}, &bug)
	if bug.Count != 3 || bug.BookedOn.Agent != "integration-tester" || cmp.Diff([]string{"UAT-014"}, bug.NotBlocked) != "" {
		t.Errorf("bug %+v", bug)
	}
	if st := w.status(); st.Tasks.Blocked != 3 || st.Tasks.InProgress != 0 || st.Bugs != (graph.BugCounts{Total: 1, Open: 1, Critical: 1}) {
		t.Errorf("status %+v", st)
	}
	if r := w.fails("pm_report_progress", args{"agentName": "integration-tester", "taskId": "UAT-015", "status": "completed"}); r.Error != "ConflictError" {
		t.Errorf("a blocked task was completed: %+v", r)
	}
	var other bugOutput
	w.must("pm_report_bug", args{"title": "Another", "description": "x", "severity": "low", "foundBy": "y", "blockedTasks": []string{"UAT-017"}}, &other)
	if got := w.next("orchestrator"); got != "UAT-018" {
		t.Errorf("with two bugs %q is next", got)
	}
	var nothing nextTaskOutput
	w.must("pm_get_next_task", args{"agentName": "z", "capabilities": browser, "projectId": "working-todo-app"}, &nothing)
	want := map[string]int{"blocked_by_bug": 2, "claimed": 2}
	got := map[string]int{}
	for why, n := range nothing.Reason {
		got[string(why)] = n
	}
	if diff := cmp.Diff(want, got); nothing.TaskID != nil || diff != "" {
		t.Errorf("nothing to do: %v %s", nothing.TaskID, diff)
	}
	var fixed resolveOutput
	w.must("pm_resolve_bug", args{"bugId": bug.BugID, "status": "fixed"}, &fixed)
	if diff := cmp.Diff([]string{"UAT-016", "UAT-015"}, fixed.Unblocked); diff != "" {
		t.Error(diff)
	}
	// It is what it was, and who held it still does.
	if d, err := w.stores.Tasks.Get(t.Context(), "UAT-015"); err != nil || d.Status != "in_progress" || d.Agent != "integration-tester" {
		t.Errorf("%+v, %v", d, err)
	}
	if done := w.report("integration-tester", "UAT-015", "completed"); cmp.Diff([]string{"UAT-016"}, done.Unblocked) != "" {
		t.Errorf("unblocked %v", done.Unblocked)
	}
}

func TestScenarios(t *testing.T) {
	w := todoApp(t, []string{"T-1"})
	var out scenarioOutput
	w.must("pm_record_scenario", args{"scenarioId": "UAT-001", "name": "Registration", "status": "running", "validates": []string{"T-1"}}, &out)
	w.must("pm_record_scenario", args{"scenarioId": "uat-001", "name": "Registration", "status": "passed", "passRate": 97.5}, &out)
	if out.ID != "UAT-001" || out.Status != "passed" || *out.PassRate != 97.5 || cmp.Diff([]string{"T-1"}, out.Validates) != "" || out.Project != "working-todo-app" {
		t.Errorf("recorded %+v", out)
	}
}

// The four categories of errors, each said of the right thing.
func TestGraphErrors(t *testing.T) {
	w := todoApp(t, []string{"A"}, []string{"B", "A"})
	w.next("ann")
	for name, c := range map[string]struct {
		tool        string
		in          args
		want, field string
	}{
		"status":      {"pm_report_progress", args{"taskId": "A", "status": "running"}, "ValidationError", "status"},
		"artifact":    {"pm_report_progress", args{"taskId": "A", "status": "completed", "artifacts": []args{{"file": "x"}}}, "ValidationError", "artifacts"},
		"duration":    {"pm_create_task", args{"taskId": "C", "name": "c", "epicId": "uat-testing", "estimatedDuration": "soon"}, "ValidationError", "estimatedDuration"},
		"missing":     {"pm_report_progress", args{"taskId": "UAT-999", "status": "completed"}, "NotFoundError", ""},
		"epic":        {"pm_create_task", args{"taskId": "C", "name": "c", "epicId": "none"}, "NotFoundError", ""},
		"dependency":  {"pm_create_task", args{"taskId": "C", "name": "c", "epicId": "uat-testing", "dependencies": []string{"none"}}, "NotFoundError", ""},
		"project":     {"pm_get_project_status", args{"projectId": "working-todo-ap"}, "NotFoundError", ""},
		"duplicate":   {"pm_create_task", args{"taskId": "a", "name": "c", "epicId": "uat-testing"}, "ConflictError", ""},
		"not ready":   {"pm_report_progress", args{"agentName": "x", "taskId": "B", "status": "in_progress"}, "ConflictError", ""},
		"own project": {"pm_create_project", args{"id": "Working-Todo-App", "name": "x"}, "ConflictError", ""},
	} {
		if r := w.fails(c.tool, c.in); r.Error != c.want || r.Field != c.field {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if st := w.status(); st.Tasks.Total != 2 {
		t.Errorf("a refused call left something: %+v", st.Tasks)
	}
}

func TestPeekChangesNothing(t *testing.T) {
	w := todoApp(t, []string{"A"})
	for range 2 {
		var out nextTaskOutput
		w.must("pm_get_next_task", args{"agentName": "nobody", "capabilities": browser, "peek": true}, &out)
		if out.TaskID == nil || *out.TaskID != "A" || out.ClaimToken != 0 || out.BookedOn != nil {
			t.Errorf("peeked %+v", out)
		}
	}
	var out nextTaskOutput
	w.must("pm_get_next_task", args{"agentName": "nobody", "capabilities": []string{}, "peek": true}, &out)
	if out.TaskID != nil || out.Reason["capabilities"] != 1 {
		t.Errorf("without the capability %+v", out)
	}
	w.must("pm_get_next_task", args{"agentName": "nobody", "capabilities": browser, "priority": "critical", "peek": true}, &out)
	if out.Reason["priority"] != 1 {
		t.Errorf("below the priority %+v", out)
	}
	var n int
	if err := w.count(&n, `SELECT COUNT(*) FROM leases`); err != nil || n != 0 {
		t.Errorf("%d leases, %v", n, err)
	}
}
