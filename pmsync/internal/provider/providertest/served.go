package providertest

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// Served serves every World: it has a clock, a script of faults, and a count of answers. Only its clock must be set.
type Served struct {
	Clock interface{ Now() time.Time }
	Skew  time.Duration // the server's clock is ahead of Clock by this
	// States are states of the categories, each of which an item can go to from anywhere.
	States map[provider.Category]string

	faults   Script
	requests atomic.Int64
}

// StatusOf is a state of the category.
func (s *Served) StatusOf(c provider.Category) string { return s.States[c] }

// maxBody bounds what a request may hold, in bytes.
const maxBody = 4 << 20

// Now is the server's time, UTC, whole milliseconds.
func (s *Served) Now() time.Time {
	return s.Clock.Now().Add(s.Skew).UTC().Truncate(time.Millisecond)
}

// Faults is the script of what goes wrong.
func (s *Served) Faults() *Script { return &s.faults }

// Requests is how many requests were answered.
func (s *Served) Requests() int { return int(s.requests.Load()) }

// Serve answers a request as the script wants it, or by answer, which has its body.
func (s *Served) Serve(w http.ResponseWriter, r *http.Request, own Own, answer func(w http.ResponseWriter, r *http.Request, body []byte)) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return
	}
	w.Header().Set("Date", s.Now().Format(http.TimeFormat))
	s.faults.Play(w, r, body, own, func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		answer(w, r, body)
	})
}
