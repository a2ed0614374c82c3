package session

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Bounds of what a start answers, in bytes of JSON.
const (
	DefaultBudget = 4000
	MinBudget     = 1500
	MaxBudget     = 64 << 10
)

// Booking says whom and what a write was booked on.
type Booking struct {
	Project string `json:"project,omitempty"`
	Agent   string `json:"agent,omitempty"`
}

// Project is the project of a session.
type Project struct {
	project.Project
	Profile *Profile `json:"profile,omitempty"`
}

// Before is the session that this one goes on from.
type Before struct {
	ID      string    `json:"session_id"`
	Agent   string    `json:"agent,omitempty"`
	Status  string    `json:"status"`
	Ended   time.Time `json:"last_event_at"`
	Summary string    `json:"summary,omitempty"`
	Files   []string  `json:"files_modified"`
	Commits []Commit  `json:"commits_made"`
	Events  []Event   `json:"events"` // the weightiest and newest; the rest by its id
}

// Started is what an agent gets to begin with.
type Started struct {
	ID        string         `json:"session_id"`
	Status    string         `json:"status" wire:"-"`
	New       bool           `json:"new" wire:"-"`
	Parent    string         `json:"parent_session_id,omitempty" wire:"-"`
	StartedAt time.Time      `json:"started_at" wire:"-"`
	Project   Project        `json:"project" wire:"name"`
	Warnings  []string       `json:"warnings" wire:"-"`
	Item      *Ticket        `json:"external_item" wire:"name"`
	Criteria  []Criterion    `json:"acceptance_criteria" wire:"name"`
	Blocking  []Blocking     `json:"blocking_items" wire:"name"`
	Before    *Before        `json:"resumed_from,omitempty" wire:"-"`
	Last      *string        `json:"last_session_summary"`
	LastID    string         `json:"last_session_id,omitempty" wire:"-"`
	Memory    []memory.Brief `json:"recent_memory" wire:"name"`
	Sync      Sync           `json:"sync_status" wire:"name"`
	// LeftOut counts what the budget had no room for; get_session_context has it.
	LeftOut  map[string]int `json:"left_out,omitempty" wire:"-"`
	BookedOn Booking        `json:"booked_on"`
}

// Shares of the budget that one part may take at most, in percent; what a part
// leaves is the next ones'. Memories come last and take all that is left, and
// their own share in any case.
const (
	shareWarnings = 15
	shareItem     = 20
	shareBlockers = 15
	shareCriteria = 30
	shareBefore   = 30
	shareLast     = 20
	shareMemory   = 20
)

// brief loads what the session begins with and fits it into the budget.
func (s *Store) brief(ctx context.Context, in Start, o opened, w wanted) (d Started, err error) {
	if in.Budget == 0 {
		in.Budget = DefaultBudget
	}
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		x, err := byRow(tx, o.session.row.id)
		if err != nil {
			return err
		}
		d = Started{
			ID: x.ID, Status: x.Status, New: o.new, Parent: x.Parent, StartedAt: x.StartedAt, Project: Project{Project: o.project},
			Warnings: o.warnings, BookedOn: Booking{Project: o.project.UID, Agent: x.Agent},
		}
		d.Project.Description = ""
		if d.Project.Profile, err = profileOf(tx, o.project.ID); err != nil {
			return err
		}
		if d.Sync, err = syncState(tx, o.project.ID, w); err != nil {
			return err
		}
		d.Sync.Note = o.told
		if err := d.loadItem(tx, x); err != nil {
			return err
		}
		if err := d.loadPast(tx, o, x); err != nil {
			return err
		}
		room := d.fit(in.Budget)
		return d.loadMemory(tx, o, x, room, w.least)
	})
	return d, err
}

func (d *Started) loadItem(tx *registry.Tx, x Session) (err error) {
	if d.Item, err = ticket(tx, x.row.item); err != nil || d.Item == nil {
		return err
	}
	if d.Criteria, err = criteria(tx, x.row.item); err != nil {
		return err
	}
	d.Blocking, err = blockers(tx, x.row.item)
	return err
}

