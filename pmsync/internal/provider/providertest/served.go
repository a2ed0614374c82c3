package providertest

import (
	"io"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// Served serves every World, whose items are I: it has a clock, a script of faults, and a count of answers. Skew and States may be unset.
type Served[I any] struct {
	sync.Mutex // held while a request is answered, and by what people do
	Clock      interface{ Now() time.Time }
	Skew       time.Duration // the server's clock is ahead of Clock by this
	// States are states of the categories, each of which an item can go to from anywhere.
	States map[provider.Category]string
	Find   func(id string) *I           // nil for none
	Counts func(item *I) map[string]int // its changes that came over the wire

	faults   Script
	requests atomic.Int64
}

// StatusOf is a state of the category.
func (s *Served[I]) StatusOf(c provider.Category) string { return s.States[c] }

// Change runs f on an item, as a person would have changed it. It returns false when there is no such item.
func (s *Served[I]) Change(id string, f func(*I)) bool {
	s.Lock()
	defer s.Unlock()
	item := s.Find(id)
	if item == nil {
		return false
	}
	f(item)
	return true
}

// Attach, Archive and Restore are those of a tracker that has nothing of the kind.
func (s *Served[I]) Attach(string, string, string, int64) bool { return false }

// Archive is like Attach.
func (s *Served[I]) Archive(string) bool { return false }

// Restore is like Attach.
func (s *Served[I]) Restore(string) bool { return false }

// Writes counts the changes of an item that came over the wire, by field.
func (s *Served[I]) Writes(id string) (n map[string]int) {
	s.Change(id, func(item *I) { n = maps.Clone(s.Counts(item)) })
	return n
}

// maxBody bounds what a request may hold, in bytes.
const maxBody = 4 << 20

// Now is the server's time, UTC, whole milliseconds.
func (s *Served[I]) Now() time.Time {
	return s.Clock.Now().Add(s.Skew).UTC().Truncate(time.Millisecond)
}

// Faults is the script of what goes wrong.
func (s *Served[I]) Faults() *Script { return &s.faults }

// Requests is how many requests were answered.
func (s *Served[I]) Requests() int { return int(s.requests.Load()) }

// Serve answers a request as the script wants it, or by answer, which has its body.
func (s *Served[I]) Serve(w http.ResponseWriter, r *http.Request, own Own, answer func(w http.ResponseWriter, r *http.Request, body []byte)) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return
	}
	w.Header().Set("Date", s.Now().Format(http.TimeFormat))
	s.faults.Play(w, r, body, own, func(w http.ResponseWriter, r *http.Request) {
		s.Lock()
		defer s.Unlock()
		s.requests.Add(1)
		answer(w, r, body)
	})
}
