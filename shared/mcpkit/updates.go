package mcpkit

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// updates carries resource updates to one client stream. An update holds only the URI that changed, so waiting updates are a set, and a
// slow client costs no memory. A client that reconnects gets all updates that it may have missed: those written to its last stream may
// never have arrived, so they are sent once more. It is safe for concurrent use.
type updates struct {
	tag json.RawMessage // subscription id of subscriptions/listen, else nil

	mu      sync.Mutex
	out     outlet // nil while no stream is open
	waiting []string
	written []string // to the open stream
	sending bool
	over    bool
	idle    sync.WaitGroup
}

// changed queues an update of uri and returns at once.
func (u *updates) changed(uri string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if slices.Contains(u.waiting, uri) {
		return
	}
	u.waiting = append(u.waiting, uri)
	u.flushLocked()
}

// open sends to out from now on: first the updates that the previous stream may have lost, and the waiting ones.
func (u *updates) open(out outlet) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.out = out
	for _, uri := range u.waiting {
		if !slices.Contains(u.written, uri) {
			u.written = append(u.written, uri)
		}
	}
	u.waiting, u.written = u.written, nil
	u.flushLocked()
}

// shut stops sending to out, unless another stream has taken its place.
func (u *updates) shut(out outlet) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.out == out {
		u.out = nil
	}
}

// forget drops the updates of a URI after it was unsubscribed.
func (u *updates) forget(uri string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	is := func(other string) bool { return other == uri }
	u.waiting = slices.DeleteFunc(u.waiting, is)
	u.written = slices.DeleteFunc(u.written, is)
}

// close stops sending for good and waits for the sender.
func (u *updates) close() {
	u.mu.Lock()
	u.over, u.out, u.waiting, u.written = true, nil, nil, nil
	u.mu.Unlock()
	u.idle.Wait()
}

func (u *updates) flushLocked() {
	if u.sending || u.over || u.out == nil || len(u.waiting) == 0 {
		return
	}
	u.sending = true
	u.idle.Go(u.run)
}

func (u *updates) run() {
	for {
		u.mu.Lock()
		out := u.out
		if out == nil || len(u.waiting) == 0 {
			u.sending = false
			u.mu.Unlock()
			return
		}
		uri := u.waiting[0]
		u.waiting = u.waiting[1:]
		if !slices.Contains(u.written, uri) {
			u.written = append(u.written, uri)
		}
		u.mu.Unlock()
		if out.send(u.message(uri)) != nil {
			u.shut(out)
			u.changed(uri) // for the next stream
		}
	}
}

func (u *updates) message(uri string) []byte {
	params := map[string]any{"uri": uri}
	if u.tag != nil {
		params["_meta"] = map[string]any{mcp.MetaKeySubscriptionID: u.tag}
	}
	return notification("notifications/resources/updated", params)
}
