package session

import (
	"cmp"
	"context"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// ContextQuery selects the parts of a session's context.
type ContextQuery struct {
	ID         string
	NoEvents   bool
	NoMemory   bool
	NoCriteria bool
	// Limit is how many of the newest events; DefaultEvents when 0.
	Limit int
	// Whole leaves texts uncut.
	Whole bool
}

// Limits of a context.
const (
	DefaultEvents = 50
	MaxEvents     = 1000
	// eventText is how much of an event is shown in a list that is not whole.
	eventText = 1000
	// memoryBudget is the budget for memories, in bytes.
	memoryBudget = 4000
	// listedFiles and listedCommits bound the shown entries; all are counted.
	listedFiles   = 200
	listedCommits = 50
)

// Context is everything about a session.
type Context struct {
	Session  Session        `json:"session"`
	Item     *Ticket        `json:"external_item" wire:"name"`
	Events   []Event        `json:"events" wire:"name"`
	Earlier  int            `json:"earlier_events" wire:"-"` // not shown
	Memory   []memory.Brief `json:"memory" wire:"name"`
	Criteria []Criterion    `json:"acceptance_criteria" wire:"name"`
	Blocking []Blocking     `json:"blocking_items" wire:"name"`
	Pending  int            `json:"pending_changes"`
	Work
	FileCount   int `json:"files_count" wire:"-"`
	CommitCount int `json:"commits_count" wire:"-"`
	// Before is the session that this one resumes.
	Before *Before `json:"resumed_from,omitempty" wire:"-"`
}

// Context returns the full context of a session, to refresh its own agent's memory or to inform another agent. For an open session it
// counts as a sign of life.
func (s *Store) Context(ctx context.Context, q ContextQuery) (c Context, err error) {
	if q.Limit < 0 || q.Limit > MaxEvents {
		return c, fault.Validation("events_limit", "a limit of %d events is out of bounds", q.Limit).WithHint("use 1 to %d", MaxEvents)
	}
	q.Limit = cmp.Or(q.Limit, DefaultEvents)
	if s.Server == "" { // a server's client continues its session, whichever server that had
		if err := s.recognise(ctx); err != nil && ctx.Err() != nil {
			return c, err
		}
	}
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		c = Context{Events: []Event{}, Memory: []memory.Brief{}, Criteria: []Criterion{}, Blocking: []Blocking{}}
		if c.Session, err = get(tx, q.ID); err != nil {
			return err
		}
		return c.load(tx, q, s.settings(ctx, c.Session.row.folder).Memory.ImportanceThreshold)
	})
	if err != nil {
		return c, err
	}
	if c.Session.Status == Active {
		if w, ok := c.Session.look(ctx); ok {
			c.Work = w.Work
		}
		err = s.DB.Write(ctx, registry.Scope{Project: c.Session.row.project}, func(tx *registry.Tx) error { return s.own(tx, c.Session) })
	}
	if c.FileCount, c.CommitCount = len(c.Files), len(c.Commits); !q.Whole {
		c.Files, c.Commits = c.Files[:min(len(c.Files), listedFiles)], c.Commits[max(0, len(c.Commits)-listedCommits):]
	}
	return c, err
}

func (c *Context) load(tx *registry.Tx, q ContextQuery, least int) (err error) {
	x := c.Session
	if c.Item, err = ticket(tx, x.row.item); err != nil {
		return err
	}
	if !q.NoCriteria {
		if c.Criteria, err = criteria(tx, x.row.item); err != nil {
			return err
		}
	}
	if c.Blocking, err = c.Item.blockers(tx, x); err != nil {
		return err
	}
	if c.Work, err = kept(tx, x.row.id); err != nil {
		return err
	}
	err = tx.QueryRow(`SELECT pending FROM project_sync WHERE project_id = ?`, x.row.project).Scan(&c.Pending)
	if err != nil && !registry.NoRows(err) {
		return err
	}
	if !q.NoEvents {
		if err := c.loadEvents(tx, q); err != nil {
			return err
		}
	}
	if x.Parent != "" {
		d := Started{}
		if err := d.loadPast(tx, opened{}, x); err != nil {
			return err
		}
		if c.Before = d.Before; !q.Whole {
			c.Before, _ = d.Before.fit(DefaultBudget, DefaultBudget)
		}
	}
	if q.NoMemory {
		return nil
	}
	w := memory.Wanted{ProjectID: x.row.project, ItemID: x.row.item, SessionID: x.row.id, Least: least, Budget: memoryBudget}
	if c.Item != nil {
		w.Text = c.Item.Title + "\n" + c.Item.Description
	}
	relevant, err := memory.Relevant(tx, w)
	c.Memory, _ = memory.Fit(relevant, w)
	return err
}

func (c *Context) loadEvents(tx *registry.Tx, q ContextQuery) (err error) {
	if c.Events, err = events(tx, c.Session.row.id, q.Limit); err != nil {
		return err
	}
	shown := 0
	for i := range c.Events {
		shown += max(1, c.Events[i].StandsFor)
		if !q.Whole {
			c.Events[i].Content = cut(c.Events[i].Content, eventText)
			if len(c.Events[i].Context) > eventText {
				c.Events[i].Context = nil
			}
		}
	}
	c.Earlier = max(0, c.Session.Events-shown)
	return nil
}
