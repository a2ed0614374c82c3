package integration

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// The documents that tools return, with the names that clients depend on.
type (
	bookedOn struct {
		Project, Agent string
	}
	taskDoc struct {
		ID, Name, Description, Status, Agent, Result, Project string
		CreatedAt                                             string   `json:"created_at"`
		CompletedAt                                           string   `json:"completed_at"`
		ClaimToken                                            int64    `json:"claim_token"`
		BookedOn                                              bookedOn `json:"booked_on"`
	}
	worktreeDoc struct {
		ID       string `json:"worktree_id"`
		Path     string
		Branch   string
		Status   string
		Agent    string
		TaskID   string   `json:"task_id"`
		BookedOn bookedOn `json:"booked_on"`
	}
	beginDoc struct {
		Action string
		Task   *struct {
			ID         string
			Again      bool
			ClaimToken int64 `json:"claim_token"`
		}
		Worktree struct {
			ID   string `json:"worktree_id"`
			Path string
		}
		Review   *struct{ Why string }
		BookedOn bookedOn `json:"booked_on"`
	}
	repoDoc struct {
		Name             string
		Path             string
		DefaultBranch    string  `json:"default_branch"`
		RemoteURL        *string `json:"remote_url"`
		WorktreeCount    *int    `json:"worktree_count"`
		TaskCount        *int    `json:"task_count"`
		ActiveAgentCount *int    `json:"active_agent_count"`
	}
	conflictsDoc struct {
		Conflicts []struct {
			File      string
			Depth     string
			Worktrees []struct {
				ID    string `json:"worktree_id"`
				Agent string
			}
		}
		ScannedWorktrees int `json:"scanned_worktrees"`
	}
	agentDoc struct {
		AgentID         string `json:"agent_id"`
		Name            string
		Type            string
		Status          string
		LastSeen        string   `json:"last_seen"`
		CurrentWorktree string   `json:"current_worktree"`
		BookedOn        bookedOn `json:"booked_on"`
	}
)

// job is what two agents do through the tools, step by step.
type job struct {
	t      *testing.T
	w      *world
	c      *mcpclient.Client
	called map[string]bool

	ann                 agentDoc
	first, second       taskDoc
	mine, theirs, third worktreeDoc
}

func (j *job) must(tool string, in args, out any) {
	j.t.Helper()
	j.called[tool] = true
	j.c.MustCall(j.t, tool, in, out)
}

// Two agents do a whole job through the tools; every tool is called.
func TestMCPEveryTool(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, w *world, c *mcpclient.Client) {
		j := &job{t: t, w: w, c: c, called: map[string]bool{}}
		j.registers()
		j.makesTasks()
		j.spawns()
		j.findsConflicts()
		j.looks()
		j.lands()
		j.changesTasks()
		j.beginsAndFinishes()
		j.plans()
		j.lists()
		offered, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range offered.Tools {
			if !j.called[tool.Name] {
				t.Errorf("%s is not tried here", tool.Name)
			}
		}
		if len(offered.Tools) != len(j.called) {
			t.Errorf("%d tools are offered, %d were called", len(offered.Tools), len(j.called))
		}
	})
}

// registers: an agent comes, to a repository that is added.
func (j *job) registers() {
	var added struct {
		repoDoc
		Outcome string
	}
	j.w.makeRepo(j.t, filepath.Join(j.w.home, "other"))
	j.must("agit_add_repo", args{"path": filepath.Join(j.w.home, "other")}, &added)
	if added.Name != "other" || added.Outcome != "added" || added.DefaultBranch != "main" {
		j.t.Errorf("added %+v", added)
	}

	j.must("agit_register_agent", args{"name": "ann", "type": "claude", "capabilities": []string{"go"}}, &j.ann)
	if j.ann.AgentID == "" || j.ann.Status != "active" || j.ann.Type != "claude" {
		j.t.Errorf("registered %+v", j.ann)
	}
	var beat agentDoc
	j.must("agit_heartbeat", args{"agent_id": j.ann.AgentID}, &beat)
	if beat.Status != "active" || moment(j.t, beat.LastSeen).Before(moment(j.t, j.ann.LastSeen)) || beat.BookedOn.Agent != "ann" {
		j.t.Errorf("heartbeat %+v after %+v", beat, j.ann)
	}
}

