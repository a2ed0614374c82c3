package command

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

// Bounds of a client's input for a status line, and of the wait for it.
const (
	mostStatus = 1 << 20
	statusWait = time.Second
)

// line prints what is taken now in one line.
func (o *usageOptions) line(ctx context.Context, s *stores.Stores) error {
	status := o.status(ctx)
	n, err := s.Costs.Now(ctx, status.Session)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, n, func(st *term.Streams) error { return st.Text(n.Line(status) + "\n") })
}

// status reads the JSON that a client sends on standard input. The zero value is returned when nothing or something else arrives.
func (o *usageOptions) status(ctx context.Context) (status costs.Status) {
	if o.env.Streams.InTTY {
		return status
	}
	said := make(chan []byte, 1)
	go func() {
		data, _ := io.ReadAll(io.LimitReader(o.env.Streams.In, mostStatus))
		said <- data
	}()
	timer := time.NewTimer(statusWait)
	defer timer.Stop()
	select {
	case data := <-said:
		if json.Unmarshal(data, &status) != nil {
			return costs.Status{}
		}
	case <-timer.C:
	case <-ctx.Done():
	}
	return status
}

// watchEvery is how often usage is looked at again.
const watchEvery = 2 * time.Second

// follow shows what is taken now until it is stopped: a block of lines that is rewritten on a terminal, else a
// line, or an object of NDJSON, whenever it changes.
func (o *usageOptions) follow(ctx context.Context, s *stores.Stores) error {
	p := o.env.Printer()
	if p.Format() == output.JSON {
		_, err := output.NewStream[costs.Now](p, nil) // says why not
		return err
	}
	live := o.env.Streams.Live()
	defer live.Done()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for last := ""; ; {
		n, err := s.Costs.Now(ctx, "")
		switch line := n.Line(costs.Status{}); {
		case ctx.Err() != nil:
			return nil // it is meant to be stopped
		case err != nil:
			return err
		case live != nil && p.Format() == output.Table:
			live.Draw(o.lines(n, live.Width()))
		case line == last:
		case p.Format() == output.NDJSON:
			last = line
			if err := p.Document(ctx, n, nil); err != nil {
				return err
			}
		default:
			last = line
			if err := o.env.Streams.Line(n.At.Local().Format(time.TimeOnly), line); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// lines are what is taken now, for a terminal of some width.
func (o *usageOptions) lines(n costs.Now, width int) (lines []term.Painted) {
	st := o.env.Streams
	add := func(style term.Style, cells ...string) {
		row := fit(cells[0], 24) + "  " + fit(cells[1], 8) + "  " + fit(cells[2], 8) + "  " + cells[3]
		lines = append(lines, st.PaintErr(style, term.Truncate(row, width)))
	}
	add(term.Bold, "TODAY", "IN", "OUT", "COST")
	for _, r := range n.Agents[:min(len(n.Agents), mostWatched)] {
		add(term.Plain, cmp.Or(r.Key, strings.Join(r.Clients, ", ")), costs.Short(r.Tokens.Input+r.Tokens.CacheRead+r.Tokens.CacheWrite5m+r.Tokens.CacheWrite1h), costs.Short(r.Tokens.Output), r.Words())
	}
	t := n.Today.Tokens
	add(term.Bold, "all", costs.Short(t.Input+t.CacheRead+t.CacheWrite5m+t.CacheWrite1h), costs.Short(t.Output), cmp.Or(n.Today.Words(), costs.Amount(0, "USD")))
	for _, b := range n.Blocks {
		what := b.Words() + ", " + b.Left(n.At.Time) + " left"
		if amount, currency, ok := b.Ahead(n.At.Time); ok {
			what += ", " + costs.Amount(amount, currency) + " at this rate"
		}
		add(term.Plain, "block of "+b.Title, "", "", what)
	}
	return lines
}

// mostWatched is how many agents are shown at once.
const mostWatched = 12
