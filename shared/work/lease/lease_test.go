package lease_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// world is a registry with one project and two agents.
type world struct {
	t       *testing.T
	db      *registry.DB
	project project.Project
	ann     agent.Agent
	bob     agent.Agent
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, db: registrytest.Open(t)}
	w.write(func(tx *registry.Tx) (err error) {
		if w.project, err = project.Ensure(tx, project.Identity{UID: "p-1", Name: "app", Folder: "/app"}); err != nil {
			return err
		}
		if w.ann, err = agent.Register(tx, agent.Registration{Name: "ann"}); err != nil {
			return err
		}
		w.bob, err = agent.Register(tx, agent.Registration{Name: "bob"})
		return err
	})
	return w
}

func (w *world) write(fn func(*registry.Tx) error) {
	w.t.Helper()
	if err := w.db.Write(w.t.Context(), registry.Everything, fn); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) item(text string, p work.Priority) (item work.Item) {
	w.t.Helper()
	w.write(func(tx *registry.Tx) (err error) {
		item, err = work.Create(tx, work.NewItem{ProjectID: w.project.ID, Kind: work.KindTask, Prefix: "t-", Text: text, Status: "pending", Priority: p})
		return err
	})
	return item
}

func (w *world) next(a agent.Agent) (text string) {
	w.t.Helper()
	w.write(func(tx *registry.Tx) error {
		item, ok, err := lease.Next(tx, lease.Filter{ProjectID: w.project.ID, Kind: work.KindTask}, lease.Claim{Agent: a, From: "pending", To: "claimed", ReleaseAfter: time.Hour})
		if err != nil || !ok {
			return err
		}
		l, err := lease.Get(tx, item.ID)
		if item.Status != "claimed" || l.AgentID != a.ID || l.Token == 0 {
			w.t.Errorf("claimed item %+v with lease %+v", item, l)
		}
		if said, err := work.History(tx, item.ID); err != nil || said[len(said)-1].Epoch != l.Token {
			w.t.Errorf("the history has %+v, %v for the token %d", said, err, l.Token)
		}
		text = item.Title
		return err
	})
	return text
}

func TestNextIsByPriorityThenAge(t *testing.T) {
	w := newWorld(t)
	w.item("medium, old", work.PriorityMedium)
	w.item("low", work.PriorityLow)
	w.item("medium, young", work.PriorityMedium)
	w.item("critical", work.PriorityCritical)
	var got []string
	for {
		text := w.next(w.ann)
		if text == "" {
			break
		}
		got = append(got, text)
	}
	if want := "critical|medium, old|medium, young|low"; strings.Join(got, "|") != want {
		t.Errorf("served %q, want %q", got, want)
	}
}

func TestNotReadyIsNeverServed(t *testing.T) {
	for name, spoil := range map[string]string{
		"held up":             `UPDATE items SET holds = 1`,
		"deleted":             `UPDATE items SET deleted_at = created_at`,
		"done":                `UPDATE items SET state = 'done'`,
		"assigned to another": `UPDATE items SET assignee_agent_id = (SELECT id FROM agents WHERE name = 'bob')`,
		"project on hold":     `UPDATE projects SET status = 'on_hold'`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			item := w.item("x", work.PriorityMedium)
			w.write(func(tx *registry.Tx) error {
				_, err := tx.Exec(spoil)
				return err
			})
			if got := w.next(w.ann); got != "" {
				t.Errorf("served %q", got)
			}
			w.write(func(tx *registry.Tx) error {
				_, ok, err := lease.ByID(tx, item.ID, lease.Claim{Agent: w.ann, From: "pending", To: "claimed"})
				if ok {
					t.Error("claimed by id")
				}
				return err
			})
		})
	}
}

func TestAbandonedClaimGoesToTheNextWithANewToken(t *testing.T) {
	w := newWorld(t)
	item := w.item("x", work.PriorityMedium)
	w.next(w.ann)
	if got := w.next(w.bob); got != "" {
		t.Fatalf("a fresh claim was taken away: %q", got)
	}
	w.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE agents SET last_seen_at = ? WHERE id = ?`, registry.FormatTime(tx.Now().Add(-2*time.Hour)), w.ann.ID)
		return err
	})
	later := w.item("later", work.PriorityLow)
	w.write(func(tx *registry.Tx) error {
		for after, want := range map[time.Duration][]int64{0: nil, time.Hour: {item.ID}, 3 * time.Hour: nil} {
			if got, err := lease.Abandoned(tx, after); err != nil || !slices.Equal(got, want) {
				t.Errorf("abandoned after %v: %v, %v", after, got, err)
			}
			condition, args, err := lease.Ready(tx, after, "items.state = ?", work.StateOpen)
			if err != nil {
				return err
			}
			got, err := registry.Collect(tx, registry.One[int64], "SELECT id FROM items WHERE "+condition+" ORDER BY id", args...)
			if want := append(want, later.ID); err != nil || !slices.Equal(got, want) {
				t.Errorf("ready after %v: %v, %v, want %v", after, got, err, want)
			}
		}
		return nil
	})
	if got := w.next(w.bob); got != "x" {
		t.Fatalf("an abandoned claim was not served: %q", got)
	}
	w.write(func(tx *registry.Tx) error {
		l, err := lease.Get(tx, item.ID)
		if l.AgentID != w.bob.ID || l.Token != 2 {
			t.Errorf("lease after the takeover: %+v", l)
		}
		if last, lastErr := lease.LastHolder(tx, item.ID); last != w.bob.ID || lastErr != nil {
			t.Errorf("the last holder is %d, %v", last, lastErr)
		}
		return err
	})
}

func TestEndingTheLastClaimMakesIdle(t *testing.T) {
	w := newWorld(t)
	one, two := w.item("one", work.PriorityMedium), w.item("two", work.PriorityMedium)
	w.next(w.ann)
	w.next(w.ann)
	for _, step := range []struct {
		item   work.Item
		status string
	}{{one, agent.StatusActive}, {two, agent.StatusIdle}} {
		w.write(func(tx *registry.Tx) error {
			if err := lease.End(tx, step.item.ID); err != nil {
				return err
			}
			a, err := agent.Get(tx, "ANN")
			if a.Status != step.status {
				t.Errorf("after ending %q ann is %s, want %s", step.item.Title, a.Status, step.status)
			}
			return err
		})
	}
}

// A handover ends the first agent's token and appears in the history; a handover to the holder itself changes nothing.
func TestHandOver(t *testing.T) {
	w := newWorld(t)
	item := w.item("x", work.PriorityMedium)
	w.next(w.ann)
	for _, step := range []struct {
		to    agent.Agent
		token int64
	}{{w.ann, 1}, {w.bob, 2}, {w.bob, 2}} {
		w.write(func(tx *registry.Tx) error {
			l, err := lease.HandOver(tx, item, step.to, work.Event{Agent: w.ann.ID})
			if err != nil {
				return err
			}
			now, err := lease.Get(tx, item.ID)
			last, lastErr := lease.LastHolder(tx, item.ID)
			if l.AgentID != step.to.ID || l.Token != step.token || now.AgentID != step.to.ID || now.Token != step.token || last != step.to.ID || lastErr != nil {
				t.Errorf("handed to %s: %+v, stored %+v, last held by %d, %v", step.to.Name, l, now, last, lastErr)
			}
			return err
		})
	}
	w.write(func(tx *registry.Tx) error {
		if a, err := agent.Get(tx, "ann"); err != nil || a.Status != agent.StatusIdle {
			t.Errorf("ann, who holds nothing any more, is %s: %v", a.Status, err)
		}
		return nil
	})
}