// makesTasks: one task is claimed, another closed.
func (j *job) makesTasks() {
	j.must("agit_create_task", args{"repo": "app", "description": "Fix the login\nin file.txt", "priority": "high"}, &j.first)
	j.must("agit_create_task", args{"repo": "app", "description": "Never mind", "id": "UAT-1"}, &j.second)
	if j.first.Name != "Fix the login" || j.first.Status != "pending" || j.first.CreatedAt == "" || j.first.BookedOn.Agent != "ann" || j.first.BookedOn.Project == "" || j.second.ID != "UAT-1" {
		j.t.Errorf("created %+v and %+v", j.first, j.second)
	}
	var claimed taskDoc
	j.must("agit_claim_task", args{"task_id": j.first.ID, "agent_id": j.ann.AgentID}, &claimed)
	if claimed.Status != "claimed" || claimed.Agent != "ann" || claimed.ClaimToken == 0 {
		j.t.Errorf("claimed %+v", claimed)
	}
	j.must("agit_fail_task", args{"task_id": "uat-1", "result": "canceled"}, &j.second)
	if j.second.Status != "failed" || j.second.Result != "canceled" || j.second.CompletedAt == "" {
		j.t.Errorf("failed %+v", j.second)
	}
}

// spawns: three worktrees, two with an edit of one line.
func (j *job) spawns() {
	j.must("agit_spawn_worktree", args{"repo": "app", "task": j.first.ID}, &j.mine)
	j.must("agit_spawn_worktree", args{"repo": "app", "task": "fix auth", "agent": "bob"}, &j.theirs)
	j.must("agit_spawn_worktree", args{"repo": "app", "branch": "by-hand"}, &j.third)
	if j.mine.TaskID != j.first.ID || j.mine.Agent != "ann" || j.theirs.Agent != "bob" || j.theirs.TaskID == "" || j.third.Branch != "by-hand" ||
		!strings.HasPrefix(j.theirs.Branch, "agit/fix-auth-") || !strings.HasPrefix(j.mine.Path, filepath.Join(j.w.repo, ".worktrees")) {
		j.t.Errorf("spawned %+v, %+v, %+v", j.mine, j.theirs, j.third)
	}
	write(j.t, j.mine.Path, "file.txt", strings.Repeat("line\n", 4)+"ann\n"+strings.Repeat("line\n", 5))
	write(j.t, j.theirs.Path, "file.txt", strings.Repeat("line\n", 4)+"bob\n"+strings.Repeat("line\n", 5))
}

// findsConflicts: the edits meet, at every depth.
func (j *job) findsConflicts() {
	var found conflictsDoc
	j.must("agit_check_conflicts", args{"repo": "app"}, &found)
	if len(found.Conflicts) != 1 || found.ScannedWorktrees != 3 || found.Conflicts[0].File != "file.txt" || found.Conflicts[0].Depth != "merge" {
		j.t.Fatalf("conflicts %+v", found)
	}
	var sides []string
	for _, side := range found.Conflicts[0].Worktrees {
		sides = append(sides, side.ID+" "+side.Agent)
	}
	if diff := cmp.Diff([]string{j.mine.ID + " ann", j.theirs.ID + " bob"}, sides); diff != "" {
		j.t.Error(diff)
	}
	for depth, want := range map[string]string{"file": "file", "lines": "lines", "merge": "merge"} {
		j.must("agit_check_conflicts", args{"repo": "app", "depth": depth}, &found)
		if len(found.Conflicts) != 1 || found.Conflicts[0].Depth != want {
			j.t.Errorf("at depth %s: %+v", depth, found)
		}
	}
}

// looks: running calls are counted.
func (j *job) looks() {
	var state struct {
		repoDoc
		Worktrees []worktreeDoc
		Tasks     map[string]int
		Active    []taskDoc `json:"active_tasks"`
		Conflicts conflictsDoc
	}
	j.must("agit_repo_status", args{"repo": "app"}, &state)
	if len(state.Worktrees) != 3 || *state.WorktreeCount != 3 || *state.TaskCount != 3 || *state.ActiveAgentCount != 2 ||
		state.Tasks["claimed"] != 2 || len(state.Active) != 2 || len(state.Conflicts.Conflicts) != 1 {
		j.t.Errorf("status %+v", state)
	}
	var trees struct{ Worktrees []worktreeDoc }
	j.must("agit_list_worktrees", args{"repo": "app"}, &trees)
	if len(trees.Worktrees) != 3 {
		j.t.Errorf("worktrees %+v", trees)
	}
}

