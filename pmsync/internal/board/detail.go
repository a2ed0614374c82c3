// Package board shows tickets, plans and tasks together: one ticket with all that
// is known of it, what is ready, how the sprint stands, and what to take next. It
// only reads.
package board

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/criteria"
	"github.com/agit-suite/agit/pmsync/internal/plan"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// Board reads.
type Board struct{ DB *registry.DB }

// Brief is an item in a few words.
type Brief struct {
	ID     string    `json:"id"`
	Kind   work.Kind `json:"kind"`
	Title  string    `json:"title"`
	Status string    `json:"status"`
}

func briefs(items []work.Item) []Brief {
	all := make([]Brief, len(items))
	for i, item := range items {
		all[i] = Brief{item.Ref, item.Kind, item.Title, item.Status}
	}
	return all
}

// Memory is what is known about a ticket from other sessions.
type Memory struct {
	ID         string `json:"id"`
	Type       string `json:"memory_type"`
	Title      string `json:"title"`
	Content    string `json:"content"`
	Importance int    `json:"importance"`
}

// Session is one stretch of work on a ticket.
type Session struct {
	ID        string         `json:"session_id"`
	Agent     string         `json:"agent,omitempty"`
	Status    string         `json:"status"`
	Outcome   string         `json:"outcome,omitempty"`
	Summary   string         `json:"summary,omitempty"`
	StartedAt timestamp.Time `json:"started_at"`
}

// Detail is a ticket with what an agent needs to work on it. Parts that were not
// asked for are missing.
type Detail struct {
	ticket.Ticket
	Ready      work.Explanation     `json:"ready" wire:"-"`
	Criteria   []criteria.Criterion `json:"acceptance_criteria,omitempty"`
	Completion *float64             `json:"ac_completion,omitempty" wire:"-"` // percent verified
	Plans      []plan.Plan          `json:"plans,omitempty"`
	Blockers   []Brief              `json:"blockers"`
	Blocks     []Brief              `json:"blocks" wire:"-"`
	Children   []Brief              `json:"children,omitempty" wire:"-"`
	TakenUpBy  []Brief              `json:"tasks,omitempty" wire:"-"`
	Memories   []Memory             `json:"memories,omitempty" wire:"-"`
	History    []Session            `json:"history,omitempty" wire:"-"`
	Cut        bool                 `json:"description_cut,omitempty" wire:"-"`
}

// DetailQuery says which ticket, and which parts of it.
type DetailQuery struct {
	ID                              string
	Plans, Criteria, Memories, Past bool
	MaxDescription                  int // bytes; 0 for all of it
}

// Bounds of what a ticket shows of memories and sessions.
const (
	maxMemories   = 8
	memoryContent = 400
	maxSessions   = 10
	maxChildren   = 100
)

// Ticket returns one ticket with what is known around it.
func (b *Board) Ticket(ctx context.Context, c caller.Caller, q DetailQuery) (d Detail, err error) {
	err = b.DB.Read(ctx, func(tx *registry.Tx) error {
		d = Detail{}
		who, err := c.Reads(tx)
		if err != nil {
			return err
		}
		if d.Ticket, err = ticket.Find(tx, who.Project.ID, "identifier", q.ID); err != nil {
			return err
		}
		if q.MaxDescription > 0 && len(d.Description) > q.MaxDescription {
			d.Description, d.Cut = text.Cut(d.Description, q.MaxDescription), true
		}
		if d.Ready, err = explain(tx, d.Item(), who.AgentID); err != nil {
			return err
		}
		return d.load(tx, q)
	})
	return d, err
}

func (d *Detail) load(tx *registry.Tx, q DetailQuery) (err error) {
	id := d.Item().ID
	d.Blockers = []Brief{}
	if d.Item().Holds > 0 {
		waits, err := work.Blockers(tx, id)
		if err != nil {
			return err
		}
		for _, w := range waits {
			d.Blockers = append(d.Blockers, briefs([]work.Item{w.Item})...)
		}
	}
	after, err := work.ChainAfter(tx, id, 1)
	if err != nil {
		return err
	}
	d.Blocks = make([]Brief, len(after))
	for i, l := range after {
		d.Blocks[i] = briefs([]work.Item{l.Item})[0]
	}
	items := func(where string) ([]Brief, error) {
		found, err := registry.Collect(tx, func(row registry.Scanner) (work.Item, error) { return work.Scan(row) },
			`SELECT `+work.Columns+` FROM items WHERE `+where+` AND deleted_at IS NULL ORDER BY items.id LIMIT ?`, id, maxChildren)
		return briefs(found), err
	}
	if d.Children, err = items(`parent_id = ?`); err != nil {
		return err
	}
	// what failed is left out, as of the index by which tasks are found
	if d.TakenUpBy, err = items(`origin_id = ? AND kind = 'task' AND state <> 'dropped'`); err != nil {
		return err
	}
	if q.Criteria {
		if d.Criteria, err = criteria.Of(tx, id); err != nil {
			return err
		}
		if len(d.Criteria) > 0 {
			done := criteria.StatusOf(d.ID, d.Criteria).Completion
			d.Completion = &done
		}
	}
	if q.Plans {
		if d.Plans, err = plan.Of(tx, id); err != nil {
			return err
		}
	}
	if q.Memories {
		if d.Memories, err = memories(tx, d.Item()); err != nil {
			return err
		}
	}
	if q.Past {
		d.History, err = sessions(tx, id)
	}
	return err
}

// memories are those that were stored as about an item, by itself or by its key.
func memories(tx *registry.Tx, item work.Item) ([]Memory, error) {
	return registry.Collect(tx, func(row registry.Scanner) (m Memory, err error) {
		err = row.Scan(&m.ID, &m.Type, &m.Title, &m.Content, &m.Importance)
		m.Content = text.Cut(m.Content, memoryContent)
		return m, err
	}, `SELECT DISTINCT ref, type, title, content, importance FROM item_memories
		WHERE project_id + 0 = ? AND ref_key IN (?, ?) ORDER BY importance DESC, ref DESC LIMIT ?`,
		item.ProjectID, text.Key(item.Ref), text.Key(item.UID), maxMemories)
}

// sessions are those that worked on an item, the newest first.
func sessions(tx *registry.Tx, itemID int64) ([]Session, error) {
	return registry.Collect(tx, func(row registry.Scanner) (s Session, err error) {
		return s, row.Scan(&s.ID, &s.Agent, &s.Status, &s.Outcome, &s.Summary, &s.StartedAt)
	}, `SELECT ref, agent, status, outcome, summary, started_at FROM item_sessions WHERE item_id = ? ORDER BY started_at DESC LIMIT ?`, itemID, maxSessions)
}
