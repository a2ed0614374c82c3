package sync_test

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

var harnesses = conformance.All

// everyTracker runs a test against each tracker; with -short against two that differ most. The stories of told_test.go are those of all.
func everyTracker(t *testing.T, test func(*testing.T, *side)) {
	for name, harness := range harnesses {
		if testing.Short() && name != "linear" && name != "jira" {
			continue
		}
		t.Run(name, func(t *testing.T) { test(t, newSide(t, harness())) })
	}
}

// storyOfEach runs a test against each tracker.
func storyOfEach(t *testing.T, test func(*testing.T, *side)) {
	for name, harness := range harnesses {
		t.Run(name, func(t *testing.T) { test(t, newSide(t, harness())) })
	}
}

// side is a registry and the tracker that it syncs with.
type side struct {
	*testing.T
	tracker *conformance.Tracker
	world   providertest.World
	db      *registry.DB
	tickets *ticket.Store
	caller  caller.Caller
	project int64
	engine  *sync.Engine
}

func newSide(t *testing.T, h conformance.Harness) *side { return sideOn(t, h, registrytest.Open(t)) }

func sideOn(t *testing.T, h conformance.Harness, db *registry.DB) *side {
	h.Start = time.Now() // the registry's clock, never behind the tracker's
	s := &side{T: t, tracker: h.Begin(t), db: db}
	s.world = s.tracker.World
	s.tickets = &ticket.Store{DB: s.db, AutoParse: true, MaxQueued: 100, Configured: func(key string) bool { return slices.Contains(h.Keys, key) }}
	s.caller = caller.Caller{Place: project.Place{Named: "app"}}
	s.must(s.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		p, err := project.Ensure(tx, project.Identity{UID: "app", Name: "app", Folder: "/app"})
		s.project = p.ID
		return err
	}))
	s.engine = s.another()
	return s
}

// another returns an engine like that of another process.
func (s *side) another() *sync.Engine {
	return &sync.Engine{DB: s.db, Tracker: s.tracker.Provider, Project: s.project, Settings: sync.Settings{Parse: true, Sprints: true, Clock: s.tracker.Clock}}
}

func (s *side) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *side) pull(full bool) sync.Result {
	s.Helper()
	s.tracker.Clock.Advance(10 * time.Minute) // the tracker's late updates are visible
	r, err := s.engine.Pull(s.Context(), full)
	s.must(err)
	return r
}

func (s *side) push() sync.Result {
	s.Helper()
	r, err := s.engine.Push(s.Context(), sync.Push{Now: true})
	s.must(err)
	return r
}

// local returns the ticket as it is here.
func (s *side) local(remoteID string) ticket.Ticket {
	s.Helper()
	page, err := s.tickets.List(s.Context(), ticket.Filter{Caller: s.caller, Everything: true})
	s.must(err)
	for _, t := range page.Tickets {
		if t.ProviderID == remoteID {
			return t
		}
	}
	s.Fatalf("the ticket %s is not here", remoteID)
	return ticket.Ticket{}
}

func (s *side) edit(remoteID string, e ticket.Edit) ticket.Changed {
	s.Helper()
	done, err := s.tickets.Update(s.Context(), s.caller, "id", s.local(remoteID).ID, e)
	s.must(err)
	return done
}

func (s *side) remote(id string) providertest.Spec {
	s.Helper()
	spec, ok := s.world.Look(id)
	if !ok {
		s.Fatalf("%s is not at the tracker", id)
	}
	return spec
}

func (s *side) conflicts(all bool) (found []sync.Conflict) {
	s.Helper()
	s.must(s.db.Read(s.Context(), func(tx *registry.Tx) (err error) {
		found, err = sync.Conflicts(tx, s.project, all)
		return err
	}))
	return found
}

func (s *side) status() (st sync.Status) {
	s.Helper()
	s.must(s.db.Read(s.Context(), func(tx *registry.Tx) (err error) {
		st, err = sync.Look(s.db, tx, s.project, 5)
		return err
	}))
	return st
}

func (s *side) waiting() (all []outbox.Change) {
	s.Helper()
	s.must(s.db.Read(s.Context(), func(tx *registry.Tx) (err error) {
		all, err = outbox.Waiting(tx, s.project)
		return err
	}))
	return all
}

func ptr[T any](v T) *T { return &v }

