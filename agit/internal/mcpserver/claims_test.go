package mcpserver

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/registry"
)

// silence makes every agent silent for a while.
func (w *world) silence(since time.Duration) {
	w.t.Helper()
	err := w.stores.DB.Write(w.t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE agents SET last_seen_at = ?`, registry.FormatTime(tx.Now().Add(-since)))
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// heard returns whether an agent was heard of within the last minute, and its status.
func (w *world) heard(name string) (bool, string) {
	w.t.Helper()
	a, err := registry.Read(w.t.Context(), w.stores.DB, func(tx *registry.Tx) (agent.Agent, error) { return agent.Get(tx, name) })
	if err != nil {
		w.t.Fatal(err)
	}
	return time.Since(a.LastSeen.Time) < time.Minute, a.Status
}

func TestRenewKeepsHoldersAlive(t *testing.T) {
	w := newWorld(t)
	held, spawned, done, lost := w.task("held"), w.task("spawned"), w.task("done"), w.task("lost")
	w.must("agit_claim_task", args{"task_id": held, "agent_id": "holder"}, nil)
	w.must("agit_spawn_worktree", args{"repo": "app", "task": spawned, "agent": "spawner"}, nil)
	w.must("agit_claim_task", args{"task_id": done, "agent_id": "finisher"}, nil)
	w.must("agit_complete_task", args{"task_id": done, "agent_id": "finisher"}, nil)
	w.must("agit_claim_task", args{"task_id": lost, "agent_id": "loser"}, nil)
	w.must("agit_register_agent", args{"name": "onlooker", "type": "custom"}, nil)
	if _, err := w.stores.Roster.Remove(t.Context(), "loser", false); err != nil {
		t.Fatal(err)
	}
	w.must("agit_claim_task", args{"task_id": lost, "agent_id": "successor"}, nil)
	w.claims.over(lost, w.claims.all()[lost]) // as if another server had made it
	w.silence(time.Hour)
	w.renew(t.Context())

	for name, want := range map[string]bool{"holder": true, "spawner": true, "finisher": false, "successor": false, "onlooker": false} {
		if got, _ := w.heard(name); got != want {
			t.Errorf("%s was heard of: %t, want %t", name, got, want)
		}
	}
	if _, status := w.heard("finisher"); status != agent.StatusIdle {
		t.Errorf("who holds nothing any more is %s", status)
	}
	if got := len(w.claims.all()); got != 2 {
		t.Errorf("%d claims are remembered, want 2", got)
	}
}

// A claim that was lost and made anew by someone else is not renewed for them.
func TestRenewIgnoresALostClaim(t *testing.T) {
	w := newWorld(t)
	id := w.task("a")
	w.must("agit_claim_task", args{"task_id": id, "agent_id": "first"}, nil)
	if _, err := w.stores.Roster.Remove(t.Context(), "first", false); err != nil {
		t.Fatal(err)
	}
	if _, err := w.stores.Tasks.Claim(t.Context(), id, "second"); err != nil {
		t.Fatal(err)
	}
	w.silence(time.Hour)
	w.renew(t.Context())
	if heard, _ := w.heard("second"); heard {
		t.Error("the claim of another process was renewed")
	}
}

// Any call of a session's agent is a sign of life, reads too.
func TestReadingIsASignOfLife(t *testing.T) {
	w := newWorld(t)
	w.must("agit_register_agent", args{"name": "reader", "type": "custom"}, nil)
	w.silence(time.Hour)
	if _, _, err := w.stores.Roster.Sweep(t.Context(), time.Minute, false); err != nil {
		t.Fatal(err)
	}
	w.must("agit_list_repos", args{}, nil)
	if heard, status := w.heard("reader"); !heard || status != agent.StatusActive {
		t.Errorf("heard %t, %s", heard, status)
	}
	w.silence(time.Hour)
	w.must("agit_list_repos", args{}, nil)
	if heard, _ := w.heard("reader"); heard {
		t.Error("every read writes")
	}
}
