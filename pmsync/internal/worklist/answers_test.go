package worklist_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/plan"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/pmsync/internal/worklist"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// full adds to the desk of newDesk an epic with children, plans, tasks, memories, sessions, fields, files and comments, and a second sprint.
func full(t *testing.T) *desk {
	d := newDesk(t)
	points := 1.5
	later := ticket.Ref{ID: "s-2", Name: "Ten"}
	at := time.Date(2024, 11, 20, 9, 0, 0, 0, time.UTC)
	d.write(func(tx *registry.Tx) error {
		ann, err := agent.Register(tx, agent.Registration{Name: "ann"})
		if err != nil {
			return err
		}
		report, err := ticket.PutMany(tx, []ticket.New{
			{Key: "E-1", Type: "epic", Title: "Everything", CreatedAt: at},
			{Key: "B-1", Title: "Rich", Parent: ticket.Ref{Key: "E-1"}, Priority: work.PriorityMedium, Sprint: later, Category: ticket.InProgress, Status: "Doing", Estimate: &points, EstimateUnit: "points",
				Assignee: "u-1", AssigneeName: "Dora D", Labels: []string{"x", "y"}, URL: "https://example.com/B-1", CreatedAt: at, Body: ticket.Text{Text: strings.Repeat("words and ", 20)},
				Fields: []ticket.Field{{Name: "Severity", Value: "Major"}}, Files: []ticket.File{{Kind: ticket.Web, Name: "page", URL: "https://example.com/p"}}},
			{Key: "B-2", Title: "Child", Parent: ticket.Ref{Key: "B-1"}, CreatedAt: at},
			{Key: "B-3", Title: "Canceled", Category: ticket.Canceled, Sprint: later, Estimate: &points, CreatedAt: at},
			{Key: "B-4", Title: "Without points", Sprint: later, Category: ticket.Done, CreatedAt: at, Assignee: "bob"},
			{Key: "B-5", Title: "Three criteria", Sprint: later, CreatedAt: at, Body: ticket.Text{Text: "Acceptance criteria:\n\n- one\n- two\n- three"}},
			{Key: "B-6", Title: "Behind three", CreatedAt: at, Links: []ticket.Link{{Relation: "blocks", Target: ticket.Ref{Key: "B-2"}}, {Relation: "blocks", Target: ticket.Ref{Key: "B-5"}}}},
		}, ticket.Put{ProjectID: d.p.ID, Parse: true})
		if err != nil {
			return err
		}
		rich := report.Items[1]
		comments := make([]ticket.Comment, 5)
		for i := range comments {
			comments[i] = ticket.Comment{ID: fmt.Sprint(i), Author: "Bob", At: timestamp.Of(at.Add(time.Duration(i) * time.Hour)), Text: fmt.Sprint("comment ", i)}
		}
		if err := ticket.KeepComments(tx, rich, comments); err != nil {
			return err
		}
		for i, c := range []struct {
			kind  work.Kind
			title string
			state work.State
		}{{work.KindTask, "Taken up", work.StateOpen}, {work.KindTask, "Failed", work.StateDropped}, {work.KindBug, "A bug", work.StateOpen}} {
			origin := rich
			if i > 0 { // one task at a time takes a ticket up
				origin = report.Items[5]
			}
			if _, err := work.Create(tx, work.NewItem{ProjectID: d.p.ID, Kind: c.kind, Ref: fmt.Sprintf("t-%d", i), Title: c.title, Status: string(c.state), State: c.state, OriginID: origin, CreatedAt: at}); err != nil {
				return err
			}
		}
		for i := range 10 {
			id, err := tx.Insert(`INSERT INTO memories (uid, ref, project_id, type, key, key_key, title, content, content_hash, importance, used_at, created_at, updated_at)
				VALUES (?, ?, ?, 'pattern', ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`, fmt.Sprint("mu-", i), fmt.Sprint("m-", i), d.p.ID, fmt.Sprint("k", i), fmt.Sprint("k", i), fmt.Sprint("Memory ", i), strings.Repeat("long ", 100), fmt.Sprint("h", i), 1+i%3, tx.Stamp(), tx.Stamp(), tx.Stamp())
			if err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO memory_items (memory_id, ref, ref_key, item_id) VALUES (?, 'B-1', 'b-1', ?)`, id, rich); err != nil {
				return err
			}
			if i == 0 {
				if _, err := tx.Exec(`INSERT INTO memory_items (memory_id, ref, ref_key) VALUES (?, 'A-6', 'a-6')`, id); err != nil {
					return err
				}
			}
		}
		for i := range 12 {
			started := registry.FormatTime(at.Add(time.Duration(i) * time.Minute))
			if _, err := tx.Exec(`INSERT INTO sessions (uid, ref, project_id, agent_id, lane, item_id, status, outcome, summary, started_at, last_event_at) VALUES (?, ?, ?, ?, 'agent:ann', ?, 'completed', 'success', ?, ?, ?)`,
				fmt.Sprint("su-", i), fmt.Sprint("s-", i), d.p.ID, ann.ID, rich, fmt.Sprint("did ", i), started, started); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(`UPDATE criteria SET status = 'verified' WHERE item_id = ? AND position = 0`, report.Items[5]); err != nil {
			return err
		}
		_, err = tx.Exec(`UPDATE sprints SET status = 'planned' WHERE name = 'Ten'`)
		return err
	})
	plans := &plan.Store{DB: d.b.DB}
	for _, n := range []plan.New{{Title: "Step one", Ticket: "B-1", Priority: work.PriorityHigh}, {Title: "Step two", Ticket: "B-1", BlockedBy: []string{"A-1"}}, {Title: "On its own"}} {
		if _, err := plans.Create(t.Context(), d.by, n); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// Every answer of the board as a whole.
func TestAnswers(t *testing.T) {
	t.Parallel()
	d := full(t)
	var all strings.Builder
	tell := func(question string, answer any, err error) {
		fmt.Fprintf(&all, "%s\n", question)
		if f := fault.From(err); f != nil {
			fmt.Fprintf(&all, "\t%s: %s; %s\n", f.Kind, f.Message, f.Hint)
			return
		}
		text, err := json.MarshalIndent(answer, "\t", "  ")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "\t%s\n", text)
	}
	ann := caller.Caller{Place: d.by.Place, Agent: "ann"}
	unknown := caller.Caller{Place: project.Place{At: &project.Identity{UID: "new", Name: "new", Folder: "/new"}}}
	nowhere := caller.Caller{Place: project.Place{Named: "nowhere"}}
	everything := worklist.DetailQuery{Plans: true, Criteria: true, Memories: true, Past: true}
	for _, c := range []struct {
		id, question string
		q            worklist.DetailQuery
	}{
		{"B-1", "all of B-1", everything}, {"B-1", "B-1, its description cut", worklist.DetailQuery{MaxDescription: 30}}, {"B-1", "B-1, within its length", worklist.DetailQuery{MaxDescription: 199}},
		{"b-1", "B-1, its plans", worklist.DetailQuery{Plans: true}}, {"b-1", "B-1, its memories", worklist.DetailQuery{Memories: true}},
		{"B-5", "all of B-5", everything}, {"B-5", "B-5 alone", worklist.DetailQuery{}}, {"B-2", "all of B-2", everything}, {"E-1", "all of E-1", everything}, {"A-4", "A-4, which is another's", everything},
		{"A-7", "A-7, which waits elsewhere", everything}, {"A-99", "what does not exist", everything},
	} {
		c.q.ID = c.id
		answer, err := d.b.Ticket(t.Context(), ann, c.q)
		tell("ticket: "+c.question, answer, err)
	}
	for _, c := range []struct {
		question string
		q        worklist.ReadyQuery
	}{
		{"all", worklist.ReadyQuery{Caller: ann, Tickets: true, Local: true, Limit: 20}},
		{"tickets", worklist.ReadyQuery{Caller: ann, Tickets: true, Limit: 20}},
		{"plans and tasks, explained", worklist.ReadyQuery{Caller: ann, Local: true, Limit: 20, Explain: true}},
		{"anyone's, explained", worklist.ReadyQuery{Caller: ann, Tickets: true, Local: true, AnyAssignee: true, Limit: 20, Explain: true}},
		{"as many as there are", worklist.ReadyQuery{Caller: ann, Tickets: true, Limit: 3}},
		{"two, explained", worklist.ReadyQuery{Caller: ann, Tickets: true, Limit: 2, Explain: true}},
		{"a folder that is not known", worklist.ReadyQuery{Caller: unknown, Tickets: true, Limit: 2, Explain: true}},
		{"a project that does not exist", worklist.ReadyQuery{Caller: nowhere, Limit: 2}},
	} {
		answer, err := d.b.Ready(t.Context(), c.q)
		tell("ready: "+c.question, answer, err)
	}
	for _, q := range []worklist.SprintQuery{{}, {Criteria: true}, {Blockers: true}, {Sprint: "Ten", Criteria: true, Blockers: true}, {Sprint: "ten", Limit: 2}, {Sprint: "s-2", Limit: 4}, {Sprint: "Eleven"}} {
		answer, err := d.b.Sprint(t.Context(), ann, q)
		tell(fmt.Sprintf("sprint: %+v", q), answer, err)
	}
	for _, status := range []string{"", "active", "planned", "completed"} {
		answer, err := d.b.Sprints(t.Context(), ann, status)
		tell("sprints: "+status, answer, err)
	}
	for _, c := range []struct {
		question string
		q        worklist.SuggestQuery
	}{
		{"with all preferences", worklist.SuggestQuery{Caller: ann, Blockers: true, Criteria: true, Mine: true, Limit: 3}}, {"without", worklist.SuggestQuery{Caller: ann, Limit: 3}},
		{"a folder that is not known", worklist.SuggestQuery{Caller: unknown, Limit: 3}}, {"a project that does not exist", worklist.SuggestQuery{Caller: nowhere, Limit: 3}},
	} {
		answer, err := d.b.Suggest(t.Context(), c.q)
		tell("suggest: "+c.question, answer, err)
	}
	d.write(func(tx *registry.Tx) error { _, err := tx.Exec(`UPDATE sprints SET status = 'completed'`); return err })
	answer, err := d.b.Suggest(t.Context(), worklist.SuggestQuery{Caller: ann, Blockers: true, Criteria: true, Mine: true, Limit: 3})
	tell("suggest: without a running sprint", answer, err)
	d.write(func(tx *registry.Tx) error { return work.SetOwnNames(tx, d.p.ID, "user", []string{"carol"}) })
	for _, mine := range []bool{true, false} {
		answer, err := d.b.Suggest(t.Context(), worklist.SuggestQuery{Caller: ann, Mine: mine, Limit: 1})
		tell(fmt.Sprintf("suggest: one of the user's own, preferred %t", mine), answer, err)
	}
	list, err := d.b.Ready(t.Context(), worklist.ReadyQuery{Caller: ann, Tickets: true, Limit: 1, Explain: true})
	tell("ready: the user's own", list, err)
	for _, id := range []string{"A-1", "A-2", "A-4", "A-7", "B-1", "B-2", "B-5", "t-0"} {
		answer, err := d.b.Explain(t.Context(), ann, id)
		tell("explain: "+id, answer, err)
	}
	clitest.Golden(t, filepath.Join("testdata", "answers.txt"), clitest.NewMasks(t).Apply(all.String()))
}
