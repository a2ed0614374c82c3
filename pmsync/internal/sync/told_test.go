package sync_test

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// told is a side that writes down what every step answers, and which rows it changes.
type told struct {
	*side
	watch *registrytest.Watch
	b     strings.Builder
}

// varying is what differs from run to run: times, which depend on the clock on which a sync began, and the ids of comments.
var varying = regexp.MustCompile(`20\d\d-\d\d-\d\d \d\d:[0-9:.]+ \+0000 UTC|comment-[0-9a-f]{8}|'now[^']*'|'20\d\d-\d\d-\d\d[^']*'|20\d\d-\d\d-\d\dT[0-9:.]+(Z|\+00:00)`)

func newTold(s *side) *told {
	s.Helper()
	return &told{side: s, watch: registrytest.NewWatch(s, s.db, []string{"items", "tickets", "ticket_labels", "ticket_links", "ticket_keys", "ticket_fields", "ticket_files", "ticket_comments", "sprints", "dependencies",
		"outside_blockers", "criteria", "pending_changes", "sync_conflicts", "sync_failures", "sync_log", "sync_state", "trackers", "tracker_statuses", "tracker_transitions", "own_names"},
		"items.uid", "tickets.content_hash", "tickets.parsed_hash", "tickets.provider_data", "tickets.url", "tickets.revision", "pending_changes.client_id", "pending_changes.uid", "criteria.uid", "sprints.uid",
		"sync_conflicts.uid", "sync_log.uid", "sync_log.duration_ms", "sync_state.cursor", "sync_state.watermark", "sync_state.window_end", "trackers.lease_holder", "items.order_key")}
}

func (s *told) step(what string, do func() (string, error)) {
	s.Helper()
	said, err := do()
	fmt.Fprintf(&s.b, "%s\n", what)
	if f := fault.From(err); f != nil {
		fmt.Fprintf(&s.b, "\t%s %s: %s; %s\n", f.Kind, f.Field, s.watch.Text(f.Message), s.watch.Text(f.Hint))
	}
	if said != "" {
		fmt.Fprintf(&s.b, "\t%s\n", s.watch.Text(said))
	}
	s.b.WriteString(s.watch.Changes())
}

func tellResult(r sync.Result) string {
	return fmt.Sprintf("%s %s: created %d updated %d deleted %d unchanged %d sent %d waiting %d conflicts %d errors %q notes %q would send %+v", r.Direction, r.Status, r.Created, r.Updated, r.Deleted, r.Unchanged, r.Sent,
		r.Waiting, r.Conflicts, r.Errors, r.Notes, r.Planned)
}

func (s *told) pulls(what string, full bool) {
	s.Helper()
	s.step("pull: "+what, func() (string, error) {
		s.tracker.Clock.Advance(1e9 * 600)
		r, err := s.engine.Pull(s.Context(), full)
		return tellResult(r), err
	})
}

func (s *told) pushes(what string, p sync.Push) {
	s.Helper()
	s.step("push: "+what, func() (string, error) {
		r, err := s.engine.Push(s.Context(), p)
		return tellResult(r), err
	})
}

func (s *told) edits(what, id string, e ticket.Edit) {
	s.Helper()
	s.step("edit: "+what, func() (string, error) {
		done, err := s.tickets.Update(s.Context(), s.caller, "id", s.local(id).ID, e)
		return done.Outcome, err
	})
}

// there writes what the tracker has.
func (s *told) there(id string) {
	s.Helper()
	spec, ok := s.world.Look(id)
	fmt.Fprintf(&s.b, "\tthere %t: %q %q %s priority %d of %s labels %q parent %s blocks %q, comments %q, writes %v\n", ok, spec.Title, spec.Body, spec.Status, spec.Priority, spec.Assignee, spec.Labels, spec.Parent, spec.Blocks,
		s.world.Comments(id), s.world.Writes(id))
}

func (s *told) tells() {
	s.Helper()
	s.step("status", func() (string, error) {
		st := s.status()
		said := fmt.Sprintf("%s %s of %s pending %d conflicts %d failures %d online %t error %q syncing %t tickets %d", st.Provider, st.Scope, st.Account, st.Pending, st.Conflicts, st.Failures, st.Online, st.LastError, st.Syncing, st.Tickets)
		for _, h := range st.Held {
			said += fmt.Sprintf("; held %+v", h)
		}
		for _, l := range st.Log {
			said += fmt.Sprintf("; %s %s %d %q", l.Direction, l.Status, l.Processed, l.Errors)
		}
		for _, c := range s.conflicts(true) {
			said += fmt.Sprintf("; conflict of %s %q in %s: %q, here %q, there %q, settled %t %s", c.Ticket, c.Title, c.Field, c.Base, c.Local, c.Remote, c.ResolvedAt != nil, c.Resolution)
		}
		return said, nil
	})
}

