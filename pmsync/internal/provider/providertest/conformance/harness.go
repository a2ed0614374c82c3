// Package conformance holds the checks that every provider must pass, each against its fake server in package providertest.
package conformance

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// Harness is one tracker under test.
type Harness struct {
	// World makes a tracker with the clock; the tracker's own clock is ahead by skew.
	World func(clock *providertest.Clock, skew time.Duration) providertest.World
	// Client makes the client for the address with the clock, log and connections in t. A non-empty secret replaces the valid one.
	Client func(url, secret string, m provider.Mapping, t transport.Options) (provider.Provider, error)
	// Mapping chooses a state for each category that has several.
	Mapping provider.Mapping
	// Start is the initial time; providertest.Start when zero.
	Start time.Time
	// Secret is a text that must not appear anywhere.
	Secret string
	// Observe sees every exchange; it may be nil.
	Observe func(t *testing.T, e Exchange)

	// PageSize is larger than the number of items in one answer.
	PageSize int
	// Quiet is the largest number of requests of a pull when nothing changed.
	Quiet int
	// Undated means that items have no due date.
	Undated bool
	// Estimates means that items have an estimate in points.
	Estimates bool
	// Keys are the relevant configuration keys that are set.
	Keys []string
	// Custom is a custom field with a valid value; its name is empty when there are none. Demanding is a type that requires it.
	Custom    provider.FieldValue
	Demanding string
	// Ambiguous is a category with several states; "" when there is none.
	Ambiguous provider.Category
}

// All are the harnesses of all trackers by name.
var All = map[string]func() Harness{
	"linear": Linear, "jira": Jira, "asana": Asana, "azure_devops": AzureDevOps, "github": GitHub, "github with a project": GitHubBoard,
}

// Exchange is a request and its answer.
type Exchange struct {
	Request     *http.Request
	RequestBody []byte
	Status      int
	Header      http.Header
	Body        []byte
}

// Tracker is a tracker that is being tested: World, its address, and a client.
type Tracker struct {
	T        *testing.T
	H        Harness
	World    providertest.World
	Clock    *providertest.Clock
	Provider provider.Provider
	Server   *httptest.Server

	mu  sync.Mutex
	log bytes.Buffer
}

// Begin starts the tracker with a client. At the end it checks that the client's log and errors do not contain the secret.
func (h Harness) Begin(t *testing.T) *Tracker { return h.BeginWith(t, 0, 20*time.Second) }

// BeginWith is Begin with a skew of the tracker's clock and a time limit for each
// attempt.
func (h Harness) BeginWith(t *testing.T, skew, timeout time.Duration) *Tracker {
	t.Helper()
	start := h.Start
	if start.IsZero() {
		start = providertest.Start
	}
	clock := providertest.NewClock(start)
	r := &Tracker{T: t, H: h, Clock: clock, World: h.World(clock, skew)}
	r.Server = httptest.NewServer(r.World)
	t.Cleanup(r.Server.Close)
	r.Provider = r.Client(h.Secret, timeout, h.Mapping)
	t.Cleanup(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.NoSecret("the log", r.log.String())
	})
	return r
}

