package worklist_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/pmsync/internal/worklist"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// desk is a small project: A-1 blocks is carol's, A-5 is done, A-6 is
// low; the sprint holds.
type desk struct {
	t  *testing.T
	b  *worklist.Board
	by caller.Caller
	p  project.Project
}

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, b: &worklist.Board{DB: registrytest.Open(t)}, by: caller.Caller{Place: project.Place{Named: "app"}}}
	points := func(f float64) *float64 { return &f }
	sprint := ticket.Ref{ID: "s-1", Name: "Nine"}
	d.write(func(tx *registry.Tx) (err error) {
		if d.p, err = project.Ensure(tx, project.Identity{UID: "app", Name: "app", Folder: "/app"}); err != nil {
			return err
		}
		_, err = ticket.PutMany(tx, []ticket.New{
			{Key: "A-1", Title: "First", Priority: work.PriorityHigh, Sprint: sprint, Estimate: points(3), DueDate: "2020-01-01",
				Body: ticket.Text{Text: "Acceptance criteria:\n\n- one thing\n- another thing"}},
			{Key: "A-2", Title: "Second", Priority: work.PriorityCritical, Sprint: sprint, Estimate: points(2), Links: blocked("A-1")},
			{Key: "A-3", Title: "Third", Links: blocked("A-1")},
			{Key: "A-4", Title: "Carol's", Priority: work.PriorityCritical, Assignee: "carol", AssigneeName: "Carol C"},
			{Key: "A-5", Title: "Done", Category: ticket.Done, Sprint: sprint, Estimate: points(5)},
			{Key: "A-6", Title: "Low", Priority: work.PriorityLow, Links: nil},
			{Key: "A-7", Title: "Waits elsewhere", Links: blocked("PLAT-9")},
		}, ticket.Put{ProjectID: d.p.ID, Parse: true})
		if err != nil {
			return err
		}
		_, err = tx.Exec(`UPDATE sprints SET status = 'active'`)
		return err
	})
	return d
}

func blocked(key string) []ticket.Link {
	return []ticket.Link{{Relation: "blocked_by", Target: ticket.Ref{Key: key}}}
}

func (d *desk) write(fn func(*registry.Tx) error) {
	d.t.Helper()
	if err := d.b.DB.Write(d.t.Context(), registry.Everything, fn); err != nil {
		d.t.Fatal(err)
	}
}

func ids[T any](all []T, id func(T) string) (out []string) {
	for _, one := range all {
		out = append(out, id(one))
	}
	return out
}

func (d *desk) ready(q worklist.ReadyQuery) worklist.ReadyList {
	d.t.Helper()
	q.Caller = d.by
	if q.Limit == 0 {
		q.Limit = 20
	}
	list, err := d.b.Ready(d.t.Context(), q)
	if err != nil {
		d.t.Fatal(err)
	}
	return list
}

func readyIDs(l worklist.ReadyList) []string {
	return ids(l.Items, func(r worklist.ReadyItem) string { return r.ID })
}

func TestReadyInOrder(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	list := d.ready(worklist.ReadyQuery{Tickets: true, Local: true})
	if diff := cmp.Diff([]string{"A-1", "A-6"}, readyIDs(list)); diff != "" || list.Open != nil || list.NotReady != nil || list.More {
		t.Errorf("%s%+v", diff, list)
	}
	if diff := cmp.Diff([]string{"A-4", "A-1", "A-6"}, readyIDs(d.ready(worklist.ReadyQuery{AnyAssignee: true}))); diff != "" {
		t.Error(diff)
	}
	if list := d.ready(worklist.ReadyQuery{Limit: 1}); len(list.Items) != 1 || !list.More {
		t.Errorf("%+v", list)
	}
	if list := d.ready(worklist.ReadyQuery{Local: true}); len(list.Items) != 0 || *list.Open != 0 || *list.Assigned != 0 {
		t.Errorf("plans and tasks alone: %+v", list)
	}
}

