package sync_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// paper is a tracker in memory. It writes down every call, and a call fails as often as it is told to.
type paper struct {
	items    map[string]*provider.Item
	where    map[string]provider.Where // answers of Check
	next     provider.Page             // of the next pull
	account  provider.Account
	statuses []provider.Status
	steps    []provider.Transition
	sprints  []provider.Sprint
	users    []provider.User
	comments map[string][]provider.Comment
	calls    []string
	fail     map[string][]error
	pulls    int
}

func (p *paper) did(format string, args ...any) error {
	call := fmt.Sprintf(format, args...)
	p.calls = append(p.calls, call)
	errs := p.fail[call]
	if len(errs) == 0 {
		return nil
	}
	p.fail[call] = errs[1:]
	return errs[0]
}

func (p *paper) Name() provider.Name { return provider.Jira }

func (p *paper) TestConnection(context.Context) (provider.Account, error) {
	return p.account, p.did("account")
}

func (p *paper) Projects(context.Context, func(provider.Project) error) error { return nil }

func (p *paper) Pull(_ context.Context, q provider.Pull, yield func(provider.Page) error) error {
	if err := p.did("pull from %q", q.Cursor); err != nil {
		return err
	}
	p.pulls++
	page := p.next
	p.next = provider.Page{}
	page.Cursor, page.Drained, page.Total = provider.Cursor(fmt.Sprint("c", p.pulls)), true, len(page.Items)
	return yield(page)
}

func (p *paper) Item(_ context.Context, id string) (*provider.Item, error) {
	if err := p.did("item %s", id); err != nil {
		return nil, err
	}
	if i := p.items[id]; i != nil {
		now := *i
		return &now, nil
	}
	return nil, provider.Fail(provider.NotFound, nil, "no such ticket")
}

func (p *paper) Update(_ context.Context, i *provider.Item, c provider.Change) (*provider.Item, error) {
	changed := *p.items[i.RemoteID]
	now := &changed
	var what string
	switch {
	case c.Status != nil:
		what, now.Status = fmt.Sprintf("status %+v", *c.Status), p.status(*c.Status)
	case c.Priority != nil:
		what, now.Priority = fmt.Sprint("priority ", *c.Priority), *c.Priority
	case c.Title != nil:
		what, now.Title = "title "+*c.Title, *c.Title
	case c.Assignee != nil:
		what, now.Assignee = "assignee "+*c.Assignee, &provider.User{ID: *c.Assignee, Name: *c.Assignee}
	case c.Estimate != nil:
		what, now.Estimate = fmt.Sprint("estimate ", *c.Estimate), c.Estimate
	case c.Sprint != nil:
		what, now.Sprint = "sprint "+*c.Sprint, &provider.Ref{ID: *c.Sprint, Name: "Nine"}
	case c.Parent != nil:
		what, now.Parent = fmt.Sprintf("parent %s %s", *c.Parent, c.ParentType), &provider.Ref{ID: *c.Parent}
	case c.AddLink != nil:
		what = fmt.Sprintf("link %+v", *c.AddLink)
		now.Links = append(now.Links, provider.Link{Relation: c.AddLink.Relation, Target: provider.Ref{ID: c.AddLink.Target, Key: "P-" + c.AddLink.Target}})
	case c.Fields != nil:
		what, now.Fields = fmt.Sprintf("fields %+v", c.Fields), c.Fields
	case c.Text != nil:
		what, now.Body = "text "+*c.Text, provider.Text{Format: provider.Markdown, Text: *c.Text}
	default:
		what = fmt.Sprintf("labels +%q -%q", c.AddLabels, c.RemoveLabels)
		now.Labels = slices.DeleteFunc(append(slices.Clone(now.Labels), c.AddLabels...), func(l string) bool { return slices.Contains(c.RemoveLabels, l) })
	}
	if err := p.did("update %s %s", i.RemoteID, what); err != nil {
		return nil, err
	}
	p.items[i.RemoteID] = now
	answer := *now
	return &answer, nil
}

