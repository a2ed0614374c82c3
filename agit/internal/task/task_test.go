package task_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

type store struct{ *task.Store }

// do claims or reports, depending on the step's status.
func (s store) do(t *testing.T, id string, do step) (task.Task, error) {
	switch do.status {
	case "reopened":
		return s.Reopen(t.Context(), id, task.Caller{Agent: do.agent}, "")
	case task.Claimed:
		return s.Claim(t.Context(), id, do.agent)
	}
	return s.Report(t.Context(), task.Report{ID: id, Status: do.status, Result: do.result, Caller: task.Caller{Agent: do.agent}})
}

// newStore returns a store with the repository "app" registered.
func newStore(t *testing.T) store {
	t.Helper()
	db := registrytest.Open(t)
	r := gittest.New(t)
	r.Write("a.txt", "a")
	r.Commit("first")
	if _, err := (&repo.Store{DB: db}).Add(t.Context(), repo.New{Path: r.Dir, Name: "app"}); err != nil {
		t.Fatal(err)
	}
	return store{&task.Store{DB: db}}
}

func create(t *testing.T, s store, text string) task.Task {
	t.Helper()
	made, err := s.Create(t.Context(), []task.New{{Repo: "app", Text: text, Priority: work.PriorityMedium}})
	if err != nil {
		t.Fatal(err)
	}
	return made[0]
}

func TestCreateSplitsNameAndDescription(t *testing.T) {
	s := newStore(t)
	got := create(t, s, "  fix the login\n\nIt fails with umlauts.\n")
	if got.Name != "fix the login" || got.Description != "fix the login\n\nIt fails with umlauts." || got.Status != task.Pending {
		t.Errorf("created %+v", got)
	}
	if !strings.HasPrefix(got.ID, "t-") || got.Repo != "app" || got.Project == "" {
		t.Errorf("created %+v", got)
	}
}

func TestCreateIsAllOrNothing(t *testing.T) {
	s := newStore(t)
	_, err := s.Create(t.Context(), []task.New{{ID: "UAT-001", Repo: "app", Text: "a"}, {ID: "uat-001", Repo: "app", Text: "b"}})
	if !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), "task 2 of 2") {
		t.Fatalf("a taken id: %v", err)
	}
	page, err := s.List(t.Context(), task.Filter{Repo: "app"})
	if err != nil || len(page.Tasks) != 0 {
		t.Errorf("after the refusal: %v, %v", page.Tasks, err)
	}
	for name, n := range map[string]task.New{
		"empty": {Repo: "app", Text: " \n "}, "NUL": {Repo: "app", Text: "a\x00b"}, "long": {Repo: "app", Text: strings.Repeat("x", 70<<10)},
	} {
		if _, err := s.Create(t.Context(), []task.New{n}); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Create(t.Context(), []task.New{{Repo: "ap", Text: "x"}}); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("unknown repository: %v", err)
	}
}

// step is one report in the life of a task; want "" means it is refused.
type step struct {
	agent  string
	status string
	result string
	want   string
}

