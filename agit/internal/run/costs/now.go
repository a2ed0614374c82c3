package costs

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Now is the current use.
type Now struct {
	At      timestamp.Time `json:"at"`
	Today   Sum            `json:"today"`
	Agents  []Row          `json:"agents"`            // today, largest first; "" stands for no agent of the suite
	Blocks  []Row          `json:"blocks"`            // five-hour blocks that have not ended
	Session *Row           `json:"session,omitempty"` // the requested session
}

// blocksBack is how far back answers are read for the current blocks. A block's start depends on the block before it, unless there was
// a pause of five hours.
const blocksBack = 48 * time.Hour

// Now returns the use of today, of the current five-hour blocks, and of a client's session; "" means no session.
func (s *Store) Now(ctx context.Context, session string) (n Now, err error) {
	now := time.Now()
	n.At = timestamp.Of(now)
	today, own, day := []entry{}, []entry{}, Midnight(now)
	all, _, err := s.gather(ctx, Query{Since: now.Add(-blocksBack)})
	if err != nil {
		return n, err
	}
	n.Blocks = []Row{}
	for _, b := range blocks(all, now) {
		if b.Active {
			n.Blocks = append(n.Blocks, b)
		}
	}
	for _, e := range all {
		if !e.At.Before(day) {
			today = append(today, e)
			n.Today.add(e)
		}
		if session != "" && (e.Session == session || slices.Contains(e.Own, session)) {
			own = append(own, e)
		}
	}
	n.Today.round()
	n.Agents = group(today, "agent", now)
	if rows := group(own, "session", now); len(rows) > 0 {
		n.Session = &rows[0]
	}
	return n, nil
}

// Status is the JSON that a client passes to the program of its status line, as Claude Code does
// (https://code.claude.com/docs/en/statusline).
type Status struct {
	Session string `json:"session_id"`
	Model   struct {
		ID   string `json:"id"`
		Name string `json:"display_name"`
	} `json:"model"`
	Cost struct {
		USD float64 `json:"total_cost_usd"`
	} `json:"cost"`
}

// Line returns the current use in one short line: "Opus  session $0.42  today $12.30*  block $4.10* 2h10m left". The session's cost is
// the client's own figure if it reports one.
func (n Now) Line(s Status) string {
	var parts []string
	if name := cmp.Or(s.Model.Name, s.Model.ID); name != "" {
		parts = append(parts, term.Escape(name))
	}
	switch {
	case s.Cost.USD > 0:
		parts = append(parts, "session "+Amount(s.Cost.USD, "USD"))
	case n.Session != nil:
		parts = append(parts, "session "+n.Session.Words())
	}
	parts = append(parts, "today "+cmp.Or(n.Today.Words(), Amount(0, "USD")))
	if len(n.Blocks) > 0 {
		b := n.Blocks[len(n.Blocks)-1]
		parts = append(parts, "block "+b.Words()+" "+b.Left(n.At.Time)+" left")
	}
	return strings.Join(parts, "  ")
}

// Left returns the remaining time of a block: "2h10m".
func (r Row) Left(now time.Time) string {
	if r.EndsAt == nil {
		return ""
	}
	left := max(0, r.EndsAt.Sub(now)).Round(time.Minute)
	return strings.TrimSuffix(left.String(), "0s")
}

// Ahead returns the projected cost of a block at its end; false when no projection is possible.
func (r Row) Ahead(now time.Time) (amount float64, currency string, ok bool) {
	if r.EndsAt == nil || len(r.Cost) != 1 {
		return 0, "", false
	}
	took, left := now.Sub(r.First.Time), r.EndsAt.Sub(now)
	if took < time.Minute || left <= 0 {
		return 0, "", false
	}
	return r.Cost[0].Amount * float64(took+left) / float64(took), r.Cost[0].Currency, true
}
