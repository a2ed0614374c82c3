package ticket

import (
	"bytes"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/sprint"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/goldentest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

var rewrite = flag.Bool("update", false, "write the transcripts in testdata anew, for review")

// story performs steps on tickets, and writes down what each answers and which rows it changes.
type story struct {
	*site
	store *Store
	by    caller.Caller
	watch *registrytest.Watch
	b     strings.Builder
}

func newStory(t *testing.T) *story {
	s := &story{site: newSite(t), by: caller.Caller{Place: project.Place{Named: "app"}, Agent: "Ann"}}
	s.store = &Store{DB: s.db, AutoParse: true, MaxQueued: 40, Configured: func(string) bool { return false }}
	s.watch = registrytest.NewWatch(t, s.db, []string{"items", "tickets", "ticket_labels", "ticket_links", "ticket_keys", "ticket_fields", "ticket_files", "ticket_comments", "sprints",
		"dependencies", "outside_blockers", "criteria", "pending_changes", "own_names", "item_history"},
		"items.uid", "tickets.content_hash", "tickets.parsed_hash", "tickets.provider_data", "pending_changes.client_id", "criteria.uid", "sprints.uid", "pending_changes.uid")
	return s
}

// step runs one step and writes what it says.
func (s *story) step(what string, do func() (string, error)) {
	s.t.Helper()
	said, err := do()
	fmt.Fprintf(&s.b, "%s\n", what)
	if f := fault.From(err); f != nil {
		fmt.Fprintf(&s.b, "\t%s %s: %s; %s\n", f.Kind, f.Field, s.watch.Text(f.Message), s.watch.Text(f.Hint))
	}
	if said != "" {
		fmt.Fprintf(&s.b, "\t%s\n", strings.ReplaceAll(s.watch.Text(said), "\n", "\n\t"))
	}
	s.b.WriteString(s.watch.Changes())
}

func (s *story) in(what string, fn func(*registry.Tx) (string, error)) {
	s.t.Helper()
	s.step(what, func() (said string, err error) {
		err = s.db.Write(s.t.Context(), registry.Everything, func(tx *registry.Tx) (err error) {
			said, err = fn(tx)
			return err
		})
		return said, err
	})
}

func (s *story) creates(n New) {
	s.t.Helper()
	s.step(fmt.Sprintf("create %q %q", n.Key, n.Title), func() (string, error) {
		made, err := s.store.Create(s.t.Context(), s.by, n)
		return tellChanged(made), err
	})
}

func (s *story) updates(what, key string, e Edit) {
	s.t.Helper()
	s.step("update "+key+": "+what, func() (string, error) {
		done, err := s.store.Update(s.t.Context(), s.by, "id", key, e)
		return tellChanged(done), err
	})
}

func (s *story) puts(what string, all ...New) {
	s.t.Helper()
	s.in("put: "+what, func(tx *registry.Tx) (string, error) {
		r, err := PutMany(tx, all, Put{ProjectID: s.id, Actor: "pull", Parse: true})
		return fmt.Sprintf("created %d updated %d unchanged %d %q %q", r.Created, r.Updated, r.Unchanged, r.IDs, r.Notes), err
	})
}

func (s *story) lists(what string, f Filter) {
	s.t.Helper()
	f.Caller = s.by
	s.step("list: "+what, func() (string, error) {
		page, err := s.store.List(s.t.Context(), f)
		var keys []string
		for _, t := range page.Tickets {
			keys = append(keys, t.ID)
		}
		return fmt.Sprintf("%q more %t", keys, page.Next != ""), err
	})
}

func tellChanged(c Changed) string {
	if c.ID == "" {
		return ""
	}
	t := c.Ticket
	estimate := ""
	if t.Estimate != nil {
		estimate = fmt.Sprint(*t.Estimate)
	}
	return fmt.Sprintf("%s %s %s %q in %s (%s) priority %d %s of %s %s labels %q below %s epic %s %s milestone %s sprint %s due %s estimate %s %s at %s, %d pending, notes %q, by %s",
		c.Outcome, t.Type, t.ID, t.Title, t.Status, t.StatusCategory, t.Priority, t.PriorityLabel, t.Assignee, t.AssigneeName, t.Labels, t.Parent, t.Epic, t.EpicName, t.Milestone,
		t.Sprint, t.DueDate, estimate, t.EstimateUnit, t.Provider, t.Pending, c.Notes, c.BookedOn.Agent)
}

// Local tickets: every step with its answer and the rows that it changes.
func TestStoryOfLocalTickets(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	half, much := 0.5, 1e7
	high := work.PriorityHigh
	s.creates(New{Title: " "})
	s.creates(New{Title: "x", Key: "a\nb"})
	s.creates(New{Title: "x", DueDate: "soon"})
	s.creates(New{Title: "x", Type: "story"})
	s.creates(New{Title: "x", Category: "later"})
	s.creates(New{Title: "x", Estimate: &half, EstimateUnit: "weeks"})
	s.creates(New{Title: "x", Estimate: &much})
	s.creates(New{Title: "x", Assignee: "me", Parent: Ref{Key: "nothing"}})
	s.creates(New{Key: "E-1", Title: "An epic", Type: TypeEpic})
	s.creates(New{Key: "A-1", Title: " One\n ticket ", Body: Text{Text: "- [ ] it works\n- [x] it is told\n"}, Priority: work.PriorityLow, Labels: []string{"ui", "UI", "api"}, Assignee: "@me",
		Epic: Ref{Key: "e-1"}, DueDate: "03/04/2020", Estimate: &half, EstimateUnit: "days", Sprint: Ref{Name: "S1"}, Milestone: Ref{Name: "M1"}})
	s.creates(New{Key: "a-1", Title: "again"})
	s.creates(New{Key: "A-2", Title: "Two", Relate: []Relate{{"Blocked-By", "A-1"}, {"related_to", "A-1"}}})
	s.creates(New{Key: "A-3", Title: "Three", Relate: []Relate{{"blocks", "A-3"}}})
	s.creates(New{Key: "A-3", Title: "Three", Relate: []Relate{{"eats", "A-1"}}})
	s.creates(New{Key: "A-3", Title: "Three", Given: []Field{{Name: "Severity", Value: "Major"}}})
	s.creates(New{Key: "A-3", Title: "Three", Parent: Ref{Key: "A-2"}, Type: TypeSubtask, Sprint: Ref{Name: "s1"}})
	s.updates("nothing", "A-1", Edit{})
	s.updates("a ticket that does not exist", "A-9", Edit{Title: ptr("x")})
	s.updates("an epic", "E-1", Edit{Title: ptr("The epic")})
	s.updates("an empty title", "A-1", Edit{Title: ptr(" ")})
	s.updates("the same title", "A-1", Edit{Title: ptr("One ticket")})
	s.updates("title and text", "A-1", Edit{Title: ptr("The first"), Description: ptr("Acceptance criteria:\n- it works\n- it is fast\n")})
	s.updates("a longer text than is kept", "A-1", Edit{Description: ptr(strings.Repeat("x", maxBody+1))})
	s.updates("status", "A-1", Edit{Status: ptr("In Progress"), Comment: "begun\nmore"})
	s.updates("the same status", "A-1", Edit{Status: ptr("in_progress")})
	s.updates("a status that does not exist", "A-1", Edit{Status: ptr("simmering")})
	s.updates("priority", "A-1", Edit{Priority: &high})
	s.updates("the same priority", "A-1", Edit{Priority: &high})
	s.updates("assignee", "A-1", Edit{Assignee: ptr("Kim")})
	s.updates("the same assignee", "A-1", Edit{Assignee: ptr("kim")})
	s.updates("no assignee", "A-1", Edit{Assignee: ptr("")})
	s.updates("to me", "A-1", Edit{Assignee: ptr("currentUser()")})
	s.updates("labels", "A-1", Edit{AddLabels: []string{"New", "ui"}, RemoveLabels: []string{"API"}})
	s.updates("the same labels", "A-1", Edit{Labels: &[]string{"ui", "New"}})
	s.updates("other labels", "A-1", Edit{Labels: &[]string{"z", "a"}, AddLabels: []string{"m"}})
	s.updates("due date", "A-1", Edit{DueDate: ptr("2020-05-06")})
	s.updates("no due date", "A-1", Edit{DueDate: ptr("")})
	s.updates("a day that is none", "A-1", Edit{DueDate: ptr("tomorrow")})
	s.updates("estimate", "A-1", Edit{Estimate: ptr(3.0)})
	s.updates("the same estimate", "A-1", Edit{Estimate: ptr(3.0)})
	s.updates("too large an estimate", "A-1", Edit{Estimate: ptr(-1.0)})
	s.updates("estimate of one without", "A-2", Edit{Estimate: ptr(0.0)})
	s.updates("type", "A-1", Edit{Type: ptr(TypeSubtask)})
	s.updates("a type that it cannot become", "A-1", Edit{Type: ptr(TypeEpic)})
	s.updates("an epic's type", "E-1", Edit{Type: ptr(TypeTicket)})
	s.updates("sprint", "A-1", Edit{Sprint: ptr("S2")})
	s.updates("no sprint", "A-1", Edit{Sprint: ptr("")})
	s.updates("parent", "A-1", Edit{Parent: ptr("A-3")})
	s.updates("a parent below it", "A-2", Edit{Parent: ptr("A-1")})
	s.updates("no parent", "A-1", Edit{Parent: ptr("")})
	s.updates("a parent that does not exist", "A-1", Edit{Parent: ptr("X-1")})
	s.updates("link", "A-3", Edit{Links: []Relate{{"duplicates", "A-1"}}})
	s.updates("a link around", "A-1", Edit{Links: []Relate{{"blocked_by", "A-2"}}})
	s.updates("a field", "A-1", Edit{Fields: []Field{{Name: "Severity", Value: "Major"}}})
	s.updates("a comment alone", "A-1", Edit{Comment: "said"})
	s.updates("a comment that is none", "A-1", Edit{Comment: "\x00"})
	s.updates("everything", "A-2", Edit{Title: ptr("Second"), Status: ptr("done"), Priority: &high, Assignee: ptr("Kim Lee"), Labels: &[]string{"q"}, Comment: "all of it"})
	for _, c := range []struct {
		what string
		f    Filter
	}{
		{"unfinished", Filter{}}, {"all", Filter{Everything: true}}, {"of all projects", Filter{All: true, Everything: true}}, {"done", Filter{Statuses: []string{"Done"}}},
		{"types", Filter{Types: []string{TypeEpic, TypeMilestone}}}, {"a type that does not exist", Filter{Types: []string{"x"}}}, {"labels", Filter{Labels: []string{"Z", "a"}}},
		{"labels that it lacks", Filter{Labels: []string{"z", "q"}}}, {"assignee", Filter{Assignee: "kim lee", Everything: true}}, {"mine", Filter{Mine: true}}, {"me", Filter{Assignee: "me"}},
		{"sprint", Filter{Sprint: "S1"}}, {"a sprint that does not exist", Filter{Sprint: "S9"}}, {"words", Filter{Text: "first a-1"}}, {"a word with a sign", Filter{Text: "100%"}},
		{"a page", Filter{Limit: 2, Everything: true}}, {"a page that is all", Filter{Limit: 50}}, {"after nothing", Filter{After: "!"}}, {"after a ticket that does not exist", Filter{After: "zz"}},
	} {
		s.lists(c.what, c.f)
	}
	s.step("pages", func() (said string, err error) {
		f := Filter{Caller: s.by, Limit: 2, Everything: true}
		for {
			page, err := s.store.List(s.t.Context(), f)
			for _, t := range page.Tickets {
				said += t.ID + " "
			}
			if f.After = page.Next; err != nil || page.Next == "" {
				return said, err
			}
			said += "| "
		}
	})
	s.step("known", func() (string, error) {
		all, finished, err := s.store.Known(s.t.Context(), s.by)
		counts, _ := s.store.ByStatus(s.t.Context(), s.by)
		keys, _ := s.store.Keys(s.t.Context(), s.by, "a-")
		return fmt.Sprint(all, finished, counts, keys), err
	})
	for _, names := range [][]string{nil, {"Kim Lee", "Ann"}, {" "}, nil} {
		for _, forget := range []bool{false, true} {
			s.step(fmt.Sprintf("me %q forget %t", names, forget), func() (string, error) {
				known, err := s.store.Me(s.t.Context(), s.by, slices.Clone(names), forget)
				return fmt.Sprintf("%q", known), err
			})
		}
	}
	for _, force := range []bool{false, true} {
		s.step(fmt.Sprintf("criteria of A-1, force %t", force), func() (string, error) {
			p, err := s.store.ParseCriteria(s.t.Context(), s.by, "A-1", force)
			said := p.Ticket
			for _, c := range p.Criteria {
				said += fmt.Sprintf(" %q", c.Text)
			}
			return fmt.Sprintf("%s looked %t", said, p.Reparsed != nil), err
		})
	}
	goldentest.Same(t, "local.txt", s.b.String(), *rewrite)
}

// tracked makes the project one of Jira, with statuses, a workflow and a sprint.
func (s *story) tracked() {
	s.t.Helper()
	s.in("a tracker", func(tx *registry.Tx) (string, error) {
		if err := tx.Do(`INSERT INTO trackers (project_id, provider, viewer_id, viewer_name, updated_at) VALUES (?, 'jira', 'acc-1', 'Ann Lee', ?)`, s.id, tx.Stamp()); err != nil {
			return "", err
		}
		for i, status := range []trackerStatus{{"1", "To Do", Todo}, {"2", "In Progress", InProgress}, {"3", "In Review", InProgress}, {"4", "Done", Done}, {"5", "Shelved", Canceled}} {
			if err := tx.Do(`INSERT INTO tracker_statuses (project_id, scope, remote_id, name, name_key, category, position) VALUES (?, '', ?, ?, ?, ?, ?)`,
				s.id, status.id, status.name, strings.ToLower(status.name), status.category, i); err != nil {
				return "", err
			}
		}
		for from, to := range map[string]string{"1": "2", "2": "4"} {
			if err := tx.Do(`INSERT INTO tracker_transitions (project_id, scope, from_id, to_id) VALUES (?, 'Bug', ?, ?)`, s.id, from, to); err != nil {
				return "", err
			}
		}
		_, err := sprint.Put(tx, s.id, sprint.Sprint{ID: "77", Name: "Sprint 7", Status: sprint.Active, Provider: "jira"})
		return "", err
	})
}

var old = time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)

