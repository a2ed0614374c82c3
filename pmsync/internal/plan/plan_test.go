package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/plan"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// desk is a project's plans, and ann who works on them.
type desk struct {
	*testing.T
	*plan.Store
	ann caller.Caller
}

func newDesk(t *testing.T) *desk {
	d := &desk{T: t, Store: &plan.Store{DB: registrytest.Open(t)}, ann: caller.Caller{Place: project.Place{Named: "app"}, Agent: "ann"}}
	if err := d.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := project.Ensure(tx, project.Identity{UID: "app", Name: "app", Folder: "/app"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *desk) make(n plan.New) plan.Plan {
	d.Helper()
	made, err := d.Create(d.Context(), d.ann, n)
	if err != nil {
		d.Fatal(err)
	}
	if made.BookedOn.Agent != "ann" || made.BookedOn.Project != "app" {
		d.Errorf("booked on %+v", made.BookedOn)
	}
	return made.Plan
}

func (d *desk) edit(id string, e plan.Edit) plan.Plan {
	d.Helper()
	done, err := d.Update(d.Context(), d.ann, id, e)
	if err != nil {
		d.Fatal(err)
	}
	if done.BookedOn.Agent != "ann" {
		d.Errorf("booked on %+v", done.BookedOn)
	}
	return done.Plan
}

// titles returns the titles of the plans that match a filter, in their order.
func (d *desk) titles(f plan.Filter) string {
	d.Helper()
	list, err := d.List(d.Context(), d.ann, f)
	if err != nil {
		d.Fatal(err)
	}
	var titles []string
	for _, p := range list {
		titles = append(titles, p.Title)
	}
	return strings.Join(titles, ", ")
}

func to(s string) *string { return &s }

// Each status leads to the ones that the documentation names, and to no other.
func TestStatuses(t *testing.T) {
	ways := map[string][]string{
		plan.Pending:    {plan.InProgress, plan.Blocked, plan.Canceled},
		plan.InProgress: {plan.Completed, plan.Blocked, plan.Canceled},
		plan.Blocked:    {plan.InProgress, plan.Canceled},
		plan.Completed:  {}, plan.Canceled: {},
	}
	reach := map[string][]string{
		plan.Pending: {}, plan.InProgress: {plan.InProgress}, plan.Blocked: {plan.Blocked}, plan.Completed: {plan.InProgress, plan.Completed}, plan.Canceled: {plan.Canceled},
	}
	d := newDesk(t)
	for _, from := range plan.Statuses() {
		for _, status := range plan.Statuses() {
			p := d.make(plan.New{Title: from + " to " + status})
			for _, step := range reach[from] {
				p = d.edit(p.ID, plan.Edit{Status: to(step)})
			}
			done, err := d.Update(t.Context(), d.ann, p.ID, plan.Edit{Status: to(status)})
			switch allowed := from == status || slices.Contains(ways[from], status); {
			case allowed && (err != nil || done.Status != status):
				t.Errorf("%s to %s: %q, %v", from, status, done.Status, err)
			case !allowed && !fault.Is(err, fault.KindConflict):
				t.Errorf("%s to %s: %v", from, status, err)
			case allowed && (done.CompletedAt != nil) != (status == plan.Completed):
				t.Errorf("%s to %s: completed at %v", from, status, done.CompletedAt)
			}
		}
	}
	if _, err := d.Update(t.Context(), d.ann, d.make(plan.New{Title: "one"}).ID, plan.Edit{Status: to("done")}); !fault.Is(err, fault.KindValidation) {
		t.Errorf("an unknown status: %v", err)
	}
}

func TestTitlesAndTags(t *testing.T) {
	d := newDesk(t)
	for _, title := range []string{"", "  ", "two\nlines", strings.Repeat("x", 201)} {
		if _, err := d.Create(t.Context(), d.ann, plan.New{Title: title}); !fault.Is(err, fault.KindValidation) {
			t.Errorf("the title %.20q: %v", title, err)
		}
	}
	p := d.make(plan.New{Title: "  one ", Tags: []string{" db", "DB", "api"}})
	if p.Title != "one" || !slices.Equal(p.Tags, []string{"api", "db"}) {
		t.Errorf("%q with %q", p.Title, p.Tags)
	}
	if p = d.edit(p.ID, plan.Edit{Priority: new(work.Priority)}); !slices.Equal(p.Tags, []string{"api", "db"}) {
		t.Errorf("tags that were not named are %q", p.Tags)
	}
	if p = d.edit(p.ID, plan.Edit{Tags: &[]string{"ui"}}); !slices.Equal(p.Tags, []string{"ui"}) {
		t.Errorf("tags are %q", p.Tags)
	}
	if p = d.edit(p.ID, plan.Edit{Title: to(" two "), Description: to("more")}); p.Title != "two" || p.Description != "more" {
		t.Errorf("%+v", p)
	}
	for name, e := range map[string]plan.Edit{"nothing": {}, "an empty title": {Title: to(" ")}, "a tag of nothing": {Tags: &[]string{""}}} {
		if _, err := d.Update(t.Context(), d.ann, p.ID, e); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A plan is found by its id in any status, by anyone in its project, and no other item is.
func TestGet(t *testing.T) {
	d := newDesk(t)
	p := d.make(plan.New{Title: "one", Description: "more", Tags: []string{"db"}})
	d.edit(p.ID, plan.Edit{Status: to(plan.Canceled)})
	got, err := d.Get(t.Context(), caller.Caller{Place: d.ann.Place}, strings.ToUpper(p.ID))
	if err != nil || got.ID != p.ID || got.Status != plan.Canceled || got.Description != "more" || !slices.Equal(got.Tags, []string{"db"}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, id := range []string{"p-none", ""} {
		if _, err := d.Get(t.Context(), d.ann, id); err == nil {
			t.Errorf("%q was found", id)
		}
	}
}

func TestListOfPlans(t *testing.T) {
	d := newDesk(t)
	low, high := work.PriorityLow, work.PriorityHigh
	d.make(plan.New{Title: "low", Priority: low, Tags: []string{"db"}})
	d.make(plan.New{Title: "high", Priority: high, Tags: []string{"API"}})
	done := d.make(plan.New{Title: "done"})
	d.edit(done.ID, plan.Edit{Status: to(plan.InProgress)})
	d.edit(done.ID, plan.Edit{Status: to(plan.Completed)})
	for want, f := range map[string]plan.Filter{
		"high, low":       {},
		"high, low, done": {Finished: true},
		"done":            {Status: plan.Completed},
		"high":            {Tags: []string{"api"}},
		"":                {Tags: []string{"ui"}},
	} {
		if got := d.titles(f); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
	last := 5
	if p := d.edit(d.make(plan.New{Title: "last", Priority: work.PriorityCritical}).ID, plan.Edit{Order: &last}); p.Order != 5 {
		t.Errorf("order %d", p.Order)
	}
	if got := d.titles(plan.Filter{}); got != "high, low, last" {
		t.Errorf("in their order: %q", got)
	}
	if _, err := d.List(t.Context(), d.ann, plan.Filter{Status: "open"}); !fault.Is(err, fault.KindValidation) {
		t.Errorf("an unknown status: %v", err)
	}
}

// Deleting a plan unblocks what waited for it; a dry run changes nothing.
func TestDeleteTellsWhatGoesOn(t *testing.T) {
	d := newDesk(t)
	first := d.make(plan.New{Title: "first"})
	before := d.make(plan.New{Title: "before", Blocks: []string{first.ID}})
	second := d.make(plan.New{Title: "second", BlockedBy: []string{first.ID}})
	if !slices.Equal(second.BlockedBy, []string{first.ID}) || !slices.Equal(before.Blocks, []string{first.ID}) {
		t.Errorf("%q and %q", second.BlockedBy, before.Blocks)
	}
	for _, dry := range []bool{true, false} {
		gone, err := d.Delete(t.Context(), d.ann, first.ID, dry)
		if err != nil || gone.Deleted == dry || gone.Edges != 2 {
			t.Errorf("%+v, %v", gone, err)
		}
		if diff := cmp.Diff([]string{second.ID}, gone.Waiting); diff != "" {
			t.Error(diff)
		}
		left, err := d.List(t.Context(), d.ann, plan.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range left {
			if p.ID == second.ID && (len(p.BlockedBy) == 1) != dry {
				t.Errorf("after a delete that is dry %v the second waits for %q", dry, p.BlockedBy)
			}
		}
		if want := map[bool]int{true: 3, false: 2}[dry]; len(left) != want {
			t.Errorf("%d plans are left, want %d", len(left), want)
		}
	}
}
