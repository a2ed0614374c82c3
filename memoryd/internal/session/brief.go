package session

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Bounds of a start's answer, in bytes of JSON.
const (
	DefaultBudget = 4000
	MinBudget     = 1500
	MaxBudget     = 64 << 10
)

// Booking names the project and agent of a write.
type Booking struct {
	Project string `json:"project,omitempty"`
	Agent   string `json:"agent,omitempty"`
}

// Project is the project of a session.
type Project struct {
	project.Project
	Profile *Profile `json:"profile,omitempty"`
}

// Before is the session that this one resumes.
type Before struct {
	ID      string         `json:"session_id"`
	Agent   string         `json:"agent,omitempty"`
	Status  string         `json:"status"`
	Ended   timestamp.Time `json:"last_event_at"`
	Summary string         `json:"summary,omitempty"`
	Work
	Events []Event `json:"events"` // the most important and newest; get_session_context by its id has the rest
}

// Started is the answer to a start.
type Started struct {
	ID        string         `json:"session_id"`
	Status    string         `json:"status" wire:"-"`
	New       bool           `json:"new" wire:"-"`
	Parent    string         `json:"parent_session_id,omitempty" wire:"-"`
	StartedAt timestamp.Time `json:"started_at" wire:"-"`
	Project   Project        `json:"project" wire:"name"`
	Warnings  []string       `json:"warnings" wire:"-"`
	Item      *Ticket        `json:"external_item" wire:"name"`
	Criteria  []Criterion    `json:"acceptance_criteria" wire:"name"`
	Blocking  []Blocking     `json:"blocking_items" wire:"name"`
	Worktree  *Worktree      `json:"worktree,omitempty" wire:"-"`
	Before    *Before        `json:"resumed_from,omitempty" wire:"-"`
	Noted     []Event        `json:"noted,omitempty" wire:"-"` // notes of this session, when it continues: the most important and newest
	Last      *string        `json:"last_session_summary"`
	LastID    string         `json:"last_session_id,omitempty" wire:"-"`
	// Seen describes the last session of any agents' client here, whoever started it.
	Seen string `json:"last_client_session,omitempty" wire:"-"`
	// Bears are clients' sessions that bear on the item, a line each; they are not memories.
	Bears []string `json:"client_sessions,omitempty" wire:"-"`
	// Others counts the memories that other programs keep of the project.
	Others string         `json:"other_memories,omitempty" wire:"-"`
	Memory []memory.Brief `json:"recent_memory" wire:"name"`
	Sync   Sync           `json:"sync_status" wire:"name"`
	// LeftOut counts the entries that did not fit the budget; get_session_context has them.
	LeftOut  map[string]int `json:"left_out,omitempty" wire:"-"`
	BookedOn Booking        `json:"booked_on" wire:"name"`
}

// briefIn loads the session's starting information and fits it into the budget.
func (s *Store) briefIn(tx *registry.Tx, in Start, o opened, w wanted) (d Started, err error) {
	in.Budget = cmp.Or(in.Budget, DefaultBudget)
	x := o.session
	stored := x
	d = Started{New: o.new, Project: Project{Project: o.project}, Warnings: o.warnings}
	d.Project.Description = ""
	var relevant []memory.Brief
	recall := func(item *Ticket) (err error) {
		relevant, err = memory.Relevant(tx, o.relevant(w.least, item))
		return err
	}
	known := x.row.item == 0 || x.row.item == o.item.ID && o.item.UID != "" // what the item says
	err = tx.Together(
		func() (err error) {
			if o.expected {
				stored, err = scan(tx.QueryRow(`SELECT `+columns+joined+`WHERE `+o.which, o.key))
			}
			return err
		},
		func() (err error) {
			if d.Project.Profile = o.profile; o.profile == nil {
				d.Project.Profile, err = profileOf(tx, o.project.ID)
			}
			return err
		},
		func() (err error) { d.Sync, err = syncState(tx, o.project.ID, w); return err },
		func() error { return d.loadItem(tx, x) },
		func() error { return d.loadPast(tx, o, x) },
		func() (err error) {
			if !o.new { // the agent may have lost them: clients compact
				d.Noted, err = events(tx, x.row.id, 0)
			}
			return err
		},
		func() error {
			if known {
				return recall(nil)
			}
			return nil
		},
	)
	if err == nil && !known {
		err = recall(d.Item)
	}
	if err != nil {
		return d, err
	}
	d.ID, d.Status, d.Parent, d.StartedAt = stored.ID, stored.Status, stored.Parent, stored.StartedAt
	d.BookedOn = Booking{Project: o.project.UID, Agent: stored.Agent}
	d.Sync.Note = o.told
	d.fitMemory(relevant, d.fit(in.Budget))
	return d, nil
}

