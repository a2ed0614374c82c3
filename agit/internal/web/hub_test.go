package web

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// marked reports whether an event is pending for a stream, and takes it.
func marked(st *stream) bool {
	select {
	case <-st.pending:
		return true
	default:
		return false
	}
}

// TestHub holds which streams get events, from the first page to the end of the server.
func TestHub(t *testing.T) {
	t.Parallel()
	h := newHub()
	if h.watched() {
		t.Error("watched by no page")
	}
	h.changed() // reaches no one
	one, two := h.open(), h.open()
	if !h.watched() || len(h.wake) != 1 {
		t.Errorf("watched %t, woken %d times", h.watched(), len(h.wake))
	}
	if marked(one) || marked(two) {
		t.Error("a change before the page was opened is announced")
	}
	h.changed()
	h.changed()
	if !marked(one) || !marked(two) || marked(one) {
		t.Error("two changes are not one event for each page")
	}
	<-h.wake
	h.drop(two)
	if len(h.wake) != 1 || !h.watched() {
		t.Errorf("after a page closed: woken %d times, watched %t", len(h.wake), h.watched())
	}
	if h.changed(); marked(two) || !marked(one) {
		t.Error("a page that closed gets events, or the other one does not")
	}
	h.close()
	if _, open := <-one.end; open || h.watched() || h.open() != nil {
		t.Errorf("after the end: watched %t", h.watched())
	}
	h.drop(one) // by its handler, later
}

// TestAwait returns at once when it is as awaited, and else when that comes, the limit is over, or the caller ends.
func TestAwait(t *testing.T) {
	t.Parallel()
	h := newHub()
	ctx, end := context.WithCancel(t.Context())
	if !h.await(ctx, false, 0) || h.await(ctx, true, time.Nanosecond) {
		t.Error("a page is open")
	}
	came := make(chan bool)
	go func() { came <- h.await(ctx, true, 0) }()
	st := h.open()
	if !<-came || !h.await(ctx, true, time.Hour) || h.await(ctx, false, time.Nanosecond) {
		t.Error("no page is open")
	}
	go func() { came <- h.await(ctx, false, time.Hour) }()
	h.drop(st)
	if !<-came {
		t.Error("a page is open after it closed")
	}
	go func() { came <- h.await(ctx, true, 0) }()
	end()
	if <-came || h.await(ctx, false, 0) {
		t.Error("it goes on after the end")
	}
}

// TestLookingGoesOn holds that a page that is opened again in time finds the same look, and one that is opened late a new one.
func TestLookingGoesOn(t *testing.T) {
	t.Parallel()
	h := newHub()
	ctx, end := context.WithCancel(t.Context())
	looks := make(chan bool)
	over := make(chan struct{})
	go func() {
		defer close(over)
		h.whileWatched(ctx, time.Hour, func(ctx context.Context) {
			looks <- true
			<-ctx.Done()
			looks <- false
		})
	}()
	st := h.open()
	if !<-looks {
		t.Fatal("stopped before it began")
	}
	h.drop(st)
	for len(h.wake) > 0 { // until the end of the page was noticed
		runtime.Gosched()
	}
	again := h.open()
	for len(h.wake) > 0 {
		runtime.Gosched()
	}
	select {
	case began := <-looks:
		t.Errorf("the look began %t again", began)
	default:
	}
	h.drop(again)
	end()
	if <-looks {
		t.Error("it looks again after the end")
	}
	<-over
}

// told is a model whose versions a test chooses.
type told struct {
	fixed
	asked   chan string
	answers chan answerOf
}

type answerOf struct {
	version string
	err     error
}

func (m told) Since(_ context.Context, project, version string) (string, error) {
	m.asked <- project + " " + version
	a := <-m.answers
	return a.version, a.err
}

// TestFollow marks a stream for each change and for each failure, asks for what is new since the last version, and ends with its page.
func TestFollow(t *testing.T) {
	t.Parallel()
	m := told{fixed{}, make(chan string), make(chan answerOf)}
	s := New(m, Options{})
	s.ping = time.Nanosecond
	ctx, end := context.WithCancel(t.Context())
	st := s.hub.open()
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.follow(ctx, st, "p", "1")
	}()
	for _, step := range []struct {
		asked  string
		answer answerOf
	}{{"p 1", answerOf{"2", nil}}, {"p 2", answerOf{"9", errors.New("locked")}}, {"p 2", answerOf{"3", nil}}, {"p 3", answerOf{"3", nil}}} {
		if asked := <-m.asked; asked != step.asked {
			t.Errorf("it asks for %q, want %q", asked, step.asked)
		}
		if len(st.pending) > 0 {
			t.Error("an event before the answer")
		}
		m.answers <- step.answer
		<-st.pending
	}
	<-m.asked
	end()
	m.answers <- answerOf{"4", nil}
	<-over
	if marked(st) {
		t.Error("an event after the page was closed")
	}
}

// TestFollowRestsAfterFailure holds that a registry that cannot be read is not asked again at once.
func TestFollowRestsAfterFailure(t *testing.T) {
	t.Parallel()
	m := told{fixed{}, make(chan string, 1), make(chan answerOf, 1)}
	s := New(m, Options{})
	s.ping = time.Hour
	ctx, end := context.WithCancel(t.Context())
	st := s.hub.open()
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.follow(ctx, st, "", "1")
	}()
	m.answers <- answerOf{"", errors.New("locked")}
	<-m.asked
	<-st.pending
	end()
	<-over
	if len(m.asked) > 0 {
		t.Error("asked again at once")
	}
}

// silent is a model that cannot be read.
type silent struct{ fixed }

func (silent) Since(context.Context, string, string) (string, error) {
	return "", errors.New("the registry is locked")
}

// TestStreams holds the first lines of a stream, its pings, and the answers where there is none.
func TestStreams(t *testing.T) {
	t.Parallel()
	s, base := serve(t, Options{})
	s.ping = time.Millisecond
	lines := listen(t, s, base)
	until(t, lines, ":")
	until(t, lines, ":")
	auth := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+s.token) }
	for range maxStreams {
		s.hub.open()
	}
	if answer, body := get(t, "GET", base+"/api/events", auth); answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") != "5" || body != "too many pages are open; close one\n" {
		t.Errorf("%d %q %q", answer.StatusCode, answer.Header.Get("Retry-After"), body)
	}
	s.hub.close()

	s, base = serve(t, Options{})
	s.model = silent{}
	if answer, body := get(t, "GET", base+"/api/events", auth); answer.StatusCode != http.StatusInternalServerError || !strings.Contains(body, "the registry is locked") || s.hub.watched() {
		t.Errorf("%d %q, watched %t", answer.StatusCode, body, s.hub.watched())
	}
}

// TestActionIsAnnounced tells open pages of a change that a page made.
func TestActionIsAnnounced(t *testing.T) {
	t.Parallel()
	s, base := serve(t, Options{Actions: true})
	st := s.hub.open()
	auth := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+s.token) }
	if answer, body := get(t, "POST", base+"/api/action", auth); answer.StatusCode != http.StatusOK || !marked(st) {
		t.Errorf("%d %s", answer.StatusCode, body)
	}
	s.model = refusing{}
	if answer, body := get(t, "POST", base+"/api/action", auth); answer.StatusCode != http.StatusConflict || marked(st) || body != `{"error":"it is ann's","hint":"wait for it"}` {
		t.Errorf("%d %s", answer.StatusCode, body)
	}
}
