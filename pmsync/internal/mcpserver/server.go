// Package mcpserver is pmsync's MCP server: one file a concern, and the resources.
// Tools are thin faces of the same stores as the command line; they hold no SQL and
// never run pmsync again. What every server is made of is in shared/mcpkit and
// shared/mcpkit/server.
package mcpserver

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/server"
)

// What clients tell a model about the server; every conversation pays for it.
const (
	instructions = `pmsync keeps tickets, their acceptance criteria, your plans, and what waits for what.
get_ready_work says what to take; get_ticket what it asks for, and which criteria are open; update_ticket_status when you begin and end. Note each criterion you checked with ac_verify, with evidence. Changes to a tracker's tickets are queued and sent later.`
	readInstructions = `pmsync keeps tickets, their acceptance criteria, plans, and what waits for what.
This server only looks: get_ready_work and sprint_suggest say what to take, get_ticket what it asks for and waits for.`
)

// hints says in tools what the stores say in commands.
var hints = strings.NewReplacer(
	"`pmsync ticket list` shows the tickets, `pmsync plan list` the plans", "get_ready_work and plan_list show what there is",
	"`pmsync sprint list` shows the sprints, `pmsync ready` what can be done without one", "get_ready_work says what can be done without one",
	"`pmsync sprint list` shows the sprints", "sprint_status without one shows the running sprint",
	"(`pmsync ac status TICKET`)", "",
)

// Server is what `pmsync serve` starts.
var Server = server.Spec[*service]{
	Name: "pmsync", Port: stores.Port, Instructions: instructions, ReadOnlyInstructions: readInstructions,
	Core: []string{"get_ready_work", "get_ticket", "update_ticket_status", "ac_verify"},
	Hint: hints.Replace, Readers: 3,
	Open:   open,
	Offers: slices.Concat(workTools, ticketTools, planTools, dependencyTools, criteriaTools, syncTools, []func(*service){addResources}),
}

// service is what the tools work with.
type service struct {
	*server.Base
	made atomic.Pointer[stores.Stores] // by the configuration as it was last read

	mu     sync.Mutex
	heeded map[string]*config.Config // by folder: the configuration whose meanings of states its tickets have
}

func open(ctx context.Context, b *server.Base) (*service, error) {
	st, err := stores.Open(ctx, b.Env)
	s := &service{Base: b, heeded: map[string]*config.Config{}}
	s.made.Store(st)
	return s, err
}

// stores are those of the configuration as the last call found it.
func (s *service) stores() *stores.Stores { return s.made.Load() }

// reads is the caller of a tool that changes nothing.
func (s *service) reads(ctx context.Context, c *mcpkit.Call, project, agent string) (who caller.Caller, err error) {
	who.Agent = s.Desk.Named(c, agent)
	if who.Place, err = s.Desk.Place(ctx, c, project); err == nil {
		err = s.heed(ctx, who, true)
	}
	return who, err
}

// writes is the caller of a tool that changes something.
func (s *service) writes(ctx context.Context, c *mcpkit.Call, project, agent string) (who caller.Caller, err error) {
	if who.Place, err = s.Desk.Place(ctx, c, project); err == nil {
		err = s.heed(ctx, who, false)
	}
	if err != nil {
		return who, err
	}
	who.Agent, err = s.Desk.Caller(c, "agent", agent)
	return who, err
}

// heed takes in what was written into the files of the configuration since the last call. Where they cannot be read, a call that only
// looks goes on with what was in force before.
func (s *service) heed(ctx context.Context, who caller.Caller, looks bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	cfg, err := s.Env.ConfigNow(ctx, s.Env.Dir)
	if st := s.stores(); cfg != nil && cfg != st.Config {
		s.made.Store(st.As(cfg))
	}
	if err == nil && who.Place.At != nil {
		folder := who.Place.At.Folder
		if cfg, err = s.Env.ConfigNow(ctx, folder); err == nil && cfg != s.heeded[folder] {
			if err := s.stores().Sync.Heed(ctx, who, cfg); err != nil {
				return err
			}
			s.heeded[folder] = cfg
		}
	}
	if looks {
		return nil
	}
	return err
}

// booked says on whom a write was booked, and makes its project that of the
// session.
func (s *service) booked(c *mcpkit.Call, on caller.BookedOn) {
	c.BookedOn(on.Agent)
	if s.Desk.Project(c) == "" {
		s.Desk.SetProject(c, on.Project)
	}
}

// folder is where the files of a call's project are: the path given, else over
// stdio the server's own.
func (s *service) folder(c *mcpkit.Call, given string) string {
	switch {
	case filepath.IsAbs(given):
		return given
	case c.Session().Transport() == mcpkit.Stdio:
		return filepath.Join(s.Env.Dir, given)
	}
	return ""
}
