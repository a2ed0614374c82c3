package mcpserver

import (
	"strings"
	"testing"
)

// A client over MCP may have no command line, so a hint names the tool where one can do the work.
func TestHintsNameTools(t *testing.T) {
	w := newWorld(t)
	held := w.task("held")
	w.must("agit_claim_task", args{"task_id": held, "agent_id": "ann"}, nil)
	for _, tc := range []struct {
		tool  string
		in    args
		names string
	}{
		{"agit_repo_status", args{"repo": "nowhere"}, "agit_list_repos"},
		{"agit_claim_task", args{"task_id": "nothing"}, "agit_list_tasks"},
		{"agit_claim_task", args{"task_id": held, "agent_id": "bob"}, "agit_list_tasks"},
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
