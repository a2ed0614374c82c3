package mcpserver

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/task"
)

// Over MCP no other session finishes, fails or takes over what one has claimed,
// whether it names an agent or not; the token is enough for anyone.
func TestStrangersOverMCP(t *testing.T) {
	w := newWorld(t)
	id, other := w.task("a"), w.session()
	var claim taskOutput
	w.must("agit_claim_task", args{"task_id": id, "agent_id": "ann"}, &claim)
	w.main, other = other, w.main
	for _, tool := range []string{"agit_complete_task", "agit_fail_task"} {
		for _, in := range []args{
			{"task_id": id, "agent_id": "mallory"}, {"task_id": id}, {"task_id": id, "claim_token": 7}, {"task_id": id, "agent_id": "ann", "claim_token": 7},
		} {
			if r := w.fails(tool, in); r.Error != "ConflictError" || !strings.Contains(r.Message, `"ann"`) {
				t.Errorf("%s%v: %+v", tool, in, r)
			}
		}
	}
	for _, status := range []string{"in_progress", "completed", "failed"} {
		if r := w.fails("pm_report_progress", args{"taskId": id, "status": status, "agentName": "mallory", "metrics": args{"duration": "5h"}}); r.Error != "ConflictError" {
			t.Errorf("%s: %+v", status, r)
		}
	}
	if r := w.fails("agit_claim_task", args{"task_id": id, "hand_over_to": "mallory"}); r.Error != "ConflictError" {
		t.Errorf("handing over: %+v", r)
	}
	var done taskOutput
	w.must("agit_complete_task", args{"task_id": id, "claim_token": claim.ClaimToken}, &done)
	if done.Status != task.Completed || done.Agent != "ann" {
		t.Errorf("by token: %+v", done)
	}
	// Finished, it is the winner's alone.
	if r := w.fails("agit_complete_task", args{"task_id": id, "agent_id": "bob"}); r.Error != "ConflictError" {
		t.Errorf("completed twice: %+v", r)
	}
	w.mustIn(other, "agit_complete_task", args{"task_id": id}, &done)
}

// An orchestrator claims, and books the work on other agents of its session; the
// work goes with each report, and a token of its own.
func TestAnOrchestratorBooksOnItsAgents(t *testing.T) {
	w := newWorld(t)
	id := w.task("a")
	var claim taskOutput
	w.must("agit_register_agent", args{"name": "boss", "type": "custom"}, nil)
	w.must("agit_claim_task", args{"task_id": id}, &claim)
	var moved progressOutput
	for i, worker := range []string{"one", "two"} {
		w.must("pm_report_progress", args{"taskId": id, "status": "in_progress", "agentName": worker}, &moved)
		if want := claim.ClaimToken + int64(i) + 1; moved.BookedOn.Agent != worker || moved.Token != want {
			t.Errorf("%s: %+v", worker, moved)
		}
	}
	if r := w.fails("agit_claim_task", args{"task_id": id, "agent_id": "three"}); r.Error != "ConflictError" {
		t.Errorf("a second claim in one session: %+v", r)
	}
	if r := w.fails("agit_complete_task", args{"task_id": id, "claim_token": claim.ClaimToken}); r.Error != "ConflictError" {
		t.Errorf("the first token: %+v", r)
	}
	var done taskOutput
	w.must("agit_complete_task", args{"task_id": id, "agent_id": "two"}, &done)
	if done.Agent != "two" {
		t.Errorf("done: %+v", done)
	}
	d, err := w.stores.Tasks.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var who []string
	for _, e := range d.History {
		who = append(who, e.Name+e.Actor+":"+e.Field)
	}
	if got := strings.Join(who[1:], " "); got != "boss:status one:agent one:status two:agent two:status" {
		t.Errorf("history: %s", got)
	}
}

// Handing over gives the claim to an agent of any session; the one that had it
// is a stranger then.
func TestHandingOverATask(t *testing.T) {
	w := newWorld(t)
	id, other := w.task("a"), w.session()
	w.must("agit_claim_task", args{"task_id": id, "agent_id": "ann"}, nil)
	var handed, done taskOutput
	w.must("agit_claim_task", args{"task_id": id, "agent_id": "ann", "hand_over_to": "bob"}, &handed)
	if handed.Agent != "bob" || handed.ClaimToken != 2 || handed.BookedOn.Agent != "ann" {
		t.Errorf("handed over: %+v", handed)
	}
	if r := w.fails("agit_complete_task", args{"task_id": id, "agent_id": "ann"}); !strings.Contains(r.Message, `"bob"`) {
		t.Errorf("the former holder: %+v", r)
	}
	w.mustIn(other, "agit_complete_task", args{"task_id": id, "agent_id": "bob"}, &done)
	if r := w.fails("agit_claim_task", args{"task_id": w.task("b"), "hand_over_to": "bob"}); !strings.Contains(r.Message, "pending") {
		t.Errorf("what nobody holds: %+v", r)
	}
}
