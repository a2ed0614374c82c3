package mcpkit

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/idle"
)

// ServeOptions say where to serve.
type ServeOptions struct {
	Transport string // Stdio when empty
	Port      int    // of HTTP and SSE on 127.0.0.1; 0 takes any free port
	In        io.Reader
	Out       io.Writer
	// TokenFile holds what clients of HTTP and SSE have to send where the system
	// does not say which user they are; it is made when it is missing.
	TokenFile string
	// Listening is called once with the address, when HTTP or SSE is ready, and with the token's file where clients need it.
	Listening func(url, tokenFile string)
}

// Serve runs the server until the client is done (end of input on stdio), ctx ends, or SIGINT or SIGTERM arrives; each of these is a clean
// stop and returns nil. Running calls are then finished, or cancelled when they take too long, and answered. In and Out default to the
// process's own streams; os.Stdout then goes to standard error, so that only the protocol can write to it.
func (s *Server) Serve(ctx context.Context, o ServeOptions) error {
	signal.Ignore(syscall.SIGPIPE) // a disconnected client is a write error, not the end
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	idle.Tune()
	defer s.quiet.Stop()
	defer s.updates.close()
	switch o.Transport {
	case "", Stdio:
		if o.In == nil {
			o.In = os.Stdin //nolint:forbidigo // the protocol's own stream
		}
		if o.Out == nil {
			o.Out = os.Stdout     //nolint:forbidigo // the protocol's own stream
			os.Stdout = os.Stderr //nolint:forbidigo // other output must not reach it
		}
		return s.serveStdio(ctx, o.In, o.Out)
	case HTTP:
		return s.listenAndServe(ctx, o, "/mcp", s.httpHandler())
	case SSE:
		return s.listenAndServe(ctx, o, "/sse", s.sseHandler())
	default:
		f := fault.Validation("transport", "there is no transport %q", shorten(o.Transport))
		return f.WithHint("use stdio, http or sse")
	}
}