// lands: a worktree is merged, one is removed.
func (j *job) lands() {
	j.w.git(j.t, j.mine.Path, "commit", "-qam", "ann's work")
	var merged struct {
		Worktree worktreeDoc
		Into     string
		Commit   string
		Removed  bool
		BookedOn bookedOn `json:"booked_on"`
	}
	j.must("agit_merge_worktree", args{"repo": "app", "worktree_id": j.mine.ID}, &merged)
	if merged.Into != "main" || !merged.Removed || merged.Worktree.Status != "completed" || merged.BookedOn.Agent != "ann" ||
		strings.TrimSpace(j.w.git(j.t, j.w.repo, "rev-parse", "main")) != merged.Commit {
		j.t.Errorf("merged %+v", merged)
	}
	var removed struct {
		Worktree worktreeDoc
		Removed  bool
	}
	j.must("agit_remove_worktree", args{"repo": "app", "worktree_id": j.third.ID}, &removed)
	if !removed.Removed || removed.Worktree.ID != j.third.ID {
		j.t.Errorf("removed %+v", removed)
	}
}

// changesTasks: tasks are listed, completed, edited and deleted, and files announced.
func (j *job) changesTasks() {
	var tasks struct{ Tasks []taskDoc }
	j.must("agit_list_tasks", args{"repo": "app", "status": "completed"}, &tasks)
	if len(tasks.Tasks) != 1 || tasks.Tasks[0].ID != j.first.ID || tasks.Tasks[0].CompletedAt == "" {
		j.t.Errorf("the merge completed %+v", tasks)
	}
	j.must("agit_create_task", args{"repo": "app", "description": "short"}, &j.second)
	j.must("agit_complete_task", args{"task_id": j.second.ID, "result": "done by hand"}, &j.second)
	if j.second.Status != "completed" || j.second.Result != "done by hand" || j.second.Agent != "ann" {
		j.t.Errorf("completed %+v", j.second)
	}
	var announced struct {
		Claims []struct{ Agent, Pattern string }
	}
	j.must("agit_claim_files", args{"repo": "app", "patterns": []string{"src/**"}}, &announced)
	if len(announced.Claims) != 1 || announced.Claims[0].Agent != "ann" {
		j.t.Errorf("announced %+v", announced)
	}
	var edited struct{ Task taskDoc }
	j.must("agit_create_task", args{"repo": "app", "description": "later"}, &j.second)
	j.must("agit_update_task", args{"task_id": j.second.ID, "priority": "low"}, &edited)
	j.must("agit_update_task", args{"task_id": j.second.ID, "action": "delete", "confirm": true}, nil)
	if edited.Task.ID != j.second.ID {
		j.t.Errorf("edited %+v", edited)
	}
}

// beginsAndFinishes: two calls complete a task.
func (j *job) beginsAndFinishes() {
	var began, none beginDoc
	j.must("agit_create_task", args{"repo": "app", "description": "Nothing to do", "id": "UAT-9"}, nil)
	j.must("agit_begin", args{"task_id": "uat-9", "agent_id": "cid"}, &began)
	if began.Task == nil || began.Task.ID != "UAT-9" || began.Task.ClaimToken != 1 || began.Worktree.ID == "" || began.Action == "" || began.BookedOn.Agent != "cid" {
		j.t.Fatalf("began %+v", began)
	}
	var finished struct {
		State string
		Task  struct{ Status string }
	}
	j.must("agit_finish", args{"agent_id": "cid", "status": "no_changes", "summary": "It is so already."}, &finished)
	if finished.State != "removed" || finished.Task.Status != "completed" {
		j.t.Errorf("finished %+v", finished)
	}
	j.must("agit_begin", args{"repo": "app", "agent_id": "cid"}, &none)
	if none.Task != nil {
		j.t.Errorf("nothing was ready, and %+v was begun", none)
	}
}

// plans: the graph of a project.
func (j *job) plans() {
	j.must("pm_create_project", args{"id": "proj", "name": "Project"}, nil)
	j.must("pm_create_epic", args{"epicId": "EPIC-1", "projectId": "proj", "name": "Epic"}, nil)
	j.must("pm_create_task", args{"taskId": "UAT-001", "name": "First", "epicId": "EPIC-1"}, nil)
	var waits struct{ DependenciesMet bool }
	j.must("pm_create_task", args{"taskId": "UAT-002", "name": "Second", "epicId": "EPIC-1", "dependencies": []string{"UAT-001"}}, &waits)
	var next struct{ TaskID string }
	j.must("pm_get_next_task", args{"projectId": "proj"}, &next)
	if waits.DependenciesMet || next.TaskID != "UAT-001" {
		j.t.Errorf("UAT-002 is ready: %t; next is %q", waits.DependenciesMet, next.TaskID)
	}
	j.must("pm_report_progress", args{"taskId": "UAT-001", "status": "completed"}, nil)
	j.must("pm_report_bug", args{"title": "It breaks", "severity": "high", "blockedTasks": []string{"UAT-002"}}, nil)
	j.must("pm_record_scenario", args{"scenarioId": "SCN-1", "name": "Login", "status": "passed", "passRate": 99.5, "validates": []string{"UAT-001"}}, nil)
	j.must("pm_get_project_status", args{"projectId": "proj"}, nil)
	var answer struct {
		Results []struct {
			Bug   string `json:"b"`
			Tasks []string
		}
	}
	j.must("pm_query_graph", args{"query": "MATCH (b:Bug)-[:BLOCKS]->(t:Task) WHERE b.severity = $s RETURN b.id AS b, collect(t.id) AS tasks", "parameters": args{"s": "high"}}, &answer)
	if len(answer.Results) != 1 || len(answer.Results[0].Tasks) != 1 || answer.Results[0].Tasks[0] != "UAT-002" {
		j.t.Fatalf("the graph says %+v", answer)
	}
	j.must("pm_resolve_bug", args{"bugId": answer.Results[0].Bug, "status": "fixed"}, nil)
}

