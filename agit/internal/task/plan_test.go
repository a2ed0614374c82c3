package task_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// TestPlansUseIndexes proves that the cost of frequent queries does not grow with the number of tasks: no table that grows with them is
// read from end to end, and none of its rows are sorted. It looks at SQLite's plans, which without statistics are the same for any number
// of rows.
func TestPlansUseIndexes(t *testing.T) {
	plans := map[string][]string{}
	db, err := registry.Open(t.Context(), registry.Options{
		Path:    filepath.Join(t.TempDir(), "agit.db"),
		Explain: func(statement string, plan []string) { plans[statement] = plan },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	r := gittest.New(t)
	r.Write("a.txt", "a")
	r.Commit("first")
	repos := &repo.Store{DB: db}
	if _, err := repos.Add(t.Context(), repo.New{Path: r.Dir, Name: "app"}); err != nil {
		t.Fatal(err)
	}
	s := store{&task.Store{DB: db, ReleaseAfter: time.Hour}}
	id := create(t, s, "x").ID
	create(t, s, "y")

	for _, c := range []struct {
		name string
		ask  func() error
	}{
		{"create", func() error { create(t, s, "z"); return nil }},
		{"list", func() error { _, err := s.List(t.Context(), task.Filter{Repo: "app", Limit: 20}); return err }},
		{"page", func() error {
			_, err := s.List(t.Context(), task.Filter{Repo: "app", Limit: 20, After: "pending.1"})
			return err
		}},
		{"find", func() error { _, err := s.Get(t.Context(), id); return err }},
		{"claim", func() error { _, err := s.Claim(t.Context(), id, "ann"); return err }},
		{"next", func() error { _, _, err := s.Next(t.Context(), "app", "bob"); return err }},
		{"report", func() error {
			_, err := s.Report(t.Context(), task.Report{ID: id, Status: task.Completed, Caller: task.Caller{Agent: "ann"}})
			return err
		}},
		{"ready", func() error { _, err := s.Ready(t.Context(), task.Filter{Repo: "app", Limit: 20}); return err }},
		{"ready in a project", func() error { _, err := s.Ready(t.Context(), task.Filter{Limit: 20}); return err }},
		{"counts", func() error {
			return db.Read(t.Context(), func(tx *registry.Tx) error {
				r, err := repo.Find(tx, "app")
				if err == nil {
					_, err = task.Counts(tx, r)
				}
				return err
			})
		}},
		{"summary", func() error {
			return s.DB.Read(t.Context(), func(tx *registry.Tx) error {
				r, err := repo.Find(tx, "app")
				if err == nil {
					_, err = repo.SummaryOf(tx, r, time.Hour)
				}
				return err
			})
		}},
	} {
		clear(plans)
		if err := c.ask(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if len(plans) == 0 {
			t.Errorf("%s: no statement was seen", c.name)
		}
		for statement, plan := range plans {
			if strings.HasPrefix(statement, "INSERT") {
				continue // shows where foreign keys would look if it replaced a row
			}
			if step := slow(plan); step != "" && !(few(statement) && strings.Contains(step, "TEMP B-TREE")) {
				t.Errorf("%s: %s in\n%s\nwhose plan is\n  %s", c.name, step, statement, strings.Join(plan, "\n  "))
			}
		}
	}
}

// few are statements that sort at most the items that open bugs block, or the first item of each side of the queue.
func few(statement string) bool {
	return strings.Contains(statement, "items.id IN (SELECT d.target_id FROM items bug") || strings.Contains(statement, "UNION ALL")
}

// slow returns the step of a plan that reads all of a table which grows with the
// tasks, or sorts rows of one.
func slow(plan []string) string {
	grows := false
	for _, step := range plan {
		verb, rest, _ := strings.Cut(step, " ")
		table, _, _ := strings.Cut(rest, " ")
		large := slices.Contains([]string{"items", "tasks", "item_history", "leases", "changes"}, table)
		grows = grows || large
		if large && verb == "SCAN" || grows && strings.Contains(step, "TEMP B-TREE") {
			return step
		}
	}
	return ""
}

// TestTheQueueIsReadInOrder: the next task is found by the index that has the queue's order, and reading ends at the first task that fits.
// An index that holds every task looks better to the planner wherever its first columns are named.
func TestTheQueueIsReadInOrder(t *testing.T) {
	var plans []string
	db, err := registry.Open(t.Context(), registry.Options{
		Path: filepath.Join(t.TempDir(), "agit.db"),
		Explain: func(statement string, plan []string) {
			if strings.Contains(statement, "ready") && strings.Contains(statement, "LIMIT 1") {
				plans = append(plans, strings.Join(plan, "\n"))
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	fillPlan(t, db, 20, 10)
	for _, releaseAfter := range []time.Duration{0, time.Hour} {
		s := &task.Store{DB: db, ReleaseAfter: releaseAfter}
		for project, index := range map[string]string{"": "INDEX items_queue", "plan": "INDEX items_ready"} {
			for _, peek := range []bool{true, false} {
				plans = nil
				o, err := s.Offer(t.Context(), task.Ask{Agent: "ann", Capabilities: []string{"go"}, Project: project, Peek: peek})
				if err != nil || o.TaskID == nil {
					t.Fatalf("project %q: %+v, %v", project, o, err)
				}
				if len(plans) != 1 || !strings.Contains(plans[0], index) || strings.Contains(plans[0], "items_label") {
					t.Errorf("project %q, release after %v, peek %v: not by %s:\n%s", project, releaseAfter, peek, index, strings.Join(plans, "\n\n"))
				}
			}
		}
	}
}