// Tickets of a tracker: what a pull stores, what is queued for the tracker, and what is refused.
func TestStoryOfATracker(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.tracked()
	five := 5.0
	high, none := work.PriorityHigh, work.PriorityNone
	one := New{Provider: "jira", RemoteID: "101", Key: "P-1", Title: "First", Status: "To Do", StatusID: "1", Category: Todo, ProviderType: "Bug", Priority: work.PriorityMedium, PriorityLabel: "Medium",
		Assignee: "acc-2", AssigneeName: "Kim", Labels: []string{"ui"}, Body: Text{Format: "adf", Text: `{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"It works"}]}]}`},
		Criteria: Text{Text: "- fast\n- small"}, Sprint: Ref{ID: "77", Name: "Sprint 7"}, Epic: Ref{ID: "200", Key: "P-20"}, Parent: Ref{ID: "300", Key: "P-30"}, Milestone: Ref{ID: "v1", Name: "1.0"},
		Links:  []Link{{"blocked_by", Ref{ID: "102", Key: "P-2", Name: "Second"}, false}, {"related_to", Ref{ID: "999", Key: "X-9"}, false}, {"duplicates", Ref{ID: "103", Key: "P-3"}, false}},
		Fields: []Field{{Name: "Severity", Value: "Minor"}, {Name: "severity", Value: "Major"}, {Value: "x"}}, Files: []File{{Attachment, "", "https://example.org/a", 3}, {Web, "", "", 0}},
		DueDate: "2020-02-02", Estimate: &five, EstimateUnit: "points", URL: "https://example.org/P-1", CreatedAt: old, UpdatedAt: old, Revision: "7", Raw: []byte(`{"a":1}`)}
	clone := func(change func(*New)) New {
		n := one
		n.Links, n.Labels, n.Fields, n.Files = slices.Clone(one.Links), slices.Clone(one.Labels), slices.Clone(one.Fields), slices.Clone(one.Files)
		change(&n)
		return n
	}
	s.puts("a first page", clone(func(*New) {}), New{Provider: "jira", RemoteID: "102", Key: "P-2", Title: "Second", Status: "In Progress", StatusID: "2", Category: InProgress, Links: []Link{{"blocks", Ref{ID: "101"}, false}}})
	s.puts("the same again", clone(func(*New) {}))
	s.puts("only its revision", clone(func(n *New) { n.Revision, n.UpdatedAt = "8", old.Add(time.Hour) }))
	s.puts("what was missing", New{Provider: "jira", RemoteID: "103", Key: "P-3", Title: "Third", Status: "Done", StatusID: "4", Category: Done},
		New{Provider: "jira", RemoteID: "200", Key: "P-20", Title: "The epic", Type: TypeEpic}, New{Provider: "jira", RemoteID: "300", Key: "P-30", Title: "The parent"})
	s.puts("everything changed", clone(func(n *New) {
		n.Key, n.Title, n.Status, n.StatusID, n.Category, n.Labels, n.Assignee, n.AssigneeName = "Q-1", "First, moved", "In Progress", "2", InProgress, []string{"API", "ui"}, "", "Kim"
		n.Links, n.Fields, n.Files, n.Parent, n.Epic, n.Milestone, n.Sprint = n.Links[1:2], n.Fields[:1], nil, Ref{}, Ref{ID: "200"}, Ref{}, Ref{}
		n.Body = Text{Text: "It **works**"}
	}))
	s.puts("a key that another one had", New{Provider: "jira", RemoteID: "104", Key: "P-1", Title: "Another"})
	s.puts("a key of another one", New{Provider: "jira", RemoteID: "105", Key: "P-2", Title: "Takes it"})
	s.puts("one key twice", New{Provider: "jira", RemoteID: "106", Key: "P-6", Title: "a"}, New{Provider: "jira", RemoteID: "107", Key: "p-6", Title: "b"})
	s.puts("one ticket twice", New{Provider: "jira", RemoteID: "106", Key: "P-6", Title: "a"}, New{Provider: "jira", RemoteID: "106", Key: "P-6", Title: "b"})
	s.puts("a local key", New{Key: "P-6", Title: "mine"})
	s.puts("around", New{Provider: "jira", RemoteID: "108", Key: "P-8", Title: "a", Links: []Link{{"blocks", Ref{ID: "109"}, false}}}, New{Provider: "jira", RemoteID: "109", Key: "P-9", Title: "b", Links: []Link{{"blocks", Ref{ID: "108"}, false}}})
	s.puts("no title and no key", New{Provider: "jira", RemoteID: "1"})
	s.puts("a key for a title", New{Provider: "jira", RemoteID: "110", Key: "P-10"})
	s.puts("not a category", New{Provider: "jira", RemoteID: "111", Title: "x", Category: "soon"})

	s.updates("title and text", "Q-1", Edit{Title: ptr("Renamed"), Description: ptr("Now **more**")})
	s.updates("the text as it reads", "Q-1", Edit{Description: ptr("Now __more__")})
	s.updates("back to the tracker's title", "Q-1", Edit{Title: ptr("First, moved")})
	s.updates("a status out of reach", "Q-1", Edit{Status: ptr("Shelved")})
	s.updates("the status that it has", "Q-1", Edit{Status: ptr("In progress")})
	s.updates("a status by name", "Q-1", Edit{Status: ptr("done")})
	s.updates("a status where no way is known", "Q-1", Edit{Status: ptr("Shelved")})
	s.updates("one of several", "P-3", Edit{Status: ptr("in_progress")})
	s.store.StateFor = map[string]string{InProgress: "in review"}
	s.updates("the chosen one of several", "P-3", Edit{Status: ptr("in_progress")})
	s.updates("a status by its id", "P-3", Edit{Status: ptr("1")})
	s.updates("not a status", "P-3", Edit{Status: ptr("Blocked")})
	s.updates("a word that only sounds like one", "P-3", Edit{Status: ptr("wontfix")})
	s.updates("priority", "Q-1", Edit{Priority: &high})
	s.updates("no priority", "Q-1", Edit{Priority: &none})
	s.updates("assignee", "Q-1", Edit{Assignee: ptr("acc-3")})
	s.updates("me", "Q-1", Edit{Assignee: ptr("me")})
	s.updates("labels", "Q-1", Edit{AddLabels: []string{"new"}})
	s.updates("estimate", "Q-1", Edit{Estimate: ptr(8.0)})
	s.updates("sprint", "P-3", Edit{Sprint: ptr("sprint 7")})
	s.updates("the same sprint", "P-3", Edit{Sprint: ptr("Sprint 7")})
	s.updates("a sprint that does not exist", "P-3", Edit{Sprint: ptr("Sprint 8")})
	s.updates("no sprint", "P-3", Edit{Sprint: ptr("")})
	s.updates("parent", "P-3", Edit{Parent: ptr("P-30")})
	s.updates("the same parent", "P-3", Edit{Parent: ptr("p-30")})
	s.updates("no parent", "P-3", Edit{Parent: ptr("")})
	s.updates("a due date", "P-3", Edit{DueDate: ptr("2020-01-01")})
	s.updates("a type", "P-3", Edit{Type: ptr(TypeSubtask)})
	s.updates("a field", "Q-1", Edit{Fields: []Field{{Name: "Severity", Value: "Blocker"}, {Name: "Team", Value: "Core"}}})
	s.updates("a comment", "Q-1", Edit{Comment: "done soon"})
	s.updates("a link", "Q-1", Edit{Links: []Relate{{"blocks", "P-3"}}})
	s.updates("the same link", "Q-1", Edit{Links: []Relate{{"blocks", "P-3"}}})
	s.creates(New{Key: "L-1", Title: "Here alone"})
	s.updates("a link to a local one", "Q-1", Edit{Links: []Relate{{"blocks", "L-1"}}})
	s.updates("below a local one", "P-3", Edit{Parent: ptr("L-1")})
	s.creates(New{Key: "L-2", Title: "To be made", Remote: true, At: "jira", Relate: []Relate{{"blocks", "P-3"}}, Given: []Field{{Name: "Team", Value: "Core"}}, Priority: work.PriorityMedium})
	s.creates(New{Key: "L-3", Title: "In a sprint", Remote: true, At: "jira", Sprint: Ref{Name: "Sprint 8"}})
	s.updates("below one that is made", "P-3", Edit{Parent: ptr("L-2")})
	s.updates("links of one that is made", "L-2", Edit{Links: []Relate{{"blocked_by", "Q-1"}, {"related_to", "L-1"}}})
	s.in("offline", func(tx *registry.Tx) (string, error) {
		return "", tx.Do(`UPDATE trackers SET offline_since = '2020-01-01T00:00:00.000Z'`)
	})
	s.updates("offline", "P-3", Edit{Title: ptr("Queued")})
	s.updates("not offline", "P-3", Edit{Title: ptr("Refused"), NotOffline: true})
	s.store.MaxQueued = 1
	s.updates("a full queue", "P-3", Edit{Comment: "no room"})

	item := func(tx *registry.Tx, key string) int64 {
		t, err := Find(tx, s.id, "id", key)
		if err != nil {
			s.t.Fatal(err)
		}
		return t.item.ID
	}
	for _, show := range [][2]string{{outbox.Status, "Shelved"}, {outbox.Status, "Nowhere"}, {outbox.Status, "in progress"}, {outbox.Priority, "4"}, {outbox.Priority, "x"}, {outbox.Assignee, "acc-9"}, {outbox.Labels, "b\n\na"},
		{outbox.Title, "Shown"}, {outbox.Description, "Shown *too*"}, {outbox.Estimate, "2.5"}, {outbox.Estimate, ""}, {outbox.Sprint, "Sprint 7"}, {outbox.Sprint, ""}, {outbox.Sprint, "Sprint 9"}, {outbox.Parent, "P-20"}, {outbox.Parent, ""},
		{outbox.Link, "related_to P-8"}, {outbox.Link, ""}, {outbox.Custom("Severity"), "None"}, {outbox.Comment, "x"}} {
		s.in(fmt.Sprintf("show %s %q", show[0], show[1]), func(tx *registry.Tx) (string, error) {
			return "", Show(tx, item(tx, "Q-1"), show[0], show[1], work.Event{Actor: "test"})
		})
	}
	s.in("keep fields", func(tx *registry.Tx) (string, error) {
		n := clone(func(n *New) { n.Links = nil })
		err := KeepFields(tx, item(tx, "Q-1"), &n, append(slices.Clone(outbox.Fields), outbox.Custom("severity"), outbox.Custom("Team"), outbox.Comment))
		n.Raw = nil
		value, ok := n.Value("SEVERITY")
		_, other := n.Value("Team")
		return fmt.Sprintf("%q %s %s %s %d %s %q %q %v %s %v %v %q %t %t", n.Title, n.Status, n.StatusID, n.Category, n.Priority, n.Assignee, n.Labels, n.Body, n.Estimate != nil, n.EstimateUnit, n.Sprint, n.stay, value, ok, other), err
	})
	s.in("files and comments", func(tx *registry.Tx) (string, error) {
		id := item(tx, "Q-1")
		var said []Comment
		for i := range 12 {
			said = append(said, Comment{ID: fmt.Sprint(i), Author: "Kim", At: timestamp.Of(old.Add(time.Duration(i) * time.Hour)), Text: fmt.Sprint("said ", i)})
		}
		if err := KeepComments(tx, id, said); err != nil {
			return "", err
		}
		if err := KeepFiles(tx, id, []File{{Attachment, "a.txt", "https://example.org/a.txt", 5}, {Web, "", "https://example.org/b", 0}}); err != nil {
			return "", err
		}
		last, err := CommentsOf(tx, id, 3)
		files, _ := FilesOf(tx, id)
		fields, _ := FieldsOf(tx, id)
		return fmt.Sprintf("%v %v %v", last, files, fields), err
	})
	for _, status := range [][3]string{{"Done", "4", Done}, {"Weird", "9", ""}, {"resolved", "", ""}, {"", "", ""}} {
		s.in(fmt.Sprintf("take status %q", status), func(tx *registry.Tx) (string, error) {
			return "", TakeStatus(tx, item(tx, "P-3"), status[0], status[1], status[2], 0)
		})
	}
	s.in("a status means another thing", func(tx *registry.Tx) (string, error) {
		return "", Mean(tx, s.id, "jira", "9", "resolved", InProgress, Done)
	})
	s.in("a status of none", func(tx *registry.Tx) (string, error) { return "", Mean(tx, s.id, "jira", "77", "nowhere", Done, Todo) })
	for _, r := range []Relate{{"blocks", "P-3"}, {"related_to", "P-8"}, {"blocks", "gone"}, {"duplicates", "P-3"}} {
		s.in("unrelate "+r.String(), func(tx *registry.Tx) (string, error) { return "", Unrelate(tx, item(tx, "Q-1"), r) })
	}
	s.in("adopt", func(tx *registry.Tx) (string, error) { return "", Adopt(tx, item(tx, "L-2"), "jira", "500") })
	s.in("adopt over a copy", func(tx *registry.Tx) (string, error) { return "", Adopt(tx, item(tx, "L-1"), "jira", "110") })
	for _, left := range [][2]string{{"104", Moved}, {"105", Archived}, {"103", "deleted"}, {"103", "deleted"}, {"12345", Moved}} {
		s.in("leave "+left[0]+", "+left[1], func(tx *registry.Tx) (string, error) {
			id, key, err := Leave(tx, s.id, "jira", left[0], left[1])
			return fmt.Sprint(id != 0, " ", key), err
		})
	}
	s.puts("one that comes back", New{Provider: "jira", RemoteID: "105", Key: "P-2", Title: "Back"})
	s.in("ids", func(tx *registry.Tx) (string, error) {
		here, err := RemoteIDs(tx, s.id, "jira")
		away, _ := AwayIDs(tx, s.id, "jira", 1)
		gone, _ := Away(tx, s.id, "jira", "104")
		still, _ := Away(tx, s.id, "jira", "101")
		parent, kind, _ := RemoteParent(tx, item(tx, "P-2"), "jira")
		return fmt.Sprint(here, away, gone, still, parent, kind), err
	})
	goldentest.Same(t, "tracker.txt", s.b.String(), *rewrite)
}