func (d *Started) loadItem(tx *registry.Tx, x Session) error {
	return tx.Together(
		func() (err error) { d.Worktree, err = worktree(tx, x); return err },
		func() (err error) {
			if d.Item, err = ticket(tx, x.row.item); err == nil && d.Item != nil {
				d.Blocking, err = d.Item.blockers(tx, x)
			}
			return err
		},
		func() (err error) {
			if x.row.item != 0 {
				d.Criteria, err = criteria(tx, x.row.item)
			}
			return err
		},
	)
}

// The last session with a summary.
const (
	endedOnes   = `WHERE s.project_id = ? AND s.status <> 'active' AND s.summary IS NOT NULL AND s.id <> ? `
	newestFirst = ` ORDER BY s.started_at DESC, s.id DESC LIMIT 1`
)

// loadPast loads the resumed session, else the summary of the last one: on the same item, else of the same lane, else in the project.
func (d *Started) loadPast(tx *registry.Tx, o opened, x Session) error {
	if x.Parent != "" {
		parent, err := get(tx, x.Parent)
		if err != nil {
			return err
		}
		b := &Before{ID: parent.ID, Agent: parent.Agent, Status: parent.Status, Ended: parent.LastEvent, Summary: parent.Summary}
		if b.Work, err = kept(tx, parent.row.id); err != nil {
			return err
		}
		if b.Events, err = events(tx, parent.row.id, 0); err != nil {
			return err
		}
		d.Before = b
	}
	var nearest []string
	var args []any
	for _, one := range []struct {
		where string
		id    any
	}{{`AND s.item_id = ?`, x.row.item}, {`AND s.lane = ?`, x.row.lane}, {`AND s.id <> ?`, x.row.id}} {
		nearest = append(nearest, fmt.Sprintf(`SELECT %d AS far, last.id FROM (SELECT s.id FROM sessions s `, len(nearest))+endedOnes+one.where+newestFirst+`) last`)
		args = append(args, x.row.project, x.row.id, one.id)
	}
	last, err := scan(tx.QueryRow(`SELECT `+columns+joined+`WHERE s.id = (SELECT near.id FROM (`+strings.Join(nearest, ` UNION ALL `)+`) near ORDER BY near.far LIMIT 1)`, args...))
	if registry.NoRows(err) {
		return nil
	}
	if err != nil {
		return err
	}
	d.Last, d.LastID = &last.Summary, last.ID
	return nil
}

// relevant returns which memories the session begins with. Merely important or recent ones need at least the importance least. item is the
// session's item as it was loaded; nil where o.item is that item.
func (o opened) relevant(least int, item *Ticket) memory.Wanted {
	x := o.session.row
	w := memory.Wanted{ProjectID: x.project, ItemID: x.item, Least: least}
	switch {
	case item != nil:
		w.Text = item.Title + "\n" + item.Description
	case o.item.ID != 0:
		w.Text = o.item.Title + "\n" + said(o.item)
	}
	if o.parent != nil {
		w.SessionID = o.parent.row.id
	}
	return w
}

// fitMemory adds the relevant memories that fit.
func (d *Started) fitMemory(relevant []memory.Brief, room int) {
	found, more := memory.Fit(relevant, memory.Wanted{Budget: max(room, 0)})
	for len(found) > 0 && size(found)-size([]any{}) > room {
		found, more = found[:len(found)-1], more+1
	}
	d.Memory = found
	d.leave("recent_memory", more)
}

// Profile is classify's result for a project.
type Profile struct {
	Language  string `json:"language"`
	Framework string `json:"framework"`
	Scope     string `json:"scope"`
}

// profileOf reads the profile of a whole project, nil when it has none.
func profileOf(tx *registry.Tx, projectID int64) (*Profile, error) {
	var p Profile
	err := tx.QueryRow(`SELECT language, framework, scope FROM profiles WHERE project_id = ? AND package = ''`, projectID).Scan(&p.Language, &p.Framework, &p.Scope)
	if registry.NoRows(err) {
		return nil, nil
	}
	return &p, err
}