func (p *paper) status(t provider.Target) provider.Status {
	for _, s := range p.statuses {
		if s.ID == t.ID || s.Name == t.Name || t.Name == "" && s.Category == t.Category {
			return s
		}
	}
	return provider.Status{Name: t.Name, Category: t.Category}
}

func (p *paper) Transitions(_ context.Context, i *provider.Item) ([]provider.Transition, error) {
	return p.steps, p.did("transitions %s", i.RemoteID)
}

func (p *paper) Statuses(context.Context) ([]provider.Status, error) {
	return p.statuses, p.did("statuses")
}

// searching is a paper tracker with everything that a tracker may have.
type searching struct{ *paper }

func (p searching) Sprints(_ context.Context, yield func(provider.Sprint) error) error {
	for _, s := range p.sprints {
		if err := yield(s); err != nil {
			return err
		}
	}
	return p.did("sprints")
}

func (p searching) Check(_ context.Context, ids []string, yield func(provider.Presence) error) error {
	if err := p.did("check %s", strings.Join(ids, " ")); err != nil {
		return err
	}
	for _, id := range ids {
		where := p.where[id]
		if where == "" {
			where = provider.Unknown
		}
		if err := yield(provider.Presence{RemoteID: id, Where: where}); err != nil {
			return err
		}
	}
	return nil
}

func (p searching) Users(_ context.Context, text string) ([]provider.User, error) {
	return p.users, p.did("users %s", text)
}

func (p searching) Comments(_ context.Context, i *provider.Item, yield func(provider.Comment) error) error {
	if err := p.did("comments of %s", i.RemoteID); err != nil {
		return err
	}
	for _, c := range p.comments[i.RemoteID] {
		if err := yield(c); err != nil {
			return err
		}
	}
	return nil
}

func (p searching) AddComment(_ context.Context, i *provider.Item, n provider.NewComment) (provider.Comment, error) {
	return provider.Comment{ID: "made"}, p.did("comment on %s: %s, attempted before %t", i.RemoteID, n.Text, !n.Attempted.IsZero())
}

var (
	_ provider.Commenter    = searching{}
	_ provider.Creator      = searching{}
	_ provider.Checker      = searching{}
	_ provider.UserFinder   = searching{}
	_ provider.SprintLister = searching{}
)

func (p searching) Create(_ context.Context, n provider.NewItem) (*provider.Item, error) {
	status := "none"
	if n.Status != nil {
		status = string(n.Status.Category)
	}
	if err := p.did("create %q %q of type %s %q: status %s, priority %d, assignee %q, labels %q, parent %q %s, sprint %q, due %q, unit %s, fields %v, attempted before %t", n.Title, n.Text, n.Type, n.NativeType, status, n.Priority, n.Assignee,
		n.Labels, n.Parent, n.ParentType, n.Sprint, n.DueDate, n.Unit, n.Fields, !n.Attempted.IsZero()); err != nil {
		return nil, err
	}
	i := paperItem(fmt.Sprint(100+len(p.items)), n.Title)
	i.Body, i.Priority, i.Labels, i.Fields = provider.Text{Format: provider.Markdown, Text: n.Text}, n.Priority, n.Labels, n.Fields
	if n.Assignee != "" {
		i.Assignee = &provider.User{ID: n.Assignee}
	}
	p.items[i.RemoteID] = i
	return i, nil
}

func paperItem(id, title string) *provider.Item {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &provider.Item{RemoteID: id, Key: "P-" + id, Type: provider.TypeTicket, NativeType: "Issue", Title: title, Status: provider.Status{ID: "s1", Name: "To Do", Category: provider.Todo}, Presence: provider.Present,
		CreatedAt: at, UpdatedAt: at, Version: title}
}

// paperSide is a registry and a paper tracker, with a transcript of what happens.
type paperSide struct {
	*told
	p     *paper
	clock *providertest.Clock
}