// The last session with something to tell.
const (
	endedOnes   = `WHERE s.project_id = ? AND s.status <> 'active' AND s.summary IS NOT NULL AND s.id <> ? `
	newestFirst = ` ORDER BY s.started_at DESC, s.id DESC LIMIT 1`
)

// loadPast gives the session gone on from, else the summary of the last one: on
// the same item, else of the same lane, else in the project.
func (d *Started) loadPast(tx *registry.Tx, o opened, x Session) error {
	if x.Parent != "" {
		parent, err := get(tx, x.Parent)
		if err != nil {
			return err
		}
		b := &Before{ID: parent.ID, Agent: parent.Agent, Status: parent.Status, Ended: parent.LastEvent, Summary: parent.Summary}
		done, err := kept(tx, parent.row.id)
		if err != nil {
			return err
		}
		b.Files, b.Commits = done.Files, done.Commits
		if b.Events, err = events(tx, parent.row.id, 0); err != nil {
			return err
		}
		d.Before = b
	}
	var last Session
	err := registry.ErrNoRows
	if x.row.item != 0 {
		last, err = scan(tx.QueryRow(`SELECT `+columns+joined+endedOnes+`AND s.item_id = ?`+newestFirst, x.row.project, x.row.id, x.row.item))
	}
	if registry.NoRows(err) {
		last, err = scan(tx.QueryRow(`SELECT `+columns+joined+endedOnes+`AND s.lane = ?`+newestFirst, x.row.project, x.row.id, x.row.lane))
	}
	if registry.NoRows(err) {
		last, err = scan(tx.QueryRow(`SELECT `+columns+joined+endedOnes+newestFirst, x.row.project, x.row.id))
	}
	if registry.NoRows(err) {
		return nil
	}
	if err != nil {
		return err
	}
	d.Last, d.LastID = &last.Summary, last.ID
	return nil
}

// loadMemory adds the memories that matter, as many as there is room for: unasked
// only those of at least an importance.
func (d *Started) loadMemory(tx *registry.Tx, o opened, x Session, room, least int) error {
	w := memory.Wanted{ProjectID: x.row.project, ItemID: x.row.item, Least: least, Budget: max(room, 0)}
	if d.Item != nil {
		w.Text = d.Item.Title + "\n" + d.Item.Description
	}
	if o.parent != nil {
		w.SessionID = o.parent.row.id
	}
	found, more, err := memory.Relevant(tx, w)
	if err != nil {
		return err
	}
	for len(found) > 0 && size(found)-size([]any{}) > room {
		found, more = found[:len(found)-1], more+1
	}
	d.Memory = found
	d.leave("recent_memory", more)
	return nil
}

// fit cuts what was loaded down to the budget, part by part, and gives the bytes
// that are left.
func (d *Started) fit(budget int) (room int) {
	warnings, item, before, last := d.Warnings, d.Item, d.Before, d.Last
	criteria, blocking := d.Criteria, d.Blocking
	d.Warnings, d.Criteria, d.Blocking, d.Memory = []string{}, []Criterion{}, []Blocking{}, []memory.Brief{}
	d.Item, d.Before, d.Last = nil, nil, nil
	d.Project.Name, d.Project.Remote = cut(d.Project.Name, 100), cut(d.Project.Remote, 100)
	d.Sync.Failure = cut(d.Sync.Failure, 200)
	const leftOut = 120 // what LeftOut may come to take
	kept := budget * shareMemory / 100
	room = budget - size(d) - leftOut - kept
	share := func(percent int) int { return min(room, budget*percent/100) }

	d.Warnings = pick(warnings, share(shareWarnings), &room, func(w string) string { return cut(w, 240) })
	d.leave("warnings", len(warnings)-len(d.Warnings))
	if item != nil {
		d.Item, room = item.fit(share(shareItem), room)
	}
	d.Blocking = pick(blocking, share(shareBlockers), &room, func(b Blocking) Blocking { b.Title = cut(b.Title, 120); return b })
	d.leave("blocking_items", len(blocking)-len(d.Blocking))
	if before != nil {
		d.Before, room = before.fit(share(shareBefore), room)
		d.leave("events", len(before.Events)-len(d.Before.Events))
		if d.LastID == before.ID {
			last, d.LastID = nil, "" // said already
			room += len(`,"last_session_id":""`) + len(before.ID)
		}
	}
	d.Criteria = pick(criteria, share(shareCriteria), &room, func(c Criterion) Criterion { c.Text = cut(c.Text, 240); return c })
	d.leave("acceptance_criteria", len(criteria)-len(d.Criteria))
	if last != nil {
		said := fitText(*last, share(shareLast))
		if said != "" {
			d.Last = &said
			room -= size(said)
		}
	}
	return room + kept
}

