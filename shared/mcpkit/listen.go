package mcpkit

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
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