var madeID = regexp.MustCompile(`TKT-[0-9A-Za-z]{10}`)

// Files of many tools: what becomes of each, as an export shows it.
func TestFilesOfManyTools(t *testing.T) {
	t.Parallel()
	files := []struct{ name, text string }{
		{"ours", "id,item_type,title,status,priority,labels,parent_id,blocked_by,due_date,estimate\nA-1,ticket,One,todo,high,\"a,b\",A-3,\"A-2\",2020-01-02,2.5\nA-2,subtask,Two,done,,,,,,\nA-3,epic,Three,in_progress,4,,,,,\n"},
		{"semicolons", "Key;Summary;Status;Story Points\nB-1;\"a;b\";In Review;\"3,5\"\n"},
		{"tabs", "Task ID\tName\tNotes\tAssignee Email\n1\tCall\t=SUM(A1)\tkim@example.org\n"},
		{"sep", "sep=|\nid|title\nC-1|one\n"},
		{"levels", "ID,Work Item Type,Title 1,Title 2,Title 3,State,Priority\n1,Epic,Big,,,New,1\n2,Task,,,Deep,Active,4\n3,Bug,,Mid,,Closed,2\n4,Task,Alone,,,New,\n"},
		{"references", "title,blocks,related to,parent\nOne,\"Two, and more\",Three,\nTwo, and more,,,\n\"Two, and more\",,,One\nThree,,,One\n"},
		{"related", "id,title,related_to,blocks\nR-1,one,R-2,R-3\nR-2,two,,\nR-3,three,,\n"},
		{"titles alone", "title,parent\nUp,\nDown,Up\n"},
		{"one title twice", "id,title\nQ-1,one\n,one\n"},
		{"numbers", "Issue id,Issue key,Summary,Parent\n10,D-1,Up,\n11,D-2,Down,10\n"},
		{"unknown words", "id,title,status\nE-1,one,simmering\n"},
		{"a priority that is none", "id,title,priority\nE-1,one,hot\n"},
		{"an estimate that is none", "id,title,estimate\nE-1,one,many\n"},
		{"no title", "id,title\nE-1,\n"},
		{"no title column", "id,status\nE-1,todo\n"},
		{"a broken quote", "id,title\nE-1,\"one\n"},
		{"nothing", "  \n"},
		{"not UTF-8", "id,title\nE-1,\xff\n"},
		{"a tracker's ticket", "id,title,provider,provider_id\nF-1,one,github,7\n"},
		{"a tracker's ticket without an id", "id,title,provider\nF-1,one,github\n"},
		{"a tracker that does not exist", "id,title,provider\nF-1,one,trac\n"},
		{"two of one key", "id,title\nG-1,one\ng-1,two\n"},
		{"dates", "id,title,due,created,updated\nH-1,one,never,03/04/2020 10:00,yesterday\n"},
		{"days first", "id,title,due,created\nH-1,one,13/04/2020,01/02/2020\n"},
		{"days first, one of them none", "id,title,due,created\nH-1,one,31/02/2020,30/02/2020\n"},
		{"JSON lines", "{\"key\":\"I-1\",\"title\":\"one\",\"labels\":[{\"name\":\"x\"},\"y\"],\"assignee\":{\"displayName\":\"Kim\"},\"estimate\":3}\n{\"title\":\"two\",\"blocked_by\":[\"I-1\",\"zzz\"]}\n"},
		{"a list", `{"tickets":[{"id":"7","key":"J-1","title":"one","sprint":["S1","S2"],"milestone":{"title":"M"},"epic":"J-9","epic_name":"Nine","description":{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"Hello"}]}]}}]}`},
		{"not tickets", `[1]`},
		{"broken JSON", `{"title":`},
		{"people", "id,title,assignee\nK-1,one,Kim Lee <kim@example.org>\nK-2,two,kim\n"},
		{"a reason", "id,title,status,state reason,completed\nL-1,one,closed,not planned,\nL-2,two,open,not planned,\nL-3,three,backlog,,2020-01-01\nL-4,four,backlog,,no\n"},
		{"archived", "id,title,status,archived,blocked by\nM-1,one,todo,,M-2\nM-2,two,todo,yes,\nM-3,three,done,yes,\n,four,todo,yes,\n"},
		{"long", "id,title\nN-1," + strings.Repeat("long ", 200) + "\n"},
		{"iterations", "ID,Work Item Type,Title,Iteration Path\n1,Task,one,Web\n2,Task,two,Web\\Team\\Sprint 3\n"},
		{"cycles", "ID,Team,Title,Cycle Number,Cycle Name,Project\nO-1,Eng,one,4,,Roadmap\nO-2,Eng,two,4,Fourth,Roadmap\n"},
		{"formulas", "id,title,description\nP-1,'=1+1,'tis\nP-2,one,\"- a\n- b\"\n"},
	}
	var b strings.Builder
	i := newImporter(t)
	for n, file := range files {
		name := fmt.Sprint("project ", n)
		i.write(func(tx *registry.Tx) error {
			_, err := project.Ensure(tx, project.Identity{UID: name, Name: name, Folder: "/" + name})
			return err
		})
		i.by.Place.Named = name
		names := map[string]string{}
		named := func(line string) string {
			return madeID.ReplaceAllStringFunc(line, func(id string) string {
				id = strings.ToLower(id)
				if names[id] == "" {
					names[id] = fmt.Sprintf("<made%d>", len(names)+1)
				}
				return names[id]
			})
		}
		fmt.Fprintf(&b, "%s\n", file.name)
		for range 2 {
			done, err := i.store.Import(t.Context(), i.by, []byte(file.text), Import{Categories: map[string]string{"In Review": InProgress}})
			if f := fault.From(err); f != nil {
				fmt.Fprintf(&b, "\t%s %s: %s; %s\n", f.Kind, f.Field, f.Message, f.Hint)
				break
			}
			fmt.Fprintf(&b, "\tcreated %d updated %d unchanged %d, %d criteria, %d tickets\n", done.Created, done.Updated, done.Unchanged, done.Criteria, len(done.Tickets))
			for _, note := range done.Notes {
				fmt.Fprintf(&b, "\tnote: %s\n", named(note))
			}
		}
		all, err := i.store.Exported(t.Context(), Filter{Caller: i.by, Everything: true})
		if err != nil {
			t.Fatal(err)
		}
		for k := range all {
			if all[k].Provider == Local {
				all[k].ProviderID = "own"
			}
			if time.Since(all[k].CreatedAt.Time) < 24*time.Hour {
				all[k].CreatedAt = timestamp.Time{}
			}
			if time.Since(all[k].UpdatedAt.Time) < 24*time.Hour {
				all[k].UpdatedAt = timestamp.Time{}
			}
		}
		// Keys that were made are not in an order that a test can foresee.
		slices.SortStableFunc(all, func(a, b Export) int { return strings.Compare(a.Title, b.Title) })
		var out bytes.Buffer
		if err := WriteCSV(&out, all); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.SplitAfter(out.String(), "\n")[1:] {
			if line != "" {
				b.WriteString("\t" + named(strings.ReplaceAll(line, "0001-01-01T00:00:00Z", "now")))
			}
		}
		again, err := i.store.Import(t.Context(), i.by, out.Bytes(), Import{})
		if len(all) > 0 {
			fmt.Fprintf(&b, "\tthe export read again: created %d updated %d unchanged %d, %v\n", again.Created, again.Updated, again.Unchanged, err != nil)
		}
	}
	goldentest.Same(t, "files.txt", b.String(), *rewrite)
}

