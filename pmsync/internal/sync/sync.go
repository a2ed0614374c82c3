// Package sync keeps tickets here and at a tracker in step: it pulls what changed
// there, pushes what waits here, and keeps conflicting values until a person or an
// agent decides.
//
//	pull.go       one pull, page by page, each stored with its cursor
//	push.go       one push, ticket by ticket
//	send.go       the changes of one ticket, each marked before it is sent
//	create.go     makes comments and tickets at the tracker, each once
//	merge.go      three-way: the tracker's value, the waiting one, and what both had
//	conflict.go   lists and settles what the merge could not
//	turn.go       limits a project to one pull or push at a time, across processes
//	journal.go    cursors, failures, the log, what is known of the tracker
//	status.go     how fresh all of it is
//	connect.go    sets a project's tracker up
//	service.go    all of it for callers: whose project, which tracker
//
// It speaks to a tracker through package provider alone, never inside a
// transaction, and writes tickets through package ticket and waiting changes
// through package outbox. An Engine is for one project and not safe for
// concurrent use; several of them, in any processes, take turns.
package sync

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// Engine syncs one project with its tracker.
type Engine struct {
	DB      *registry.DB
	Tracker provider.Provider
	Project int64 // row of the project
	Settings
	// Progress is called as a pull or push proceeds; may be nil.
	Progress func(Progress)

	heardOf []provider.Item // open tickets that a pull brought; their comments are read
}

// Settings come from the configuration. The zero value is usable.
type Settings struct {
	Scope    string              // the synced part of the tracker; a change restarts pulls from the beginning
	Meaning  string              // identifies the configured meanings of states; a change makes states be read again
	Types    []provider.ItemType // to pull; all when empty
	Sprints  bool                // pull sprints too
	Parse    bool                // look for acceptance criteria in what is pulled
	Patterns []string            // further words that criteria begin with
	Debounce time.Duration       // a push waits until the youngest change is this old
	Patience time.Duration       // how long to wait for another process that syncs the project
	Clock    transport.Clock     // for all waiting; System when nil
}

// Progress is how far a pull or push has come. Total is 0 when not known.
type Progress struct {
	Done, Total int
}

func (e *Engine) progress(done, total int) {
	if e.Progress != nil {
		e.Progress(Progress{done, total})
	}
}

func (e *Engine) clock() transport.Clock {
	if e.Clock == nil {
		return transport.System{}
	}
	return e.Clock
}

// name returns the tracker's name as rows hold it.
func (e *Engine) name() string { return string(e.Tracker.Name()) }

// write runs a transaction over the engine's project.
func (e *Engine) write(ctx context.Context, fn func(*registry.Tx) error) error {
	return e.DB.Write(ctx, registry.Scope{Project: e.Project}, fn)
}

// Outcomes of a pull or push.
const (
	Success = "success"
	Partial = "partial" // something could not be stored or sent, and is kept for another try
	Failed  = "failed"
)

// Result is what a pull or push did.
type Result struct {
	Direction string   `json:"direction" wire:"-"`
	Status    string   `json:"status"`
	Created   int      `json:"items_created"`
	Updated   int      `json:"items_updated"`
	Deleted   int      `json:"items_deleted"`
	Unchanged int      `json:"items_unchanged,omitempty" wire:"-"`
	Sent      int      `json:"changes_pushed"`
	Waiting   int      `json:"changes_waiting" wire:"-"`
	Conflicts int      `json:"conflicts"`
	Errors    []string `json:"errors"`
	Notes     []string `json:"notes,omitempty" wire:"-"`
	DryRun    bool     `json:"dry_run,omitempty" wire:"-"`
	Planned   []Send   `json:"would_send,omitempty" wire:"-"`
	// StartedAt is by the registry's clock; DurationMS includes waiting.
	StartedAt  timestamp.Time `json:"started_at,omitzero" wire:"-"`
	DurationMS int64          `json:"duration_ms"`

	asked bool // the tracker was contacted
}

// Send is a change that a push would send.
type Send struct {
	Change string `json:"change_id"`
	Ticket string `json:"ticket"`
	Type   string `json:"change_type"`
	From   string `json:"from,omitempty"`
	To     string `json:"to"`
}

// maxTold bounds how many errors and notes a result names; the log has all.
const maxTold = 20

func (r *Result) fail(err error) {
	r.Status = Partial
	if len(r.Errors) < maxTold {
		r.Errors = append(r.Errors, text.FirstLine(err.Error(), 300))
	}
}

func (r *Result) note(sentences ...string) {
	for _, s := range sentences {
		if len(r.Notes) < maxTold {
			r.Notes = append(r.Notes, s)
		}
	}
}

