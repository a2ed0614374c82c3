package costs

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/clienthook"
	"github.com/agit-suite/agit/shared/registry"
)

// began adds a session of ann's that a client's hooks began and ended at some minutes after noon; 0 means not ended.
func (w *world) began(conversation, host string, from, to int) {
	w.Helper()
	at := func(m int) any {
		if m == 0 {
			return nil
		}
		return registry.FormatTime(noon.Add(time.Duration(m) * time.Minute))
	}
	status := "completed"
	if to == 0 {
		status = "active"
	}
	w.exec(`INSERT INTO sessions (uid, ref, project_id, agent_id, lane, status, host, client, started_at, last_event_at, ended_at)
		SELECT ?, ?, (SELECT MIN(id) FROM projects), id, ?, ?, ?, ?, ?, ?, ? FROM agents WHERE name = 'ann'`, registry.NewID("u-"), registry.NewID("s-"), registry.NewID("l-"), status, host,
		clienthook.Event{SessionID: conversation}.Conversation(), at(from), at(from), at(to))
}

// claims sets the period of ann's claim in minutes after noon; an end of 0 means not ended.
func (w *world) claims(from, to int) {
	w.Helper()
	at := func(m int) string { return registry.FormatTime(noon.Add(time.Duration(m) * time.Minute)) }
	w.exec(`UPDATE item_history SET at = ? WHERE agent_id IS NOT NULL`, at(from))
	if to != 0 {
		w.exec(`INSERT INTO item_history (item_id, at, agent_id, field, old, new) SELECT item_id, ?, agent_id, 'status', 'in_progress', 'completed' FROM item_history
			WHERE agent_id IS NOT NULL AND new = 'claimed'`, at(to))
	}
}

// A session outside of all worktrees belongs to the agent whose hooks began it, and to the task that this agent held then.
func TestSessionsInTheMainCheckout(t *testing.T) {
	w := newWorld(t)
	w.began("s-1", registry.Host(), 10, 40)
	w.claims(20, 30)
	w.session("s-1", w.app, 5, 15, 25, 35, 45) // one before it began, two in it, one with the task, and one after it ended
	w.want(w.rows("agent"), map[string]string{"ann": "$0.0164*", "": "$0.0109*"})
	w.want(w.rows("task"), map[string]string{w.task: "$0.0055*", "": "$0.0219*"})
}

func TestSessionsThatAreOpen(t *testing.T) {
	w := newWorld(t)
	w.began("s-1", registry.Host(), 10, 0)
	w.began("far", "another-machine", 10, 0)
	w.claims(20, 0)
	w.session("s-1", w.app, 25)
	w.session("far", w.app, 25)
	w.session("other", w.app, 25)
	w.want(w.rows("agent"), map[string]string{"ann": "$0.0055*", "": "$0.0109*"})
	w.want(w.rows("task"), map[string]string{w.task: "$0.0055*", "": "$0.0109*"})
}

// A worktree determines the task of a session. If the agent holds two tasks at once, the session belongs to neither.
func TestSessionsOfSeveralTasks(t *testing.T) {
	w := newWorld(t)
	w.began("s-1", registry.Host(), 10, 0)
	w.claims(10, 0)
	tree := filepath.Join(w.home, "wt")
	w.tree(tree, noon, "active")
	made := w.claimed("write it down")
	w.exec(`UPDATE item_history SET at = ? WHERE agent_id IS NOT NULL`, registry.FormatTime(noon.Add(10*time.Minute)))
	w.session("s-1", tree, 20)
	w.session("s-1b", w.app, 20)
	w.began("s-1b", registry.Host(), 10, 0)
	w.want(w.rows("task"), map[string]string{w.task: "$0.0055*", "": "$0.0055*"})
	w.want(w.rows("agent"), map[string]string{"ann": "$0.0109*"})
	w.exec(`UPDATE item_history SET new = 'failed' WHERE new = 'claimed' AND item_id = (SELECT id FROM items WHERE ref = ?)`, made)
	w.want(w.rows("task"), map[string]string{w.task: "$0.0109*"})
}
