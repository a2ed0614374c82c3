package mcpkit

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// sseHandler is the HTTP transport of 2024: one event stream for everything the
// server says, and a POST for each message of the client.
func (s *Server) sseHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sse", s.sseStream)
	mux.HandleFunc("POST /message", s.sseMessage)
	return mux
}

// sseStream opens a session, which lives as long as the stream.
func (s *Server) sseStream(w http.ResponseWriter, r *http.Request) {
	session := s.newSession(SSE, newSessionID())
	stream := newEventStream(w, r)
	calls, cancel := s.callContext(r)
	line := &sseLine{stream: stream, calls: calls}
	session.Set(sseKey{}, line)
	leave, _ := session.enter()
	defer leave()
	s.keep(session)
	if stream.event("endpoint", []byte("/message?sessionId="+session.id)) == nil {
		closed := session.openStream(stream)
		stream.hold(closed, session.ended)
	}
	session.updates.shut(stream)
	line.finish(cancel)
	cancel()
	s.drop(session)
	stream.finish()
}

// sseLine is the stream of a session with its running requests.
type sseLine struct {
	stream *eventStream
	calls  context.Context
	mu     sync.Mutex
	over   bool
	open   int
	work   sync.WaitGroup
}

type sseKey struct{}

// begin counts a new request; it refuses too many, and any after the end.
func (l *sseLine) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || l.open >= maxOpen {
		return false
	}
	l.open++
	l.work.Add(1)
	return true
}

func (l *sseLine) done() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	l.work.Done()
}

// linger is how long a stream stays open after the last answer of a shutdown. Clients that receive the answer and the end at once, such as
// the official Go client, may handle the end first.
const linger = 100 * time.Millisecond

// finish waits for running requests: at a shutdown they are still answered.
// A call that takes longer is cancelled.
func (l *sseLine) finish(cancel func()) {
	l.mu.Lock()
	l.over = true
	open := l.open
	l.mu.Unlock()
	late := time.AfterFunc(drainInput, cancel)
	defer late.Stop()
	l.work.Wait()
	if open > 0 {
		select {
		case <-time.After(linger):
		case <-l.stream.left: // no one waits
		}
	}
}

// sseMessage takes one message; its response goes out on the stream.
func (s *Server) sseMessage(w http.ResponseWriter, r *http.Request) {
	session, leave, ok := s.lookup(SSE, r.URL.Query().Get("sessionId"))
	if !ok {
		writeJSON(w, http.StatusNotFound, failure(nil, mcp.INVALID_REQUEST, "this session has ended; open /sse again", nil))
		return
	}
	defer leave()
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	m := parse(body)
	line, _ := session.Get(sseKey{}).(*sseLine)
	if !line.begin() {
		http.Error(w, "too many requests are open, or the session is ending", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusAccepted)
	ctx, forget := session.running.begin(line.calls, m.id)
	work := func() {
		defer line.done()
		defer forget()
		if response := s.answer(ctx, session, line.stream, m); response != nil && !cancelled(ctx) {
			_ = line.stream.send(response)
		}
		s.quiet.Touch()
	}
	if m.id == nil || m.response != nil || inOrder(m.method) {
		work() // done before the client's next message
		return
	}
	go work() // finish waits for it
}
