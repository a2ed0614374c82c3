package mcpkit

import (
	"crypto/rand"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// The transports.
const (
	Stdio = "stdio"
	HTTP  = "http" // Streamable HTTP
	SSE   = "sse"  // the HTTP transport of 2024, for older clients
)

// Session is one client's connection, with the facts learned about it and the values that the server author keeps for it. On stdio there is
// one, as long as the process. It is safe for concurrent use.
type Session struct {
	id        string
	transport string
	server    *Server
	ended     chan struct{} // closed when the session ends
	asks      asks
	running   running
	updates   *updates // resource updates on their way to the client

	mu          sync.Mutex
	values      map[any]any
	agent       string
	adopted     bool // agent was adopted, and did not register
	several     bool // more than one was adopted
	client      mcp.Implementation
	can         mcp.ClientCapabilities
	protocol    string
	level       mcp.LoggingLevel
	initialized bool
	over        bool
	stream      chan struct{} // closed to end the open stream; nil without one
	busy        int           // requests and streams that are open
	used        time.Time     // when the last of them ended
}

func (s *Server) newSession(transport, id string) *Session {
	return &Session{
		id:        id,
		transport: transport,
		server:    s,
		ended:     make(chan struct{}),
		updates:   &updates{},
		level:     mcp.LoggingLevelInfo,
		used:      time.Now(),
	}
}

// get returns a field that a lock guards.
func get[T any](mu *sync.Mutex, field *T) T {
	mu.Lock()
	defer mu.Unlock()
	return *field
}

// set changes a field that a lock guards.
func set[T any](mu *sync.Mutex, field *T, value T) {
	mu.Lock()
	defer mu.Unlock()
	*field = value
}

// newSessionID returns 26 characters that no one can guess: over HTTP the id is all that a request shows.
func newSessionID() string { return rand.Text() }

// ID is unique among the sessions of this machine.
func (s *Session) ID() string { return s.id }

// Transport is Stdio, HTTP or SSE.
func (s *Session) Transport() string { return s.transport }

// Ended is closed when the session is over.
func (s *Session) Ended() <-chan struct{} { return s.ended }

// Client returns the name of the client program, "" when it did not send one.
func (s *Session) Client() string { return get(&s.mu, &s.client).Name }

// Agent returns the agent that registered in this session or was adopted, "" without one.
func (s *Session) Agent() string { return get(&s.mu, &s.agent) }

// SetAgent sets the agent for later calls of this session.
func (s *Session) SetAgent(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agent, s.adopted = name, false
}

// Adopt makes the agent of a call the agent of later calls that name none, if no agent registered. When a second agent is adopted, for
// instance because a client's subagents share its session, such calls belong to neither. It returns the agent of calls that name none, or
// "".
func (s *Session) Adopt(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.agent == "" && !s.several:
		s.agent, s.adopted = name, true
	case s.adopted && s.agent != name:
		s.agent, s.adopted, s.several = "", false, true
	}
	return s.agent
}

// Get returns what Set kept under key, or nil. Keys are compared like those of
// context.WithValue: use an unexported type.
func (s *Session) Get(key any) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values[key]
}

// Set keeps value for the rest of the session.
func (s *Session) Set(key, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil {
		s.values = map[any]any{}
	}
	s.values[key] = value
}

func (s *Session) logLevel() mcp.LoggingLevel { return get(&s.mu, &s.level) }

// enter marks the session as in use; the returned function ends that. ok is false for a session that is over.
func (s *Session) enter() (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil, false
	}
	s.busy++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.busy--
		s.used = time.Now()
	}, true
}

// idleSince returns since when the session has been idle; false while it is in use.
func (s *Session) idleSince() (time.Time, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, s.busy == 0
}

// end closes the session once: its subscriptions, its open requests to the
// client, its streams; then the server author's hook runs.
func (s *Session) end() {
	s.mu.Lock()
	if s.over {
		s.mu.Unlock()
		return
	}
	s.over = true
	s.mu.Unlock()
	close(s.ended)
	s.server.updates.leave(s.updates)
	s.updates.close()
	if hook := s.server.opts.SessionEnd; hook != nil {
		_ = guard(s.server.log, "the end of a session", func() error {
			hook(s)
			return nil
		})
	}
}

// ready reports whether initialize succeeded.
func (s *Session) ready() bool { return get(&s.mu, &s.initialized) }

// openStream makes stream the one for messages between requests and ends the previous one; the returned channel is closed when stream has
// to end.
func (s *Session) openStream(stream *eventStream) (closed <-chan struct{}) {
	next := make(chan struct{})
	s.mu.Lock()
	if s.stream != nil {
		close(s.stream)
	}
	s.stream = next
	s.mu.Unlock()
	s.updates.open(stream)
	return next
}

// closeStream ends the session's stream, but not the session.
func (s *Session) closeStream() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stream != nil {
		close(s.stream)
		s.stream = nil
	}
}