func TestLifeOfATask(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for name, steps := range map[string][]step{
		"claimed, started, completed": {
			{"ann", task.Claimed, "", task.Claimed}, {"ann", task.InProgress, "", task.InProgress}, {"ann", task.Completed, "done", task.Completed},
		},
		"claimed, completed at once":     {{"ann", task.Claimed, "", task.Claimed}, {"ann", task.Completed, "", task.Completed}},
		"claimed, failed":                {{"ann", task.Claimed, "", task.Claimed}, {"ann", task.Failed, "no", task.Failed}},
		"a report claims":                {{"ann", task.InProgress, "", task.InProgress}, {"bob", task.Completed, "", ""}},
		"a report completes at once":     {{"ann", task.Completed, "x", task.Completed}},
		"claiming again is not an error": {{"ann", task.Claimed, "", task.Claimed}, {"ann", task.Claimed, "", task.Claimed}},
		"a claimed task is taken":        {{"ann", task.Claimed, "", task.Claimed}, {"bob", task.Claimed, "", ""}},
		"another's before the start":     {{"ann", task.Claimed, "", task.Claimed}, {"bob", task.InProgress, "", ""}, {"ann", task.Completed, "", task.Completed}},
		"nobody named, one claim":        {{"ann", task.Claimed, "", task.Claimed}, {"", task.Completed, "", task.Completed}},
		"nobody named, pending":          {{"", task.Completed, "", ""}},
		"nobody named, two claims":       {{"ann", task.Claimed, "", task.Claimed}, {"ann", task.Pending, "", task.Pending}, {"ann", task.Claimed, "", task.Claimed}, {"", task.Completed, "", ""}},
		"released and claimed again":     {{"ann", task.Claimed, "", task.Claimed}, {"ann", task.Pending, "", task.Pending}, {"bob", task.Claimed, "", task.Claimed}},
		"canceled while pending":         {{"", task.Failed, task.Canceled, task.Failed}},
		"failing a pending task of none": {{"", task.Failed, "whatever", ""}},
		"finished is finished":           {{"ann", task.Completed, "", task.Completed}, {"ann", task.InProgress, "", ""}, {"ann", task.Failed, "", ""}, {"bob", task.Claimed, "", ""}},
		"reopened for anybody":           {{"ann", task.Failed, "x", task.Failed}, {"ann", task.Pending, "", ""}, {"ann", "reopened", "", task.Pending}, {"bob", task.Claimed, "", task.Claimed}},
	} {
		t.Run(name, func(t *testing.T) {
			id := create(t, s, "x").ID
			for i, step := range steps {
				got, err := s.do(t, id, step)
				if step.want == "" {
					if !fault.Is(err, fault.KindConflict) {
						t.Fatalf("step %d %+v: got %+v, %v, want a ConflictError", i+1, step, got, err)
					}
					continue
				}
				if err != nil || got.Status != step.want {
					t.Fatalf("step %d %+v: %s, %v", i+1, step, got.Status, err)
				}
				if step.agent != "" && step.want != task.Pending && got.Agent != step.agent {
					t.Errorf("step %d %+v: booked on %q", i+1, step, got.Agent)
				}
				if finished := got.CompletedAt != nil; finished != (step.want == task.Completed || step.want == task.Failed) {
					t.Errorf("step %d %+v: completed_at %v", i+1, step, got.CompletedAt)
				}
				if step.want == task.Pending && (got.Agent != "" || got.Result != "" || got.ClaimToken != 0) {
					t.Errorf("step %d %+v: a pending task keeps %+v", i+1, step, got)
				}
			}
		})
	}
}

func TestTokenFencesALostClaim(t *testing.T) {
	s := newStore(t)
	id := create(t, s, "x").ID
	first, err := s.Claim(t.Context(), id, "ann")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Report(t.Context(), task.Report{ID: id, Status: task.Pending, Caller: task.Caller{Agent: "ann"}}); err != nil {
		t.Fatal(err)
	}
	second, err := s.Claim(t.Context(), id, "ann")
	if err != nil || second.ClaimToken <= first.ClaimToken {
		t.Fatalf("tokens %d then %d, %v", first.ClaimToken, second.ClaimToken, err)
	}
	if _, err := s.Report(t.Context(), task.Report{ID: id, Status: task.Completed, Caller: task.Caller{Agent: "ann", Token: first.ClaimToken}}); !fault.Is(err, fault.KindConflict) {
		t.Errorf("the lost claim could report: %v", err)
	}
	if _, err := s.Report(t.Context(), task.Report{ID: id, Status: task.Completed, Caller: task.Caller{Token: second.ClaimToken}}); err != nil {
		t.Errorf("the present claim could not report: %v", err)
	}
}

