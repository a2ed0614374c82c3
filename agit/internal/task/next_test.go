package task_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// fillPlan makes a project "plan" with n tasks, of which the blocked first ones
// have the highest priority and wait for one another's bug.
func fillPlan(tb testing.TB, db *registry.DB, n, blocked int) {
	tb.Helper()
	err := db.Write(tb.Context(), registry.Everything, func(tx *registry.Tx) error {
		p, err := project.Make(tx, project.New{UID: "plan"})
		if err != nil {
			return err
		}
		if _, err := tx.Exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			INSERT INTO items (uid, project_id, kind, ref, ref_key, title, status, state, priority, holds, created_at, updated_at)
			SELECT 'u' || i, ?, 'task', 'T-' || i, 't-' || i, 'x', 'pending', 'open', CASE WHEN i <= ? THEN 4 ELSE i % 4 END,
			  CASE WHEN i <= ? THEN 1 ELSE 0 END, ?, ? FROM n`, n, p.ID, blocked, blocked, tx.Stamp(), tx.Stamp()); err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO tasks (item_id) SELECT id FROM items WHERE kind = 'task'`)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkNext: claiming the next of 100,000 tasks behind 50,000 that are blocked,
// beside a transaction that changes one row.
func BenchmarkNext(b *testing.B) {
	db := registrytest.OpenPlain(b)
	fillPlan(b, db, 100_000, 50_000)
	s := &task.Store{DB: db, ReleaseAfter: 2 * time.Hour}
	for name, project := range map[string]string{"one project": "plan", "every project": ""} {
		b.Run(name, func(b *testing.B) {
			benchtest.Beside(b, "write", benchtest.Of(func() error {
				o, err := s.Offer(b.Context(), task.Ask{Agent: "ann", Project: project})
				if err == nil && o.TaskID == nil {
					err = fmt.Errorf("nothing was offered: %v", o.Reason)
				}
				return err
			}), benchtest.Of(func() error {
				return db.Write(b.Context(), registry.Everything, func(tx *registry.Tx) error {
					_, err := tx.Exec(`UPDATE items SET updated_at = ? WHERE id = 1`, tx.Stamp())
					return err
				})
			}))
		})
	}
}

func TestNextSkipsWhatIsBlocked(t *testing.T) {
	db := registrytest.Open(t)
	fillPlan(t, db, 20, 10)
	s := &task.Store{DB: db}
	given := map[string]bool{}
	for {
		o, err := s.Offer(t.Context(), task.Ask{Agent: "ann"})
		if err != nil {
			t.Fatal(err)
		}
		if o.TaskID == nil {
			if o.Reason["claimed"] != 10 {
				t.Errorf("why not: %v", o.Reason)
			}
			break
		}
		if given[*o.TaskID] || o.Context.ProjectID != "plan" {
			t.Errorf("%+v", o)
		}
		given[*o.TaskID] = true
	}
	if len(given) != 10 {
		t.Errorf("given %v", given)
	}
}

func TestReadyIsTheQueue(t *testing.T) {
	db := registrytest.Open(t)
	fillPlan(t, db, 20, 10)
	s := &task.Store{DB: db}
	var listed []string
	for f := (task.Filter{Project: "plan", Limit: 4}); ; {
		page, err := s.Ready(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range page.Tasks {
			listed = append(listed, one.ID)
		}
		if f.After = page.Next; f.After == "" {
			break
		}
	}
	for i, id := range listed {
		o, err := s.Offer(t.Context(), task.Ask{Agent: "ann"})
		if err != nil || o.TaskID == nil || *o.TaskID != id {
			t.Fatalf("%d is %s, but %v was offered, %v", i, id, o.TaskID, err)
		}
	}
	if len(listed) != 10 {
		t.Errorf("listed %v", listed)
	}
	if _, err := s.Ready(t.Context(), task.Filter{After: "x"}); err == nil {
		t.Error("a cursor that is none is taken")
	}
}

// A claim that anyone may take is ready in lists and in explanations, as it is in the queue; one that something else keeps back is not.
func TestReadyHoldsAbandonedClaims(t *testing.T) {
	s := newStore(t)
	s.ReleaseAfter = time.Hour
	held, open := create(t, s, "held"), create(t, s, "open")
	if _, err := s.Claim(t.Context(), held.ID, "ann"); err != nil {
		t.Fatal(err)
	}
	ready := func(f task.Filter) (ids []string) {
		page, err := s.Ready(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range page.Tasks {
			ids = append(ids, one.ID)
		}
		return ids
	}
	explain := func() work.Explanation {
		e, err := s.Explain(t.Context(), held.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for _, c := range []struct {
		name, change string
		release      time.Duration
		want         []string
	}{
		{"a fresh claim", `UPDATE agents SET last_seen_at = last_seen_at`, time.Hour, []string{open.ID}},
		{"a silent agent that keeps its claims", `UPDATE agents SET last_seen_at = '2026-01-01T00:00:00.000Z'`, 0, []string{open.ID}},
		{"a silent agent", `UPDATE agents SET last_seen_at = '2026-01-01T00:00:00.000Z'`, time.Hour, []string{held.ID, open.ID}},
		{"a task that waits besides", `UPDATE items SET holds = 1 WHERE title = 'held'`, time.Hour, []string{open.ID}},
	} {
		err := s.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			_, err := tx.Exec(c.change)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		s.ReleaseAfter = c.release
		if diff := cmp.Diff(c.want, ready(task.Filter{Repo: "app"})); diff != "" {
			t.Errorf("%s: ready (-want +got):\n%s", c.name, diff)
		}
		e, is := explain(), len(c.want) == 2
		if e.Ready != is || (len(e.Reasons) == 0) != is || (len(e.Notes) > 0 && strings.Contains(e.Notes[0], `"ann" holds it`)) != is {
			t.Errorf("%s: %+v", c.name, e)
		}
		err = s.DB.Read(t.Context(), func(tx *registry.Tx) error {
			p, err := project.ByName(tx, held.Project)
			if err != nil {
				return err
			}
			look, err := task.Look(tx, p.ID, 10, c.release)
			if err != nil {
				return err
			}
			if got := text.Each(look.Queue, func(t task.Waiting) string { return t.ID }); !slices.Equal(got, c.want) || look.Ready != len(got) ||
				look.Counts[task.Pending] != len(got) || len(got)+len(look.Moving)+len(look.Blocked) != 2 {
				t.Errorf("%s: the outlook is %+v", c.name, look)
			}
			cards, err := task.Cards(tx, p.ID, c.release)
			got := slices.DeleteFunc(cards, func(one task.Card) bool { return !one.Ready })
			if ids := text.Each(got, func(one task.Card) string { return one.ID }); !slices.Equal(ids, c.want) {
				t.Errorf("%s: the ready cards are %v", c.name, ids)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := ready(task.Filter{Repo: "app", MinPriority: work.PriorityHigh}); got != nil {
		t.Errorf("of a high priority: %v", got)
	}
}

// A caller's place is found in the transaction that creates, lists or takes a task, and what is refused there changes nothing.
func TestPlaceIsFound(t *testing.T) {
	s := newStore(t)
	at := func(tx *registry.Tx) (task.Place, error) {
		r, err := repo.Find(tx, "app")
		return task.Place{Project: r.ProjectID, Repo: r.ID}, err
	}
	nowhere := func(*registry.Tx) (task.Place, error) { return task.Place{}, fault.NotFound("repo", "app") }
	made, err := s.Create(t.Context(), []task.New{{Find: at, Text: "x", Agent: "ann"}})
	if err != nil || made[0].Repo != "app" {
		t.Fatalf("%+v, %v", made, err)
	}
	err = s.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		if empty, err := task.Home(tx, "plan"); empty != (task.Place{}) || err != nil {
			t.Errorf("a project that is unknown: %+v, %v", empty, err)
		}
		if _, err := project.Make(tx, project.New{UID: "plan"}); err != nil {
			return err
		}
		if empty, err := task.Home(tx, "plan"); empty != (task.Place{}) || err != nil {
			t.Errorf("a project without tasks: %+v, %v", empty, err)
		}
		mine, err := at(tx)
		if own, wrong := task.Home(tx, made[0].Project); own != (task.Place{Project: mine.Project}) || wrong != nil {
			t.Errorf("a project with tasks: %+v, %v", own, wrong)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Create(t.Context(), []task.New{{Project: "plan", Text: "elsewhere", Priority: work.PriorityHigh}}); err != nil {
		t.Fatal(err)
	}
	if page, err := s.List(t.Context(), task.Filter{Find: at}); err != nil || len(page.Tasks) != 1 || page.Tasks[0].ID != made[0].ID {
		t.Errorf("listed %+v, %v", page.Tasks, err)
	}
	if _, err := s.List(t.Context(), task.Filter{Find: nowhere}); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("listed nowhere: %v", err)
	}
	if _, err := s.Create(t.Context(), []task.New{{Find: nowhere, Text: "y"}}); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("created nowhere: %v", err)
	}
	if o, err := s.Offer(t.Context(), task.Ask{Agent: "bob", Find: nowhere}); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("offered nowhere: %+v, %v", o, err)
	}
	o, err := s.Offer(t.Context(), task.Ask{Agent: "bob", Find: at})
	if err != nil || o.TaskID == nil || *o.TaskID != made[0].ID {
		t.Errorf("offered %+v, %v", o, err)
	}
}
