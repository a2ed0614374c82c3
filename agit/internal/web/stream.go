package web

import (
	"context"
	"net/http"
	"sync"
	"time"
)

const (
	// maxStreams is how many pages are told of changes at once. A browser opens six
	// connections at most, and closes the stream of a page that is not seen.
	maxStreams = 32
	// ping is how often an open stream is written to, which is how one is noticed
	// whose reader died without a word.
	ping = 15 * time.Second
	// writeLimit is how long one write may take. A reader that stopped holds 3 MB of the
	// system's buffers before a write waits at all, so events carry no data.
	writeLimit = 5 * time.Second
	// most is how often a page is told: four times a second.
	most = 250 * time.Millisecond
	// linger is how long changes are noticed after the last page closed: one that is
	// loaded again, or moved to another tab, finds what is known.
	linger = 30 * time.Second
)

// hub tells open pages that something changed. What changed they ask for themselves,
// so what waits for a slow one is a single bit.
type hub struct {
	mu      sync.Mutex
	streams map[*stream]bool
	closed  bool
	wake    chan struct{} // has one when the first stream opened or the last one closed
}

type stream struct {
	pending chan struct{} // of one
	end     chan struct{}
}

func newHub() *hub { return &hub{streams: map[*stream]bool{}, wake: make(chan struct{}, 1)} }

// open adds a stream, nil when there are too many, or the server ends.
func (h *hub) open() *stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.streams) >= maxStreams {
		return nil
	}
	st := &stream{pending: make(chan struct{}, 1), end: make(chan struct{})}
	h.streams[st] = true
	h.nudge()
	return st
}

func (h *hub) drop(st *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams, st)
	h.nudge()
}

func (h *hub) nudge() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

func (h *hub) watched() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.streams) > 0
}

// mark says that there is something to tell; what waits is one bit.
func (st *stream) mark() {
	select {
	case st.pending <- struct{}{}:
	default: // it has not been told of the last one yet
	}
}

// changed marks every stream.
func (h *hub) changed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for st := range h.streams {
		st.mark()
	}
}

// close ends all streams, and refuses new ones.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for st := range h.streams {
		close(st.end)
	}
	clear(h.streams)
}

// whileWatched runs look while a page is open, and stops it a while after the last one
// closed.
func (h *hub) whileWatched(ctx context.Context, linger time.Duration, look func(context.Context)) {
	for h.await(ctx, true, 0) {
		looking, stop := context.WithCancel(ctx)
		var done sync.WaitGroup
		done.Go(func() { look(looking) })
		for h.await(ctx, false, 0) && h.await(ctx, true, linger) {
			// another page was opened in time
		}
		stop()
		done.Wait()
	}
}

// await waits until a page is open, or none is; false when ctx or the limit ended first.
func (h *hub) await(ctx context.Context, open bool, limit time.Duration) bool {
	var late <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		late = timer.C
	}
	for h.watched() != open {
		select {
		case <-ctx.Done():
			return false
		case <-late:
			return false
		case <-h.wake:
		}
	}
	return ctx.Err() == nil
}

// events is the stream of a page.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	st := s.hub.open()
	if st == nil {
		w.Header().Set("Retry-After", "5")
		http.Error(w, "too many pages are open; close one", http.StatusServiceUnavailable)
		return
	}
	defer s.hub.drop(st)
	project := r.URL.Query().Get("project")
	version, err := s.model.Since(r.Context(), project, "")
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	ctl := http.NewResponseController(w)
	say := func(block string) bool {
		_ = ctl.SetWriteDeadline(time.Now().Add(s.writeLimit))
		_, err := w.Write([]byte(block))
		return err == nil && ctl.Flush() == nil
	}
	// The deadline belongs to the connection, which serves other requests later.
	defer func() { _ = ctl.SetWriteDeadline(time.Time{}) }()
	if !say("event: open\ndata:\n\n") {
		return
	}
	watching, stop := context.WithCancel(r.Context())
	defer stop()
	go s.follow(watching, st, project, version)
	beat := time.NewTicker(s.ping)
	defer beat.Stop()
	var rest <-chan time.Time // after an event, until the next may follow
	for {
		pending := st.pending
		if rest != nil {
			pending = nil
		}
		var block string
		select {
		case <-r.Context().Done():
			return
		case <-st.end:
			return
		case <-rest:
			rest = nil
			continue
		case <-beat.C:
			block = ":\n\n"
		case <-pending:
			block, rest = "event: changed\ndata:\n\n", time.After(most)
		}
		if !say(block) {
			return
		}
	}
}

// follow marks a stream whenever something of its project changed.
func (s *Server) follow(ctx context.Context, st *stream, project, version string) {
	for {
		now, err := s.model.Since(ctx, project, version)
		if ctx.Err() != nil {
			return
		}
		if st.mark(); err != nil { // the page asks, and is told what is wrong
			select {
			case <-ctx.Done():
				return
			case <-time.After(s.ping):
			}
			continue
		}
		version = now
	}
}
