package session

import (
	"encoding/json"
	"slices"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/text"
)

// The largest share of the budget that each part may take, in percent; its unused rest goes to the next parts. Memories come last and take
// everything left, and at least their own share.
const (
	shareWarnings = 15
	shareItem     = 20
	shareBlockers = 15
	shareConflict = 10
	shareCriteria = 30
	shareNoted    = 30
	shareBefore   = 30
	shareLast     = 20
	shareMemory   = 20
)

// fit cuts the loaded parts down to the budget, one by one, and returns the bytes left.
func (d *Started) fit(budget int) (room int) {
	warnings, item, before, last, noted := d.Warnings, d.Item, d.Before, d.Last, d.Noted
	criteria, blocking, place := d.Criteria, d.Blocking, d.Worktree
	d.Warnings, d.Criteria, d.Blocking, d.Memory = []string{}, []Criterion{}, []Blocking{}, []memory.Brief{}
	d.Item, d.Before, d.Last, d.Worktree, d.Noted = nil, nil, nil, nil, nil
	d.Project.Name, d.Project.Remote = cut(d.Project.Name, 100), cut(d.Project.Remote, 100)
	d.Sync.Failure = cut(d.Sync.Failure, 200)
	const leftOut = 120 // the most that LeftOut may take
	kept := budget * shareMemory / 100
	room = budget - size(d) - leftOut - kept
	share := func(percent int) int { return min(room, budget*percent/100) }

	d.Warnings = pick(warnings, share(shareWarnings), &room, func(w string) string { return cut(w, 240) })
	d.leave("warnings", len(warnings)-len(d.Warnings))
	if place != nil {
		d.Worktree, room = place.fit(share(shareConflict), room)
		d.leave("conflicts", len(place.Conflicts)-len(d.Worktree.Conflicts))
	}
	if item != nil {
		d.Item, room = item.fit(share(shareItem), room)
	}
	d.Blocking = pick(blocking, share(shareBlockers), &room, func(b Blocking) Blocking { b.Title = cut(b.Title, 120); return b })
	d.leave("blocking_items", len(blocking)-len(d.Blocking))
	if len(noted) > 0 {
		d.Noted = fitEvents(noted, share(shareNoted)-len(`,"noted":[]`), &room)
		room -= len(`,"noted":[]`)
		d.leave("noted", len(noted)-len(d.Noted))
	}
	if before != nil {
		d.Before, room = before.fit(share(shareBefore), room)
		d.leave("events", len(before.Events)-len(d.Before.Events))
		if d.LastID == before.ID {
			last, d.LastID = nil, "" // shown already
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

// leave counts the entries that did not fit.
func (d *Started) leave(part string, n int) {
	if n <= 0 {
		return
	}
	if d.LeftOut == nil {
		d.LeftOut = map[string]int{}
	}
	d.LeftOut[part] = n
}

// fit shortens a ticket to at most most bytes; its head always stays.
func (t Ticket) fit(most, room int) (*Ticket, int) {
	t.Title, t.Labels, t.URL = cut(t.Title, 200), cut(t.Labels, 100), cut(t.URL, 200)
	whole := t.Description
	t.Description = ""
	t.Description = fitText(whole, most-size(t)-len(`,"description":""`))
	return &t, room - size(t)
}

// fit shortens the description of the resumed session: the summary comes first, then events, chosen by importance and age but listed in
// order, then commits and files.
func (b Before) fit(most, room int) (*Before, int) {
	events, files, commits, summary := b.Events, b.Files, b.Commits, b.Summary
	b.Events, b.Files, b.Commits, b.Summary = []Event{}, []string{}, []Commit{}, ""
	left := most - size(b)
	b.Summary = fitText(summary, left*3/10)
	left -= size(b.Summary)
	b.Events = fitEvents(events, left*3/4, &left)
	slices.Reverse(commits)
	b.Commits = pick(commits, left/2, &left, func(c Commit) Commit {
		return Commit{c.ID[:min(len(c.ID), 12)], cut(c.Subject, 80)}
	})
	b.Files = pick(files, left, &left, func(name string) string { return name })
	return &b, room - size(b)
}

// fitEvents takes events, the most important and newest first, and puts them in order.
func fitEvents(events []Event, most int, room *int) []Event {
	slices.Reverse(events)
	slices.SortStableFunc(events, func(x, y Event) int { return y.weight - x.weight })
	taken := pick(events, most, room, func(e Event) Event {
		e.Content, e.Context = cut(e.Content, 200), nil
		return e
	})
	slices.SortFunc(taken, func(x, y Event) int { return int(x.row - y.row) })
	return taken
}

// pick takes shortened items while their JSON fits into most bytes, and subtracts their size from room.
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

// size returns the bytes of a value as JSON.
func size(v any) int {
	var count counter
	encoder := json.NewEncoder(&count)
	encoder.SetEscapeHTML(false) // as both faces write it
	if encoder.Encode(v) != nil {
		return 0
	}
	return int(count) - 1 // the line feed
}

// counter counts the bytes written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// fitText cuts a text so that its JSON takes at most most bytes; "" when that is too little to be useful.
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
