// Package costs says what agents took: tokens and money of every session on this machine, and of every
// attempt of `agit work`, each once. It writes nothing.
//
// Sessions are read where their clients keep them (shared/sessions/usage); attempts are rows of the
// registry. An attempt and the transcript of its session are one: the transcript has the tokens, the
// attempt the task, the agent, and the money where its client states it. An attempt without a transcript,
// such as one of another machine, counts by what its client reported.
//
// Where a session was in no worktree, its hooks say which agent it was (talk.go).
//
// gather.go joins the two, place.go knows what a folder is, group.go sums, block.go makes blocks of five
// hours, money.go holds amounts.
package costs

import (
	"context"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions/price"
	"github.com/agit-suite/agit/shared/sessions/usage"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Store reads costs. It is safe for concurrent use.
type Store struct {
	DB    *registry.DB
	Kept  usage.Kept
	Table string // the path of the user's prices; "" for the built-in ones
}

// Query says what to sum, and how.
type Query struct {
	By     By
	Since  time.Time // the zero time is all
	Client string    // "" is all
}

// Report is what was taken.
type Report struct {
	By     By              `json:"by"`
	Since  *timestamp.Time `json:"since,omitempty"`
	Rows   []Row           `json:"rows"`
	Total  Sum             `json:"total"`
	Prices Prices          `json:"prices"`
}

// Prices name the table that amounts were computed from.
type Prices struct {
	Date     string `json:"date"`
	Source   string `json:"source"`
	Currency string `json:"currency"`
}

// Row is one group.
type Row struct {
	Key   string `json:"key"`             // of the group: a day, a task's id, a folder, …; "" for what belongs to none
	Title string `json:"title,omitempty"` // of a task; the project of a branch; the worktree's id; the client of a block or a session
	Sum
	Sessions int            `json:"sessions"`
	Clients  []string       `json:"clients"`
	Models   []string       `json:"models"`
	First    timestamp.Time `json:"first_at"`
	Last     timestamp.Time `json:"last_at"`

	EndsAt *timestamp.Time `json:"ends_at,omitempty"` // of a block
	Active bool            `json:"active,omitempty"`  // a block that goes on
}

// Report sums what was taken. Its errors are ValidationErrors of the query or of the file of prices, and
// those of the registry; what of the clients' files cannot be read is told to Kept.Problem.
func (s *Store) Report(ctx context.Context, q Query) (r Report, err error) {
	if err := q.By.check(); err != nil {
		return r, err
	}
	table, err := price.Open(s.Table)
	if err != nil {
		return r, err
	}
	all, err := s.gather(ctx, q, table)
	if err != nil {
		return r, err
	}
	r = Report{By: q.By, Prices: Prices{Date: table.Date, Source: table.Source, Currency: table.Currency}}
	if !q.Since.IsZero() {
		since := timestamp.Of(q.Since)
		r.Since = &since
	}
	r.Rows = group(all, q.By, time.Now())
	for _, e := range all {
		r.Total.add(e)
	}
	r.Total.round()
	return r, nil
}
