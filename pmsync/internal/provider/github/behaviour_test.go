package github_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakegithub"
)

func begin(t *testing.T, o fakegithub.Options) *conformance.Tracker {
	t.Helper()
	h := conformance.GitHub()
	h.World = func(clock *providertest.Clock, skew time.Duration) providertest.World {
		o.Clock, o.Skew = clock, skew
		return fakegithub.New(o)
	}
	return h.Begin(t)
}

// TestDroppedIsReadBack: changes by an account without push access are dropped without an
// error, and the returned item shows that.
func TestDroppedIsReadBack(t *testing.T) {
	t.Parallel()
	r := begin(t, fakegithub.Options{ReadOnly: true})
	id := r.World.Add(providertest.Spec{Title: "one"})
	person := r.World.People()[1]
	now, err := r.Provider.Update(t.Context(), r.Item(id), provider.Change{Assignee: &person})
	if err != nil || now.Assignee != nil {
		t.Errorf("%+v, %v", now, err)
	}
	if _, err := r.Provider.Update(t.Context(), r.Item(id), provider.Change{AddLabels: []string{"docs"}}); !provider.Is(err, provider.Forbidden) {
		t.Errorf("a label: %v", err)
	}
	made, err := r.Provider.(provider.Creator).Create(t.Context(), provider.NewItem{Key: "k", Title: "two", Assignee: person, Labels: []string{"docs"}, Priority: 3})
	if err != nil || made.Assignee != nil || len(made.Labels) != 0 || made.Priority != 0 {
		t.Errorf("%+v, %v", made, err)
	}
}

// TestOldServer: an Enterprise Server that lacks dependencies and sub-issues is read.
func TestOldServer(t *testing.T) {
	t.Parallel()
	r := begin(t, fakegithub.Options{Old: true})
	parent := r.World.Add(providertest.Spec{Title: "parent"})
	r.World.Add(providertest.Spec{Title: "child", Parent: parent, Blocks: []string{parent}})
	s := conformance.NewStore()
	r.MustPull(s)
	if len(s.Items) != 2 || len(s.Items[parent].Links) != 0 {
		t.Errorf("%+v", s.Items)
	}
	made, err := r.Provider.(provider.Creator).Create(t.Context(), provider.NewItem{Key: "k", Title: "made", Parent: parent})
	if !provider.Is(err, provider.NotFound) && (err != nil || made.Parent != nil) {
		t.Errorf("%+v, %v", made, err)
	}
}

// TestSecondaryLimit: a refusal without a time is waited for a minute, and longer each
// time in a row.
func TestSecondaryLimit(t *testing.T) {
	t.Parallel()
	r := begin(t, fakegithub.Options{})
	id := r.World.Add(providertest.Spec{Title: "one"})
	item := r.Item(id)
	r.World.Faults().Add(providertest.Fault{Kind: providertest.Limited, Times: 3})
	start := r.Clock.Now()
	if _, err := r.Provider.(provider.Commenter).AddComment(t.Context(), item, provider.NewComment{Key: "k", Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	if waited := r.Clock.Now().Sub(start); waited < 7*time.Minute || waited > 8*time.Minute {
		t.Errorf("waited %s, not 1 + 2 + 4 minutes", waited)
	}
}

// TestAPauseBetweenWrites: GitHub asks for a second.
func TestAPauseBetweenWrites(t *testing.T) {
	t.Parallel()
	r := begin(t, fakegithub.Options{})
	item := r.Item(r.World.Add(providertest.Spec{Title: "one"}))
	start := r.Clock.Now()
	for _, text := range []string{"one", "two", "three"} {
		if _, err := r.Provider.(provider.Commenter).AddComment(t.Context(), item, provider.NewComment{Key: text, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if waited := r.Clock.Now().Sub(start); waited != 2*time.Second {
		t.Errorf("three comments took %s", waited)
	}
}

// TestNothingNewIsNotModified: an idle pull asks with the entity tag of the last one.
func TestNothingNewIsNotModified(t *testing.T) {
	t.Parallel()
	h := conformance.GitHub()
	statuses := map[int]int{}
	h.Observe = func(_ *testing.T, e conformance.Exchange) { statuses[e.Status]++ }
	r := h.Begin(t)
	r.World.Add(providertest.Spec{Title: "one"})
	s := conformance.NewStore()
	for range 4 {
		r.MustPull(s)
		r.Clock.Advance(10 * time.Minute)
	}
	if statuses[http.StatusNotModified] < 2 {
		t.Errorf("the answers were %v", statuses)
	}
}

// TestDisabledIssues: the error names the reason.
func TestDisabledIssues(t *testing.T) {
	t.Parallel()
	r := begin(t, fakegithub.Options{})
	r.World.(*fakegithub.Server).DisableIssues()
	if _, err := r.Provider.TestConnection(t.Context()); !provider.Is(err, provider.NotFound) || !strings.Contains(err.Error(), "issues are disabled in octo/app") {
		t.Errorf("%v", err)
	}
	if err := r.Pull(conformance.NewStore(), 0); !provider.Is(err, provider.NotFound) || !strings.Contains(err.Error(), "Issues are disabled") {
		t.Errorf("%v", err)
	}
}

// TestADeletedIssueIsGone, and one that was transferred is in another project.
func TestADeletedIssueIsGone(t *testing.T) {
	t.Parallel()
	r := begin(t, fakegithub.Options{})
	deleted, moved, stays := r.World.Add(providertest.Spec{Title: "one"}), r.World.Add(providertest.Spec{Title: "two"}), r.World.Add(providertest.Spec{Title: "three"})
	r.World.Delete(deleted)
	r.World.Move(moved)
	got := map[string]provider.Where{}
	err := r.Provider.(provider.Checker).Check(t.Context(), []string{deleted, moved, stays, "4400#999"}, func(p provider.Presence) error {
		got[p.RemoteID] = p.Where
		return nil
	})
	if err != nil || got[deleted] != provider.Deleted || got[moved] != provider.Moved || got[stays] != provider.Present || got["4400#999"] != provider.Unknown {
		t.Errorf("%v, %v", got, err)
	}
	var e *provider.Error
	if _, err := r.Provider.Item(t.Context(), deleted); !errors.As(err, &e) || e.Status != http.StatusGone {
		t.Errorf("%v", err)
	}
}

// TestPullRequestsAreNoTickets.
func TestPullRequestsAreNoTickets(t *testing.T) {
	t.Parallel()
	r := begin(t, fakegithub.Options{})
	for range 12 {
		r.World.Add(providertest.Spec{Title: "t"})
	}
	s := conformance.NewStore()
	r.MustPull(s)
	if len(s.Items) != 12 {
		t.Errorf("%d items", len(s.Items))
	}
	if _, err := r.Provider.Item(t.Context(), "5"); !provider.Is(err, provider.NotFound) || !strings.Contains(err.Error(), "pull request") {
		t.Errorf("%v", err)
	}
}

// TestSprints: the open milestone that is due first is under way.
func TestSprints(t *testing.T) {
	t.Parallel()
	r := begin(t, fakegithub.Options{})
	states := map[string]provider.SprintState{}
	if err := r.Provider.(provider.SprintLister).Sprints(t.Context(), func(s provider.Sprint) error {
		states[s.Name] = s.State
		return nil
	}); err != nil || states["Sprint 1"] != provider.SprintActive || states["Later"] != provider.SprintPlanned {
		t.Errorf("%v, %v", states, err)
	}
}
