package plan_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/plan"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/goldentest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

var update = flag.Bool("update", false, "write the transcript in testdata anew, for review")

// The life of plans: every step with its answer, and the rows that it changes.
func TestStoryOfPlans(t *testing.T) {
	d := newDesk(t)
	if err := d.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		for _, ref := range []string{"T-1", "T-2"} {
			item, err := work.Create(tx, work.NewItem{ProjectID: 1, Kind: work.KindTicket, Ref: ref, Keyed: true, Title: "Ticket " + ref, Status: "todo"})
			if err != nil {
				return err
			}
			if err := tx.Do(`INSERT INTO tickets (item_id, project_id, remote_id, status_category) VALUES (?, 1, ?, 'todo')`, item.ID, ref); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	w := registrytest.NewWatch(t, d.DB, []string{"items", "plans", "plan_tags", "dependencies", "item_holds", "item_history"}, "items.uid", "dependencies.uid", "items.version")
	var b strings.Builder
	ids := map[string]string{}
	step := func(what string, said string, err error) {
		fmt.Fprintf(&b, "%s\n", what)
		if f := fault.From(err); f != nil {
			fmt.Fprintf(&b, "\t%s %s: %s; %s\n", f.Kind, f.Field, w.Text(f.Message), w.Text(f.Hint))
		} else if said != "" {
			fmt.Fprintf(&b, "\t%s\n", w.Text(said))
		}
		b.WriteString(w.Changes())
	}
	tell := func(p plan.Plan) string {
		return fmt.Sprintf("%s %q %q of %q %s priority %d order %d tags %q blocked by %q blocks %q completed %t", p.ID, p.Title, p.Description, p.Ticket, p.Status, p.Priority, p.Order, p.Tags, p.BlockedBy, p.Blocks, p.CompletedAt != nil)
	}
	makes := func(n plan.New) {
		made, err := d.Create(t.Context(), d.ann, n)
		ids[n.Title] = made.ID
		step(fmt.Sprintf("make %.40q", n.Title), tell(made.Plan), err)
	}
	edits := func(what, title string, e plan.Edit) {
		done, err := d.Update(t.Context(), d.ann, ids[title], e)
		step("edit "+title+": "+what, tell(done.Plan), err)
	}
	high := work.PriorityHigh
	makes(plan.New{Title: " "})
	makes(plan.New{Title: "a\nb"})
	makes(plan.New{Title: strings.Repeat("x", 201)})
	makes(plan.New{Title: strings.Repeat("x", 200), Tags: []string{"a\nb"}})
	makes(plan.New{Title: "x", Description: "\x00"})
	makes(plan.New{Title: "x", Ticket: "T-9"})
	makes(plan.New{Title: "x", Blocks: []string{"T-9"}})
	makes(plan.New{Title: "x", BlockedBy: []string{"T-9"}})
	makes(plan.New{Title: "One", Description: "of it\nall", Ticket: "t-1", Priority: work.PriorityLow, Tags: []string{" UI ", "ui", "api"}})
	makes(plan.New{Title: "Two", Blocks: []string{"T-1"}, BlockedBy: []string{ids["One"], "T-2"}, Priority: work.PriorityMedium})
	makes(plan.New{Title: "Three", Blocks: []string{ids["One"]}, BlockedBy: []string{ids["One"]}})
	makes(plan.New{Title: "Three", Ticket: "T-1", Tags: []string{"API"}})
	edits("nothing", "One", plan.Edit{Why: "x"})
	edits("an empty title", "One", plan.Edit{Title: to("")})
	edits("a text that is none", "One", plan.Edit{Description: to("\x00")})
	edits("a tag that is none", "One", plan.Edit{Tags: &[]string{""}})
	edits("everything", "One", plan.Edit{Title: to("First"), Description: to(""), Priority: &high, Tags: &[]string{"z", "a"}, Order: new(int), Status: to(plan.InProgress), Why: "begun"})
	edits("the same status", "One", plan.Edit{Status: to(plan.InProgress)})
	edits("a status that is none", "One", plan.Edit{Status: to("paused")})
	edits("back", "One", plan.Edit{Status: to(plan.Pending)})
	edits("blocked", "One", plan.Edit{Status: to(plan.Blocked), Why: "no time"})
	edits("on", "One", plan.Edit{Status: to(plan.InProgress)})
	five := 5
	edits("order", "Two", plan.Edit{Order: &five})
	edits("done", "One", plan.Edit{Status: to(plan.Completed)})
	edits("again", "One", plan.Edit{Status: to(plan.InProgress)})
	edits("canceled", "Three", plan.Edit{Status: to(plan.Canceled)})
	edits("a plan that does not exist", "Nine", plan.Edit{Status: to(plan.Canceled)})
	for _, f := range []plan.Filter{{}, {Finished: true}, {Status: plan.Completed}, {Status: "x"}, {Tags: []string{"Z", "api"}}, {Tags: []string{"api"}, Finished: true}, {Ticket: "T-1", Finished: true}, {Ticket: "T-9"}} {
		all, err := d.List(t.Context(), d.ann, f)
		var titles []string
		for _, p := range all {
			titles = append(titles, p.Title)
		}
		step(fmt.Sprintf("list %+v", f), fmt.Sprintf("%q", titles), err)
	}
	p, err := d.Get(t.Context(), d.ann, ids["Two"])
	step("get Two", tell(p), err)
	for _, dry := range []bool{true, false} {
		for _, title := range []string{"Two", "One"} {
			done, err := d.Delete(t.Context(), d.ann, ids[title], dry)
			step(fmt.Sprintf("delete %s dry %t", title, dry), fmt.Sprintf("%q deleted %t, %d edges, unblocked %q by %s", done.Title, done.Deleted, done.Edges, done.Waiting, done.BookedOn.Agent), err)
		}
	}
	_, err = d.Delete(t.Context(), d.ann, ids["Two"], false)
	step("delete Two again", "", err)
	goldentest.Same(t, "plans.txt", b.String(), *update)
}
