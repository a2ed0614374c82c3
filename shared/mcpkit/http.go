package mcpkit

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	sessionHeader = "Mcp-Session-Id"
	// bodyLimit is how long a client may take to send a request's body.
	bodyLimit = 30 * time.Second
)

// httpHandler is Streamable HTTP at /mcp with sessions. It speaks the revisions with sessions, up to 2025-11-25, because tools remember
// which agent registered in a session. 2026-07-28 has no sessions: a client of that revision gets the list of supported ones and falls
// back.
func (s *Server) httpHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mcp", s.post)
	mux.HandleFunc("GET /mcp", s.get)
	mux.HandleFunc("DELETE /mcp", s.delete)
	return mux
}

func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	m := parse(body)
	if m.refusal != nil {
		writeJSON(w, http.StatusBadRequest, m.refusal)
		return
	}
	if !spoken(w, r, m) {
		return
	}
	if m.method == string(mcp.MethodInitialize) && m.id != nil {
		s.initialize(w, r, m)
		return
	}
	session, leave, ok := s.sessionOf(w, r)
	if !ok {
		return
	}
	defer leave()
	if m.id == nil || m.response != nil {
		s.answer(r.Context(), session, discard{}, m)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	s.respond(w, r, session, m)
}

// respond answers a request with plain JSON, or with a stream if the request sends messages before its result.
func (s *Server) respond(w http.ResponseWriter, r *http.Request, session *Session, m message) {
	var out outlet = discard{left: r.Context().Done()}
	stream := newEventStream(w, r)
	if strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		out = stream
	}
	ctx, done := s.callContext(r)
	defer done()
	ctx, forget := session.running.begin(ctx, m.id)
	defer forget()
	response := s.answer(ctx, session, out, m)
	s.quiet.Touch()
	if stream.started() {
		_ = stream.send(response)
		stream.finish()
		return
	}
	stream.finish()
	writeJSON(w, http.StatusOK, response)
}

// callContext returns the context of a call over HTTP. A broken connection does not cancel a call that changes something, as the protocol
// demands: half a merge is worth nothing, and a client can cancel explicitly. The end of the server does cancel it.
func (s *Server) callContext(r *http.Request) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	stop := context.AfterFunc(s.calls, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// initialize begins a session.
func (s *Server) initialize(w http.ResponseWriter, r *http.Request, m message) {
	session := s.newSession(HTTP, newSessionID())
	leave, _ := session.enter()
	defer leave()
	response := s.answer(r.Context(), session, discard{}, m)
	s.quiet.Touch()
	if !session.ready() {
		writeJSON(w, http.StatusOK, response) // refused: no session begins
		return
	}
	s.keep(session)
	w.Header().Set(sessionHeader, session.id)
	writeJSON(w, http.StatusOK, response)
}

// get opens the stream for messages of the server between requests. The newest stream of a session replaces older ones.
func (s *Server) get(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		http.Error(w, "GET opens an event stream: send Accept: text/event-stream", http.StatusNotAcceptable)
		return
	}
	session, leave, ok := s.sessionOf(w, r)
	if !ok {
		return
	}
	defer leave()
	stream := newEventStream(w, r)
	closed := session.openStream(stream) // before the client knows of it, or a newer stream could be mistaken for the older
	stream.begin()
	stream.hold(closed, session.ended)
	session.updates.shut(stream)
	stream.finish()
}

func (s *Server) delete(w http.ResponseWriter, r *http.Request) {
	session, leave, ok := s.sessionOf(w, r)
	if !ok {
		return
	}
	leave()
	s.drop(session)
	w.WriteHeader(http.StatusOK)
}

// sessionOf finds the session a request belongs to: 400 without one, 404 for
// one that ended or never was, which tells the client to initialize again.
func (s *Server) sessionOf(w http.ResponseWriter, r *http.Request) (session *Session, leave func(), ok bool) {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		writeJSON(w, http.StatusBadRequest, failure(nil, mcp.INVALID_REQUEST,
			"the "+sessionHeader+" header is missing; begin with initialize", nil))
		return nil, nil, false
	}
	session, leave, ok = s.lookup(HTTP, id)
	if !ok {
		writeJSON(w, http.StatusNotFound, failure(nil, mcp.INVALID_REQUEST,
			"this session has ended; begin again with initialize", nil))
	}
	return session, leave, ok
}

// spoken refuses revisions that this transport does not speak.
func spoken(w http.ResponseWriter, r *http.Request, m message) bool {
	version := declaredVersion(r, m)
	if version == "" || mcp.IsValidProtocolVersion(version) && !mcp.IsModernProtocol(version) {
		return true
	}
	e := mcp.UnsupportedProtocolVersionError{Version: shorten(version), Supported: mcp.LegacyProtocolVersions()}.JSONRPCError()
	writeJSON(w, http.StatusBadRequest, failure(m.id, e.Error.Code, e.Error.Message, e.Error.Data))
	return false
}

// declaredVersion returns the protocol revision in a message's header, "" when it has none, which is allowed only to clients before
// 2025-06-18.
func declaredVersion(r *http.Request, m message) string {
	if version := r.Header.Get(mcp.HeaderProtocolVersion); version != "" {
		return version
	}
	var e struct {
		Params struct {
			Meta *mcp.Meta `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(m.raw, &e) != nil || e.Params.Meta == nil {
		return ""
	}
	return e.Params.Meta.ProtocolVersion()
}

// readBody reads a POST's JSON within its limits.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		// The check also keeps out a web page's form, which a browser sends without asking.
		http.Error(w, "send application/json", http.StatusUnsupportedMediaType)
		return nil, false
	}
	ctl := http.NewResponseController(w)
	_ = ctl.SetReadDeadline(time.Now().Add(bodyLimit))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	_ = ctl.SetReadDeadline(time.Time{})
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		http.Error(w, "the message is too long", http.StatusRequestEntityTooLarge)
		return nil, false
	case err != nil:
		http.Error(w, "the request could not be read", http.StatusBadRequest)
		return nil, false
	}
	return body, true
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// discard is the outlet of a client that did not ask for a stream.
type discard struct {
	left <-chan struct{} // closed when the client is gone; may be nil
}

func (discard) send([]byte) error { return errStreamClosed }

func (d discard) gone() <-chan struct{} { return d.left }
