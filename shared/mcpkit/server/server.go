// Package server makes an MCP server program out of a Spec: what a server of the
// suite is called, what it tells a model, what its tools work with, and what it
// offers. The rest is the same for all of them and is here: flags,
// configuration, the registry's readers and caches, signs of life of agents,
// presence, and an orderly stop.
//
// The layers:
//
//   - mcpkit is the protocol: schemas, validation, sessions, transports. It knows
//     nothing of command lines or configuration.
//   - mcpkit/booking says whom and what a call is booked on.
//   - mcpkit/server, this package, is the program around both.
//   - X/internal/mcpserver holds X's Spec in server.go, and the tools, a file for each concern.
//   - X/cmd/X-mcp is its main: one call.
//   - mcpkit/mcptest holds what the tests of all servers share.
package server

import (
	"context"
	"time"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

// Spec describes one server. S is the type that its tools work with, usually a pointer to a struct that embeds the *Base. The functions
// below Offers may be nil.
type Spec[S any] struct {
	Name string // of the binary, "agit"; the server is the program "agit-mcp"
	Port int    // over HTTP, unless the flag or server.port names another

	// Instructions are the text about the server that clients show to a model; every conversation pays for them. ReadOnlyInstructions
	// replace them when only tools that change nothing are offered.
	Instructions, ReadOnlyInstructions string
	// Core are the tools that an agent uses in its loop: --tools core.
	Core []string
	// Hint rewrites the hints of errors, from commands into tools.
	Hint func(string) string
	// Readers is how many reads of the registry run at once: tool calls are
	// short, and every reader keeps a page cache of its own.
	Readers int

	// Open returns the value that the tools work with. The MCP server of b is still empty.
	Open func(ctx context.Context, b *Base) (S, error)
	// Offers declare a tool each, the resources, the prompts.
	Offers []func(S)

	// Present receives the id under which the server is announced in the registry, so that others see when it ended. Open must have opened
	// the registry. Without Present no server is announced.
	Present func(s S, id string)
	// SessionEnd runs when a client's session ends. It may take a second.
	SessionEnd func(S)
	// While runs beside the serving, which ends its ctx and then waits for it.
	While func(s S, ctx context.Context)
	// Stop stores what the server still holds when the serving is over. ctx leaves it five seconds.
	Stop func(s S, ctx context.Context) error
}

// Base is the part that the tools of every server share. It is complete once Open returned, and safe for concurrent use.
type Base struct {
	Env       *cli.Env
	Config    *config.Config
	MCP       *mcpkit.Server
	Transport string       // mcpkit.Stdio, HTTP or SSE
	Desk      booking.Desk // its DB is nil unless Open opened the registry
}

// Beat returns how often a working agent needs a heartbeat: three times within the silence after which a sweep, or another agent's claim,
// treats it as gone.
func (b *Base) Beat() time.Duration {
	silence := b.Config.Agent.StaleAfter
	if release := b.Config.Agent.ReleaseAfter; release > 0 {
		silence = min(silence, release)
	}
	return max(silence/3, time.Second)
}

// Alive counts a call as a heartbeat of its agent. Calls of read-only tools are counted automatically; a writing tool records the heartbeat
// in its own transaction, or calls Alive.
func (b *Base) Alive(ctx context.Context, c *mcpkit.Call) {
	if b.Desk.DB != nil {
		b.Desk.Alive(ctx, c, b.Beat())
	}
}

// rest releases the caches of the registry's connections. A failure is only logged: the next quiet time tries again.
func (b *Base) rest() {
	db := b.Env.OpenedRegistry()
	if db == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := db.Rest(ctx); err != nil {
		b.Env.Logger().Debug("giving back caches", "error", err)
	}
}
