package mcpkit

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"github.com/sourcegraph/conc/panics"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/idle"
)

// Info describes the server.
type Info struct {
	Name    string // "agit"
	Title   string // for people, may be empty
	Version string
	// Instructions explain to a model how the tools belong together. Clients cut them at 2 KB; they are sent in initialize and in
	// server/discover.
	Instructions string
}

// Options change what New builds; the zero value is right for most servers.
type Options struct {
	// Logger gets one line a call: tool, agentName, duration, a short result;
	// never a parameter. nil logs nothing.
	Logger *slog.Logger
	// SessionEnd runs once for every session that ends: end of input, DELETE,
	// idle too long, shutdown. It may take up to a second.
	SessionEnd func(*Session)
	// Reading runs before each call of a read-only tool with valid input.
	Reading func(context.Context, *Call)
	// Quiet runs when no request came for ten seconds after activity: the time to release caches.
	Quiet func()
	// Hint rewrites the hints of errors, from commands into tools; nil leaves them.
	Hint func(string) string
	// Sets are named groups of tools for --tools, such as "core".
	Sets map[string][]string
	// SessionTTL is how long an HTTP session without a request and without an
	// open stream is kept; 30 minutes when zero.
	SessionTTL time.Duration
	// MaxSessions bounds HTTP sessions: the one that was idle longest makes room
	// for a new one, its client gets 404 and starts again. 1,000 when zero,
	// which is about a megabyte.
	MaxSessions int
}

// Server is one MCP server: what it offers, and its sessions.
type Server struct {
	info    Info
	opts    Options
	log     *slog.Logger
	mcp     *server.MCPServer
	tools   map[string]*tool
	left    map[string]bool                 // tools that Select took from the list
	prompts map[string]map[string]Completer // prompt → argument → completer
	reads   map[string]map[string]Completer // resource template → variable → completer
	offered []offer                         // all resources
	updates *hub
	quiet   idle.Trimmer
	calls   context.Context // of HTTP calls; ends when the server has to stop

	mu       sync.Mutex
	sessions map[string]*Session // HTTP and SSE sessions by id
}

// New builds a server without tools.
func New(info Info, o Options) *Server {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.SessionTTL <= 0 {
		o.SessionTTL = 30 * time.Minute
	}
	if o.MaxSessions <= 0 {
		o.MaxSessions = 1000
	}
	s := &Server{
		info:     info,
		opts:     o,
		log:      o.Logger,
		tools:    map[string]*tool{},
		prompts:  map[string]map[string]Completer{},
		reads:    map[string]map[string]Completer{},
		sessions: map[string]*Session{},
	}
	s.calls = context.Background()
	s.quiet.Quiet = o.Quiet
	s.updates = newHub(s.log)
	s.mcp = server.NewMCPServer(info.Name, info.Version,
		server.WithTitle(info.Title),
		server.WithInstructions(info.Instructions),
		server.WithToolCapabilities(false),           // the list never changes while the server runs
		server.WithResourceCapabilities(true, false), // subscribe, yes
		server.WithPromptCapabilities(false),
		server.WithLogging(),
		server.WithCompletions(),
		server.WithPromptCompletionProvider(promptCompleter{s}),
		server.WithResourceCompletionProvider(resourceCompleter{s}),
	)
	return s
}

// fault returns an error in a form that a client can act on; nil for none.
func (s *Server) fault(err error) *fault.Fault {
	f := fault.From(err)
	if f == nil || f.Hint == "" || s.opts.Hint == nil {
		return f
	}
	told := *f
	told.Hint = s.opts.Hint(f.Hint)
	if s.leavesOut(told.Hint) { // a hint at a tool that this server does not offer keeps its command
		return f
	}
	return &told
}

// Info returns the Info that New got.
func (s *Server) Info() Info { return s.info }

// guard runs fn and turns a panic into an OperationError: a mistake in one
// request must not end a server that other requests are running in. The log has
// the value, and at debug level the stack; the client gets neither.
func guard(log *slog.Logger, what string, fn func() error) (err error) {
	if r := panics.Try(func() { err = fn() }); r != nil {
		log.Error("panic", "in", what, "value", fmt.Sprint(r.Value))
		log.Debug("panic", "in", what, "stack", string(r.Stack))
		return fault.Operation(nil, "%s failed because of a mistake in the program", what).
			WithHint("the server goes on; its log has the details")
	}
	return err
}