// The life of tickets that both sides change, at each tracker: what every pull and push answers, and which rows it writes.
func TestStoryOfBothSides(t *testing.T) {
	storyOfEach(t, func(t *testing.T, plain *side) {
		t.Parallel()
		s := newTold(plain)
		todo, doing, done := s.world.StatusOf(provider.Todo), s.world.StatusOf(provider.InProgress), s.world.StatusOf(provider.Done)
		people, labels := s.world.People(), s.world.Labels()
		urgent, low := work.PriorityCritical, work.PriorityLow

		first := s.world.Add(providertest.Spec{Title: "Login", Body: "Acceptance criteria:\n\n- works with a password\n- is fast", Priority: 3, Labels: labels[:1]})
		second := s.world.Add(providertest.Spec{Title: "Logout", Blocks: []string{first}, Assignee: people[0]})
		third := s.world.Add(providertest.Spec{Title: "Part", Parent: second, Status: done})
		s.pulls("a first one", false)
		s.pulls("nothing new", false)
		s.pulls("all of it", true)
		s.edits("every field", first, ticket.Edit{Title: ptr("Log in"), Description: ptr("Now **more**"), Status: &doing, Priority: &urgent, Assignee: &people[1], AddLabels: labels[1:2], Comment: "begun"})
		s.pushes("a dry run", sync.Push{Now: true, DryRun: true})
		s.pushes("all of it", sync.Push{Now: true})
		s.there(first)
		s.pulls("our own changes", false)
		s.edits("back and forth", first, ticket.Edit{Status: &done})
		s.edits("back and forth", first, ticket.Edit{Status: &doing})
		s.pushes("nothing", sync.Push{Now: true})

		s.edits("status, assignee and title", second, ticket.Edit{Status: &doing, Assignee: &people[1], Title: ptr("Log out")})
		s.world.Edit(second, providertest.Edit{Status: &done, Assignee: ptr(people[0]), Title: ptr("Sign out"), Add: labels[:1]})
		s.pulls("both sides changed", false)
		s.pushes("with a conflict", sync.Push{Now: true})
		s.there(second)
		for _, resolution := range []string{"maybe", sync.Merge} {
			s.step("resolve: "+resolution, func() (string, error) {
				c, err := sync.Resolve(s.Context(), s.db, s.project, 0, s.conflicts(false)[0].ID, resolution)
				return fmt.Sprintf("%s %q here %q there %q %s", c.Field, c.Base, c.Local, c.Remote, c.Resolution), err
			})
		}
		s.step("resolve what does not exist", func() (string, error) {
			_, err := sync.Resolve(s.Context(), s.db, s.project, 0, "x-1", sync.KeepLocal)
			return "", err
		})
		s.pushes("after it is settled", sync.Push{Now: true})
		s.there(second)

		s.edits("priority and labels", third, ticket.Edit{Priority: &low, Labels: &[]string{labels[1]}})
		s.world.Edit(third, providertest.Edit{Priority: ptr(3), Add: labels[:1], Status: &todo})
		s.pulls("other fields", false)
		s.pushes("other fields", sync.Push{Now: true})
		s.there(third)

		s.edits("a person that does not exist", first, ticket.Edit{Assignee: ptr("no such person at all"), Comment: "still said"})
		s.pushes("a refusal", sync.Push{Now: true})
		s.there(first)
		s.tells()
		s.step("send the refused one again", func() (string, error) {
			return "", s.db.Write(s.Context(), registry.Everything, func(tx *registry.Tx) error {
				refused, err := outbox.Refused(tx, s.project, "")
				for _, c := range refused {
					if err := outbox.Again(tx, c.Row, ""); err != nil {
						return err
					}
				}
				return err
			})
		})
		s.pushes("refused again", sync.Push{Now: true})

		s.edits("during an outage", first, ticket.Edit{Status: &done})
		s.world.Faults().Random(func() providertest.Kind { return providertest.Reset })
		s.pushes("unreachable", sync.Push{Now: true})
		s.pulls("unreachable", false)
		s.world.Faults().Clear()
		s.pushes("not due yet", sync.Push{Now: true, Due: true})
		s.pushes("reachable", sync.Push{Now: true})
		s.there(first)

		s.step("make one there", func() (string, error) {
			made, err := s.tickets.Create(s.Context(), s.caller, ticket.New{Title: "Made here", Body: ticket.Text{Text: "Says why"}, Priority: work.PriorityHigh, Chosen: true, Labels: labels[:1], Remote: true, At: string(s.world.Name())})
			return made.Outcome, err
		})
		s.world.Faults().Add(providertest.Fault{Kind: providertest.LostAnswer, Times: 1, Match: func(r *http.Request, body []byte) bool {
			return r.Method != http.MethodGet && bytes.Contains(body, []byte("Made here"))
		}})
		s.pushes("its answer is lost", sync.Push{Now: true})
		s.tracker.Clock.Advance(1e9 * 600)
		s.pushes("once more", sync.Push{Now: true})
		s.pulls("what was made", false)
		if ids := s.world.IDs(); len(ids) != 4 {
			t.Errorf("at the tracker are %v", ids)
		}

		s.world.Comment(first, "said there")
		s.world.Edit(first, providertest.Edit{Body: ptr("Written there")})
		s.pulls("a comment there", false)
		s.world.Delete(second)
		s.world.Move(third)
		s.pulls("what is gone", true)
		s.world.Restore(second)
		s.pulls("what is back", true)
		s.world.Archive(first)
		s.pulls("what is put away", true)
		s.tells()
		name := strings.ReplaceAll(strings.TrimPrefix(t.Name(), "TestStoryOfBothSides/"), " ", "_")
		clitest.Golden(t, filepath.Join("testdata", "both_sides", name+".txt"), steady(s.b.String(), first, second, third))
	})
}

