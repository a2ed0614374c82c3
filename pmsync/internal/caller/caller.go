// Package caller resolves who asks pmsync for something and in which project, the same for its commands and its tools.
package caller

import (
	"context"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// Caller is the agent that asks, and the place it asks from.
type Caller struct {
	Place project.Place
	Agent string // name or id; "" when none is named
}

// BookedOn names the project and the agent that a write was booked on.
type BookedOn struct {
	Project string `json:"project,omitempty"`
	Agent   string `json:"agent,omitempty"`
}

// Who is a caller as rows: AgentID is 0 when no agent is named.
type Who struct {
	Project project.Project
	AgentID int64
	Agent   string
}

// BookedOn returns the part of a write's answer that names its project and agent.
func (w Who) BookedOn() BookedOn { return BookedOn{w.Project.UID, w.Agent} }

// Writes resolves the caller of a write. It makes the project of a new folder and registers the name of an unknown agent.
func (c Caller) Writes(tx *registry.Tx) (w Who, err error) {
	if w.Project, err = c.Place.Ensure(tx); err != nil || c.Agent == "" {
		return w, err
	}
	a, err := agent.Caller(tx, c.Agent)
	w.AgentID, w.Agent = a.ID, a.Name
	return w, err
}

// Reads resolves the caller of a read and makes nothing. For a folder whose project is not known yet it returns the zero Project, which
// holds nothing; for an unknown agent, AgentID 0.
func (c Caller) Reads(tx *registry.Tx) (w Who, err error) {
	w.Project, err = c.Place.Find(tx)
	if c.Place.At != nil && fault.Is(err, fault.KindNotFound) {
		err = nil
	}
	if err != nil || c.Agent == "" {
		return w, err
	}
	a, err := agent.Get(tx, c.Agent)
	if fault.Is(err, fault.KindNotFound) {
		return w, nil
	}
	w.AgentID, w.Agent = a.ID, a.Name
	return w, err
}

// Write runs fn in a transaction that writes, with the caller as Writes resolves it.
func (c Caller) Write(ctx context.Context, db *registry.DB, fn func(tx *registry.Tx, who Who) error) error {
	return db.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		who, err := c.Writes(tx)
		if err != nil {
			return err
		}
		return fn(tx, who)
	})
}

// Read runs fn in a transaction that reads, with the caller as Reads resolves it.
func (c Caller) Read(ctx context.Context, db *registry.DB, fn func(tx *registry.Tx, who Who) error) error {
	return db.Read(ctx, func(tx *registry.Tx) error {
		who, err := c.Reads(tx)
		if err != nil {
			return err
		}
		return fn(tx, who)
	})
}

// Alive records a sign of life of the agent that a read is for. An agent that was never registered stays unregistered: looking changes
// nothing.
func (c Caller) Alive(ctx context.Context, db *registry.DB) error {
	if c.Agent == "" {
		return nil
	}
	return db.Write(ctx, registry.Named, func(tx *registry.Tx) error {
		_, err := agent.Heartbeat(tx, c.Agent)
		if fault.Is(err, fault.KindNotFound) {
			return nil
		}
		return err
	})
}