func TestReadyExplained(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	list := d.ready(worklist.ReadyQuery{Tickets: true, Explain: true})
	if *list.Open != 6 || *list.Assigned != 1 {
		t.Errorf("%d open, %d another's", *list.Open, *list.Assigned)
	}
	if diff := cmp.Diff([]string{"nothing blocks it", "not assigned to another"}, list.Items[0].Why); diff != "" {
		t.Error(diff)
	}
	said := map[string]string{}
	for _, w := range list.NotReady {
		said[w.ID] = w.Sentence()
	}
	want := map[string]string{"A-2": "it waits for A-1", "A-3": "it waits for A-1", "A-4": "it is assigned to Carol C", "A-7": "it waits for PLAT-9, not here"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
	any := d.ready(worklist.ReadyQuery{Explain: true, AnyAssignee: true})
	if why := any.Items[0].Why; len(why) != 2 || why[1] != "assigned to Carol C" {
		t.Errorf("%v", why)
	}
}

func TestExplainOne(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for id, want := range map[string]string{"A-1": "", "a-2": "waiting", "A-4": "assigned_to_another", "A-5": "finished", "A-7": "waiting_elsewhere"} {
		e, err := d.b.Explain(t.Context(), d.by, id)
		if err != nil {
			t.Fatal(err)
		}
		why := strings.Join(ids(e.Reasons, func(r work.Reason) string { return string(r.Why) }), " ")
		if why != want || e.Ready != (want == "") || e.Kind != work.KindTicket {
			t.Errorf("%s: %+v", id, e)
		}
	}
	if _, err := d.b.Explain(t.Context(), d.by, "A-99"); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("one that is not there: %v", err)
	}
}

