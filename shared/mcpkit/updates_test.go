package mcpkit

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
)

// feed is a change feed under the test's control.
type feed struct {
	mu       sync.Mutex
	heard    func([]Change)
	watching int
	begun    int
	fail     error
}

func (f *feed) Watch(ctx context.Context, heard func([]Change)) error {
	f.mu.Lock()
	f.heard = heard
	f.watching++
	f.begun++
	fail := f.fail
	f.mu.Unlock()
	heard(nil)
	if fail == nil {
		<-ctx.Done()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watching--
	return fail
}

func (f *feed) say(changes ...Change) { f.heard(changes) }

func uris(t *testing.T, sent []json.RawMessage) (all []string) {
	t.Helper()
	for _, raw := range sent {
		var n struct {
			Method string
			Params struct{ URI string }
		}
		if err := json.Unmarshal(raw, &n); err != nil || n.Method != "notifications/resources/updated" {
			t.Fatalf("got %s, %v", raw, err)
		}
		all = append(all, n.Params.URI)
	}
	return all
}

// offerResources registers a resource, and a template with resources except one.
func offerResources(s *Server) {
	s.AddResource(Resource{URI: "agit://agents", Name: "agents"}, func(context.Context, *Call, map[string]string) (any, error) {
		return Text(""), nil
	})
	s.AddResource(Resource{URI: "agit://repos/{name}/tasks", Name: "tasks"}, func(_ context.Context, _ *Call, vars map[string]string) (any, error) {
		switch vars["name"] {
		case "none":
			return nil, fault.NotFound("repo", vars["name"])
		case "broken":
			return nil, errors.New("the disk is full")
		}
		return Text(""), nil
	})
}

// A client may subscribe to what exists, but not to a URI that no resource has, nor to a resource that does not exist.
func TestSubscribeToNothing(t *testing.T) {
	t.Parallel()
	s := New(Info{Name: "test"}, Options{})
	offerResources(s)
	s.Notify(Updates{Topics: map[string][]string{"tasks": {"agit://repos/{name}/tasks"}}})
	local := s.Local()
	defer local.Close()
	for uri, exists := range map[string]bool{
		"agit://agents": true, "agit://repos/a/tasks": true, "agit://repos/broken/tasks": true,
		"agit://repos/none/tasks": false, "agit://nothing": false, "file:///etc/passwd": false, "agit://repos/a/tasks/more": false,
	} {
		_, err := local.Do(t.Context(), "resources/subscribe", map[string]any{"uri": uri})
		if (err == nil) != exists {
			t.Errorf("%s: %v, want an error: %v", uri, err, !exists)
		}
		if err != nil && !strings.Contains(err.Error(), "does not exist") {
			t.Errorf("%s: the error is %v", uri, err)
		}
	}
}

func TestUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &feed{}
		s := New(Info{Name: "test"}, Options{})
		offerResources(s)
		s.Notify(Updates{
			Sources: []Changes{f},
			Topics: map[string][]string{
				"tasks":  {"agit://repos/{name}/tasks", "agit://repos"},
				"agents": {"agit://agents"},
			},
			Match: func(_ context.Context, c Change, _ string, vars map[string]string) bool {
				return c.Subject == "" || vars["name"] == "" || vars["name"] == c.Subject
			},
		})
		local := s.Local()
		subscribe := func(method, uri string) {
			if _, err := local.Do(t.Context(), method, map[string]any{"uri": uri}); err != nil {
				t.Fatal(err)
			}
		}
		if f.begun != 0 {
			t.Error("the feed is watched for nobody")
		}
		for _, uri := range []string{"agit://repos/a%20b/tasks", "agit://repos/c/tasks", "agit://agents"} {
			subscribe("resources/subscribe", uri)
			subscribe("resources/subscribe", uri)
		}
		f.say(Change{Topic: "tasks", Subject: "a b"})
		synctest.Wait()
		f.say(Change{Topic: "other"}, Change{Topic: "agents"})
		synctest.Wait()
		want := []string{"agit://repos/a%20b/tasks", "agit://agents"}
		if diff := cmp.Diff(want, uris(t, local.Said())); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		for _, uri := range []string{"agit://repos/a%20b/tasks", "agit://repos/c/tasks"} {
			subscribe("resources/unsubscribe", uri)
		}
		f.say(Change{Topic: "tasks"})
		synctest.Wait()
		if n := len(local.Said()); n != 2 {
			t.Errorf("%d updates, want 2", n)
		}
		if f.watching != 1 {
			t.Error("the feed is not watched although somebody subscribes")
		}
		local.Close()
		synctest.Wait()
		if f.watching != 0 || f.begun != 1 {
			t.Errorf("after the last subscriber: watched %d, begun %d times", f.watching, f.begun)
		}
	})
}