// TestBothWays: a ticket made there comes here, and a change made here goes there and does not come back as news.
func TestBothWays(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		first := s.world.Add(providertest.Spec{Title: "Login", Body: "Acceptance criteria:\n\n- works with a password", Priority: 3})
		second := s.world.Add(providertest.Spec{Title: "Logout", Blocks: []string{first}})
		if r := s.pull(false); r.Created != 2 || r.Status != sync.Success {
			t.Fatalf("the first pull: %+v", r)
		}
		if got := s.local(first); got.Title != "Login" || got.StatusCategory != ticket.Todo {
			t.Fatalf("got %+v", got)
		}
		done := s.world.StatusOf(provider.Done)
		s.edit(first, ticket.Edit{Status: &done, Comment: "finished", Labels: ptr(s.world.Labels()[:1])})
		if r := s.push(); r.Sent != 3 || r.Waiting != 0 || r.Status != sync.Success {
			t.Fatalf("the push: %+v", r)
		}
		there := s.remote(first)
		if there.Status != done || !slices.Equal(there.Labels, s.world.Labels()[:1]) || len(s.world.Comments(first)) != 1 {
			t.Errorf("the tracker has %+v and %q", there, s.world.Comments(first))
		}
		if w := s.world.Writes(first); w["title"] > 0 || w["priority"] > 0 || w["body"] > 0 || w["assignee"] > 0 {
			t.Errorf("fields that nobody changed were written: %v", w)
		}
		if r := s.pull(false); r.Created+r.Updated+r.Deleted+r.Conflicts > 0 {
			t.Errorf("our own push came back as news: %+v", r)
		}
		s.world.Edit(second, providertest.Edit{Title: ptr("Log out")})
		if r := s.pull(false); r.Updated != 1 || s.local(second).Title != "Log out" {
			t.Errorf("a change there: %+v", r)
		}
		if r := s.push(); r.Sent != 0 {
			t.Errorf("nothing waited, and the push sent %d", r.Sent)
		}
	})
}

// TestConflicts: a status that both sides changed is kept with both values until it is settled. In other fields the tracker's value wins
// and the other one is kept in the log.
func TestConflicts(t *testing.T) {
	for _, resolution := range []string{sync.KeepLocal, sync.KeepRemote, sync.Merge} {
		t.Run(resolution, func(t *testing.T) {
			everyTracker(t, func(t *testing.T, s *side) {
				id := s.world.Add(providertest.Spec{Title: "Login"})
				s.pull(false)
				doing, done := s.world.StatusOf(provider.InProgress), s.world.StatusOf(provider.Done)
				people := s.world.People()
				s.edit(id, ticket.Edit{Status: &doing, Assignee: &people[0]})
				s.world.Edit(id, providertest.Edit{Status: &done, Assignee: &people[1]})
				if r := s.pull(false); r.Conflicts != 2 {
					t.Fatalf("the pull: %+v", r)
				}
				open := s.conflicts(false)
				if len(open) != 1 || open[0].Field != "status" || open[0].Local != doing || open[0].Remote != done {
					t.Fatalf("open conflicts: %+v", open)
				}
				if got := s.local(id); got.Assignee != people[1] || got.Status != doing {
					t.Errorf("here it is %q of %q", got.Status, got.Assignee)
				}
				if all := s.conflicts(true); len(all) != 2 || all[1].Local != people[0] || all[1].Remote != people[1] {
					t.Errorf("the log of conflicts: %+v", all)
				}
				if r := s.push(); r.Sent != 0 || s.remote(id).Status != done {
					t.Errorf("a conflict was pushed: %+v", r)
				}
				if r := s.pull(true); r.Conflicts != 0 || len(s.conflicts(false)) != 1 {
					t.Errorf("the conflict was found again: %+v", r)
				}
				c, err := sync.Resolve(t.Context(), s.db, s.project, 0, open[0].Change, resolution)
				if err != nil || c.ResolvedAt == nil || c.Resolution != resolution {
					t.Fatalf("%+v, %v", c, err)
				}
				if _, err := sync.Resolve(t.Context(), s.db, s.project, 0, open[0].ID, resolution); err != nil {
					t.Errorf("again: %v", err)
				}
				s.push()
				want := doing
				if resolution == sync.KeepRemote {
					want = done
				}
				if here, there := s.local(id).Status, s.remote(id).Status; here != want || there != want {
					t.Errorf("here %q, there %q, want %q", here, there, want)
				}
			})
		})
	}
}