// The meaning of the words and numbers of files, at their limits.
func TestReadingWords(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"a=b": "[{a b}] ", " a = b , a=c": "[{a b , a=c}] ", "a": "field", "=b": "field", "a=": "[{a }] ",
	} {
		all, err := ParseFields([]string{given})
		got := fmt.Sprint(all) + " "
		if err != nil {
			got = fault.From(err).Field
		}
		if got != want {
			t.Errorf("the field %q is %s, want %s", given, got, want)
		}
	}
	if all, err := ParseFields([]string{"A=1", "b=2", "a=3"}); err != nil || fmt.Sprint(all) != "[{A 1\n3} {b 2}]" {
		t.Errorf("values of one field: %q, %v", all, err)
	}
	for given, want := range map[string]string{"blocks=A-1": "[blocks A-1]", " blocks = A-1 ": "[blocks A-1]", "blocks": "link", "blocks=": "link"} {
		all, err := ParseRelates([]string{given})
		got := fmt.Sprint(all)
		if err != nil {
			got = fault.From(err).Field
		}
		if got != want {
			t.Errorf("the relation %q is %s, want %s", given, got, want)
		}
	}
	for estimate, want := range map[float64]string{0: "0", 2.5: "2.5", -1: "", 1e6: "1e+06"} {
		if got := EstimateText(&estimate); got != want {
			t.Errorf("the estimate %g is written %q, want %q", estimate, got, want)
		}
	}
	if EstimateText(nil) != "" {
		t.Error("no estimate is written")
	}
	for given, want := range map[string]string{"a\x7fb\x1fc\u2028d\u2029e f\tg": "a b c d e f g", "\u0080": "\u0080", "a\xffb": "a\ufffdb", " " + strings.Repeat("x", 9) + " y": "xxxxxxxxx y"} {
		if got := line(given, 40); got != want {
			t.Errorf("the line of %q is %q, want %q", given, got, want)
		}
	}
	for given, want := range map[string]string{"12 files = 3": "12files3", "Éa-B_c": "Éabc", "": ""} {
		if got := fold(given); got != want {
			t.Errorf("%q is folded to %q, want %q", given, got, want)
		}
	}
	for given, want := range map[string]string{"3/4/2020": "4/3/2020", "13.4.20 10:00": "4/13/20 10:00", "2020-01-02": "2020-01-02", " 1/2/2020 ": "2/1/2020"} {
		if got := dayMonth(given); got != want {
			t.Errorf("%q with the day first is %q, want %q", given, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{{"- a\n- b", "* a\n* b", true}, {"a", " a\n", true}, {"a", "b", false}, {"**a**", "__a__", true}} {
		if SameMarkdown(c.a, c.b) != c.same {
			t.Errorf("%q and %q read the same: %t", c.a, c.b, !c.same)
		}
	}
	r := Report{}
	for range maxNotes + 1 {
		r.note("x")
	}
	if len(r.Notes) != maxNotes {
		t.Errorf("%d notes are kept", len(r.Notes))
	}
}
