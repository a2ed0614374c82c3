package linear_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/linear"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakelinear"
)

func TestConformance(t *testing.T) { conformance.Run(t, conformance.Linear()) }

// TestPartOfAnItem keeps an assignee that could not be read from being taken for one
// that is gone.
func TestPartOfAnItem(t *testing.T) {
	r := conformance.Linear().Begin(t)
	person := r.World.People()[1]
	hidden, open := r.World.Add(providertest.Spec{Title: "a", Assignee: person}), r.World.Add(providertest.Spec{Title: "b", Assignee: person})
	r.World.(*fakelinear.Server).Hide(hidden, "assignee")
	s := conformance.NewStore()
	r.MustPull(s)
	if _, came := s.Items[hidden]; came || s.Failed[hidden] == nil {
		t.Errorf("what could not be read came as %+v, %v", s.Items[hidden], s.Failed[hidden])
	}
	if s.Items[open].Assignee == nil {
		t.Error("what could be read did not come")
	}
	if _, err := r.Provider.Item(context.Background(), hidden); !provider.Is(err, provider.Forbidden) {
		t.Errorf("by itself: %v", err)
	}
}

func TestManyLinks(t *testing.T) {
	r := conformance.Linear().Begin(t)
	var others []string
	for i := range 12 {
		others = append(others, r.World.Add(providertest.Spec{Title: fmt.Sprint("other ", i)}))
	}
	id := r.World.Add(providertest.Spec{Title: "t", Blocks: others})
	s := conformance.NewStore()
	r.MustPull(s)
	if n, m := len(s.Items[id].Links), len(r.Item(id).Links); n != 12 || m != 12 {
		t.Errorf("%d links are pulled and %d read, not 12", n, m)
	}
	if l := s.Items[others[3]].Links; len(l) != 1 || l[0].Relation != provider.BlockedBy || l[0].Target.ID != id {
		t.Errorf("the other side is %+v", l)
	}
}

// TestLeakyBucket is not refused more than once in a while, and does not wait for
// the bucket to be full.
func TestLeakyBucket(t *testing.T) {
	h := conformance.Linear()
	h.World = func(clock *providertest.Clock, skew time.Duration) providertest.World {
		return fakelinear.New(fakelinear.Options{Clock: clock, Skew: skew, RequestsPerHour: 60})
	}
	r := h.Begin(t)
	id := r.World.Add(providertest.Spec{Title: "t"})
	for range 100 {
		r.Item(id)
	}
	if waited := r.Clock.Now().Sub(providertest.Start); waited < 30*time.Minute || waited > 60*time.Minute {
		t.Errorf("100 requests at 60 an hour took %s", waited)
	}
	if n := r.World.Requests(); n > 110 {
		t.Errorf("%d requests for 100 answers", n)
	}
}

// TestPoints waits for points as well as for requests.
func TestPoints(t *testing.T) {
	h := conformance.Linear()
	h.World = func(clock *providertest.Clock, skew time.Duration) providertest.World {
		return fakelinear.New(fakelinear.Options{Clock: clock, Skew: skew, PointsPerHour: 20_000})
	}
	r := h.Begin(t)
	for i := range 600 {
		r.World.Add(providertest.Spec{Title: fmt.Sprint(i)})
	}
	s := conformance.NewStore()
	r.MustPull(s)
	if len(s.Items) != 600 {
		t.Errorf("%d items", len(s.Items))
	}
	if waited := r.Clock.Now().Sub(providertest.Start); waited < time.Hour || waited > 4*time.Hour {
		t.Errorf("it took %s", waited)
	}
}

// TestSamePageAgain ends where Linear names one page for ever.
func TestSamePageAgain(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		const page = `{"nodes":[],"pageInfo":{"hasNextPage":true,"endCursor":"same"}}`
		fmt.Fprintf(w, `{"data":{"issues":%s,"projects":%s,"projectMilestones":%s,"archived":%s,"teams":%s}}`, page, page, page, page, page)
	}))
	defer server.Close()
	c, err := linear.New(linear.Options{URL: server.URL, APIKey: "x", Team: "SEM"})
	if err != nil {
		t.Fatal(err)
	}
	err = c.Pull(context.Background(), provider.Pull{}, func(provider.Page) error { return nil })
	if !provider.Is(err, provider.Protocol) {
		t.Errorf("pull: %v", err)
	}
	if err := c.Projects(context.Background(), func(provider.Project) error { return nil }); !provider.Is(err, provider.Protocol) {
		t.Errorf("projects: %v", err)
	}
}

func TestLabelsByName(t *testing.T) {
	r := conformance.Linear().Begin(t)
	id := r.World.Add(providertest.Spec{Title: "t"})
	for label, want := range map[string]provider.Reason{"BACKEND": "", "Bug": "", "Area": provider.Invalid, "no such": provider.Invalid} {
		_, err := r.Provider.Update(context.Background(), r.Item(id), provider.Change{AddLabels: []string{label}})
		if provider.ReasonOf(err) != want {
			t.Errorf("%q: %v, not %q", label, err, want)
		}
	}
	if got := fmt.Sprint(r.Item(id).Labels); got != "[Bug backend]" {
		t.Error(got)
	}
}

// TestFormerKeys finds an issue by each identifier it ever had.
func TestFormerKeys(t *testing.T) {
	r := conformance.Linear().Begin(t)
	id := r.World.Add(providertest.Spec{Title: "t"})
	key := r.Item(id).Key
	r.World.Move(id)
	item := r.Item(key)
	if item.RemoteID != id || item.Key == key || len(item.FormerKeys) != 1 || item.FormerKeys[0] != key || item.Presence != provider.Moved {
		t.Errorf("%+v", item)
	}
}

func TestTraffic(t *testing.T) { conformance.Traffic(t, "linear", conformance.Linear()) }
