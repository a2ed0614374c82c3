package mcpkit

import (
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// updates carries resource updates to one client stream. An update says only
// that a URI changed, so what waits is a set: a slow client costs no memory,
// and one that reconnects hears of everything it missed. It is safe for
// concurrent use.
type updates struct {
	tag json.RawMessage // subscription id of subscriptions/listen, else nil

	mu      sync.Mutex
	out     outlet // nil while no stream is open
	waiting []string
	sending bool
	over    bool
	idle    sync.WaitGroup
}

// changed queues an update of uri and returns at once.
func (u *updates) changed(uri string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, w := range u.waiting {
		if w == uri {
			return
		}
	}
	u.waiting = append(u.waiting, uri)
	u.flushLocked()
}

// open sends to out from now on, beginning with what waits.
func (u *updates) open(out outlet) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.out = out
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

// forget drops a waiting update after its URI was unsubscribed.
func (u *updates) forget(uri string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i, w := range u.waiting {
		if w == uri {
			u.waiting = append(u.waiting[:i], u.waiting[i+1:]...)
			return
		}
	}
}

// close sends nothing any more and waits for the sender.
func (u *updates) close() {
	u.mu.Lock()
	u.over, u.out, u.waiting = true, nil, nil
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
