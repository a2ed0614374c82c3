package web

import (
	"context"
	"net/http"
	"sync"
	"time"
)

const (
	// maxStreams is how many pages get change events at once. A browser opens at most six connections, and closes the stream of a
	// hidden page.
	maxStreams = 32
	// ping is how often an open stream is written to, so that a dead reader is noticed.
	ping = 15 * time.Second
	// writeLimit bounds one write. The system buffers 3 MB for a stopped reader before a write blocks, so events carry no data.
	writeLimit = 5 * time.Second
	// most is the shortest interval between two events for a page: four a second.
	most = 250 * time.Millisecond
	// linger is how long changes are noticed after the last page closed, so that a reloaded page, or one in another tab, finds current
	// data.
	linger = 30 * time.Second
)

// hub sends change events to open pages. Pages request the data themselves, so an event is a single bit, also for a slow page.
type hub struct {
	mu      sync.Mutex
	streams map[*stream]bool
	closed  bool
	wake    chan struct{} // holds one value when the first stream opened or the last one closed
}

type stream struct {
	pending chan struct{} // holds at most one value
	end     chan struct{}
}

func newHub() *hub { return &hub{streams: map[*stream]bool{}, wake: make(chan struct{}, 1)} }

// open adds a stream; nil when there are too many or the server is stopping.
func (h *hub) open() *stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.streams) >= maxStreams {
		return nil
	}
	st := &stream{pending: make(chan struct{}, 1), end: make(chan struct{})}
	h.streams[st] = true
	signal(h.wake)
	return st
}

func (h *hub) drop(st *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams, st)
	signal(h.wake)
}

func (h *hub) watched() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.streams) > 0
}

// signal puts a value into a channel that holds at most one, unless one is there already: further events are merged into it.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// changed marks every stream.
func (h *hub) changed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for st := range h.streams {
		signal(st.pending)
	}
}

// close ends all streams and refuses new ones.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for st := range h.streams {
		close(st.end)
	}
	clear(h.streams)
}

// whileWatched runs look while a page is open, and stops it some time after the last one closed.
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

// await waits until a page is open, or until none is; false when ctx or the limit ended first.
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

// events serves the stream of a page.
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
	var rest <-chan time.Time // set after an event, until the next one is allowed
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
		if signal(st.pending); err != nil { // the page's next request gets the error
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
