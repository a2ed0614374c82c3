// Package costs sums what agents used: the tokens and money of every session on this machine and of every attempt of `agit work`, each
// once. It writes nothing. Sessions are read from the clients' files (shared/sessions/usage), and attempts from the registry.
//
// An attempt and the transcript of its session are one entry: the transcript has the tokens, the attempt the task, the agent, and the
// money if its client reports it. An attempt without a transcript, such as one on another machine, counts by its client's report. A
// session outside of all worktrees belongs to the agent that its hooks name (talk.go).
//
// gather.go joins the two, place.go maps folders to repositories and worktrees, group.go sums and makes blocks of five hours,
// money.go holds amounts.
package costs

import (
	"context"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions/usage"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Store reads costs. It is safe for concurrent use.
type Store struct {
	DB    *registry.DB
	Kept  usage.Kept
	Table string // the path of the user's price file; "" for the built-in prices
}

// Query selects what to sum and how to group it.
type Query struct {
	By     By
	Since  time.Time // the zero time means all
	Client string    // "" means all
}

// Report is the summed use.
type Report struct {
	By     By              `json:"by"`
	Since  *timestamp.Time `json:"since,omitempty"`
	Rows   []Row           `json:"rows"`
	Total  Sum             `json:"total"`
	Prices Prices          `json:"prices"`
}

// Prices names the table that amounts were computed from.
type Prices struct {
	Date     string `json:"date"`
	Source   string `json:"source"`
	Currency string `json:"currency"`
}

// Row is one group.
type Row struct {
	Key   string `json:"key"`             // a day, a task's id, a folder or another group key; "" for entries without one
	Title string `json:"title,omitempty"` // title of a task; project of a branch; id of a worktree; client of a block or a session
	Sum
	Sessions int            `json:"sessions"`
	Clients  []string       `json:"clients"`
	Models   []string       `json:"models"`
	First    timestamp.Time `json:"first_at"`
	Last     timestamp.Time `json:"last_at"`

	EndsAt *timestamp.Time `json:"ends_at,omitempty"` // end of a block
	Active bool            `json:"active,omitempty"`  // the block has not ended
}

// Report sums the use. Its errors are ValidationErrors of the query or of the price file, and errors of the registry. Unreadable client
// files are reported to Kept.Problem.
func (s *Store) Report(ctx context.Context, q Query) (r Report, err error) {
	if err := q.By.check(); err != nil {
		return r, err
	}
	all, table, err := s.gather(ctx, q)
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
