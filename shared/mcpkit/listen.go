package mcpkit

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/agit-suite/agit/shared/loopback"
)

// listenAndServe serves handler on 127.0.0.1 until ctx ends.
func (s *Server) listenAndServe(ctx context.Context, o ServeOptions, path string, handler http.Handler) error {
	who, err := loopback.OwnerFor(o.TokenFile)
	if err != nil {
		return err
	}
	ln, err := loopback.Listen(ctx, o.Port)
	if err != nil {
		return err
	}
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s.calls = calls
	srv := &http.Server{
		Handler:           localOnly(who.Only(handler)),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		BaseContext:       func(net.Listener) context.Context { return calls },
		ConnContext:       who.ConnContext,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	sweep := s.startSweep()
	defer sweep()
	if o.Listening != nil {
		needed := ""
		if who.ByToken() {
			needed = o.TokenFile
		}
		o.Listening(fmt.Sprintf("http://%s%s", ln.Addr(), path), needed)
	}
	// Running requests get a moment to finish, then they are cancelled. Open streams end with their sessions.
	if err := loopback.Run(ctx, srv, ln, func() {
		time.AfterFunc(drainSignal, cancel) // which is called then anyway
		s.closeStreams()
	}); err != nil {
		return err
	}
	s.endSessions()
	return nil
}

// localOnly refuses requests that a web page in the user's browser could send: a foreign Origin, or a Host that is not this machine's name
// (a page's own domain that was made to point at 127.0.0.1). Programs send no Origin. A page's request without one, by a link or an image,
// is recognised by the browser's headers.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopback.IsLocal(r.Host) {
			http.Error(w, "this server answers only to localhost and 127.0.0.1", http.StatusForbidden)
			return
		}
		for _, origin := range r.Header.Values("Origin") {
			if !localOrigin(origin) {
				http.Error(w, "requests from this origin are refused", http.StatusForbidden)
				return
			}
		}
		if r.Header.Get("Origin") == "" && r.Header.Get("Sec-Fetch-Site") == "cross-site" {
			http.Error(w, "requests of other pages are refused", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func localOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && loopback.IsLocal(u.Host)
}
