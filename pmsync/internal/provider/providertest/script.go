package providertest

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
)

// Kind is a way in which a request goes wrong.
type Kind string

// The kinds. Those that a tracker words in its own way are asked of the World.
const (
	LostAnswer  Kind = "lost answer"  // done, and the connection ends before the answer
	Reset       Kind = "reset"        // the connection ends before anything is done
	Slow        Kind = "slow body"    // the answer stops in its middle, until the client gives up
	CutBody     Kind = "cut body"     // the answer ends before its announced length
	CutJSON     Kind = "cut JSON"     // the answer is a part of a document and claims to be whole
	HTML        Kind = "HTML"         // a page for people, with status 200
	Broken      Kind = "500"          // and nothing is done
	BadGateway  Kind = "502 after"    // done, and the gateway says that it failed
	Unavailable Kind = "503"          // with Retry-After, and nothing is done
	Limited     Kind = "rate limited" // in the tracker's own form
	Expired     Kind = "expired"      // the credentials, in the tracker's own form
	Forbidden   Kind = "forbidden"    // in the tracker's own form
	NotFound    Kind = "not found"    // in the tracker's own form, of what is there
	EmptyBody   Kind = "empty body"   // status 200 and nothing
	Redirect    Kind = "redirect"     // to another host
)

// Fault is something that goes wrong.
type Fault struct {
	Kind  Kind
	Match func(*http.Request, []byte) bool // nil: every request
	After int                              // matching requests to let through first
	Times int                              // how often; 1 when 0
}

// Script is a list of faults that are yet to come. It is safe for concurrent use.
type Script struct {
	mu     sync.Mutex
	faults []*Fault
	random func() Kind
	count  map[Kind]int
}

// Add adds faults to the script.
func (s *Script) Add(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range faults {
		f.Times = max(f.Times, 1)
		s.faults = append(s.faults, &f)
	}
}

// Random asks next before each request that no fault matches; "" is none. It must
// be safe for concurrent use.
func (s *Script) Random(next func() Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.random = next
}

// Clear forgets what has not happened.
func (s *Script) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults, s.random = nil, nil
}

// Happened is how often a kind was played.
func (s *Script) Happened(k Kind) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count[k]
}

func (s *Script) next(r *http.Request, body []byte) Kind {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := Kind("")
	for i, f := range s.faults {
		if f.Match != nil && !f.Match(r, body) {
			continue
		}
		if f.After > 0 {
			f.After--
			continue
		}
		if f.Times--; f.Times == 0 {
			s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
		}
		kind = f.Kind
		break
	}
	if kind == "" && s.random != nil {
		kind = s.random()
	}
	if kind != "" {
		if s.count == nil {
			s.count = map[Kind]int{}
		}
		s.count[kind]++
	}
	return kind
}

// Own are the answers that each tracker words in its own way. One that is nil is
// a plain status.
type Own struct {
	Limited, Expired, Forbidden, NotFound func(http.ResponseWriter, *http.Request)
}

// Play lets handle answer the request, unless the script has something else.
// Body is the request's, which was read.
func (s *Script) Play(w http.ResponseWriter, r *http.Request, body []byte, own Own, handle func(http.ResponseWriter, *http.Request)) {
	plain := func(answer func(http.ResponseWriter, *http.Request), status int) {
		if answer != nil {
			answer(w, r)
			return
		}
		http.Error(w, http.StatusText(status), status)
	}
	switch s.next(r, body) {
	case "":
		handle(w, r)
	case LostAnswer:
		handle(httptest.NewRecorder(), r)
		drop(w)
	case Reset:
		drop(w)
	case Slow:
		cut(w, r, handle, func() { <-r.Context().Done() })
	case CutBody:
		cut(w, r, handle, func() { drop(w) })
	case CutJSON:
		answer := httptest.NewRecorder()
		handle(answer, r)
		half := answer.Body.Bytes()
		copyHeader(w, answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(half[:len(half)/2])
	case HTML:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!DOCTYPE html><html><body><h1>Sign in</h1></body></html>"))
	case Broken:
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
	case BadGateway:
		handle(httptest.NewRecorder(), r)
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte("<html><body>502 Bad Gateway</body></html>"))
	case Unavailable:
		w.Header().Set("Retry-After", "3")
		http.Error(w, "Service Unavailable", http.StatusServiceUnavailable)
	case Limited:
		plain(own.Limited, http.StatusTooManyRequests)
	case Expired:
		plain(own.Expired, http.StatusUnauthorized)
	case Forbidden:
		plain(own.Forbidden, http.StatusForbidden)
	case NotFound:
		plain(own.NotFound, http.StatusNotFound)
	case EmptyBody:
		w.Header().Set("Content-Type", "application/json")
	case Redirect:
		http.Redirect(w, r, "https://elsewhere.example.com/"+strings.TrimPrefix(r.URL.Path, "/"), http.StatusFound)
	}
}

// cut sends the first half of the answer, and then lets end do the rest.
func cut(w http.ResponseWriter, r *http.Request, handle func(http.ResponseWriter, *http.Request), end func()) {
	answer := httptest.NewRecorder()
	handle(answer, r)
	half := answer.Body.Bytes()
	copyHeader(w, answer.Header())
	w.Header().Set("Content-Length", strconv.Itoa(len(half)))
	w.WriteHeader(answer.Code)
	_, _ = w.Write(half[:len(half)/2])
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	end()
}

func copyHeader(w http.ResponseWriter, from http.Header) {
	for name, values := range from {
		w.Header()[name] = values
	}
}

// drop ends the connection without an answer.
func drop(w http.ResponseWriter) {
	h, ok := w.(http.Hijacker)
	if !ok {
		panic(http.ErrAbortHandler)
	}
	conn, _, err := h.Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a reset rather than an end
	}
	conn.Close()
}
