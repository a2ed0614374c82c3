package mcpserver

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/registry"
)

// halt takes an agent's last score point, as memoryd does.
func (w *world) halt(name string) {
	w.t.Helper()
	if err := w.stores.DB.Write(w.t.Context(), registry.Everything, func(tx *registry.Tx) error {
		a, err := agent.Register(tx, agent.Registration{Name: name})
		if err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO agent_scores (agent_id, sp, xp_tenths, cs, commits, bugs, halted, updated_at) VALUES (?, 0, 0, 0, 0, 1, 1, ?)`, a.ID, tx.Stamp())
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
}

// A halted agent gets no work by any tool, and the refusal names the way out.
func TestHaltedAgentGetsNoClaim(t *testing.T) {
	w := newWorld(t)
	id := w.task("work")
	w.halt("ann")
	for tool, in := range map[string]args{
		"agit_claim_task":     {"task_id": id, "agent_id": "ann"},
		"pm_get_next_task":    {"agentName": "ann"},
		"pm_report_progress":  {"taskId": id, "status": "in_progress", "agentName": "ann"},
		"agit_spawn_worktree": {"repo": "app", "task": id, "agent": "ann"},
		"agit_complete_task":  {"task_id": id, "agent_id": "ann"},
	} {
		r := w.fails(tool, in)
		if r.Error != "ConflictError" || !strings.Contains(r.Message, `agent "ann" is halted`) || !strings.Contains(r.Message, "memoryd agent resume ann") {
			t.Errorf("%s: %+v", tool, r)
		}
	}
	var list struct{ Tasks []struct{ Status string } }
	w.must("agit_list_tasks", args{"repo": "app"}, &list)
	if len(list.Tasks) != 1 || list.Tasks[0].Status != "pending" {
		t.Errorf("after all refusals: %+v", list)
	}
	w.must("agit_claim_task", args{"task_id": id, "agent_id": "bob"}, nil)
}
