package unattended

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/acp"
	"github.com/agit-suite/agit/agit/internal/run/permit"
	"github.com/agit-suite/agit/agit/internal/run/policy"
	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/shared/sibling"
)

// Rules are the user's rules for what agents may do, as in work.allow, work.ask and work.deny.
type Rules struct {
	Allow, Ask, Deny []string
	AskFor           time.Duration // how long an agent waits for a person's answer; 0 asks no person
}

// speak returns the conversation with a client that speaks the Agent Client Protocol, with the suite's servers and the policy.
func (t *on) speak(a Attempt, place worker.Place, log *runlog.Log, env []string, meter *meter, people *told) (func(context.Context, worker.Pipes) worker.Said, error) {
	if _, err := t.policy(); err != nil {
		return nil, err
	}
	decide := func(ctx context.Context, r acp.Request, hold func() func()) acp.Decision {
		return t.decide(ctx, a, r, hold)
	}
	return func(ctx context.Context, pipes worker.Pipes) worker.Said {
		turn := acp.Turn{Servers: suiteServers(env), Version: t.crew.o.Version, Update: meter.heard, Opened: meter.opened,
			Written: func(session string) { people.wrote(ctx, session) }, Next: people.next, Cut: people.cut, Log: log.Stream()}
		return t.client.Speak(place, turn, decide)(ctx, pipes)
	}, nil
}

// policy returns what the agent may do, including the rules that people added meanwhile.
func (t *on) policy() (*policy.Policy, error) {
	rules := t.crew.o.Rules
	t.crew.mu.Lock()
	allow := slices.Concat(rules.Allow, t.crew.learned)
	t.crew.mu.Unlock()
	home, _ := os.UserHomeDir()
	return policy.New(t.w.Path, home, allow, rules.Ask, rules.Deny, t.b.Gate)
}

// suiteServers returns the MCP servers for an agent: those of the suite that are installed, with the tools that agents use most.
func suiteServers(env []string) (list []acp.Server) {
	var own []string
	for _, setting := range env {
		if strings.HasPrefix(setting, "AGIT_") {
			own = append(own, setting)
		}
	}
	for _, name := range []string{"agit", "memoryd"} {
		if path, err := sibling.Find(name); err == nil {
			list = append(list, acp.Server{Name: name, Command: path, Args: []string{"serve", "--tools", "core"}, Env: own})
		}
	}
	return list
}

// callOf turns a request of the protocol into a call that rules can match.
func callOf(r acp.Request) policy.Call {
	c := policy.Call{Paths: r.Paths, Command: r.Command, URL: r.URL, Tool: r.Tool}
	switch {
	case r.Kind == "execute" || r.Command != "":
		c.Kind = policy.Shell
	case r.Kind == "read" || r.Kind == "search":
		c.Kind = policy.Read
	case slices.Contains([]string{"edit", "delete", "move"}, r.Kind):
		c.Kind = policy.Edit
	case r.Kind == "fetch":
		c.Kind = policy.Fetch
	default:
		if server, tool, ok := serverOf(r.Tool); ok && len(r.Paths) == 0 && r.URL == "" {
			c.Kind, c.Server, c.Tool = policy.MCP, server, tool
			return c
		}
		c.Kind, c.Tool = policy.Tool, cmp.Or(c.Tool, r.Kind)
	}
	return c
}

// serverOf splits the name of an MCP server's tool, as Claude Code writes it: mcp__SERVER__TOOL.
func serverOf(tool string) (server, name string, ok bool) {
	rest, ok := strings.CutPrefix(tool, "mcp__")
	if !ok {
		return "", "", false
	}
	server, name, ok = strings.Cut(rest, "__")
	return server, name, ok
}

// permits opens the desk that a client without the protocol asks before it calls a tool; the answers are as over the protocol, and
// are logged.
func (t *on) permits(a Attempt, log *runlog.Log, hold func() func()) (*permit.Desk, error) {
	if _, err := t.policy(); err != nil {
		return nil, err
	}
	said := log.Stream()
	return permit.Listen(func(ctx context.Context, r acp.Request) acp.Decision {
		d := t.decide(ctx, a, r, hold)
		verb := "denied"
		if d.Allow {
			verb = "allowed"
		}
		_, _ = fmt.Fprintf(said, "[%s] %s (%s)\n", verb, strings.ReplaceAll(r.Words(), "\n", "\n  "), d.Why)
		return d
	})
}

// permitServer is the MCP server through which a client asks.
func permitServer(desk *permit.Desk) acp.Server {
	path, err := sibling.Find("agit")
	if err != nil {
		path = "agit"
	}
	return acp.Server{Name: permit.Server, Command: path, Args: []string{"permit"}, Env: []string{desk.Setting()}}
}