// TestAgreement: a conflict is over when the tracker gets the waiting value without us, and nothing is left to be sent.
func TestAgreement(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		id := s.world.Add(providertest.Spec{Title: "Login"})
		s.pull(false)
		doing, done := s.world.StatusOf(provider.InProgress), s.world.StatusOf(provider.Done)
		s.edit(id, ticket.Edit{Status: &doing})
		s.world.Edit(id, providertest.Edit{Status: &done})
		if r := s.pull(false); r.Conflicts != 1 {
			t.Fatalf("the pull: %+v", r)
		}
		s.world.Edit(id, providertest.Edit{Status: &doing})
		s.pull(false)
		if open, left := s.conflicts(false), s.waiting(); len(open) != 0 || len(left) != 0 {
			t.Errorf("both sides agree, and open are %+v, waiting %+v", open, left)
		}
		if all := s.conflicts(true); len(all) != 1 || all[0].Resolution != sync.KeepLocal {
			t.Errorf("the log of conflicts: %+v", all)
		}
		if got := s.local(id).Status; got != doing {
			t.Errorf("here it is %q", got)
		}
	})
}

// TestOffline: an unreachable tracker does not keep anyone from working here, and the changes are sent when it can be reached again.
func TestOffline(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		id := s.world.Add(providertest.Spec{Title: "Login"})
		s.pull(false)
		s.tracker.Server.CloseClientConnections()
		s.world.Faults().Random(func() providertest.Kind { return providertest.Reset })
		done := s.world.StatusOf(provider.Done)
		s.edit(id, ticket.Edit{Status: &done})
		for range 8 { // more often than the attempts of a change
			if r, err := s.engine.Push(t.Context(), sync.Push{Now: true}); err == nil && r.Status == sync.Success || r.Sent > 0 {
				t.Fatalf("a tracker that resets every connection took a change: %+v", r)
			}
		}
		if got := s.local(id).Status; got != done {
			t.Errorf("the change is %q here", got)
		}
		s.world.Faults().Clear()
		if r := s.push(); r.Sent != 1 || s.remote(id).Status != done {
			t.Errorf("after it came back: %+v", r)
		}
	})
}

// TestUnreachable: the status records when the tracker cannot be reached, and when it can again.
func TestUnreachable(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		s.world.Add(providertest.Spec{Title: "Login"})
		s.pull(false)
		look := func() (now sync.Status) {
			s.must(s.db.Read(t.Context(), func(tx *registry.Tx) (err error) {
				now, err = sync.Look(s.db, tx, s.project, 3)
				return err
			}))
			return now
		}
		if now := look(); !now.Online || now.LastPullAt == nil || now.Staleness < 0 || now.Syncing || now.Tickets != 1 || len(now.Log) != 1 {
			t.Errorf("%+v", now)
		}
		s.tracker.Server.Close()
		if _, err := s.engine.Pull(t.Context(), false); !provider.Is(err, provider.Offline) {
			t.Fatalf("%v", err)
		}
		if now := look(); now.Online || now.OfflineSince == nil || now.LastError == "" || now.Log[0].Status != sync.Failed {
			t.Errorf("%+v", now)
		}
	})
}

// TestRefused: a change that the tracker refuses for good is given up, named, and no longer shown here.
func TestRefused(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		id := s.world.Add(providertest.Spec{Title: "Login"})
		s.pull(false)
		before := s.local(id).Assignee
		s.edit(id, ticket.Edit{Assignee: ptr("no such person at all")})
		r := s.push()
		if r.Sent != 0 || len(r.Errors) != 1 || r.Status != sync.Partial {
			t.Fatalf("%+v", r)
		}
		if w := s.waiting(); len(w) != 1 || w[0].Status != outbox.Failed || w[0].LastError == "" {
			t.Errorf("%+v", w)
		}
		if got := s.local(id).Assignee; got != before {
			t.Errorf("here it is assigned to %q", got)
		}
	})
}

// TestGone: deleted or moved tickets are no longer offered here, and a full pull finds those that an incremental one cannot.
func TestGone(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		stays, deleted := s.world.Add(providertest.Spec{Title: "stays"}), s.world.Add(providertest.Spec{Title: "goes"})
		moved := s.world.Add(providertest.Spec{Title: "moves"})
		s.pull(false)
		if !s.world.Delete(deleted) || !s.world.Move(moved) {
			t.Fatal("the tracker cannot")
		}
		s.pull(true)
		page, err := s.tickets.List(t.Context(), ticket.Filter{Caller: s.caller, Everything: true})
		s.must(err)
		if len(page.Tickets) != 1 || page.Tickets[0].ProviderID != stays {
			t.Errorf("still here: %+v", page.Tickets)
		}
		if s.world.Restore(deleted) {
			s.pull(true)
			s.local(deleted)
		}
	})
}