// newPaperSide makes a project with a paper tracker of its own. A registry takes longer to open than a story lasts, so that all share one.
func newPaperSide(t *testing.T, db *registry.DB, name string) *paperSide {
	s := &paperSide{p: &paper{items: map[string]*provider.Item{}, where: map[string]provider.Where{}, comments: map[string][]provider.Comment{}, fail: map[string][]error{}, account: provider.Account{ID: "u1", Name: "Ann Archer", Email: "ann@example.com"},
		statuses: []provider.Status{{ID: "s1", Name: "To Do", Category: provider.Todo}, {ID: "s2", Name: "Doing", Category: provider.InProgress}, {ID: "s3", Name: "Done", Category: provider.Done}}}, clock: providertest.NewClock(time.Now())}
	plain := &side{T: t, db: db, tickets: &ticket.Store{DB: db, AutoParse: true, MaxQueued: 100}, caller: caller.Caller{Place: project.Place{Named: name}}}
	plain.must(db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		p, err := project.Ensure(tx, project.Identity{UID: name, Name: name, Folder: "/" + name})
		plain.project = p.ID
		return err
	}))
	s.told = newTold(plain)
	s.engine = &sync.Engine{DB: db, Tracker: searching{s.p}, Project: plain.project, Settings: sync.Settings{Parse: true, Sprints: true, Clock: s.clock}}
	return s
}

// adds puts items on the tracker, and into the next pull.
func (s *paperSide) adds(ids ...string) {
	for _, id := range ids {
		i := paperItem(id, "Ticket "+id)
		s.p.items[id] = i
		s.p.next.Items = append(s.p.next.Items, *i)
	}
}

// again puts items that are on the tracker into the next pull.
func (s *paperSide) again(ids ...string) {
	for _, id := range ids {
		s.p.next.Items = append(s.p.next.Items, *s.p.items[id])
	}
}

func (s *paperSide) does(what string, do func() (string, error)) {
	s.Helper()
	s.p.calls = nil
	s.step(what, func() (string, error) {
		text, err := do()
		if len(s.p.calls) > 0 {
			text = "calls: " + strings.Join(s.p.calls, "; ") + "\n\t" + text
		}
		return text, err
	})
}

func (s *paperSide) pulled(what string, full bool) {
	s.Helper()
	s.does("pull: "+what, func() (string, error) {
		r, err := s.engine.Pull(s.Context(), full)
		return tellResult(r), err
	})
}

func (s *paperSide) pushed(what string, p sync.Push) {
	s.Helper()
	s.does("push: "+what, func() (string, error) {
		r, err := s.engine.Push(s.Context(), p)
		return tellResult(r), err
	})
}

