package jira_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/jira"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakejira"
)

func TestConformance(t *testing.T) { conformance.Run(t, conformance.Jira()) }

func with(o fakejira.Options) conformance.Harness {
	h := conformance.Jira()
	h.World = func(clock *providertest.Clock, skew time.Duration) providertest.World {
		o.Clock, o.Skew = clock, skew
		return fakejira.New(o)
	}
	return h
}

// TestLateSearch pulls each minute while people edit and the search lags behind by
// more than the time between two pulls: in the end nothing is missing.
func TestLateSearch(t *testing.T) {
	for _, lag := range []time.Duration{90 * time.Second, 9 * time.Minute} {
		r := with(fakejira.Options{Lag: lag}).Begin(t)
		people := rand.New(rand.NewSource(int64(lag)))
		var ids []string
		s := conformance.NewStore()
		for i := range 300 {
			switch {
			case len(ids) < 5 || people.Intn(4) == 0:
				ids = append(ids, r.World.Add(providertest.Spec{Title: fmt.Sprint("new ", i)}))
			default:
				title := fmt.Sprint("edit ", i)
				r.World.Edit(ids[people.Intn(len(ids))], providertest.Edit{Title: &title})
			}
			r.Clock.Advance(time.Duration(people.Intn(90)) * time.Second)
			if i%2 == 0 {
				r.MustPull(s)
			}
		}
		r.Clock.Advance(lag)
		r.MustPull(s)
		for _, id := range ids {
			want, _ := r.World.Look(id)
			if got := s.Items[id].Title; got != want.Title {
				t.Errorf("lag %s: %s is %q, not %q", lag, id, got, want.Title)
			}
		}
	}
}

// TestTimesInWords goes on where Jira does not read numbers as times, over the night
// in which an hour comes twice.
func TestTimesInWords(t *testing.T) {
	r := with(fakejira.Options{NumbersAsText: true}).Begin(t)
	var ids []string
	for i := range 10 {
		ids = append(ids, r.World.Add(providertest.Spec{Title: fmt.Sprint(i)}))
	}
	s := conformance.NewStore()
	r.MustPull(s)
	for i := range 60 {
		r.Clock.Advance(6 * time.Minute)
		id, title := ids[i%10], fmt.Sprint("edit ", i)
		r.World.Edit(id, providertest.Edit{Title: &title})
		r.Clock.Advance(3 * time.Minute)
		r.MustPull(s)
		if s.Items[id].Title != title {
			t.Fatalf("at %s the pull brought %q, not %q", r.Clock.Now(), s.Items[id].Title, title)
		}
	}
}

// TestEditsDuringAPull misses nothing though issues move to the end between pages.
func TestEditsDuringAPull(t *testing.T) {
	r := with(fakejira.Options{Offsets: true}).Begin(t)
	var ids []string
	for i := range 450 {
		ids = append(ids, r.World.Add(providertest.Spec{Title: fmt.Sprint(i)}))
		if i%20 == 0 {
			r.Clock.Advance(time.Minute)
		}
	}
	came, edited := map[string]bool{}, 0
	err := r.Provider.Pull(context.Background(), provider.Pull{}, func(p provider.Page) error {
		for _, i := range p.Items {
			came[i.RemoteID] = true
		}
		r.Clock.Advance(time.Minute)
		for range 7 {
			title := "edited meanwhile"
			r.World.Edit(ids[edited], providertest.Edit{Title: &title})
			edited++
		}
		return nil
	})
	if err != nil || len(came) != len(ids) {
		t.Errorf("%d of %d issues came, %v", len(came), len(ids), err)
	}
}

func TestFormerKeys(t *testing.T) {
	r := conformance.Jira().Begin(t)
	id := r.World.Add(providertest.Spec{Title: "t"})
	key := r.Item(id).Key
	if former := r.Item(key).FormerKeys; former != nil {
		t.Errorf("its own key is a former one: %q", former)
	}
	r.World.Move(id)
	item := r.Item(strings.ToLower(key))
	if item.RemoteID != id || item.Key == key || len(item.FormerKeys) != 1 || item.FormerKeys[0] != key {
		t.Errorf("%+v", item)
	}
}

// TestStepThatAsks refuses a step that needs more than a status, and names what.
func TestStepThatAsks(t *testing.T) {
	r := conformance.Jira().Begin(t)
	id := r.World.Add(providertest.Spec{Title: "t"})
	_, err := r.Provider.Update(context.Background(), r.Item(id), provider.Change{Status: &provider.Target{Name: "Won't Do"}})
	if !provider.Is(err, provider.Invalid) || !strings.Contains(err.Error(), "Resolution") {
		t.Error(err)
	}
	steps, err := r.Provider.Transitions(context.Background(), r.Item(id))
	if err != nil || len(steps) != 4 || fmt.Sprint(steps[3].Requires) != "[Resolution]" || steps[3].To.Category != provider.Canceled {
		t.Errorf("%+v, %v", steps, err)
	}
	// A step is recognised by its target: one is named "Done with coding" and does not
	// lead to Done.
	item, err := r.Provider.Update(context.Background(), r.Item(id), provider.Change{Status: &provider.Target{Name: "Done"}})
	if err != nil || item.Status.Name != "Done" {
		t.Errorf("%+v, %v", item, err)
	}
}

// TestPartsOfAChange names what was done before a part that failed.
func TestPartsOfAChange(t *testing.T) {
	r := conformance.Jira().Begin(t)
	id := r.World.Add(providertest.Spec{Title: "t"})
	three := 3
	_, err := r.Provider.Update(context.Background(), r.Item(id), provider.Change{Priority: &three, Status: &provider.Target{Name: "No such"}})
	var e *provider.Error
	if !errors.As(err, &e) || fmt.Sprint(e.Applied) != "[priority]" {
		t.Errorf("%v", err)
	}
	_, err = r.Provider.Update(context.Background(), r.Item(id), provider.Change{AddLabels: []string{"two words"}})
	if !provider.Is(err, provider.Invalid) {
		t.Error(err)
	}
}

// TestStrangeAnswers are answers that must not pass for what was asked.
func TestStrangeAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter)
		want   provider.Reason
	}{
		"the same page again": {func(w http.ResponseWriter) { fmt.Fprint(w, `{"issues":[],"nextPageToken":"same"}`) }, provider.Protocol},
		"no issues":           {func(w http.ResponseWriter) { fmt.Fprint(w, `{"isLast":true}`) }, provider.Protocol},
		"an answer for anyone": {func(w http.ResponseWriter) {
			w.Header().Set("X-AUSERNAME", "anonymous")
			fmt.Fprint(w, `{"issues":[],"isLast":true}`)
		}, provider.Unauthorized},
		"an endpoint that is gone": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusGone) }, provider.Protocol},
		"issues that are none":     {func(w http.ResponseWriter) { fmt.Fprint(w, `{"issues":[{"key":"A-1"}],"isLast":true}`) }, provider.Protocol},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if strings.HasSuffix(r.URL.Path, "/field") {
					fmt.Fprint(w, `[]`)
					return
				}
				c.answer(w)
			}))
			defer server.Close()
			p, err := jira.New(jira.Options{URL: server.URL, Token: "x", Project: "PROJ"})
			if err != nil {
				t.Fatal(err)
			}
			err = p.Pull(context.Background(), provider.Pull{Types: []provider.ItemType{provider.TypeTicket}}, func(provider.Page) error { return nil })
			if !provider.Is(err, c.want) {
				t.Errorf("%v is not %s", err, c.want)
			}
		})
	}
}

func TestTraffic(t *testing.T) { conformance.Traffic(t, "jira", conformance.Jira()) }
