package mcpkit

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
)

// errCancelled is the cause of a context that the client cancelled.
var errCancelled = errors.New("cancelled by the client")

// running are the unanswered requests of a session, for notifications/cancelled. mcp-go keeps a list of its own, but a request enters it
// only when its goroutine runs, which may be after its cancellation. The zero value is ready.
type running struct {
	mu   sync.Mutex
	byID map[string]context.CancelCauseFunc
}

// begin makes the request cancellable by its id until done is called.
func (r *running) begin(ctx context.Context, id json.RawMessage) (_ context.Context, done func()) {
	if id == nil {
		return ctx, func() {} // a notification has no id to be cancelled by
	}
	ctx, cancel := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID == nil {
		r.byID = map[string]context.CancelCauseFunc{}
	}
	r.byID[string(id)] = cancel
	return ctx, func() {
		cancel(nil)
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.byID, string(id))
	}
}

// cancel ends the request named in the params of notifications/cancelled.
func (r *running) cancel(raw json.RawMessage) {
	var e struct {
		Params struct {
			RequestID json.RawMessage `json:"requestId"`
		} `json:"params"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return
	}
	r.mu.Lock()
	cancel := r.byID[string(e.Params.RequestID)]
	r.mu.Unlock()
	if cancel != nil {
		cancel(errCancelled)
	}
}

// cancelled reports whether the client has withdrawn the request.
func cancelled(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), errCancelled)
}