// lists: the repositories, with what was left in them.
func (j *job) lists() {
	var repos struct{ Repos []repoDoc }
	j.must("agit_list_repos", args{}, &repos)
	if len(repos.Repos) != 2 || repos.Repos[0].Name != "app" || repos.Repos[0].Path != j.w.repo || repos.Repos[0].DefaultBranch != "main" ||
		repos.Repos[0].RemoteURL == nil || *repos.Repos[0].WorktreeCount != 1 || *repos.Repos[0].TaskCount != 5 || repos.Repos[0].ActiveAgentCount == nil {
		j.t.Errorf("repos %+v", repos)
	}
}

func TestMCPToolLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	names := func(args ...string) (names []string) {
		t.Helper()
		list, err := w.connect(t, "stdio", args...).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		return names
	}
	if diff := cmp.Diff([]string{"agit_check_conflicts", "agit_list_repos", "agit_list_tasks", "agit_list_worktrees", "agit_repo_status",
		"pm_get_project_status", "pm_query_graph"}, names("--read-only")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"agit_heartbeat", "agit_list_repos"}, names("--tools", "agit_list_repos,agit_heartbeat")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"agit_check_conflicts", "agit_list_repos"}, names("--tools", "core", "--read-only")); diff != "" {
		t.Error(diff)
	}

	// A tool that is not offered cannot be called either.
	c := w.connect(t, "stdio", "--read-only")
	if err := c.CallJSON(t.Context(), "agit_create_task", args{"repo": "app", "description": "x"}, nil); err == nil {
		t.Error("a read-only server writes")
	}
	var tasks struct{ Tasks []taskDoc }
	if w.read(t, &tasks, "tasks", "app"); len(tasks.Tasks) != 0 {
		t.Errorf("tasks %+v", tasks)
	}
	for _, wrong := range []string{"agit_list_repo", "agit_heartbeat --read-only"} {
		cmd := w.program(append([]string{"serve", "--tools"}, strings.Fields(wrong)...)...)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 2 {
			t.Errorf("--tools %s: %v, %s", wrong, err, out)
		}
	}
}

// A stdio server works in the repository in which it was started, also from a worktree, unless a call names another one.
func TestMCPServerStandsInARepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := filepath.Join(w.home, "other")
	w.makeRepo(t, other)
	w.agit(t, "add", other)
	w.agit(t, "tasks", "other", "--create", "elsewhere")
	w.agit(t, "tasks", "app", "--create", "here", "--id", "HERE")
	var tree worktreeDoc
	w.read(t, &tree, "spawn", "app")
	for _, dir := range []string{w.repo, tree.Path} {
		serve := w.program("serve")
		serve.Dir = dir
		c := mcpclient.Command(t, serve)
		var tasks struct{ Tasks []taskDoc }
		c.MustCall(t, "agit_list_tasks", args{}, &tasks)
		if len(tasks.Tasks) != 1 || tasks.Tasks[0].ID != "HERE" {
			t.Errorf("in %s: %+v", dir, tasks)
		}
		var next struct{ TaskID string }
		c.MustCall(t, "pm_get_next_task", args{}, &next)
		if next.TaskID != "HERE" {
			t.Errorf("next in %s: %+v", dir, next)
		}
		next.TaskID = ""
		if c.MustCall(t, "pm_get_next_task", args{}, &next); next.TaskID != "" {
			t.Errorf("another repository's task: %+v", next)
		}
		c.MustCall(t, "agit_update_task", args{"task_id": "HERE", "action": "release"}, nil)
	}
}

// moment reads a time of a document.
func moment(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, s)
	must(t, err)
	return at
}
