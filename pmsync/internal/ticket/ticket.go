// Package ticket keeps tickets: those of a tracker and those made here. A ticket's
// title, text, status, priority and place are its row in items (shared/work). The
// rest is in the table tickets and its child tables; no other package writes
// those. Texts are stored without secrets.
//
// A Store is safe for concurrent use.
package ticket

import (
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// Local is the provider of tickets that no tracker has.
const Local = "local"

// The types of tickets. An epic and a milestone contain work and are not offered for work themselves.
const (
	TypeTicket    = "ticket"
	TypeSubtask   = "subtask"
	TypeEpic      = "epic"
	TypeMilestone = "milestone"
)

// Types lists them.
func Types() []string { return []string{TypeTicket, TypeSubtask, TypeEpic, TypeMilestone} }

// The categories of statuses, whatever a tracker calls them.
const (
	Todo       = "todo"
	InProgress = "in_progress"
	Done       = "done"
	Canceled   = "canceled"
)

// Categories lists them in the order of work.
func Categories() []string { return []string{Todo, InProgress, Done, Canceled} }

// State maps a category to the state that readiness uses.
func State(category string) work.State {
	switch category {
	case InProgress:
		return work.StateActive
	case Done:
		return work.StateDone
	case Canceled:
		return work.StateDropped
	}
	return work.StateOpen
}

// Ticket is one ticket as commands and tools show it. Import reads the same fields.
type Ticket struct {
	ID             string          `json:"id"` // its key: SEM-123
	Kind           work.Kind       `json:"kind" wire:"-"`
	Type           string          `json:"item_type" wire:"-"`
	Title          string          `json:"title"`
	Description    string          `json:"description,omitempty" wire:"-"`
	Status         string          `json:"status"`
	StatusCategory string          `json:"status_category"`
	Priority       int             `json:"priority"`
	PriorityLabel  string          `json:"priority_label,omitempty" wire:"-"`
	Assignee       string          `json:"assignee,omitempty" wire:"-"`
	AssigneeName   string          `json:"assignee_name,omitempty" wire:"-"`
	Labels         []string        `json:"labels" wire:"-"`
	Parent         string          `json:"parent_id,omitempty" wire:"-"`
	Epic           string          `json:"epic_id,omitempty" wire:"-"`
	EpicName       string          `json:"epic_name,omitempty" wire:"-"`
	Milestone      string          `json:"milestone,omitempty" wire:"-"`
	SprintID       string          `json:"sprint_id,omitempty" wire:"-"`
	Sprint         string          `json:"sprint_name,omitempty" wire:"-"`
	DueDate        string          `json:"due_date,omitempty" wire:"-"`
	Estimate       *float64        `json:"estimate,omitempty" wire:"-"`
	EstimateUnit   string          `json:"estimate_unit,omitempty" wire:"-"`
	URL            string          `json:"url,omitempty" wire:"-"`
	Provider       string          `json:"provider"`
	ProviderID     string          `json:"provider_id" wire:"-"`
	Pending        int             `json:"pending_changes,omitempty" wire:"-"` // changes on their way to the tracker
	CreatedAt      timestamp.Time  `json:"created_at" wire:"-"`
	UpdatedAt      timestamp.Time  `json:"updated_at" wire:"-"`
	SyncedAt       *timestamp.Time `json:"synced_at,omitempty" wire:"-"`
	GoneAt         *timestamp.Time `json:"gone_at,omitempty" wire:"-"` // no longer at the tracker

	item    work.Item
	project string
}

// Changed is a ticket after a write.
type Changed struct {
	Ticket
	Outcome  string          `json:"outcome"`             // created, updated, unchanged or queued
	ChangeID string          `json:"change_id,omitempty"` // of the queued change
	Notes    []string        `json:"notes,omitempty"`
	BookedOn caller.BookedOn `json:"booked_on" wire:"-"`
}

// Outcomes of a write.
const (
	Created   = "created"
	Updated   = "updated"
	Unchanged = "unchanged"
	Queued    = "queued"
)

// The columns of a ticket beside its item, and their tables. Labels share one cell, split by a character that no label holds.
const (
	columns = `tickets.item_type, tickets.status_category, tickets.priority_label, tickets.assignee, tickets.assignee_name,
		(SELECT string_agg(l.label, '` + labelBreak + `' ORDER BY l.label_key) FROM ticket_labels l WHERE l.item_id = tickets.item_id),
		parent.ref, epic.ref, epic.title, milestone.title, sprints.remote_id, sprints.name, tickets.due_date, tickets.estimate, tickets.estimate_unit,
		tickets.url, tickets.provider, tickets.remote_id,
		(SELECT COUNT(*) FROM pending_changes c WHERE c.item_id = tickets.item_id AND c.status IN ('pending', 'sending', 'conflict')),
		tickets.updated_at_provider, tickets.synced_at, tickets.gone_at, projects.uid`
	joined = ` FROM items JOIN tickets ON tickets.item_id = items.id JOIN projects ON projects.id = items.project_id
		LEFT JOIN items parent ON parent.id = items.parent_id LEFT JOIN items epic ON epic.id = tickets.epic_id
		LEFT JOIN items milestone ON milestone.id = tickets.milestone_id LEFT JOIN sprints ON sprints.id = tickets.sprint_id `
	selection  = `SELECT ` + work.Columns + `, ` + columns + joined
	labelBreak = "\x1f"
)

// scan reads a row of selection.
func scan(row registry.Scanner) (t Ticket, err error) {
	var labels, parent, epic, epicName, milestone, sprintID, sprint, due registry.Null[string]
	var updated *timestamp.Time
	t.item, err = work.Scan(row, &t.Type, &t.StatusCategory, &t.PriorityLabel, &t.Assignee, &t.AssigneeName, &labels, &parent, &epic, &epicName, &milestone,
		&sprintID, &sprint, &due, &t.Estimate, &t.EstimateUnit, &t.URL, &t.Provider, &t.ProviderID, &t.Pending, &updated, &t.SyncedAt, &t.GoneAt, &t.project)
	if err != nil {
		return t, err
	}
	i := t.item
	t.ID, t.Kind, t.Title, t.Description, t.Status, t.Priority = i.Ref, i.Kind, i.Title, i.Description, i.Status, int(i.Priority)
	t.Parent, t.Epic, t.EpicName, t.Milestone, t.SprintID, t.Sprint, t.DueDate = parent.V, epic.V, epicName.V, milestone.V, sprintID.V, sprint.V, due.V
	t.CreatedAt, t.UpdatedAt = timestamp.Of(i.CreatedAt), timestamp.Of(i.UpdatedAt)
	if updated != nil {
		t.UpdatedAt = *updated
	}
	t.Labels = []string{}
	if labels.V != "" {
		t.Labels = strings.Split(labels.V, labelBreak)
	}
	return t, nil
}

// ByItem returns the ticket of an item.
func ByItem(tx *registry.Tx, itemID int64) (Ticket, error) {
	return scan(tx.QueryRow(selection+`WHERE items.id = ?`, itemID))
}

// Item is the ticket's row in items.
func (t Ticket) Item() work.Item { return t.item }
