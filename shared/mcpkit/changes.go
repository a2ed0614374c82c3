package mcpkit

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/agit-suite/agit/shared/registry"
)

// Change is a change under a topic, in this process or another. Sources other than the registry number none.
type Change = registry.Change

// Changes is a source of changes, such as the registry's change feed.
type Changes interface {
	// Watch calls heard with every change from now on until ctx ends. Once it is watching, it calls heard without changes, so that a
	// subscription is acknowledged only when no change can be missed any more. It does so again after changes may have been missed.
	Watch(ctx context.Context, heard func([]Change)) error
}

// Updates connects changes to resources.
type Updates struct {
	Sources []Changes
	// Topics maps a topic to the resources it concerns: URIs, or templates such
	// as "agit://repos/{name}/tasks".
	Topics map[string][]string
	// Match, when set, narrows a template's match down to the resources that c concerns. vars are the template's variables in uri.
	Match func(ctx context.Context, c Change, uri string, vars map[string]string) bool
}

// Notify sends updates of subscribed resources as u describes. The sources are watched only while there is a subscriber.
func (s *Server) Notify(u Updates) {
	s.updates.sources = u.Sources
	s.updates.match = u.Match
	for topic, uris := range u.Topics {
		for _, uri := range uris {
			s.updates.topics[topic] = append(s.updates.topics[topic], newPattern(uri))
		}
	}
}

// hub holds the subscriptions.
type hub struct {
	log     *slog.Logger
	sources []Changes
	topics  map[string][]pattern
	match   func(ctx context.Context, c Change, uri string, vars map[string]string) bool

	mu       sync.Mutex
	byURI    map[string][]*updates
	stop     context.CancelFunc // set while the sources are watched
	ready    chan struct{}      // closed once all of them are
	watchers sync.WaitGroup
}

func newHub(log *slog.Logger) *hub {
	return &hub{log: log, topics: map[string][]pattern{}, byURI: map[string][]*updates{}}
}

// watchStart bounds the wait for a source to begin watching.
const watchStart = 300 * time.Millisecond

func (h *hub) subscribe(uri string, u *updates) {
	h.mu.Lock()
	if !slices.Contains(h.byURI[uri], u) {
		h.byURI[uri] = append(h.byURI[uri], u)
	}
	if h.stop == nil && len(h.sources) > 0 {
		h.startLocked()
	}
	ready := h.ready
	h.mu.Unlock()
	if ready == nil {
		return
	}
	select {
	case <-ready:
	case <-time.After(watchStart):
		h.log.Warn("a source of changes is slow to start; subscribers are told to look again once it has")
	}
}

func (h *hub) unsubscribe(uri string, u *updates) {
	h.mu.Lock()
	h.removeLocked(uri, u)
	h.mu.Unlock()
	u.forget(uri)
}

// leave ends all subscriptions of u.
func (h *hub) leave(u *updates) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for uri, all := range h.byURI {
		if slices.Contains(all, u) {
			h.removeLocked(uri, u)
		}
	}
}

func (h *hub) removeLocked(uri string, u *updates) {
	rest := slices.DeleteFunc(h.byURI[uri], func(x *updates) bool { return x == u })
	if len(rest) > 0 {
		h.byURI[uri] = rest
		return
	}
	delete(h.byURI, uri)
	if len(h.byURI) == 0 && h.stop != nil {
		h.stop()
		h.stop, h.ready = nil, nil
	}
}

func (h *hub) subscriptions(u *updates) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var uris []string
	for uri, all := range h.byURI {
		if slices.Contains(all, u) {
			uris = append(uris, uri)
		}
	}
	slices.Sort(uris)
	return uris
}

func (h *hub) startLocked() {
	ctx, stop := context.WithCancel(context.Background())
	ready := make(chan struct{})
	h.stop, h.ready = stop, ready
	var waiting sync.WaitGroup
	for _, source := range h.sources {
		waiting.Add(1)
		h.watchers.Go(func() {
			begun := sync.OnceFunc(waiting.Done)
			defer begun()
			h.watch(ctx, source, begun)
		})
	}
	asked := time.Now()
	h.watchers.Go(func() {
		waiting.Wait()
		close(ready)
		if time.Since(asked) >= watchStart && ctx.Err() == nil {
			h.missed()
		}
	})
}

// watchAgain is the pause before a source that failed is watched again.
const watchAgain = 5 * time.Second

func (h *hub) watch(ctx context.Context, source Changes, begun func()) {
	again := false // it watched before, and changes of the time between are not known
	for {
		err := guard(h.log, "watching for changes", func() error {
			return source.Watch(ctx, func(changes []Change) {
				begun()
				if len(changes) > 0 {
					h.heard(ctx, changes)
					return
				}
				if again {
					h.missed()
				}
				again = true
			})
		})
		if ctx.Err() != nil {
			return
		}
		again = true
		h.log.Warn("watching for changes stopped", "error", err)
		begun()
		select {
		case <-ctx.Done():
			return
		case <-time.After(watchAgain):
		}
	}
}

// heard notifies the subscribers of every resource that changes concern.
func (h *hub) heard(ctx context.Context, changes []Change) {
	h.mu.Lock()
	uris := make(map[string][]*updates, len(h.byURI))
	for uri, all := range h.byURI {
		uris[uri] = slices.Clone(all)
	}
	h.mu.Unlock()
	for uri, subscribers := range uris {
		if !slices.ContainsFunc(changes, func(c Change) bool { return h.concerns(ctx, c, uri) }) {
			continue
		}
		for _, u := range subscribers {
			u.changed(uri)
		}
	}
}

// missed notifies every subscriber: a source was not watched for a while after its subscription was acknowledged, so a change may have been
// missed.
func (h *hub) missed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for uri, all := range h.byURI {
		for _, u := range all {
			u.changed(uri)
		}
	}
}

func (h *hub) concerns(ctx context.Context, c Change, uri string) bool {
	return slices.ContainsFunc(h.topics[c.Topic], func(p pattern) bool {
		vars, ok := p.match(uri)
		return ok && (h.match == nil || h.match(ctx, c, uri, vars))
	})
}

// close stops watching and waits for the watchers.
func (h *hub) close() {
	h.mu.Lock()
	if h.stop != nil {
		h.stop()
		h.stop, h.ready = nil, nil
	}
	h.mu.Unlock()
	h.watchers.Wait()
}

// pattern is a URI or a URI template.
type pattern struct {
	uri      string
	template *mcp.URITemplate // nil for a plain URI
}

// RegistryChanges are the changes that any process commits to the registry, as a source of resource updates.
type RegistryChanges struct{ DB *registry.DB }

// Watch passes them on until ctx ends.
func (r RegistryChanges) Watch(ctx context.Context, heard func([]Change)) error {
	return r.DB.Watch(ctx, func() { heard(nil) }, heard)
}
