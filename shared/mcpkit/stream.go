package mcpkit

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

// writeLimit is how long one write to a client may take: a client that stopped
// reading must not hold a call, or the memory of one, for ever.
const writeLimit = 30 * time.Second

// heartbeat is how often an open stream is written to, so that a connection that was lost silently is noticed.
const heartbeat = 30 * time.Second

var errStreamClosed = errors.New("the stream is closed")

// eventStream is a response of type text/event-stream. Its headers are sent
// with the first event.
type eventStream struct {
	mu     sync.Mutex
	w      http.ResponseWriter
	left   <-chan struct{} // closed when the client is gone
	ctl    *http.ResponseController
	begun  bool
	closed bool
}

func newEventStream(w http.ResponseWriter, r *http.Request) *eventStream {
	return &eventStream{w: w, left: r.Context().Done(), ctl: http.NewResponseController(w)}
}

func (e *eventStream) gone() <-chan struct{} { return e.left }

// send writes one message as an event.
func (e *eventStream) send(message []byte) error { return e.event("message", message) }

func (e *eventStream) event(name string, data []byte) error {
	block := make([]byte, 0, len(name)+len(data)+20)
	block = append(block, "event: "...)
	block = append(append(block, name...), "\ndata: "...)
	block = append(append(block, data...), "\n\n"...)
	return e.write(block)
}

// beat writes a comment, which clients skip.
func (e *eventStream) beat() error { return e.write([]byte(":\n\n")) }

func (e *eventStream) write(block []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return errStreamClosed
	}
	e.beginLocked()
	_ = e.ctl.SetWriteDeadline(time.Now().Add(writeLimit))
	// The deadline belongs to the connection, which serves other requests later.
	defer func() { _ = e.ctl.SetWriteDeadline(time.Time{}) }()
	_, err := e.w.Write(block)
	if err == nil {
		err = e.ctl.Flush()
	}
	e.closed = err != nil
	return err
}

// begin sends the headers, so that the client knows the stream is open.
func (e *eventStream) begin() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.beginLocked()
	_ = e.ctl.Flush()
}

func (e *eventStream) beginLocked() {
	if e.begun {
		return
	}
	e.begun = true
	e.w.Header().Set("Content-Type", "text/event-stream")
	e.w.Header().Set("Cache-Control", "no-cache, no-transform")
	e.w.WriteHeader(http.StatusOK)
}

func (e *eventStream) started() bool { return get(&e.mu, &e.begun) }

// finish stops all writing: the response writer must not be touched after its
// handler returned.
func (e *eventStream) finish() { set(&e.mu, &e.closed, true) }

// hold keeps the stream open until the client or the session goes away.
func (e *eventStream) hold(closed, ended <-chan struct{}) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if e.beat() != nil {
				return
			}
		case <-e.left:
			return
		case <-closed:
			return
		case <-ended:
			return
		}
	}
}
