package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"time"
)

// Pull is a request to read items.
type Pull struct {
	// Cursor is that of the last page that was stored; empty reads everything.
	Cursor Cursor
	// Types are the types to read; empty is every type. A cursor belongs to its
	// types: another choice begins anew for what is added.
	Types []ItemType
}

// Wants reports whether items of the type are to be read.
func (p Pull) Wants(t ItemType) bool { return len(p.Types) == 0 || slices.Contains(p.Types, t) }

// CoveredBy reports whether what was read for another choice of types holds all of
// this one. A cursor that is one for all types is good for no more than that.
func (p Pull) CoveredBy(read []ItemType) bool {
	if len(read) == 0 {
		return true
	}
	return len(p.Types) > 0 && !slices.ContainsFunc(p.Types, func(t ItemType) bool { return !slices.Contains(read, t) })
}

// Cursor is how far a pull has come: a provider's own JSON document, at most a
// few kilobytes, without secrets. A cursor that its provider does not understand is
// read as empty, which costs requests and loses nothing.
type Cursor []byte

// envelope is a cursor's position, with the scope that it is a position in.
type envelope struct {
	Scope string          `json:"scope"`
	At    json.RawMessage `json:"at"`
}

// LoadCursor is the position in the cursor. It is the zero value, which begins
// anew, where the cursor is empty, cannot be read, or is about another scope: who
// names another team or site must not miss what is older there.
func LoadCursor[T any](c Cursor, scope string) T {
	var e envelope
	var at, none T
	if json.Unmarshal(c, &e) != nil || e.Scope != scope || json.Unmarshal(e.At, &at) != nil {
		return none
	}
	return at
}

// SaveCursor encodes a position in the scope: whatever the provider was configured
// with that decides what is read.
func SaveCursor(at any, scope string) (Cursor, error) {
	raw, err := json.Marshal(at)
	if err != nil {
		return nil, err
	}
	return json.Marshal(envelope{scope, raw})
}

// Scope names what a provider reads, as briefly as a cursor can hold it. The parts
// are all settings that concern it; the mapping is one of them, because
// items that were read before it changed have to be read again.
func Scope(parts ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	return hex.EncodeToString(sum[:8])
}

// Page is one piece of a pull.
type Page struct {
	Items  []Item
	Gone   []Presence // what is no longer in the project, without its contents
	Failed []Failure  // what could not be read, to be asked for by id later
	Cursor Cursor     // where to go on from once this page is stored
	// Drained is set once everything up to now was read: on the last page of a pull,
	// which may be empty otherwise.
	Drained bool
	// Total is how many items the pull is expected to bring, 0 if unknown.
	Total int
}

// Send yields the page with the position in the scope as its cursor; see SaveCursor.
func (p Page) Send(at any, scope string, yield func(Page) error) (err error) {
	if p.Cursor, err = SaveCursor(at, scope); err != nil {
		return err
	}
	return yield(p)
}

// Failure is one item that could not be read.
type Failure struct {
	RemoteID string
	Err      error
}

// Window is how far a list has been read by the time of change. It is the part of
// a cursor that all trackers share: read from Start on, inclusive; call Take for
// each item; call Drained when there are no more.
//
// A change that a tracker shows late lies before the newest one that was read. So a
// new round begins some time before that. Changes that were read there already are
// kept in Seen, and not delivered again unless the item changed.
type Window struct {
	Mark time.Time `json:"mark,omitzero"` // newest change that was delivered
	Seen []Seen    `json:"seen,omitempty"`
	Open bool      `json:"open,omitzero"` // a round was begun and not drained
	From time.Time `json:"from,omitzero"` // where an open round goes on
}

// Seen is one item that was delivered.
type Seen struct {
	ID      string    `json:"i"`
	Version string    `json:"v,omitempty"` // "" compares the time alone
	At      time.Time `json:"t"`
}

// maxSeen bounds a cursor. Beyond it items come twice, which costs a comparison.
const maxSeen = 200

// Start begins a round, or goes on with one that was cut off, and returns the
// time to read from: overlap before the newest change, the zero time for the
// first round.
func (w *Window) Start(overlap time.Duration) time.Time {
	if !w.Open {
		w.Open, w.From = true, time.Time{}
		if !w.Mark.IsZero() {
			w.From = w.Mark.Add(-overlap)
		}
	}
	return w.From
}

// Take reports whether an item of a list in ascending order of change is to be
// delivered, and notes it as delivered. Version may be empty where the time says
// it all.
func (w *Window) Take(id, version string, at time.Time) bool {
	if w.Open && at.After(w.From) {
		w.From = at
	}
	return w.TakeUnordered(id, version, at)
}

// TakeUnordered is Take for a list in any other order: a round that is cut off
// begins again.
func (w *Window) TakeUnordered(id, version string, at time.Time) bool {
	for i := range w.Seen {
		if w.Seen[i].ID != id {
			continue
		}
		if w.Seen[i].At.Equal(at) && w.Seen[i].Version == version {
			return false
		}
		w.Seen = slices.Delete(w.Seen, i, i+1)
		break
	}
	if at.After(w.Mark) {
		w.Mark = at
	}
	w.Seen = append(w.Seen, Seen{ID: id, Version: version, At: at})
	if len(w.Seen) > 2*maxSeen {
		w.trim(maxSeen)
	}
	return true
}

// Drained ends a round: what was read longer than overlap before the newest
// change will not be read again.
func (w *Window) Drained(overlap time.Duration) {
	w.Open, w.From = false, time.Time{}
	w.Seen = slices.DeleteFunc(w.Seen, func(s Seen) bool { return s.At.Before(w.Mark.Add(-overlap)) })
	w.trim(maxSeen)
}

// trim keeps the newest n.
func (w *Window) trim(n int) {
	if len(w.Seen) <= n {
		return
	}
	sort.SliceStable(w.Seen, func(i, j int) bool { return w.Seen[i].At.Before(w.Seen[j].At) })
	w.Seen = slices.Clone(w.Seen[len(w.Seen)-n:])
}
