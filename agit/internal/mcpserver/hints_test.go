package mcpserver

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// ticket makes a ticket in the repository's project.
func (w *world) ticket(key string) {
	w.t.Helper()
	r, err := w.stores.Repos.Get(w.t.Context(), "app")
	if err == nil {
		err = w.stores.DB.Write(w.t.Context(), registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
			_, err := work.Create(tx, work.NewItem{ProjectID: r.ProjectID, Kind: work.KindTicket, Ref: key, Text: "Log in", Status: "todo"})
			return err
		})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// A ticket's key begins its task, with a repository and without one.
func TestBeginATicket(t *testing.T) {
	w := newWorld(t)
	w.ticket("SEM-1")
	var first, again brief.Brief
	w.must("agit_begin", args{"task_id": "SEM-1", "agent_id": "ann", "repo": "app"}, &first)
	w.must("agit_begin", args{"task_id": "SEM-1", "agent_id": "ann"}, &again)
	if first.Task == nil || !first.Task.Made || again.Task == nil || again.Task.ID != first.Task.ID {
		t.Errorf("%+v, then %+v", first.Task, again.Task)
	}
	if r := w.fails("agit_begin", args{"task_id": "A new page", "agent_id": "ann"}); !strings.Contains(r.Message, "does not exist") {
		t.Error(r.Message)
	}
}

// A client over MCP may have no command line, so a hint names the tool where one can do the work.
func TestHintsNameTools(t *testing.T) {
	w := newWorld(t)
	held := w.task("held")
	w.ticket("SEM-1")
	w.must("agit_claim_task", args{"task_id": held, "agent_id": "ann"}, nil)
	for _, tc := range []struct {
		tool  string
		in    args
		names string
	}{
		{"agit_repo_status", args{"repo": "nowhere"}, "agit_list_repos"},
		{"agit_claim_task", args{"task_id": "nothing"}, "agit_list_tasks"},
		{"agit_claim_task", args{"task_id": held, "agent_id": "bob"}, "agit_list_tasks"},
		{"agit_claim_task", args{"task_id": "SEM-1", "agent_id": "bob"}, "agit_begin with it as task_id"},
		{"pm_report_progress", args{"taskId": "nothing", "status": "completed"}, "pm_query_graph"},
		{"agit_finish", args{"agent_id": "ann"}, "agit_begin makes one"},
		{"agit_complete_task", args{"task_id": held, "claim_token": 7}, "the task to"},
		{"agit_update_task", args{"task_id": w.task("free"), "action": "unblock"}, "agit_list_tasks"},
		{"pm_resolve_bug", args{"bugId": "nothing", "status": "fixed"}, "pm_query_graph"},
		{"pm_report_bug", args{"title": "it breaks", "severity": "low", "blockedTasks": []string{"nothing"}}, "pm_query_graph"},
		{"agit_heartbeat", args{"agent_id": "nobody"}, "agit://agents"},
		{"agit_merge_worktree", args{"repo": "app", "worktree_id": "none"}, "agit_spawn_worktree"},
	} {
		r := w.fails(tc.tool, tc.in)
		if !strings.Contains(r.Message, tc.names) || strings.Contains(r.Message, "--") || strings.Contains(r.Message, "`agit ") {
			t.Errorf("%s%v: %s", tc.tool, tc.in, r.Message)
		}
	}
}