// aged makes a stream as old as that.
func (s *paperSide) aged(stream string, age time.Duration) {
	s.Helper()
	s.must(s.db.Write(s.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE sync_state SET updated_at = ? WHERE stream = ?`, registry.FormatTime(tx.Now().Add(-age)), stream)
		return err
	}))
	s.watch.Changes()
}

// The calls that a pull or push makes, and what it does with each answer.
func TestCallsAndAnswers(t *testing.T) {
	t.Parallel()
	fail := func(r provider.Reason) error { return provider.Fail(r, nil, "no: %s", r) }
	now := sync.Push{Now: true}
	db := registrytest.Open(t)
	var all strings.Builder
	for _, c := range []struct {
		name string
		do   func(s *paperSide)
	}{
		{"what is read again", func(s *paperSide) {
			s.pulled("the first", false)
			s.pulled("at once", false)
			for stream, age := range map[string]time.Duration{"account": 7 * 24 * time.Hour, "statuses": 6 * time.Hour, "sprints": 15 * time.Minute, "gone": 24 * time.Hour, "outside": time.Hour} {
				s.aged(stream, age-time.Minute)
			}
			s.pulled("a minute before its time", false)
			for _, stream := range []string{"account", "statuses", "sprints", "gone"} {
				s.aged(stream, 8*24*time.Hour)
				s.pulled("after the time of "+stream, false)
			}
			s.engine.Meaning = "other"
			s.pulled("other meanings of statuses", false)
			s.engine.Scope = "elsewhere"
			s.pulled("another part of the tracker", false)
		}},
		{"what cannot be read", func(s *paperSide) {
			s.p.statuses = append(s.p.statuses, provider.Status{Name: "Blocked", Category: provider.Todo})
			end := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
			s.p.sprints = []provider.Sprint{{ID: "sp1", Name: "Nine", State: provider.SprintActive, Goal: "it works", EndsAt: &end}, {ID: "sp2", Name: "Ten", State: provider.SprintPlanned}}
			s.p.fail["account"] = []error{fail(provider.Forbidden)}
			s.p.fail["sprints"] = []error{fail(provider.Unsupported)}
			s.pulled("two parts are not", false)
			s.p.fail["account"] = []error{fail(provider.NotFound)}
			s.pulled("the project is not found", true)
			s.p.fail["statuses"] = []error{fail(provider.Offline)}
			s.pulled("it cannot be reached", true)
			s.pulled("all can be", true)
			s.p.sprints = s.p.sprints[1:]
			s.pulled("a sprint is gone", true)
			s.engine.Sprints = false
			s.pulled("without sprints", true)
		}},
		{"who is lost", func(s *paperSide) {
			var ids []string
			for i := range 13 {
				ids = append(ids, fmt.Sprint(10+i))
			}
			s.adds(ids...)
			s.pulled("the first", false)
			s.adds("30", "31")
			for _, id := range ids[:2] {
				s.p.items[id].Title, s.p.items[id].Version = "renamed", "2"
			}
			s.again(ids[:4]...)
			s.p.where[ids[4]], s.p.where[ids[5]] = provider.Present, provider.Deleted
			s.pulled("seven are lost of which as many are seen", true)
			s.p.fail["check 16 17 18 19 20 21 22"] = nil
			s.again("10", "11", "12", "13", "14", "30", "31")
			s.pulled("they are lost still", true)
			for _, id := range ids[6:] {
				s.p.where[id] = provider.Present
			}
			s.again("10", "11", "12", "13", "14", "30", "31")
			s.pulled("they are back", true)
			for _, id := range append([]string{"30", "31"}, ids...) {
				s.p.where[id] = provider.Unknown
			}
			s.again("10", "11", "12")
			s.pulled("more are lost than are seen", true)
			for _, id := range append([]string{"30", "31"}, ids...) {
				s.p.where[id] = provider.Moved
			}
			s.pulled("all have moved", true)
			s.p.fail["check 10 11 12 13 14 16 17 18 19 20 21 22 30 31"] = []error{fail(provider.Unavailable)}
			s.pulled("no answer", true)
		}},
		{"a tracker that cannot be asked for many", func(s *paperSide) {
			s.engine.Tracker = s.p
			s.adds("1", "2", "3", "4")
			s.pulled("the first", false)
			delete(s.p.items, "1")
			s.p.items["2"].Presence = provider.Deleted
			s.p.items["3"].Title = "renamed"
			s.p.fail["item 4"] = []error{fail(provider.Unavailable)}
			s.pulled("a day later, all of it", true)
			s.p.items["1"] = paperItem("1", "Ticket 1")
			s.p.fail["item 2"] = []error{fail(provider.Unavailable)}
			s.aged("gone", 25*time.Hour)
			s.pulled("another day later", false)
			s.p.items["2"].Presence = provider.Present
			s.p.fail["item 2"] = []error{fail(provider.RateLimited)}
			s.aged("gone", 25*time.Hour)
			s.pulled("not now", false)
			s.pulled("now", false)
		}},
		{"items that fail", func(s *paperSide) {
			s.adds("1", "2")
			s.p.next.Items[1].Type = "nothing"
			s.p.next.Failed = []provider.Failure{{RemoteID: "3", Err: fail(provider.Protocol)}}
			s.pulled("one cannot be stored, one not be read", false)
			s.p.items["3"] = paperItem("3", "Ticket 3")
			s.p.fail["item 3"] = []error{fail(provider.Unavailable)}
			s.pulled("once more", false)
			s.pulled("once more", false)
			s.adds("4")
			s.p.next.Gone = []provider.Presence{{RemoteID: "1", Where: provider.Archived}, {RemoteID: "2", Where: provider.Unknown}, {RemoteID: "9", Where: provider.Deleted}}
			s.pulled("some are gone", false)
			s.p.items["2"].Presence = provider.Moved
			s.again("2")
			s.pulled("one has moved", false)
			s.again("2")
			s.pulled("it is still away", false)
		}},
		{"a limit", func(s *paperSide) {
			s.p.fail[`pull from ""`] = []error{&provider.Error{Fault: fault.Validation("x", "slow down"), Reason: provider.RateLimited, RetryAt: s.clock.Now().Add(10 * time.Minute)}}
			s.pulled("limited", false)
			s.pulled("within the limit", false)
			s.pushed("within the limit", now)
			s.clock.Advance(10*time.Minute + time.Second)
			s.p.fail[`pull from ""`] = []error{&provider.Error{Fault: fault.Validation("x", "slow down"), Reason: provider.RateLimited, RetryAt: s.clock.Now().Add(3 * time.Hour)}}
			s.pulled("after it, and limited for three hours", false)
			s.clock.Advance(time.Hour + time.Second)
			s.pulled("an hour later", false)
		}},
		{"a canceled pull", func(s *paperSide) {
			s.p.fail[`pull from ""`] = []error{context.Canceled}
			s.pulled("canceled", false)
			s.p.fail[`pull from ""`] = []error{fail(provider.Offline), fail(provider.Offline)}
			s.pulled("offline", false)
			s.pulled("still", false)
			s.tells()
			s.pulled("online", false)
		}},
		{"comments of what changed", func(s *paperSide) {
			var ids []string
			for i := range 12 {
				ids = append(ids, fmt.Sprint(10+i))
			}
			s.adds(ids...)
			s.pulled("the first", false)
			for i, id := range ids {
				s.p.comments[id] = []provider.Comment{{ID: "c", Author: &provider.User{Name: "Bob"}, Body: provider.Text{Format: provider.Markdown, Text: "about " + id}}}
				s.p.items[id].Version = "2"
				switch i {
				case 9:
					s.p.items[id].Status = s.p.statuses[2]
				case 10:
					s.p.items[id].Type = provider.TypeEpic
				case 11:
					s.p.items[id].Status, s.p.items[id].Type = s.p.statuses[1], provider.TypeSubtask
				}
			}
			s.again(ids...)
			s.pulled("all of them changed", false)
			s.adds("22", "23")
			s.p.fail["comments of 13"] = []error{fail(provider.Unavailable)}
			s.again(ids...)
			s.pulled("two more, and one cannot be read", false)
		}},
		{"every kind of change", func(s *paperSide) {
			s.p.sprints = []provider.Sprint{{ID: "sp1", Name: "Nine", State: provider.SprintActive}}
			s.p.users = []provider.User{{ID: "u2", Name: "Bob"}}
			s.adds("1", "2", "3")
			s.pulled("the first", false)
			s.edits("every field", "1", ticket.Edit{Title: ptr("Log in"), Description: ptr("more"), Status: ptr("Done"), Priority: ptr(work.PriorityHigh), Assignee: ptr("Bob"), AddLabels: []string{"b", "a"}, Estimate: ptr(2.5), Sprint: ptr("nine"), Parent: ptr("P-2"),
				Links: []ticket.Relate{{Relation: "blocks", Target: "P-3"}}, Fields: []ticket.Field{{Name: "Severity", Value: "Major"}}, Comment: "said"})
			s.pushed("a dry run", sync.Push{DryRun: true})
			s.pushed("all of it", now)
			s.edits("taken back", "1", ticket.Edit{Parent: ptr(""), Sprint: ptr(""), Assignee: ptr(""), RemoveLabels: []string{"a"}})
			s.pushed("taken back", now)
			s.edits("a category", "2", ticket.Edit{Status: ptr("in_progress")})
			s.pushed("a category", now)
		}},
		{"answers to a change", func(s *paperSide) {
			s.adds("1")
			s.pulled("the first", false)
			const update = "update 1 priority 3"
			s.edits("a priority", "1", ticket.Edit{Priority: ptr(work.PriorityHigh), Comment: "and this"})
			for _, r := range []provider.Reason{provider.Unavailable, provider.Offline, provider.Unauthorized, provider.Uncertain, provider.Forbidden, provider.Changed} {
				s.p.fail[update] = []error{fail(r)}
				s.pushed("answered by "+string(r), now)
			}
			s.tells()
			s.edits("another priority", "1", ticket.Edit{Priority: ptr(work.PriorityLow)})
			const low = "update 1 priority 1"
			s.p.fail[low] = []error{fail(provider.Changed), fail(provider.Changed), fail(provider.Changed)}
			s.pushed("others change it all the time", now)
			s.p.fail[low] = []error{fail(provider.NotFound)}
			s.pushed("not found once", now)
			s.edits("a third priority", "1", ticket.Edit{Priority: ptr(work.PriorityMedium)})
			s.p.fail["update 1 priority 2"] = []error{fail(provider.NotFound), fail(provider.NotFound)}
			s.pushed("not found twice", now)
			s.edits("no one's", "1", ticket.Edit{Assignee: ptr("zoe")})
			s.p.fail["update 1 assignee zoe"] = []error{fail(provider.Invalid)}
			s.pushed("a person whom it does not know", now)
			s.edits("a status", "1", ticket.Edit{Status: ptr("Done")})
			s.p.steps = []provider.Transition{{ID: "t1", To: s.p.statuses[1]}}
			s.p.fail["update 1 status {ID: Name:Done Category:}"] = []error{fail(provider.Invalid)}
			s.pushed("a step that the workflow lacks", now)
			s.edits("a status", "1", ticket.Edit{Status: ptr("Doing")})
			s.p.fail["update 1 status {ID: Name:Doing Category:}"] = []error{fail(provider.Invalid)}
			s.p.fail["transitions 1"] = []error{fail(provider.Unavailable)}
			s.pushed("a step that the workflow lacks, and no steps", now)
			s.tells()
		}},
		{"a look that fails", func(s *paperSide) {
			s.adds("1", "2")
			s.pulled("the first", false)
			for _, id := range []string{"1", "2"} {
				s.edits("a title of "+id, id, ticket.Edit{Title: ptr("Other " + id), Comment: "said"})
			}
			s.p.fail["item 1"] = []error{fail(provider.Unavailable)}
			s.pushed("one cannot be looked at", now)
			s.tells()
			s.pushed("before its next attempt", sync.Push{Now: true, Due: true})
			s.p.fail["item 1"] = []error{fail(provider.NotFound), fail(provider.NotFound)}
			s.pushed("it is not found twice", now)
			s.p.fail["item 1"] = []error{fail(provider.Offline)}
			s.pushed("it cannot be reached", now)
			s.p.items["1"].Presence = provider.Archived
			s.pushed("it is archived", now)
			s.p.items["1"].Presence = provider.Present
			s.pushed("it is back", now)
		}},
		{"a comment twice", func(s *paperSide) {
			s.adds("1")
			s.pulled("the first", false)
			s.edits("a comment", "1", ticket.Edit{Comment: "said"})
			s.p.fail["comment on 1: said, attempted before false"] = []error{fail(provider.Uncertain)}
			s.pushed("its answer is lost", now)
			s.pushed("again", now)
			s.engine.Tracker = s.p
			s.edits("another", "1", ticket.Edit{Comment: "said"})
			s.pushed("where none are taken", now)
		}},
		{"a new ticket", func(s *paperSide) {
			s.p.sprints = []provider.Sprint{{ID: "sp1", Name: "Nine", State: provider.SprintActive}}
			s.p.users = []provider.User{{ID: "u2", Name: "Bob"}}
			s.adds("1")
			s.pulled("the first", false)
			makes := func(n ticket.New) {
				n.Remote, n.At = true, "jira"
				s.does("make "+n.Title, func() (string, error) {
					made, err := s.tickets.Create(s.Context(), s.caller, n)
					return made.Outcome, err
				})
			}
			makes(ticket.New{Title: "Plain"})
			makes(ticket.New{Title: "Full", Body: ticket.Text{Text: "why"}, Priority: work.PriorityHigh, Chosen: true, Labels: []string{"a"}, DueDate: "2027-01-02", Estimate: ptr(3.0), Assignee: "Bob", Parent: ticket.Ref{Key: "P-1"}, Sprint: ticket.Ref{Name: "Nine"},
				ProviderType: "Bug", Category: ticket.InProgress, Given: []ticket.Field{{Name: "Severity", Value: "Major"}}})
			makes(ticket.New{Title: "Stranger", Assignee: "zoe"})
			makes(ticket.New{Title: "Own", Assignee: "u1"})
			s.pushed("all", now)
			makes(ticket.New{Title: "Lost", Given: []ticket.Field{{Name: "Severity", Value: "Major"}}})
			lost := `create "Lost" "" of type ticket "": status none, priority 0, assignee "", labels [], parent "" , sprint "", due "", unit points, fields [{Severity Major}], attempted before `
			s.p.fail[lost+"false"] = []error{fail(provider.Uncertain)}
			s.pushed("its answer is lost", now)
			s.pulled("looks for it", false)
			makes(ticket.New{Title: "Searched", Assignee: "bo"})
			s.p.fail["users bo"] = []error{fail(provider.Unavailable), fail(provider.Offline)}
			s.pushed("no answer about a person", now)
			s.pushed("no answer at all", now)
			s.pushed("now", now)
			for i := range 27 {
				_, err := s.tickets.Create(s.Context(), s.caller, ticket.New{Title: fmt.Sprint("Many ", i), Remote: true, At: "jira"})
				s.must(err)
			}
			for range 2 {
				r, err := s.engine.Push(s.Context(), now)
				s.must(err)
				fmt.Fprintf(&s.b, "push of many: %s\n", tellResult(r))
			}
			s.watch.Changes()
		}},
		{"waiting until it settles", func(s *paperSide) {
			s.adds("1")
			s.pulled("the first", false)
			s.engine.Debounce = time.Hour
			s.edits("a title", "1", ticket.Edit{Title: ptr("Other")})
			began := s.clock.Now()
			s.pushed("with a debounce of an hour", sync.Push{})
			fmt.Fprintf(&s.b, "\twaited %s\n", s.clock.Now().Sub(began).Round(time.Minute))
			began = s.clock.Now()
			s.edits("a title", "1", ticket.Edit{Title: ptr("Third")})
			s.pushed("now", now)
			fmt.Fprintf(&s.b, "\twaited %s\n", s.clock.Now().Sub(began).Round(time.Minute))
		}},
		{"another process", func(s *paperSide) {
			presence, err := s.db.Announce()
			s.must(err)
			defer presence.Leave()
			s.pulled("the first", false)
			holds := func(holder string, until time.Duration) {
				s.must(s.db.Write(s.Context(), registry.Everything, func(tx *registry.Tx) error {
					_, err := tx.Exec(`UPDATE trackers SET lease_holder = ?, lease_until = ?`, holder, registry.FormatTime(tx.Now().Add(until)))
					return err
				}))
				s.watch.Changes()
			}
			holds(presence.ID, time.Hour)
			s.tells()
			s.pulled("while another one holds it", false)
			s.engine.Patience = time.Minute
			began := s.clock.Now()
			s.pulled("with patience", false)
			fmt.Fprintf(&s.b, "\twaited %s\n", s.clock.Now().Sub(began))
			holds(presence.ID, -time.Minute)
			s.tells()
			s.pulled("its time is over", false)
			holds("v-dead", time.Hour)
			s.tells()
			s.pulled("it has ended", false)
		}},
	} {
		s := newPaperSide(t, db, c.name)
		c.do(s)
		fmt.Fprintf(&all, "# %s\n\n%s\n", c.name, s.b.String())
		if left := outboxOf(s.side); len(left) > 0 {
			fmt.Fprintf(&all, "waiting: %q\n\n", left)
		}
	}
	clitest.Golden(t, filepath.Join("testdata", "calls.txt"), steady(all.String()))
}

// outboxOf lists the changes that wait.
func outboxOf(s *side) (all []string) {
	for _, c := range s.waiting() {
		all = append(all, fmt.Sprintf("%s %s %s %s", c.Ticket, c.Type, c.Value, c.Status))
	}
	return all
}
