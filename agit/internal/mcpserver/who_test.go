package mcpserver

import (
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/task"

	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

// The agent of a call is its parameter, else the session's, else AGIT_AGENT,
// else client and session; every write says which.
func TestWhomAWriteIsBookedOn(t *testing.T) {
	t.Run("the parameter", func(t *testing.T) {
		w := newWorld(t, "AGIT_AGENT=env")
		w.must("agit_register_agent", args{"name": "session", "type": "custom"}, nil)
		var got taskOutput
		w.must("agit_claim_task", args{"task_id": w.task("a"), "agent_id": "given"}, &got)
		if got.BookedOn.Agent != "given" || got.Agent != "given" || got.BookedOn.Project != got.Project || got.Project == "" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("the session", func(t *testing.T) {
		w := newWorld(t, "AGIT_AGENT=env")
		w.must("agit_register_agent", args{"name": "session", "type": "custom"}, nil)
		w.must("agit_claim_task", args{"task_id": w.task("a"), "agent_id": "given"}, nil)
		var got taskOutput
		w.must("agit_claim_task", args{"task_id": w.task("b")}, &got)
		if got.BookedOn.Agent != "session" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("AGIT_AGENT", func(t *testing.T) {
		w := newWorld(t, "AGIT_AGENT=env")
		var got taskOutput
		w.must("agit_claim_task", args{"task_id": w.task("a")}, &got)
		if got.BookedOn.Agent != "env" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("client and session", func(t *testing.T) {
		w := newWorld(t)
		var got taskOutput
		w.must("agit_claim_task", args{"task_id": w.task("a")}, &got)
		if !strings.HasPrefix(got.BookedOn.Agent, "client-") || got.Agent != got.BookedOn.Agent {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("an id is told as the name", func(t *testing.T) {
		w := newWorld(t)
		var a agentOutput
		w.must("agit_register_agent", args{"name": "Ann", "type": "custom"}, &a)
		other := w.session()
		var got taskOutput
		w.mustIn(other, "agit_claim_task", args{"task_id": w.task("a"), "agent_id": strings.ToUpper(a.AgentID)}, &got)
		if got.BookedOn.Agent != "Ann" {
			t.Errorf("got %+v", got)
		}
	})
}

// Who begins a task by name speaks in the session from then on, until a second one does
// so there: a call without a name could be either's.
func TestBeginningSaysWhoSpeaksInTheSession(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"a", "b", "c"} {
		w.task(name)
	}
	bookedOn := func() string {
		var claimed taskOutput
		w.must("agit_create_task", args{"repo": "app", "description": "more"}, &claimed)
		return claimed.BookedOn.Agent
	}
	told := func(out beginOutput, name string) bool {
		return slices.ContainsFunc(out.Notes, func(n string) bool { return strings.Contains(n, "give agent_id "+name) })
	}
	var ann, bob, registered beginOutput
	w.must("agit_begin", args{"repo": "app", "agent_id": "Ann"}, &ann)
	if told(ann, "Ann") || bookedOn() != "Ann" {
		t.Errorf("got %q, a task is booked on %s", ann.Notes, bookedOn())
	}
	w.must("agit_begin", args{"repo": "app", "agent_id": "ann"}, &ann)
	if told(ann, "Ann") || bookedOn() != "Ann" {
		t.Errorf("again: got %q, a task is booked on %s", ann.Notes, bookedOn())
	}
	w.must("agit_begin", args{"repo": "app", "agent_id": "bob"}, &bob)
	if !told(bob, "bob") || !strings.HasPrefix(bookedOn(), "client-") {
		t.Errorf("two: got %q, a task is booked on %s", bob.Notes, bookedOn())
	}
	if r := w.fails("agit_finish", nil); r.Error != "NotFoundError" {
		t.Errorf("an unnamed one of two finished: %+v", r)
	}
	w.must("agit_register_agent", args{"name": "lead", "type": "custom"}, nil)
	w.must("agit_begin", args{"repo": "app", "agent_id": "cid"}, &registered)
	if !told(registered, "cid") || bookedOn() != "lead" {
		t.Errorf("registered: got %q, a task is booked on %s", registered.Notes, bookedOn())
	}
}

func TestEveryWriteSaysWhereItIsBooked(t *testing.T) {
	w := newWorld(t)
	w.must("agit_register_agent", args{"name": "ann", "type": "custom"}, nil)
	var where struct {
		BookedOn booking.Booking `json:"booked_on"`
		Worktree string          `json:"worktree_id"`
		Path     string
	}
	check := func(tool string, in args, project bool) {
		t.Helper()
		where.BookedOn = booking.Booking{}
		w.must(tool, in, &where)
		if where.BookedOn.Agent != "ann" || (where.BookedOn.Project != "") != project {
			t.Errorf("%s: %+v", tool, where.BookedOn)
		}
	}
	check("agit_add_repo", args{"path": w.repo.Dir}, true)
	check("agit_create_task", args{"repo": "app", "description": "x"}, true)
	check("agit_heartbeat", args{"agent_id": "ANN"}, false)
	check("agit_spawn_worktree", args{"repo": "app"}, true)
	check("agit_remove_worktree", args{"repo": "app", "worktree_id": where.Worktree}, true)
	check("agit_fail_task", args{"task_id": w.task("x"), "result": "no"}, true)
	check("agit_complete_task", args{"task_id": w.task("x"), "result": "yes"}, true)
}

// Two clients of one kind must not be one agent: each could claim what the
// other holds.
func TestUnregisteredClientsAreApart(t *testing.T) {
	w := newWorld(t)
	id, second := w.task("a"), w.session()
	var first taskOutput
	w.must("agit_claim_task", args{"task_id": id}, &first)
	w.main, second = second, w.main
	if r := w.fails("agit_claim_task", args{"task_id": id}); r.Error != "ConflictError" || !strings.Contains(r.Message, "already claimed by") {
		t.Errorf("got %+v", r)
	}
	// The one that holds it reports without saying who it is.
	var done taskOutput
	w.mustIn(second, "agit_complete_task", args{"task_id": id, "result": "ok"}, &done)
	if done.BookedOn.Agent != first.Agent || done.Status != task.Completed {
		t.Errorf("got %+v", done)
	}
}

// A report that names no one is not a handoff to a made-up name.
func TestAReportWithoutANameStaysTheHolders(t *testing.T) {
	w := newWorld(t)
	id := w.task("a")
	w.must("agit_claim_task", args{"task_id": id, "agent_id": "ann"}, nil)
	var done taskOutput
	w.must("agit_complete_task", args{"task_id": id}, &done)
	if done.Agent != "ann" || done.BookedOn.Agent != "ann" {
		t.Errorf("got %+v", done)
	}
}

func TestAReportOnAPendingTaskTakesIt(t *testing.T) {
	w := newWorld(t)
	var done taskOutput
	w.must("agit_fail_task", args{"task_id": w.task("a"), "result": "cannot be done"}, &done)
	if done.Status != task.Failed || done.Result != "cannot be done" || !strings.HasPrefix(done.Agent, "client-") {
		t.Errorf("got %+v", done)
	}
}

func TestABadNameIsToldUnderItsParameter(t *testing.T) {
	w := newWorld(t)
	id := w.task("a")
	for tool, in := range map[string]args{
		"agit_claim_task":     {"task_id": id, "agent_id": "a\nb"},
		"agit_complete_task":  {"task_id": id, "agent_id": "a\nb"},
		"agit_spawn_worktree": {"repo": "app", "agent": "a\nb"},
	} {
		want := "agent_id"
		if tool == "agit_spawn_worktree" {
			want = "agent"
		}
		if r := w.fails(tool, in); r.Error != "ValidationError" || r.Field != want {
			t.Errorf("%s: %+v", tool, r)
		}
	}
}
