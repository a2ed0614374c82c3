// Package caller says who asks pmsync for something and in which project, the same
// for its commands and its tools.
package caller

import (
	"context"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// Caller is who asks, and where.
type Caller struct {
	Place project.Place
	Agent string // name or id; "" when none is named
}

// BookedOn says on whom and what a write was booked.
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

// BookedOn is what a write answers with.
func (w Who) BookedOn() BookedOn { return BookedOn{w.Project.UID, w.Agent} }

// Writes resolves the caller of a write: a folder's project is made when it is
// new, an unknown agent's name is registered.
func (c Caller) Writes(tx *registry.Tx) (w Who, err error) {
	if w.Project, err = c.Place.Ensure(tx); err != nil || c.Agent == "" {
		return w, err
	}
	a, err := agent.Caller(tx, c.Agent)
	w.AgentID, w.Agent = a.ID, a.Name
	return w, err
}

// Reads resolves the caller of a read, which makes nothing. A folder's project
// that is not known yet is the zero Project: it holds nothing. So is an agent.
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

// Alive is a sign of life of the agent that a read is for. One that was never
// registered stays so: looking changes nothing.
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
