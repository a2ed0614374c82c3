package mcpserver

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/task"
)

// Calls that name no repository work in that of the server, or of the session's
// project; the folder of a server over stdio is tried from outside.
func TestTheRepositoryOfACall(t *testing.T) {
	w := newWorld(t, "AGIT_REPO=app")
	var made, there taskOutput
	w.must("agit_create_task", args{"description": "by the environment"}, &made)
	if made.Repo != "app" {
		t.Errorf("made %+v", made)
	}

	w = newWorld(t)
	if r := w.fails("agit_list_tasks", nil); r.Error != "ValidationError" || r.Field != "repo" {
		t.Errorf("outside: %+v", r)
	}
	w.must("agit_create_task", args{"repo": "app", "description": "old"}, &there)
	w.must("agit_complete_task", args{"task_id": there.ID}, nil)
	w.must("agit_register_agent", args{"name": "boss", "type": "custom", "project_id": there.Project}, nil)
	w.must("agit_create_task", args{"description": "first"}, &made)
	w.must("agit_create_task", args{"description": "second", "id": "T-2", "dependencies": []string{made.ID}}, nil)
	var page tasksOutput
	w.must("agit_list_tasks", nil, &page)
	if len(page.Tasks) != 2 || made.Repo != "app" {
		t.Errorf("list %+v, made in %q", page, made.Repo)
	}
	w.must("agit_list_tasks", args{"taskId": "T-2"}, &page)
	if e := page.Explanation; len(page.Tasks) != 1 || e == nil || e.Ready || e.Reasons[0].Why != "waiting" {
		t.Errorf("one task: %+v", page)
	}
	w.must("agit_spawn_worktree", args{"task": made.ID}, nil)
	for _, tool := range []string{"agit_repo_status", "agit_check_conflicts", "agit_list_worktrees"} {
		w.must(tool, nil, nil)
	}
	w.must("pm_create_project", args{"id": "plan", "name": "Plan"}, nil)
	w.must("pm_create_epic", args{"epicId": "E-1", "projectId": "plan", "name": "Epic"}, nil)
	w.must("pm_create_task", args{"taskId": "P-1", "epicId": "E-1", "name": "in the plan"}, nil)
	w.must("agit_list_tasks", args{"project_id": "plan"}, &page)
	if len(page.Tasks) != 1 || page.Tasks[0].ID != "P-1" {
		t.Errorf("of the project: %+v", page)
	}
	if r := w.fails("agit_list_tasks", args{"project_id": "nosuch"}); r.Error != "NotFoundError" {
		t.Errorf("of no project: %+v", r)
	}
	// The next task stays there too: nothing of the plan's is given.
	var next nextTaskOutput
	w.must("pm_get_next_task", args{"agent": "ann"}, &next)
	if next.TaskID != nil {
		t.Errorf("next here: %+v", next)
	}
	w.must("pm_get_next_task", args{"agent": "ann", "projectId": "*"}, &next)
	if next.TaskID == nil || *next.TaskID != "P-1" || next.Dependencies == nil {
		t.Errorf("next anywhere: %+v", next)
	}
}

// A claim by mistake needs these: giving back, reopening, editing, deleting.
func TestUpdatingATask(t *testing.T) {
	w := newWorld(t)
	id, other := w.task("a"), w.session()
	var out struct{ Task task.Task }
	w.must("agit_claim_task", args{"task_id": id}, nil)
	w.main, other = other, w.main
	for _, in := range []args{{"action": "release"}, {"priority": "low"}, {"action": "block"}} {
		in["task_id"] = id
		if r := w.fails("agit_update_task", in); r.Error != "ConflictError" {
			t.Errorf("a stranger's %v: %+v", in, r)
		}
	}
	w.main = other
	w.must("agit_update_task", args{"task_id": id, "description": "b", "priority": "high", "estimate": "2h", "capabilities": []string{"go"}}, &out)
	if out.Task.Name != "b" || out.Task.Priority.String() != "high" || out.Task.Status != task.Claimed {
		t.Errorf("edited: %+v", out)
	}
	w.must("agit_update_task", args{"task_id": id, "action": "release", "why": "not mine"}, &out)
	if out.Task.Status != task.Pending {
		t.Errorf("released: %+v", out)
	}
	w.must("agit_update_task", args{"task_id": id, "action": "block", "why": "wait"}, &out)
	w.must("agit_update_task", args{"task_id": id, "action": "unblock"}, &out)
	w.must("agit_complete_task", args{"task_id": id}, nil)
	if r := w.fails("agit_update_task", args{"task_id": id, "action": "release"}); r.Error != "ConflictError" {
		t.Errorf("releasing what is finished: %+v", r)
	}
	w.must("agit_update_task", args{"task_id": id, "action": "reopen"}, &out)
	if out.Task.Status != task.Pending {
		t.Errorf("reopened: %+v", out)
	}
	if r := w.fails("agit_update_task", args{"task_id": id, "action": "delete", "confirm": true}); r.Error != "ConflictError" {
		t.Errorf("deleting what was begun: %+v", r)
	}
	id = w.task("never mind")
	if r := w.fails("agit_update_task", args{"task_id": id, "action": "delete"}); r.Error != "ValidationError" || r.Field != "confirm" {
		t.Errorf("deleting without a word: %+v", r)
	}
	var gone struct{ Task task.Deletion }
	w.must("agit_update_task", args{"task_id": id, "action": "delete", "confirm": true}, &gone)
	if !gone.Task.Deleted || len(gone.Task.Tasks) != 1 {
		t.Errorf("deleted: %+v", gone)
	}
	if r := w.fails("agit_update_task", args{"task_id": w.task("x")}); r.Error != "ValidationError" || !strings.Contains(r.Message, "nothing is named") {
		t.Errorf("an edit of nothing: %+v", r)
	}
}

func TestAnnouncingFiles(t *testing.T) {
	w := newWorld(t)
	var out claimFilesOutput
	w.must("agit_claim_files", args{"repo": "app", "patterns": []string{"src/**"}, "agent_id": "ann", "why": "login"}, &out)
	if len(out.Claims) != 1 || out.Claims[0].Agent != "ann" || out.BookedOn.Agent != "ann" || out.BookedOn.Project == "" {
		t.Errorf("announced %+v", out)
	}
	w.must("agit_claim_files", args{"repo": "app", "patterns": []string{"src/a.go"}, "agent_id": "bob"}, &out)
	if len(out.Claims) != 1 || len(out.Claims[0].Overlaps) != 1 {
		t.Errorf("announced beside it %+v", out)
	}
	w.must("agit_claim_files", args{"repo": "app", "release": true, "agent_id": "bob"}, &out)
	if out.Released != 1 {
		t.Errorf("released %+v", out)
	}
	if r := w.fails("agit_claim_files", args{"repo": "app", "agent_id": "bob"}); r.Error != "ValidationError" {
		t.Errorf("nothing announced: %+v", r)
	}
}

// A worktree of a pull request has the branch of that pull request, and the number must be one that a forge can assign.
func TestSpawnOfAPullRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for field, given := range map[string]args{"branch": {"repo": "app", "pr": 9, "branch": "x"}, "pr": {"repo": "app", "pr": -1}} {
		if r := w.fails("agit_spawn_worktree", given); r.Error != "ValidationError" || r.Field != field {
			t.Errorf("%v: %+v", given, r)
		}
	}
	if r := w.fails("agit_spawn_worktree", args{"repo": "app", "pr": 9}); !strings.Contains(r.Message, "remote") { // it is asked at the forge
		t.Errorf("%+v", r)
	}
}
