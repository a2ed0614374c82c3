// Package worklist shows tickets, plans and tasks together: one ticket with all that
// is known of it, what is ready, how the sprint stands, and what to take next. It
// only reads.
package worklist

import (
	"cmp"
	"context"
	"slices"
	"time"

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
type Board struct {
	DB           *registry.DB
	ReleaseAfter time.Duration // silence after which anyone may take an agent's claims; 0 is never
}

// Brief is an item in a few words.
type Brief struct {
	ID     string    `json:"id"`
	Kind   work.Kind `json:"kind"`
	Title  string    `json:"title"`
	Status string    `json:"status"`
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
	Fields     []ticket.Field       `json:"fields,omitempty" wire:"-"`   // custom fields that the configuration names
	Files      []ticket.File        `json:"files,omitempty" wire:"-"`    // attachments and web pages
	Comments   []ticket.Comment     `json:"comments,omitempty" wire:"-"` // the last ones, words of others
	Cut        bool                 `json:"description_cut,omitempty" wire:"-"`
}

// DetailQuery selects a ticket, and the parts of it.
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
	lastComments  = 3
)

// Ticket returns one ticket with what is known around it.
func (b *Board) Ticket(ctx context.Context, c caller.Caller, q DetailQuery) (d Detail, err error) {
	err = c.Read(ctx, b.DB, func(tx *registry.Tx, who caller.Who) error {
		d = Detail{}
		if d.Ticket, err = ticket.Find(tx, who.Project.ID, "identifier", q.ID); err != nil {
			return err
		}
		if q.MaxDescription > 0 && len(d.Description) > q.MaxDescription {
			d.Description, d.Cut = text.Cut(d.Description, q.MaxDescription), true
		}
		if d.Ready, err = b.why(tx, d.Item(), who.AgentID); err != nil {
			return err
		}
		return d.load(tx, q)
	})
	return d, err
}

// The parts of a ticket's surroundings that one statement reads. From the criteria on
// it reads only whether there are any.
const (
	partBlockers = iota
	partBlocks
	partChildren
	partTasks
	partCriteria
	partPlans
	partMemories
	partFields
	partFiles
	partComments
)

// surroundings lists them by part and in their order. Failed tasks are left out, as they
// are left out of the index that finds tasks.
const surroundings = `SELECT 0, d.id, b.ref, b.kind, b.title, b.status FROM dependencies d JOIN items b ON b.id = d.source_id
		WHERE d.target_id = ? AND d.relation = 'blocks' AND ` + work.Unresolved + `
	UNION ALL SELECT 1, d.target_id, i.ref, i.kind, i.title, i.status FROM dependencies d JOIN items i ON i.id = d.target_id
		WHERE d.source_id = ? AND d.relation = 'blocks' AND i.deleted_at IS NULL AND i.state IN ('open', 'active')
	UNION ALL SELECT * FROM (SELECT 2, id, ref, kind, title, status FROM items WHERE parent_id = ? AND deleted_at IS NULL ORDER BY id LIMIT 100) children
	UNION ALL SELECT 3, id, ref, kind, title, status FROM items WHERE origin_id = ? AND kind = 'task' AND state <> 'dropped' AND deleted_at IS NULL
	UNION ALL SELECT 4, 0, '', '', '', '' WHERE EXISTS (SELECT 1 FROM criteria WHERE item_id = ? AND gone_at IS NULL)
	UNION ALL SELECT 5, 0, '', '', '', '' WHERE EXISTS (SELECT 1 FROM plans WHERE ticket_id = ?)
	UNION ALL SELECT 6, 0, '', '', '', '' WHERE EXISTS (SELECT 1 FROM item_memories WHERE ref_key IN (?, ?))
	UNION ALL SELECT 7, 0, '', '', '', '' WHERE EXISTS (SELECT 1 FROM ticket_fields WHERE item_id = ?)
	UNION ALL SELECT 8, 0, '', '', '', '' WHERE EXISTS (SELECT 1 FROM ticket_files WHERE item_id = ?)
	UNION ALL SELECT 9, 0, '', '', '', '' WHERE EXISTS (SELECT 1 FROM ticket_words WHERE item_id = ?)`

// around reads the surroundings of an item, and says which parts have any.
func around(tx *registry.Tx, item work.Item) (parts map[int][]Brief, err error) {
	type neighbour struct {
		part int
		at   int64
		Brief
	}
	all, err := registry.Collect(tx, func(row registry.Scanner) (n neighbour, err error) {
		return n, row.Scan(&n.part, &n.at, &n.ID, &n.Kind, &n.Title, &n.Status)
	}, surroundings, item.ID, item.ID, item.ID, item.ID, item.ID, item.ID, text.Key(item.Ref), text.Key(item.UID), item.ID, item.ID, item.ID)
	slices.SortFunc(all, func(a, b neighbour) int { return cmp.Compare(a.at, b.at) })
	parts = map[int][]Brief{partBlockers: {}, partBlocks: {}}
	for _, n := range all {
		parts[n.part] = append(parts[n.part], n.Brief)
	}
	return parts, err
}

func (d *Detail) load(tx *registry.Tx, q DetailQuery) (err error) {
	id := d.Item().ID
	parts, err := around(tx, d.Item())
	if err != nil {
		return err
	}
	if d.Blockers = parts[partBlockers]; d.Item().Holds > len(d.Blockers) { // what contains it waits too, or what it waits for is not here
		waits, err := work.Blockers(tx, id)
		if err != nil {
			return err
		}
		d.Blockers = make([]Brief, len(waits))
		for i, w := range waits {
			d.Blockers[i] = Brief{w.Ref, w.Kind, w.Title, w.Status}
		}
	}
	d.Blocks, d.Children, d.TakenUpBy = parts[partBlocks], parts[partChildren], parts[partTasks]
	read := func(wanted bool, part func()) {
		if err == nil && wanted {
			part()
		}
	}
	read(q.Criteria && parts[partCriteria] != nil, func() {
		if d.Criteria, err = criteria.Of(tx, id); err == nil {
			d.Completion = new(criteria.StatusOf(d.ID, d.Criteria).Completion)
		}
	})
	read(q.Plans && parts[partPlans] != nil, func() { d.Plans, err = plan.Of(tx, id) })
	read(q.Memories && parts[partMemories] != nil, func() { d.Memories, err = memories(tx, d.Item()) })
	read(parts[partFields] != nil, func() { d.Fields, err = ticket.FieldsOf(tx, id) })
	read(parts[partFiles] != nil, func() { d.Files, err = ticket.FilesOf(tx, id) })
	read(parts[partComments] != nil, func() { d.Comments, err = ticket.CommentsOf(tx, id, lastComments) })
	read(q.Past, func() { d.History, err = sessions(tx, id) })
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