func (d *desk) suggest(q worklist.SuggestQuery) worklist.Suggestions {
	d.t.Helper()
	q.Caller, q.Limit = d.by, max(q.Limit, 10)
	all, err := d.b.Suggest(d.t.Context(), q)
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

// The running sprint comes first; what blocks others, is late and has criteria counts.
func TestSuggest(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	all := d.suggest(worklist.SuggestQuery{Blockers: true, Criteria: true})
	if len(all.Tickets) != 1 {
		t.Fatalf("%+v", all)
	}
	s := all.Tickets[0]
	want := []string{"its priority is high", "it was due on 2020-01-01", "it unblocks 2 others: A-2, A-3", `it is in the running sprint "Nine"`, "it is small: 2 criteria"}
	if diff := cmp.Diff(want, s.Reasons); diff != "" || s.ID != "A-1" || s.Kind != work.KindTicket || s.Score != 30+20+16+6+5 || s.Unblocks != 2 || s.Criteria != 2 {
		t.Errorf("%s%+v", diff, s)
	}
	if s := d.suggest(worklist.SuggestQuery{}).Tickets[0]; s.Score != 30+20+6 {
		t.Errorf("without preferences: %d, %v", s.Score, s.Reasons)
	}
	d.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE criteria SET status = 'verified' WHERE position = 0`)
		return err
	})
	if s := d.suggest(worklist.SuggestQuery{Criteria: true}).Tickets[0]; !strings.Contains(s.Explanation, "1 criterion of 2 left") {
		t.Errorf("%s", s.Explanation)
	}
	d.write(func(tx *registry.Tx) error {
		_, err := ticket.PutMany(tx, []ticket.New{{Key: "A-1", Title: "First", Category: ticket.Done, Sprint: ticket.Ref{ID: "s-1", Name: "Nine"}}}, ticket.Put{ProjectID: d.p.ID})
		return err
	})
	// its own are ready now, so the sprint goes on
	if got := ids(d.suggest(worklist.SuggestQuery{}).Tickets, func(s worklist.Suggestion) string { return s.ID }); cmp.Diff([]string{"A-2"}, got) != "" {
		t.Errorf("%v", got)
	}
	d.write(func(tx *registry.Tx) error {
		if err := work.SetOwnNames(tx, d.p.ID, "user", []string{"carol"}); err != nil {
			return err
		}
		_, err := tx.Exec(`UPDATE sprints SET status = 'completed'`)
		return err
	})
	mine := d.suggest(worklist.SuggestQuery{Mine: true})
	if got := mine.Tickets[0]; got.ID != "A-4" || !strings.Contains(got.Explanation, "it is yours") || got.Score != 40+25 {
		t.Errorf("%+v", got)
	}
}

// Where no ticket is ready, how many are open and how many are another's is said.
func TestNothingToSuggest(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write(func(tx *registry.Tx) error {
		for _, key := range []string{"A-1", "A-6"} {
			one, err := ticket.Find(tx, d.p.ID, "id", key)
			if err != nil {
				return err
			}
			if err := work.HoldBack(tx, one.Item(), work.Event{}); err != nil {
				return err
			}
		}
		return nil
	})
	if all := d.suggest(worklist.SuggestQuery{}); len(all.Tickets) != 0 || *all.Open != 6 || *all.Assigned != 1 {
		t.Errorf("%+v", all)
	}
}

func TestSprintStands(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s, err := d.b.Sprint(t.Context(), d.by, worklist.SprintQuery{Criteria: true, Blockers: true})
	if err != nil {
		t.Fatal(err)
	}
	got := ids(s.Tickets, func(t worklist.SprintTicket) string { return t.ID })
	if diff := cmp.Diff([]string{"A-2", "A-1", "A-5"}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"todo": 2, "in_progress": 0, "done": 1}, s.Summary); diff != "" || s.Velocity != (worklist.Velocity{Completed: 5, Remaining: 5}) {
		t.Errorf("%s%+v", diff, s.Velocity)
	}
	if *s.Tickets[0].BlockerCount != 1 || *s.Tickets[1].BlockerCount != 0 || *s.Tickets[1].ACCompletion != 0 || s.Tickets[0].ACCompletion != nil {
		t.Errorf("%+v", s.Tickets)
	}
	if s, err := d.b.Sprint(t.Context(), d.by, worklist.SprintQuery{Sprint: "nine", Limit: 2}); err != nil || len(s.Tickets) != 2 || s.LeftOut != 1 || s.Tickets[0].BlockerCount != nil {
		t.Errorf("%+v, %v", s, err)
	}
	if all, err := d.b.Sprints(t.Context(), d.by, ""); err != nil || len(all) != 1 || all[0].Name != "Nine" {
		t.Errorf("%+v, %v", all, err)
	}
	d.write(func(tx *registry.Tx) error { _, err := tx.Exec(`UPDATE sprints SET status = 'completed'`); return err })
	if _, err := d.b.Sprint(t.Context(), d.by, worklist.SprintQuery{}); !fault.Is(err, fault.KindNotFound) || !strings.Contains(err.Error(), "no sprint is active") {
		t.Errorf("without one: %v", err)
	}
}

func TestDetailOfATicket(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	show := func(id string) worklist.Detail {
		t.Helper()
		all, err := d.b.Ticket(t.Context(), d.by, worklist.DetailQuery{ID: id, Criteria: true, Plans: true, Memories: true, Past: true})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	brief := func(b worklist.Brief) string { return b.ID }
	one, two, seven := show("A-1"), show("A-2"), show("A-7")
	if diff := cmp.Diff([]string{"A-2", "A-3"}, ids(one.Blocks, brief)); diff != "" || len(one.Criteria) != 2 || one.Completion == nil || len(one.Blockers) != 0 {
		t.Errorf("%s%+v", diff, one)
	}
	if diff := cmp.Diff([]string{"A-1"}, ids(two.Blockers, brief)); diff != "" || two.Criteria != nil {
		t.Errorf("%s%+v", diff, two)
	}
	if len(seven.Blockers) != 1 || seven.Blockers[0].ID != "PLAT-9" || seven.Blockers[0].Status != work.NotHere {
		t.Errorf("%+v", seven.Blockers)
	}
	if at := one.CreatedAt; time.Since(at.Time) > time.Hour {
		t.Errorf("created %s", at)
	}
}

// Work that a silent agent holds is ready again after Board.ReleaseAfter, in the list, in the explanation and in what is suggested.
func TestAbandonedWorkIsReady(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write(func(tx *registry.Tx) error {
		a, err := agent.Caller(tx, "bob")
		if err != nil {
			return err
		}
		item, err := work.Find(tx, "", "A-1")
		if err != nil {
			return err
		}
		if _, ok, err := lease.ByID(tx, item.ID, lease.Claim{Agent: a, From: "todo", To: "in_progress"}); !ok {
			t.Errorf("not claimed: %v", err)
		}
		return errors.Join(tx.Do(`UPDATE agents SET last_seen_at = '2026-01-01T00:00:00.000Z'`), tx.Do(`UPDATE items SET assignee = 'bob' WHERE id = ?`, item.ID))
	})
	for after, want := range map[time.Duration]bool{0: false, time.Hour: true} {
		d.b.ReleaseAfter = after
		for _, anyone := range []bool{false, true} {
			list := d.ready(worklist.ReadyQuery{Tickets: true, AnyAssignee: anyone, Explain: true})
			listed := slices.Contains(readyIDs(list), "A-1")
			waits := slices.Contains(ids(list.NotReady, func(w worklist.Waiting) string { return w.ID }), "A-1")
			if listed != want || waits == want {
				t.Errorf("after %v, anyone's %t: listed %t, waits %t", after, anyone, listed, waits)
			}
		}
		if e, err := d.b.Explain(t.Context(), d.by, "A-1"); err != nil || e.Ready != want {
			t.Errorf("after %v: %+v, %v", after, e, err)
		}
		first := d.suggest(worklist.SuggestQuery{Mine: true}).Tickets[0]
		if (first.ID == "A-1") != want || slices.Contains(first.Reasons, "it is yours") {
			t.Errorf("after %v: suggested %+v", after, first)
		}
	}
}
