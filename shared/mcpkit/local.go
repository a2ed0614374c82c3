package mcpkit

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
)

// Local is a client inside the process, without a transport: for tests and for
// printing the documentation of a server. It is safe for concurrent use.
type Local struct {
	server  *Server
	session *Session
	last    atomic.Int64
	said    recorder
}

// Local opens a session inside the process; Close ends it.
func (s *Server) Local() *Local {
	l := &Local{server: s, session: s.newSession("local", "local-"+newSessionID()[:8])}
	l.session.updates.open(&l.said)
	return l
}

// Session is the server's side of the connection.
func (l *Local) Session() *Session { return l.session }

// Close ends the session.
func (l *Local) Close() { l.session.end() }

// Said returns the notifications received so far.
func (l *Local) Said() []json.RawMessage { return l.said.all() }

// Do sends one request and returns its result; a JSON-RPC error is an error.
func (l *Local) Do(ctx context.Context, method string, params any) (json.RawMessage, error) {
	raw := marshal(struct {
		JSONRPC string `json:"jsonrpc"`
		ID      int64  `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{"2.0", l.last.Add(1), method, params})
	var reply reply
	if err := json.Unmarshal(l.Raw(ctx, raw), &reply); err != nil {
		return nil, fmt.Errorf("read the answer to %s: %w", method, err)
	}
	if reply.Error != nil {
		return nil, fmt.Errorf("%s: error %s: %s", method, strconv.Itoa(reply.Error.Code), reply.Error.Message)
	}
	return reply.Result, nil
}

// Raw sends one message as it is and returns the encoded response, nil for none.
func (l *Local) Raw(ctx context.Context, message []byte) []byte {
	return l.server.answer(ctx, l.session, &l.said, parse(message))
}

// recorder is an outlet that keeps what was sent.
type recorder struct {
	mu   sync.Mutex
	sent []json.RawMessage
}

func (r *recorder) send(message []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, message)
	return nil
}

func (r *recorder) all() []json.RawMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]json.RawMessage(nil), r.sent...)
}
