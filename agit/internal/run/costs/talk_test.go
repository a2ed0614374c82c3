package costs

import (
	"path/filepath"
	"strings"
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

// A read for a time determines the same places, agents and tasks as a read of all that was ever done: a folder of a worktree that is long gone, a
// claim that has ended since, and one that is older and goes on.
func TestSinceATime(t *testing.T) {
	w := newWorld(t)
	gone := filepath.Join(w.home, "gone")
	w.tree(gone, noon.Add(-2*time.Hour), "completed")
	w.began("s-1", registry.Host(), 10, 0)
	w.began("s-2", registry.Host(), 10, 0)
	w.claims(20, 30)
	w.exec(`UPDATE leases SET agent_id = NULL`)
	second := w.claimed("write it down")
	w.exec(`UPDATE item_history SET at = ? WHERE item_id = (SELECT id FROM items WHERE ref = ?)`, registry.FormatTime(noon.Add(31*time.Minute)), second)
	w.session("s-1", w.app, 25)
	w.session("s-2", filepath.Join(gone, "src"), 35)
	rows := func(by By, after int) []Row {
		return w.report(Query{By: by, Since: noon.Add(time.Duration(after) * time.Minute)}).Rows
	}
	for _, by := range Groups {
		w.want(rows(By(by), 24), w.report(Query{By: By(by)}).Rows)
	}
	keys := map[string]bool{}
	for _, row := range rows("task", 24) {
		keys[row.Key] = true
	}
	w.want(keys, map[string]bool{w.task: true, second: true})
	later := append(rows("task", 33), rows("worktree", 33)...)
	w.want([]string{later[0].Key, later[1].Key}, []string{second, gone})
}

// No statement for a time reads from end to end what grows with each day.
func TestPlans(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "agit.db")
	plans := map[string][]string{}
	db, err := registry.Open(t.Context(), registry.Options{Path: path, Explain: func(statement string, plan []string) { plans[statement] = plan }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	w.DB = db
	w.session("s-1", w.app, 25)
	w.report(Query{By: "day", Since: noon})
	if _, err := w.beganWith(t.Context(), []string{w.task}); err != nil {
		t.Error(err)
	}
	for statement, plan := range plans {
		for _, step := range plan {
			if table, is := strings.CutPrefix(step, "SCAN "); is && table != "repos" && !strings.HasPrefix(table, "leases USING INDEX leases_agent") {
				t.Errorf("%s: %s", statement, step)
			}
		}
	}
	w.want(len(plans), 6)
}
