// Package mcpserver is pmsync's MCP server: one file for each concern, and the resources. Tools use the same stores as the command
// line; they hold no SQL and never run pmsync itself. The parts that all servers share are in shared/mcpkit and shared/mcpkit/server.
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

// The instructions that clients pass to a model; every conversation pays for them.
const (
	instructions = `pmsync keeps tickets, their acceptance criteria, your plans, and what waits for what.
get_ready_work says what to take; get_ticket what it asks for, and which criteria are open; update_ticket_status when you begin and end. Note each criterion you checked with ac_verify, with evidence. Changes to a tracker's tickets are queued and sent later.`
	readInstructions = `pmsync keeps tickets, their acceptance criteria, plans, and what waits for what.
This server only looks: get_ready_work and sprint_suggest say what to take, get_ticket what it asks for and waits for.`
)

// hints are the stores' hints and their sentences about criteria, reworded for tools.
var hints = strings.NewReplacer(
	"`pmsync ticket list` shows the tickets, `pmsync plan list` the plans", "get_ready_work and plan_list show what there is",
	"`pmsync sprint list` shows the sprints, `pmsync ready` what can be done without one", "get_ready_work says what can be done without one",
	"`pmsync sprint list` shows the sprints", "sprint_status without one shows the running sprint",
	"(`pmsync ac status TICKET`)", "",
	"`pmsync ac verify` takes evidence with it, as in --file PATH or --test NAME", "ac_verify takes evidence with it",
	"`pmsync ac verify`", "ac_verify", "`pmsync ac add`", "ac_add",
	"`pmsync ac parse ", "ac_parse of ", " --force` looks", " with force_reparse looks",
	"`pmsync ac update ", "ac_update of ", "#N --status pending` confirms", "#N with status pending confirms",
)

// Server describes the server that `pmsync serve` starts.
var Server = server.Spec[*service]{
	Name: "pmsync", Port: stores.Port, Instructions: instructions, ReadOnlyInstructions: readInstructions,
	Core: []string{"get_ready_work", "get_ticket", "update_ticket_status", "ac_verify"},
	Hint: hints.Replace, Readers: 3,
	Open:   open,
	Offers: slices.Concat(workTools, ticketTools, planTools, dependencyTools, criteriaTools, syncTools, []func(*service){addResources}),
}

// service is the state that the tools share.
type service struct {
	*server.Base
	made atomic.Pointer[stores.Stores] // made from the configuration as last read

	mu     sync.Mutex
	heeded map[string]*config.Config // by folder: the configuration whose status meanings were applied to its tickets
}

func open(ctx context.Context, b *server.Base) (*service, error) {
	st, err := stores.Open(ctx, b.Env)
	s := &service{Base: b, heeded: map[string]*config.Config{}}
	s.made.Store(st)
	return s, err
}

// stores returns the stores for the configuration of the last call.
func (s *service) stores() *stores.Stores { return s.made.Load() }

// placed is the parameter that names the project of a call.
type placed struct {
	Project string `json:"project_path,omitempty" also:"project" is:"name"`
}

// signed is the parameters that name the project and the agent of a call.
type signed struct {
	placed
	Agent string `json:"agent,omitempty" is:"name"`
}

func (p placed) where() (project, agent string) { return p.Project, "" }
func (p signed) where() (project, agent string) { return p.Project, p.Agent }

// input is the parameters of a tool.
type input interface {
	where() (project, agent string)
}

// call is a call of a tool with its caller.
type call struct {
	*mcpkit.Call
	*service
	who caller.Caller
}

// reading offers a tool that changes nothing here, writing one that makes a change.
func reading[In input, Out any](t mcpkit.Tool, run func(ctx context.Context, c call, in In) (Out, error)) func(*service) {
	return func(s *service) {
		mcpkit.AddTool(s.MCP, t, func(ctx context.Context, c *mcpkit.Call, in In) (out Out, err error) {
			who, err := s.reads(ctx, c, in)
			if err == nil {
				out, err = run(ctx, call{c, s, who}, in)
			}
			return out, err
		})
	}
}

func writing[In input, Out any](t mcpkit.Tool, run func(ctx context.Context, c call, in In) (Out, caller.BookedOn, error)) func(*service) {
	return func(s *service) {
		mcpkit.AddTool(s.MCP, t, func(ctx context.Context, c *mcpkit.Call, in In) (out Out, err error) {
			who, err := s.writes(ctx, c, in)
			if err != nil {
				return out, err
			}
			out, on, err := run(ctx, call{c, s, who}, in)
			if err == nil {
				s.booked(c, on)
			}
			return out, err
		})
	}
}

// reads returns the caller of a tool that changes nothing.
func (s *service) reads(ctx context.Context, c *mcpkit.Call, in input) (who caller.Caller, err error) {
	project, agent := in.where()
	who.Agent = s.Desk.Named(c, agent)
	if who.Place, err = s.Desk.Place(ctx, c, project); err == nil {
		err = s.heed(ctx, who, true)
	}
	return who, err
}

// writes returns the caller of a tool that makes a change.
func (s *service) writes(ctx context.Context, c *mcpkit.Call, in input) (who caller.Caller, err error) {
	project, agent := in.where()
	if who.Place, err = s.Desk.Place(ctx, c, project); err == nil {
		err = s.heed(ctx, who, false)
	}
	if err != nil {
		return who, err
	}
	who.Agent, err = s.Desk.Caller(c, "agent", agent)
	return who, err
}

// heed applies changes of the configuration files since the last call. When the files are unreadable, a read continues with the former
// configuration.
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

// booked records the caller of a write in its result, and makes its project the session's project.
func (s *service) booked(c *mcpkit.Call, on caller.BookedOn) {
	c.BookedOn(on.Agent)
	if s.Desk.Project(c) == "" {
		s.Desk.SetProject(c, on.Project)
	}
}

// folder returns the folder with the files of a call's project: the given path, otherwise, over stdio, the server's own folder.
func (s *service) folder(c call, given string) string {
	switch {
	case filepath.IsAbs(given):
		return given
	case c.Session().Transport() == mcpkit.Stdio:
		return filepath.Join(s.Env.Dir, given)
	}
	return ""
}
