package mcpkit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// shutdownLimit bounds the stop of an HTTP server with requests running.
const shutdownLimit = 5 * time.Second

// listenAndServe serves handler on 127.0.0.1 until ctx ends.
func (s *Server) listenAndServe(ctx context.Context, o ServeOptions, path string, handler http.Handler) error {
	if o.Port < 0 || o.Port > 65535 {
		return fault.Validation("port", "port %d does not exist", o.Port).WithHint("use 1 to 65535, or 0 for any free port")
	}
	who, err := ownerFor(o.TokenFile)
	if err != nil {
		return err
	}
	// The address is fixed: nothing here is meant for other machines.
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)))
	if err != nil {
		return portFault(o.Port, err)
	}
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s.calls = calls
	srv := &http.Server{
		Handler:           localOnly(who.only(handler)),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		BaseContext:       func(net.Listener) context.Context { return calls },
		ConnContext:       who.connContext,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	fresh := &freshConns{open: map[net.Conn]bool{}}
	srv.ConnState = fresh.note
	sweep := s.startSweep()
	defer sweep()
	if o.Listening != nil {
		needed := ""
		if who.mine == nil {
			needed = o.TokenFile
		}
		o.Listening(fmt.Sprintf("http://%s%s", ln.Addr(), path), needed)
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	select {
	case err := <-failed:
		return fault.Operation(err, "serve on port %d", o.Port)
	case <-ctx.Done():
	}
	fresh.close()
	s.stopHTTP(srv, cancel)
	return nil
}

// freshConns are the connections that no request has come on yet. Clients open
// them in advance, and Shutdown would wait five seconds for each.
type freshConns struct {
	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
}

func (f *freshConns) note(c net.Conn, state http.ConnState) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if state != http.StateNew {
		delete(f.open, c)
		return
	}
	if f.closed {
		_ = c.Close()
		return
	}
	f.open[c] = true
}

func (f *freshConns) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for c := range f.open {
		_ = c.Close()
	}
}

// stopHTTP lets running requests finish for a moment, then cancels them. Open
// streams end with their sessions.
func (s *Server) stopHTTP(srv *http.Server, cancel context.CancelFunc) {
	limit, done := context.WithTimeout(context.Background(), shutdownLimit)
	defer done()
	hurry := time.AfterFunc(drainSignal, cancel)
	defer hurry.Stop()
	s.closeStreams()
	if err := srv.Shutdown(limit); err != nil {
		_ = srv.Close()
	}
	s.endSessions()
}

func portFault(port int, err error) error {
	if errors.Is(err, errPortTaken) {
		return fault.Conflict("port", strconv.Itoa(port), "port %d on 127.0.0.1 is already in use", port).
			WithHint("another server may be running; choose a free port with --port, or --port 0 for any")
	}
	return fault.Operation(err, "listen on 127.0.0.1 port %d", port).WithHint("choose another port with --port")
}
