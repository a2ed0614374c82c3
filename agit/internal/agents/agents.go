// Package agents is what agit does with agents beyond keeping their rows: the
// list with what each one works on, the sweep that may give abandoned work
// back, and removal, which gives it back first. Agents themselves are
// shared/agent's; no process is ever looked for or ended here.
//
// A Store is safe for concurrent use.
package agents

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Entry is an agent with what it works on.
type Entry struct {
	agent.Agent
	CurrentTask     string `json:"current_task,omitempty"`
	CurrentWorktree string `json:"current_worktree,omitempty"`
	// State is what the agent does, in the place that needs a person most; nil where nothing is known, and for an agent that has been gone
	// for a day. Only List sets it.
	State *presence.Shown `json:"state,omitempty"`
}

// Store answers and changes the agents of one registry.
type Store struct {
	DB         *registry.DB
	StaleAfter time.Duration // silence after which the list shows an agent as disconnected; 0 never
}

// List returns every registered agent by name.
func (s *Store) List(ctx context.Context) ([]Entry, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) ([]Entry, error) {
		agents, err := agent.List(tx)
		if err != nil {
			return nil, err
		}
		states, err := presence.List(tx, s.StaleAfter, 0)
		if err != nil {
			return nil, err
		}
		entries := make([]Entry, len(agents))
		for i, a := range agents {
			a.Status = a.StatusAt(tx.Now(), s.StaleAfter)
			if entries[i], err = entry(tx, a, nil); err != nil {
				return nil, err
			}
			if at := slices.IndexFunc(states, func(p presence.Presence) bool { return p.AgentID == a.ID }); at >= 0 {
				entries[i].State = &states[at].Shown // what needs a person comes first
			}
		}
		return entries, nil
	})
}

// entry adds to an agent what it works on, unless the agent could not be read.
func entry(tx *registry.Tx, a agent.Agent, failed error) (Entry, error) {
	if failed != nil {
		return Entry{}, failed
	}
	e := Entry{Agent: a}
	err := tx.QueryRow(`SELECT COALESCE(current_task, ''), COALESCE(current_worktree, '') FROM agent_board WHERE id = ?`, a.ID).
		Scan(&e.CurrentTask, &e.CurrentWorktree)
	return e, err
}

// Register adds an agent or revives the one of that name.
func (s *Store) Register(ctx context.Context, r agent.Registration) (Entry, error) {
	return registry.Write(ctx, s.DB, registry.Named, func(tx *registry.Tx) (Entry, error) {
		a, err := agent.Register(tx, r)
		return entry(tx, a, err)
	})
}

// Heartbeat records that an agent, by name or id, is alive.
func (s *Store) Heartbeat(ctx context.Context, nameOrID string) (Entry, error) {
	return registry.Write(ctx, s.DB, registry.Named, func(tx *registry.Tx) (Entry, error) {
		a, err := agent.Heartbeat(tx, nameOrID)
		return entry(tx, a, err)
	})
}

// Caller returns the agent that a writing call is made by; an unknown name is
// registered.
func (s *Store) Caller(ctx context.Context, nameOrID string) (agent.Agent, error) {
	return registry.Write(ctx, s.DB, registry.Named, func(tx *registry.Tx) (agent.Agent, error) { return agent.Caller(tx, nameOrID) })
}

// Swept is what a sweep did with one agent.
type Swept struct {
	Agent    string         `json:"agent"`
	ID       string         `json:"id"`
	LastSeen timestamp.Time `json:"last_seen"`
	Released []string       `json:"released,omitempty"` // tasks that went back to pending
}

// Sweep marks agents silent for staleAfter as disconnected. With release, the tasks held by every disconnected agent go back to pending;
// worktrees stay. An agent that waits for a person, or runs a tool, is silent but not gone: it is left as it is, and named in spared.
func (s *Store) Sweep(ctx context.Context, staleAfter time.Duration, release bool) (swept []Swept, spared []string, err error) {
	err = s.DB.Write(ctx, registry.Everything, func(tx *registry.Tx) error {
		swept, spared = []Swept{}, nil
		present, err := present(tx, staleAfter)
		if err != nil {
			return err
		}
		silent, err := agent.Silent(tx, staleAfter)
		if err != nil {
			return err
		}
		for _, a := range silent {
			if slices.Contains(present, a.ID) {
				spared = append(spared, a.Name)
			}
		}
		gone, err := agent.Sweep(tx, staleAfter, present)
		if err != nil {
			return err
		}
		if release {
			gone = slices.DeleteFunc(silent, func(a agent.Agent) bool { return slices.Contains(present, a.ID) })
		}
		for _, a := range gone {
			one := Swept{Agent: a.Name, ID: a.UID, LastSeen: a.LastSeen}
			if release {
				if one.Released, err = task.ReleaseHeldBy(tx, a.ID, "sweep", "its agent was silent"); err != nil {
					return err
				}
				if len(one.Released) == 0 && a.Status == agent.StatusDisconnected {
					continue // an earlier sweep reported it
				}
			}
			swept = append(swept, one)
		}
		return nil
	})
	return swept, spared, err
}

// present are the ids of the agents that are known to wait for a person or to be at work.
func present(tx *registry.Tx, staleAfter time.Duration) (ids []int64, err error) {
	states, err := presence.List(tx, staleAfter, 0)
	for _, p := range states {
		if p.State == presence.Waiting || p.State == presence.Working {
			ids = append(ids, p.AgentID)
		}
	}
	return ids, err
}

// errDryRun rolls a transaction back after it has shown what it would do.
var errDryRun = errors.New("dry run")

// Removal is what removing an agent released.
type Removal struct {
	Agent     string   `json:"agent"`
	ID        string   `json:"id"`
	Released  []string `json:"released"`  // tasks that went back to pending
	Worktrees []string `json:"worktrees"` // worktrees that have no agent now
}

// Remove removes an agent's registration: its claimed and running tasks go back to pending and its worktrees lose their agent; both are
// kept. The files it announced are free. dryRun changes nothing and returns what would be released.
func (s *Store) Remove(ctx context.Context, nameOrID string, dryRun bool) (r Removal, err error) {
	err = s.DB.Write(ctx, registry.Everything, func(tx *registry.Tx) error {
		a, err := agent.Get(tx, nameOrID)
		if err != nil {
			return err
		}
		r = Removal{Agent: a.Name, ID: a.UID}
		if r.Released, err = task.ReleaseHeldBy(tx, a.ID, "removal", "its agent was removed"); err != nil {
			return err
		}
		if r.Worktrees, err = worktree.Unassign(tx, a.ID); err != nil {
			return err
		}
		if err := conflict.WithdrawAgent(tx, a.ID); err != nil {
			return err
		}
		if err := agent.Remove(tx, a.ID); err != nil {
			return err
		}
		if dryRun {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return r, err
}