// steady writes a transcript without times and the tracker's own ids.
func steady(s string, ids ...string) string {
	for i, id := range ids {
		if len(id) > 3 {
			s = strings.ReplaceAll(s, id, fmt.Sprintf("<remote%d>", i+1))
		}
	}
	s = varying.ReplaceAllString(s, "…")
	return address.ReplaceAllString(s, "127.0.0.1")
}

var address = regexp.MustCompile(`127\.0\.0\.1:\d+(->127\.0\.0\.1:\d+)?`)

// The decisions of a merge, for each field: what is taken, sent, or kept as a conflict.
func TestEveryWayToMerge(t *testing.T) {
	storyOfEach(t, func(t *testing.T, plain *side) {
		t.Parallel()
		s := newTold(plain)
		statuses := []string{s.world.StatusOf(provider.Todo), s.world.StatusOf(provider.InProgress), s.world.StatusOf(provider.Done)}
		people := s.world.People()
		id := s.world.Add(providertest.Spec{Title: "A", Status: statuses[0], Assignee: people[0], Priority: 2})
		s.pull(false)
		titles := []string{"A", "B", "C"}
		for _, there := range []int{0, 1, 2} {
			for _, here := range []int{0, 1, 2} {
				s.edits(fmt.Sprintf("here %d there %d", here, there), id, ticket.Edit{Title: &titles[here], Status: &statuses[here], Assignee: &people[here%2]})
				s.world.Edit(id, providertest.Edit{Title: &titles[there], Status: &statuses[there], Assignee: &people[there%2]})
				s.pulls("merge", false)
				for _, c := range s.conflicts(false) {
					way := []string{sync.KeepLocal, sync.KeepRemote}[(here+there)%2]
					s.step("settle "+c.Field+" by "+way, func() (string, error) {
						_, err := sync.Resolve(s.Context(), s.db, s.project, 0, c.ID, way)
						return "", err
					})
				}
				s.pushes("after it", sync.Push{Now: true})
				s.there(id)
				if l, r := s.local(id), s.remote(id); l.Title != r.Title || l.Status != r.Status {
					t.Errorf("here %d there %d: %q %q here, %q %q there", here, there, l.Title, l.Status, r.Title, r.Status)
				}
				s.world.Edit(id, providertest.Edit{Title: &titles[0], Status: &statuses[0], Assignee: &people[0]})
				s.pull(false)
				if left := slices.Concat(s.waiting()); len(left) > 0 {
					t.Errorf("here %d there %d: still waiting %+v", here, there, left)
				}
				s.watch.Changes()
			}
		}
		name := strings.ReplaceAll(strings.TrimPrefix(t.Name(), "TestEveryWayToMerge/"), " ", "_")
		clitest.Golden(t, filepath.Join("testdata", "merges", name+".txt"), steady(s.b.String(), id))
	})
}