func TestListPagesThroughEverythingOnce(t *testing.T) {
	s := newStore(t)
	for i := range 7 {
		id := create(t, s, "x").ID
		if i%3 == 0 {
			if _, err := s.Claim(t.Context(), id, "ann"); err != nil {
				t.Fatal(err)
			}
		}
	}
	all, err := s.List(t.Context(), task.Filter{Repo: "app"})
	if err != nil || len(all.Tasks) != 7 || all.Tasks[0].Status != task.Claimed || all.Tasks[6].Status != task.Pending {
		t.Fatalf("list: %+v, %v", all, err)
	}
	for limit := 1; limit <= 8; limit++ {
		var paged []task.Task
		for f := (task.Filter{Repo: "app", Limit: limit}); ; {
			page, err := s.List(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			paged = append(paged, page.Tasks...)
			if f.After = page.Next; f.After == "" {
				break
			}
		}
		if diff := cmp.Diff(all.Tasks, paged); diff != "" {
			t.Errorf("pages of %d (-whole +paged):\n%s", limit, diff)
		}
	}
	for _, after := range []string{"x", "pending", "nope.1", "pending.!"} {
		if _, err := s.List(t.Context(), task.Filter{Repo: "app", After: after}); !fault.Is(err, fault.KindValidation) {
			t.Errorf("cursor %q: %v", after, err)
		}
	}
	if _, err := s.List(t.Context(), task.Filter{Repo: "app", Statuses: []string{"complted"}}); err == nil || !strings.Contains(err.Error(), `"completed"`) {
		t.Errorf("a mistyped status: %v", err)
	}
}

func TestHistoryNamesWhoAndWhy(t *testing.T) {
	s := newStore(t)
	id := create(t, s, "x").ID
	if _, err := s.Claim(t.Context(), strings.ToUpper(id), "ann"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Report(t.Context(), task.Report{ID: id, Status: task.Failed, Caller: task.Caller{Agent: "ann"}, Why: "no time"}); err != nil {
		t.Fatal(err)
	}
	d, err := s.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range d.History {
		got = append(got, e.Name+": "+e.Old+">"+e.New+" "+e.Why)
	}
	if diff := cmp.Diff([]string{": >pending created", "ann: pending>claimed ", "ann: claimed>failed no time"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestLeavingARepository(t *testing.T) {
	s := newStore(t)
	create(t, s, "never touched")
	used := create(t, s, "used").ID
	if _, err := s.Claim(t.Context(), used, "ann"); err != nil {
		t.Fatal(err)
	}
	repos := &repo.Store{DB: s.DB}
	_, err := repos.Remove(t.Context(), "app", func(tx *registry.Tx, r repo.Repo) error {
		for _, dry := range []bool{true, false} {
			deleted, detached, err := task.LeaveRepo(tx, r.ID, dry)
			if deleted != 1 || detached != 1 || err != nil {
				t.Errorf("dry run %t: %d deleted, %d detached, %v", dry, deleted, detached, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if d, err := s.Get(t.Context(), used); err != nil || d.Repo != "" || d.Status != task.Claimed {
		t.Errorf("the used task: %+v, %v", d.Task, err)
	}
}

func TestNextNeedsAnAgent(t *testing.T) {
	s := newStore(t)
	var f *fault.Fault
	if _, _, err := s.Next(t.Context(), "app", ""); !errors.As(err, &f) || f.Field != "agent" {
		t.Errorf("next without an agent: %v", err)
	}
	if _, ok, err := s.Next(t.Context(), "app", "ann"); ok || err != nil {
		t.Errorf("next of nothing: %t, %v", ok, err)
	}
}

// A person's decision on a screen applies to the task as the screen showed it.
func TestSeen(t *testing.T) {
	s := newStore(t)
	made := create(t, s, "x")
	id := made.ID
	if _, err := s.Claim(t.Context(), id, "bob"); err != nil {
		t.Fatal(err)
	}
	person := task.Caller{Force: true}
	release := func(seen string) error {
		_, err := s.Report(t.Context(), task.Report{Caller: task.Caller{Force: true, Seen: task.Seen{Holder: seen}}, ID: id, Status: task.Pending})
		return err
	}
	if err := release("ann"); !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), `no longer held by "ann"`) || !strings.Contains(err.Error(), `held by "bob"`) {
		t.Errorf("releasing what ann was seen to hold: %v", err)
	}
	if err := release("bob"); err != nil {
		t.Error(err)
	}
	if err := release("bob"); !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), "pending") {
		t.Errorf("releasing it again: %v", err)
	}
	claimed := func() (held task.Seen) {
		t.Helper()
		if _, err := s.Claim(t.Context(), id, "bob"); err != nil {
			t.Fatal(err)
		}
		if err := s.DB.Read(t.Context(), func(tx *registry.Tx) error {
			p, err := project.ByName(tx, made.Project)
			if err != nil {
				return err
			}
			look, err := task.Look(tx, p.ID, 10, 0)
			held = task.Seen{Holder: "bob", Stood: *look.Moving[0].Claim}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return held
	}
	releaseSeen := func(seen task.Seen) error {
		_, err := s.Report(t.Context(), task.Report{Caller: task.Caller{Force: true, Seen: seen}, ID: id, Status: task.Pending})
		return err
	}
	earlier := func(seen task.Seen) task.Seen {
		seen.Stood.Time = seen.Stood.Add(-time.Second)
		return seen
	}
	now := claimed()
	if err := releaseSeen(earlier(now)); !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), "taken up anew") {
		t.Errorf("releasing a claim that its agent made since: %v", err)
	}
	if err := releaseSeen(now); err != nil {
		t.Error(err)
	}
	failed, err := s.Report(t.Context(), task.Report{Caller: task.Caller{Agent: "bob"}, ID: id, Status: task.Failed, Result: "no"})
	if err != nil {
		t.Fatal(err)
	}
	reopen := func(seen task.Seen) error {
		_, err := s.Reopen(t.Context(), id, task.Caller{Force: true, Seen: seen}, "")
		return err
	}
	now = task.Seen{Stood: *failed.CompletedAt}
	if err := reopen(earlier(now)); !fault.Is(err, fault.KindConflict) {
		t.Errorf("reopening what was taken up and finished since: %v", err)
	}
	if err := reopen(now); err != nil {
		t.Error(err)
	}
	write := func(text, seen string) error {
		_, err := s.Edit(t.Context(), id, task.Edit{Text: &text, Seen: seen}, person)
		return err
	}
	if err := write("y\nmore", "x"); err != nil {
		t.Error(err)
	}
	if err := write("z", "x"); !fault.Is(err, fault.KindConflict) {
		t.Errorf("replacing a text that was changed meanwhile: %v", err)
	}
	if err := write("z", "y\nmore"); err != nil {
		t.Error(err)
	}
}

// Held tasks are those of agents, the running ones first, up to a limit.
func TestHeld(t *testing.T) {
	s := newStore(t)
	var claimed, running []string
	for i := range 4 {
		id := create(t, s, "x").ID
		if _, err := s.Claim(t.Context(), id, "ann"); err != nil {
			t.Fatal(err)
		}
		if i < 2 {
			claimed = append(claimed, id)
			continue
		}
		running = append(running, id)
		if _, err := s.Report(t.Context(), task.Report{ID: id, Status: task.InProgress, Caller: task.Caller{Agent: "ann"}}); err != nil {
			t.Fatal(err)
		}
	}
	create(t, s, "pending")
	for limit, want := range map[int][]string{1: running[:1], 3: {running[0], running[1], claimed[0]}, 9: append(running, claimed...)} {
		err := s.DB.Read(t.Context(), func(tx *registry.Tx) error {
			r, err := repo.Find(tx, "app")
			if err != nil {
				return err
			}
			held, err := task.Held(tx, r, limit)
			var got []string
			for _, task := range held {
				got = append(got, task.ID)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("at most %d (-want +got):\n%s", limit, diff)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
