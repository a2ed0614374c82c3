// Package loopback serves HTTP on 127.0.0.1 to the user who started the program and to no one else. The MCP servers and the page are built
// on it. Any user of a machine can connect to its ports, and any web page in the user's browser can send requests there, while the registry
// is readable by its owner alone.
package loopback

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// shutdownLimit bounds the stop of a server with requests running.
const shutdownLimit = 5 * time.Second

// Listen takes a port of 127.0.0.1, any free one for 0. The address is fixed: nothing
// here is meant for other machines. A port in use is a ConflictError.
func Listen(ctx context.Context, port int) (net.Listener, error) {
	if port < 0 || port > 65535 {
		return nil, fault.Validation("port", "port %d does not exist", port).WithHint("use 1 to 65535, or 0 for any free port")
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if errors.Is(err, errPortTaken) {
		return nil, fault.Conflict("port", strconv.Itoa(port), "port %d on 127.0.0.1 is already in use", port).
			WithHint("another server may be running; choose a free port with --port, or --port 0 for any")
	}
	if err != nil {
		return nil, fault.Operation(err, "listen on 127.0.0.1 port %d", port).WithHint("choose another port with --port")
	}
	return ln, nil
}

// Run serves on ln until ctx ends. It then calls ending, which must close all streams, and waits at most five seconds for the running
// requests.
func Run(ctx context.Context, srv *http.Server, ln net.Listener, ending func()) error {
	fresh := &freshConns{open: map[net.Conn]bool{}}
	srv.ConnState = fresh.note
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	select {
	case err := <-failed:
		return fault.Operation(err, "serve on %s", ln.Addr())
	case <-ctx.Done():
	}
	fresh.close()
	limit, done := context.WithTimeout(context.WithoutCancel(ctx), shutdownLimit)
	defer done()
	ending()
	if err := srv.Shutdown(limit); err != nil {
		_ = srv.Close()
	}
	return nil
}

// freshConns are the connections that have not carried a request yet. Clients open them in advance, and Shutdown would wait five seconds
// for each.
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

// IsLocal reports whether host, with or without a port, names this machine alone. A web page's own domain can be made to point at
// 127.0.0.1, but keeps its name.
func IsLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback()
}