// leave counts what had no room.
func (d *Started) leave(part string, n int) {
	if n <= 0 {
		return
	}
	if d.LeftOut == nil {
		d.LeftOut = map[string]int{}
	}
	d.LeftOut[part] = n
}

// fit shortens a ticket to at most most bytes; its head stays in any case.
func (t Ticket) fit(most, room int) (*Ticket, int) {
	t.Title, t.Labels, t.URL = cut(t.Title, 200), cut(t.Labels, 100), cut(t.URL, 200)
	whole := t.Description
	t.Description = ""
	t.Description = fitText(whole, most-size(t)-len(`,"description":""`))
	return &t, room - size(t)
}

// fit shortens what is told of the session before: its summary first, then its
// events, the weightiest and newest first but told in order, then files.
func (b Before) fit(most, room int) (*Before, int) {
	events, files, commits, summary := b.Events, b.Files, b.Commits, b.Summary
	b.Events, b.Files, b.Commits, b.Summary = []Event{}, []string{}, []Commit{}, ""
	left := most - size(b)
	b.Summary = fitText(summary, left*3/10)
	left -= size(b.Summary)
	slices.Reverse(events)
	slices.SortStableFunc(events, func(x, y Event) int { return y.weight - x.weight })
	b.Events = pick(events, left*3/4, &left, func(e Event) Event {
		e.Content, e.Context = cut(e.Content, 200), nil
		return e
	})
	slices.SortFunc(b.Events, func(x, y Event) int { return int(x.row - y.row) })
	slices.Reverse(commits)
	b.Commits = pick(commits, left/2, &left, func(c Commit) Commit {
		return Commit{c.ID[:min(len(c.ID), 12)], cut(c.Subject, 80)}
	})
	b.Files = pick(files, left, &left, func(name string) string { return name })
	return &b, room - size(b)
}

// pick takes items, made short, while their JSON fits into most bytes, and takes
// what they need from room.
func pick[T any](from []T, most int, room *int, short func(T) T) []T {
	taken := []T{}
	for _, item := range from {
		item = short(item)
		n := size(item) + 1
		if n > most {
			break
		}
		taken = append(taken, item)
		most -= n
		*room -= n
	}
	return taken
}

// size is how many bytes a value takes as JSON.
func size(v any) int {
	var count counter
	encoder := json.NewEncoder(&count)
	encoder.SetEscapeHTML(false) // as both faces write it
	if encoder.Encode(v) != nil {
		return 0
	}
	return int(count) - 1 // the line feed
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// fitText cuts a text so that its JSON takes at most most bytes; "" when that is
// too little to say anything.
func fitText(s string, most int) string {
	const least = 40
	if size(s) <= most {
		return s
	}
	if most < least {
		return ""
	}
	s = text.Cut(s, most)
	for len(s) > 0 && size(s) > most-len("…") {
		s = text.Cut(s, len(s)-max(1, (size(s)-most)/2))
	}
	return s + "…"
}

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return text.Cut(s, most) + "…"
}