// Client makes another client for the same tracker.
func (r *Tracker) Client(secret string, timeout time.Duration, m provider.Mapping) provider.Provider {
	r.T.Helper()
	rt := &observer{run: r, next: &http.Transport{}}
	r.T.Cleanup(rt.next.CloseIdleConnections)
	p, err := r.H.Client(r.Server.URL, secret, m, transport.Options{
		Clock: r.Clock, RoundTripper: rt, Timeout: timeout, Patience: 3 * time.Hour,
		Log: slog.New(slog.NewJSONHandler(locked{r}, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		r.T.Fatal(err)
	}
	return p
}

type locked struct{ r *Tracker }

func (l locked) Write(p []byte) (int, error) {
	l.r.mu.Lock()
	defer l.r.mu.Unlock()
	return l.r.log.Write(p)
}

// NoSecret fails when the text contains the secret or half of it.
func (r *Tracker) NoSecret(where, text string) {
	r.T.Helper()
	if s := r.H.Secret; s != "" && strings.Contains(text, s[len(s)/2:]) {
		r.T.Errorf("%s shows the secret: %s", where, text)
	}
}

// observer shows the traffic.
type observer struct {
	run  *Tracker
	next *http.Transport
}

func (o *observer) RoundTrip(r *http.Request) (*http.Response, error) {
	if o.run.H.Observe == nil {
		return o.next.RoundTrip(r)
	}
	var sent []byte
	if r.Body != nil {
		sent, _ = io.ReadAll(r.Body)
		r.Body.Close()
		r.Body = io.NopCloser(bytes.NewReader(sent))
	}
	answer, err := o.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	answer.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{err}))
	if err == nil {
		o.run.H.Observe(o.run.T, Exchange{r, sent, answer.StatusCode, answer.Header, body})
	}
	return answer, nil
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

// Store is what a caller stores of pulls: the last state of each item, and the cursor of the last stored page.
type Store struct {
	Items  map[string]provider.Item
	Gone   map[string]provider.Presence
	Failed map[string]error
	Cursor provider.Cursor

	Delivered int // items, repeated ones included
	Pages     int
	Drained   bool
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{Items: map[string]provider.Item{}, Gone: map[string]provider.Presence{}, Failed: map[string]error{}}
}

var errCut = errors.New("the process was killed")

// Pull pulls into s. After cut pages (0: never) it stops before it stores the next one.
func (r *Tracker) Pull(s *Store, cut int, types ...provider.ItemType) error {
	pages := 0
	s.Drained, s.Delivered = false, 0
	return r.Provider.Pull(context.Background(), provider.Pull{Cursor: s.Cursor, Types: types}, func(p provider.Page) error {
		if pages++; cut > 0 && pages > cut {
			return errCut
		}
		s.Pages++
		s.Delivered += len(p.Items)
		for _, i := range p.Items {
			s.Items[i.RemoteID] = i
			delete(s.Failed, i.RemoteID)
		}
		for _, g := range p.Gone {
			s.Gone[g.RemoteID] = g
		}
		for _, f := range p.Failed {
			s.Failed[f.RemoteID] = f.Err
		}
		s.Cursor, s.Drained = p.Cursor, p.Drained
		if len(p.Cursor) > 64<<10 {
			r.T.Errorf("a cursor of %d bytes", len(p.Cursor))
		}
		return nil
	})
}

// MustPull pulls everything.
func (r *Tracker) MustPull(s *Store, types ...provider.ItemType) {
	r.T.Helper()
	if err := r.Pull(s, 0, types...); err != nil {
		r.T.Fatalf("pull: %v", err)
	}
	if !s.Drained {
		r.T.Fatal("a pull ended without a page that says so")
	}
}

// Item reads an item.
func (r *Tracker) Item(id string) *provider.Item {
	r.T.Helper()
	item, err := r.Provider.Item(context.Background(), id)
	if err != nil {
		r.T.Fatalf("read %s: %v", id, err)
	}
	return item
}

// Where returns the tracker's answer about an item's place: from a pull, otherwise from Check.
func (r *Tracker) Where(s *Store, id string) provider.Where {
	r.T.Helper()
	if g, ok := s.Gone[id]; ok {
		return g.Where
	}
	if i, ok := s.Items[id]; ok && i.Presence != provider.Present {
		return i.Presence
	}
	where := provider.Where("")
	checker, ok := r.Provider.(provider.Checker)
	if !ok {
		r.T.Fatal("the provider cannot check ids")
	}
	err := checker.Check(context.Background(), []string{id}, func(p provider.Presence) error {
		if p.RemoteID == id {
			where = p.Where
		}
		return nil
	})
	if err != nil {
		r.T.Fatalf("check: %v", err)
	}
	return where
}