// A feed that fails is watched again, and its subscribers are told to look again, as when it begins anew by itself.
func TestFeedFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &feed{fail: errors.New("gone")}
		h := newHub(slog.New(slog.DiscardHandler))
		h.sources = []Changes{f}
		u := &updates{}
		h.subscribe("x://y", u)
		told := func(want int, when string) {
			t.Helper()
			synctest.Wait()
			u.mu.Lock()
			defer u.mu.Unlock()
			if len(u.waiting) != want {
				t.Errorf("%s: %d updates, want %d", when, len(u.waiting), want)
			}
		}
		told(0, "at first")
		<-time.After(3*watchAgain + time.Second)
		told(1, "after failures")
		f.mu.Lock()
		if f.begun != 4 {
			t.Errorf("watched %d times, want 4", f.begun)
		}
		f.fail = nil
		f.mu.Unlock()
		<-time.After(watchAgain)
		told(1, "once it does not fail")
		u.forget("x://y")
		f.say()
		told(1, "where it began anew by itself")
		h.leave(u)
		h.close()
	})
}

// A slow or absent client costs a set of URIs, not a queue of messages.
func TestUpdatesCoalesce(t *testing.T) {
	u := &updates{}
	for range 1000 {
		u.changed("a")
		u.changed("b")
	}
	if len(u.waiting) != 2 {
		t.Errorf("%d updates wait, want 2", len(u.waiting))
	}
	u.forget("b")
	var out recorder
	u.open(&out)
	u.idle.Wait()
	if diff := cmp.Diff([]string{"a"}, uris(t, out.all())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	u.close()
	u.changed("c")
	u.idle.Wait()
	if len(out.all()) != 1 {
		t.Error("an update came after the end")
	}
}

// An update that could not be sent is sent on the next stream.
func TestUpdatesAfterBrokenStream(t *testing.T) {
	u := &updates{}
	u.open(discard{}) // refuses everything
	u.changed("a")
	u.idle.Wait()
	var out recorder
	u.open(&out)
	u.idle.Wait()
	if diff := cmp.Diff([]string{"a"}, uris(t, out.all())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// slow is a source that begins late.
type slow struct{ feed }

func (s *slow) Watch(ctx context.Context, heard func([]Change)) error {
	select {
	case <-time.After(2 * watchStart):
	case <-ctx.Done():
		return nil
	}
	return s.feed.Watch(ctx, heard)
}

// A change between an acknowledged subscription and a late watch is not lost: the client gets an update.
func TestSlowSourcesLoseNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Info{Name: "test"}, Options{})
		offerResources(s)
		s.Notify(Updates{Sources: []Changes{&slow{}, &feed{}}, Topics: map[string][]string{"agents": {"agit://agents"}}})
		local := s.Local()
		defer local.Close()
		begun := time.Now()
		if _, err := local.Do(t.Context(), "resources/subscribe", map[string]any{"uri": "agit://agents"}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took != watchStart {
			t.Errorf("the subscription was acknowledged after %v", took)
		}
		<-time.After(2 * watchStart)
		synctest.Wait()
		if diff := cmp.Diff([]string{"agit://agents"}, uris(t, local.Said())); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// written is an outlet that accepts every message, even if no one reads it.
type written struct{ sent []json.RawMessage }

func (w *written) send(message []byte) error { w.sent = append(w.sent, message); return nil }

// TestUpdatesAreSentAgain: an update that was written to a stream may not have arrived, so the next stream begins with it, each URI once.
func TestUpdatesAreSentAgain(t *testing.T) {
	var u updates
	streams := [3]written{}
	u.open(&streams[0])
	u.changed("test://a")
	u.changed("test://b")
	u.idle.Wait()
	u.forget("test://b")
	u.shut(&streams[0])
	u.changed("test://c")
	u.changed("test://a")
	u.open(&streams[1])
	u.idle.Wait()
	u.open(&streams[2])
	u.close()
	if diff := cmp.Diff([]string{"test://a", "test://c"}, uris(t, streams[1].sent)); diff != "" {
		t.Error(diff)
	}
}