// received converts a tracker's item into a ticket.
func received(name provider.Name, i *provider.Item) ticket.New {
	n := ticket.New{
		Provider: string(name), RemoteID: i.RemoteID, Key: i.Key, FormerKeys: i.FormerKeys, Type: string(i.Type), ProviderType: i.NativeType,
		Title: i.Title, Body: ticket.Text{Format: string(i.Body.Format), Text: i.Body.Text}, Criteria: ticket.Text{Format: string(i.Criteria.Format), Text: i.Criteria.Text},
		Status: i.Status.Name, StatusID: i.Status.ID, Category: string(i.Status.Category), PriorityLabel: i.PriorityLabel, Labels: i.Labels,
		Parent: ref(i.Parent), Epic: ref(i.Epic), Milestone: ref(i.Milestone), Sprint: ref(i.Sprint),
		DueDate: i.DueDate, Estimate: i.Estimate, EstimateUnit: i.EstimateUnit, URL: i.URL, Fields: i.Fields, Files: filesOf(i.Files),
		CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt, ArchivedAt: i.ArchivedAt, Revision: i.Version, Raw: i.Raw, Priority: work.Priority(i.Priority),
	}
	if i.Assignee != nil {
		n.Assignee, n.AssigneeName = i.Assignee.ID, i.Assignee.Name
	}
	for _, l := range i.Links {
		n.Links = append(n.Links, ticket.Link{Relation: string(l.Relation), Target: ref(&l.Target), Resolved: l.Resolved})
	}
	return n
}

func filesOf(all []provider.File) (files []ticket.File) {
	for _, f := range all {
		kind := ticket.Attachment
		if f.Web {
			kind = ticket.Web
		}
		files = append(files, ticket.File{Kind: kind, Name: f.Name, URL: f.URL, Size: f.Size})
	}
	return files
}

func ref(r *provider.Ref) ticket.Ref {
	if r == nil {
		return ticket.Ref{}
	}
	return ticket.Ref{ID: r.ID, Key: r.Key, Name: r.Name}
}

// store stores items as the tracker has them, merged three-way with the waiting changes, and puts those that left the project out of sight.
// With authoritative, a ticket is rewritten even if the tracker's side did not change.
func (e *Engine) store(tx *registry.Tx, items []provider.Item, authoritative bool, r *Result) error {
	m := &merge{tx: tx, project: e.Project, result: r}
	items, err := e.still(tx, items)
	if err != nil {
		return err
	}
	all := make([]ticket.New, len(items))
	for i := range items {
		all[i] = received(e.Tracker.Name(), &items[i])
	}
	stored, err := ticket.PutMany(tx, all, ticket.Put{ProjectID: e.Project, Actor: e.name(), Keep: m.keep, Rewrite: authoritative, Parse: e.Parse, Patterns: e.Patterns})
	if err != nil {
		return err
	}
	r.Created += stored.Created
	r.Updated += stored.Updated
	r.Unchanged += stored.Unchanged
	r.note(stored.Notes...)
	for i := range items {
		if where := items[i].Presence; out(where) {
			if err := e.leave(tx, provider.Presence{RemoteID: items[i].RemoteID, Where: where}, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// still leaves out the gone items that are out of sight here already.
func (e *Engine) still(tx *registry.Tx, items []provider.Item) ([]provider.Item, error) {
	kept := items
	for i, item := range items {
		away := false
		if out(item.Presence) {
			var err error
			if away, err = ticket.Away(tx, e.Project, e.name(), item.RemoteID); err != nil {
				return nil, err
			}
		}
		switch {
		case away && len(kept) == len(items):
			kept = slices.Clone(items[:i])
		case !away && len(kept) < len(items):
			kept = append(kept, item)
		}
	}
	return kept, nil
}

// out reports whether an item at such a place is no longer worked on here. An item with an unknown place stays.
func out(where provider.Where) bool {
	return where == provider.Archived || where == provider.Deleted || where == provider.Moved
}

// absence names the place of a ticket that is not worked on here.
func absence(where provider.Where) string {
	names := map[provider.Where]string{provider.Archived: ticket.Archived, provider.Deleted: "deleted", provider.Moved: ticket.Moved}
	return cmp.Or(names[where], "deleted, or out of sight")
}

// leave puts a ticket that left the tracker's project out of sight. A ticket that is out of sight already stays as it is.
func (e *Engine) leave(tx *registry.Tx, p provider.Presence, r *Result) error {
	why := absence(p.Where)
	item, key, err := ticket.Leave(tx, e.Project, e.name(), p.RemoteID, why)
	if err != nil || item == 0 {
		return err
	}
	r.Deleted++
	return e.hold(tx, item, key, why, r)
}

// hold keeps the waiting changes of a ticket that is out of sight, and notes what they wait for.
func (e *Engine) hold(tx *registry.Tx, item int64, key, why string, r *Result) error {
	return e.holdFor(tx, item, key+" is "+why+" at "+e.Tracker.Name().Title(), "until it is back", r)
}

// holdFor keeps the waiting changes of a ticket for a reason, and notes until when.
func (e *Engine) holdFor(tx *registry.Tx, item int64, reason, until string, r *Result) error {
	waiting, err := outbox.OfItem(tx, item)
	if err != nil || len(waiting) == 0 {
		return err
	}
	for _, c := range waiting {
		if err := outbox.Note(tx, c.Row, reason); err != nil {
			return err
		}
	}
	r.note(fmt.Sprintf("%s: %s %s (`pmsync status` lists them)", reason, text.Count(len(waiting), "change waits", "changes wait"), until))
	return nil
}