// TestTurns: two processes never sync a project at once, and a killed one does not block the next.
func TestTurns(t *testing.T) {
	s := newSide(t, conformance.Linear())
	s.world.Add(providertest.Spec{Title: "Login"})
	other := s.another()
	told := false
	s.engine.Progress = func(sync.Progress) {
		_, err := other.Pull(t.Context(), false)
		if f := fault.From(err); f == nil || f.Kind != fault.KindConflict || !f.Retryable {
			t.Errorf("a second pull at the same time: %v", err)
		}
		told = true
	}
	s.pull(false)
	if !told {
		t.Error("no progress was told")
	}
	s.engine.Progress = nil
	s.must(s.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE trackers SET lease_holder = 'v-dead', lease_until = ?`, registry.FormatTime(tx.Now().Add(time.Hour)))
		return err
	}))
	s.pull(false)
}

// TestCreatedOnce: a ticket is made once at the tracker, even when the answer is lost and the process ends.
func TestCreatedOnce(t *testing.T) {
	everyTracker(t, func(t *testing.T, s *side) {
		made, err := s.tickets.Create(t.Context(), s.caller, ticket.New{Title: "New here", Body: ticket.Text{Text: "Says why"}, Priority: work.PriorityHigh})
		s.must(err)
		s.must(s.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			_, _, err := outbox.Add(tx, outbox.New{ProjectID: s.project, Item: made.Item().ID, Type: outbox.Create, Value: made.Title, Most: 100})
			return err
		}))
		s.world.Faults().Add(providertest.Fault{Kind: providertest.LostAnswer, After: 1, Times: 2})
		for range 6 {
			_, _ = s.engine.Push(t.Context(), sync.Push{Now: true})
			s.tracker.Clock.Advance(10 * time.Minute)
			_, _ = s.engine.Pull(t.Context(), false)
		}
		if ids := s.world.IDs(); len(ids) != 1 || s.remote(ids[0]).Title != "New here" {
			t.Fatalf("at the tracker: %v", ids)
		}
		page, err := s.tickets.List(t.Context(), ticket.Filter{Caller: s.caller, Everything: true})
		s.must(err)
		if len(page.Tickets) != 1 || page.Tickets[0].Provider == ticket.Local {
			t.Errorf("here: %+v", page.Tickets)
		}
		s.must(s.db.Read(t.Context(), func(tx *registry.Tx) error {
			got, err := ticket.Find(tx, s.project, "id", made.ID)
			if got.ID == made.ID {
				t.Errorf("by its first key it is %q", got.ID)
			}
			return err
		}))
	})
}

// TestCreatedAndPulled: a ticket that was made at the tracker, and came by a pull before its answer was known, ends up as one ticket.
func TestCreatedAndPulled(t *testing.T) {
	s := newSide(t, conformance.Jira())
	made, err := s.tickets.Create(t.Context(), s.caller, ticket.New{Title: "New here", Remote: true})
	s.must(err)
	s.world.Faults().Add(providertest.Fault{Kind: providertest.LostAnswer, Times: 1, Match: func(r *http.Request, body []byte) bool {
		return r.Method != http.MethodGet && bytes.Contains(body, []byte("New here"))
	}})
	s.push()
	ids := s.world.IDs()
	if len(ids) != 1 || len(s.waiting()) != 1 {
		t.Fatalf("at the tracker %v, waiting %+v", ids, s.waiting())
	}
	s.must(s.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := ticket.PutMany(tx, []ticket.New{{Provider: "jira", RemoteID: ids[0], Key: "PROJ-1", Title: "New here"}}, ticket.Put{ProjectID: s.project})
		return err
	}))
	s.tracker.Clock.Advance(10 * time.Minute)
	s.push()
	page, err := s.tickets.List(t.Context(), ticket.Filter{Caller: s.caller, Everything: true})
	s.must(err)
	if len(page.Tickets) != 1 || page.Tickets[0].ProviderID != ids[0] || page.Tickets[0].ID != "PROJ-1" || page.Tickets[0].Item().ID != made.Item().ID {
		t.Errorf("here: %+v", page.Tickets)
	}
	if r := s.pull(true); r.Created > 0 || len(r.Errors) > 0 {
		t.Errorf("the next pull: %+v", r)
	}
}

// TestDebounce: a push waits until the youngest change has settled.
func TestDebounce(t *testing.T) {
	s := newSide(t, conformance.Linear())
	id := s.world.Add(providertest.Spec{Title: "Login"})
	s.pull(false)
	s.edit(id, ticket.Edit{Comment: "hello"})
	s.engine.Debounce = 5 * time.Second
	at := s.tracker.Clock.Now()
	if _, err := s.engine.Push(t.Context(), sync.Push{DryRun: true}); err != nil || len(s.world.Comments(id)) != 0 {
		t.Error("a dry run sent something", err)
	}
	s.must(func() error { _, err := s.engine.Push(t.Context(), sync.Push{}); return err }())
	if waited := s.tracker.Clock.Now().Sub(at); len(s.world.Comments(id)) != 1 {
		t.Errorf("after %s: %v", waited, s.world.Comments(id))
	}
}

// asked is a tracker that keeps the requests of creations.
type asked struct {
	provider.Provider
	provider.Creator
	got []provider.NewItem
}

func (a *asked) Create(ctx context.Context, n provider.NewItem) (*provider.Item, error) {
	a.got = append(a.got, n)
	return a.Creator.Create(ctx, n)
}

// TestLookedForFromTheFirstAttempt: a ticket whose answers were lost may have been made by any of the attempts, not only by the last one.
func TestLookedForFromTheFirstAttempt(t *testing.T) {
	s := newSide(t, conformance.Linear())
	_, err := s.tickets.Create(s.Context(), s.caller, ticket.New{Title: "Made once", Remote: true})
	s.must(err)
	c := s.waiting()[0]
	for range 3 {
		s.must(s.db.Write(s.Context(), registry.Everything, func(tx *registry.Tx) error { return outbox.Settle(tx, c.Row, outbox.Sending, "", "") }))
	}
	creator, _ := s.engine.Tracker.(provider.Creator)
	a := &asked{Provider: s.engine.Tracker, Creator: creator}
	s.engine.Tracker = a
	if r := s.push(); r.Sent != 1 || len(a.got) != 1 || a.got[0].Attempted.IsZero() || a.got[0].Attempted.After(c.CreatedAt.Time) || a.got[0].Tried.Before(c.CreatedAt.Time) {
		t.Fatalf("got %+v, asked %+v", r, a.got)
	}
}

// TestMadeAsPlanned: a ticket is made at its tracker with its due date, estimate and sprint. A note names each value that the tracker does
// not accept.
func TestMadeAsPlanned(t *testing.T) {
	points, half := 3.0, 2.5
	for i, c := range []struct {
		harness  conformance.Harness
		estimate *float64
		sprint   bool // one of the tracker's
		lacks    []string
	}{
		{conformance.Linear(), &points, true, nil},
		{conformance.Linear(), &half, false, []string{"estimate of 2.5 points", `sprint "Ours"`}},
		{conformance.Jira(), &half, true, nil},
		{conformance.AzureDevOps(), &points, true, nil},
		{conformance.GitHub(), &points, true, []string{"due date 2027-03-04", "estimate of 3 points"}},
		{conformance.Asana(), &points, false, []string{"estimate of 3 points", `sprint "Ours"`}},
	} {
		s := newSide(t, c.harness)
		s.pull(false)
		sprint := "Ours"
		if l, ok := s.engine.Tracker.(provider.SprintLister); ok && c.sprint {
			s.must(l.Sprints(t.Context(), func(one provider.Sprint) error { sprint = one.Name; return nil }))
		}
		_, err := s.tickets.Create(s.Context(), s.caller, ticket.New{Title: "Planned", Remote: true, DueDate: "2027-03-04", Estimate: c.estimate,
			Sprint: ticket.Ref{Name: sprint}})
		s.must(err)
		r := s.push()
		for _, part := range c.lacks {
			if !slices.ContainsFunc(r.Notes, func(note string) bool { return strings.Contains(note, part) }) {
				t.Errorf("case %d: nothing is said of the %s: %q", i, part, r.Notes)
			}
		}
		if r.Sent != 1 || len(r.Notes) != min(len(c.lacks), 1) {
			t.Errorf("case %d: %+v", i, r)
		}
	}
}
