package command

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/clienthook"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type usageOptions struct {
	env    *cli.Env
	By     string
	Since  string
	Client string
	Line   bool
	Watch  bool
}

func newUsage(env *cli.Env, run cli.Func[usageOptions]) *cobra.Command {
	o := &usageOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "usage [flags]",
		SuggestFor: []string{"cost", "costs", "tokens", "spend", "bill"},
		Short:      "Show the tokens and the money that agents used",
		Long: `Show the tokens and the cost of every session of agents' clients on this machine,
whoever started it, and of every attempt of agit work. Each answer counts once:
copies in forks, resumed sessions and side chains do not count again, and an attempt
and the transcript of its session are one.

IN are tokens that were read anew, CACHE READ and CACHE WRITE those from and into the
service's cache. A cost that a client states counts; else it is computed from a dated
table of list prices, and marked with *. A model that is not in the table has tokens
and no cost: +?. work.prices names a file that replaces the table. Nothing is
asked from the network. Without --since a table lists the latest 30 days or blocks.

--by block sums blocks of five hours from the hour of a client's first answer, as
subscriptions count them. --watch shows today and the blocks that go on until it is
stopped; --line prints them in one line, for the status line of a client. It reads the
client's JSON from standard input.`,
		Example: "agit usage\nagit usage --by task --since 7d\nagit usage --by model --client claude-code --since 2026-11-01\nagit usage --by block --json --jq '.rows[-1]'\nagit usage --line\nagit usage --watch",
	}, o, nil, run)
	f := cmd.Flags()
	f.StringVar(&o.By, "by", "day", "sum by `group`: "+strings.Join(costs.Groups, ", "))
	f.StringVar(&o.Since, "since", "", "count only use since this `time`: a date, or how long ago, such as 7d")
	f.StringVar(&o.Client, "client", "", "only sessions of this `client`, as claude-code")
	f.BoolVar(&o.Line, "line", false, "print today and the current block in one line, for a client's status line")
	f.BoolVar(&o.Watch, "watch", false, "go on showing today and the current blocks")
	cmd.MarkFlagsMutuallyExclusive("line", "watch")
	cli.CompleteFlag(cmd, "by", cli.Words(costs.Groups...))
	cli.CompleteFlag(cmd, "client", cli.Words(sessionClients()...))
	return cmd
}

// sessionClients are the clients whose sessions are read.
func sessionClients() (names []string) {
	for _, r := range sessions.Readers() {
		names = append(names, r.Client())
	}
	return names
}

func runUsage(ctx context.Context, o *usageOptions) error {
	q := costs.Query{By: costs.By(o.By), Client: o.Client}
	var err error
	if q.Since, err = cli.Since(o.Since, time.Now()); err != nil {
		return err
	}
	s, err := look(ctx, o.env)
	if err != nil {
		return err
	}
	switch {
	case o.Line:
		return o.line(ctx, s)
	case o.Watch:
		return o.follow(ctx, s)
	}
	s.Costs.Kept.Problem = func(path string, err error) { o.env.Streams.Warn("%s was not read: %v", path, err) }
	r, err := s.Costs.Report(ctx, q)
	if err != nil {
		return err
	}
	if known := sessionClients(); o.Client != "" && len(r.Rows) == 0 && !slices.Contains(known, costs.ClientName(o.Client)) {
		return fault.Validation("client", "no session of a client %q is known", o.Client).WithHint("sessions of %s are read", strings.Join(known, ", "))
	}
	return o.print(ctx, r)
}

func (o *usageOptions) print(ctx context.Context, r costs.Report) error {
	p := o.env.Printer()
	if p.Format() != output.Table {
		return output.ListDocument(ctx, p, r, r.Rows, nil)
	}
	if len(r.Rows) == 0 {
		found := "no session of an agent's client"
		if o.Since != "" {
			found = "no use since " + o.Since
		}
		o.env.Streams.Notice("%s was found; `agit doctor` shows what is read", found)
		return nil
	}
	if n := len(r.Rows) - mostListed; n > 0 && o.Since == "" && (r.By == "day" || r.By == "block") {
		r.Rows = r.Rows[n:]
		o.env.Streams.Notice("%s in the total only; --since 365d lists them", text.Count(n, "earlier "+string(r.By)+" is", "earlier "+string(r.By)+"s are"))
	}
	rows := append(r.Rows, costs.Row{Key: totalKey, Sum: r.Total}) //nolint:gocritic // the report is printed once
	if err := output.List(ctx, p, "rows", rows, o.columns(r)); err != nil {
		return err
	}
	for _, note := range r.Notes() {
		o.env.Streams.Notice("%s", note)
	}
	return nil
}

// mostListed is how many days or blocks a table lists where no time is named.
const mostListed = 30

// totalKey stands in the last row of a table.
const totalKey = "TOTAL"

func (o *usageOptions) columns(r costs.Report) []output.Column[costs.Row] {
	number := func(title string, of func(costs.Tokens) int64) output.Column[costs.Row] {
		return output.Column[costs.Row]{Title: title, Right: true, Value: func(row costs.Row) string { return costs.Short(of(row.Tokens)) }}
	}
	columns := []output.Column[costs.Row]{{Title: strings.ToUpper(string(r.By)), Flex: true, Value: func(row costs.Row) string { return o.name(r.By, row) }}}
	if r.By == "day" || r.By == "block" {
		columns = append(columns, output.Column[costs.Row]{Title: "CLIENTS", Flex: true, Value: func(row costs.Row) string { return strings.Join(row.Clients, ", ") }})
	}
	return append(columns,
		number("IN", func(t costs.Tokens) int64 { return t.Input }),
		number("OUT", func(t costs.Tokens) int64 { return t.Output }),
		number("CACHE READ", func(t costs.Tokens) int64 { return t.CacheRead }),
		number("CACHE WRITE", func(t costs.Tokens) int64 { return t.CacheWrite5m + t.CacheWrite1h }),
		output.Column[costs.Row]{Title: "COST", Right: true, Value: func(row costs.Row) string { return row.Words() }})
}

// name is a row's name for people.
func (o *usageOptions) name(by costs.By, r costs.Row) string {
	if r.Key == totalKey {
		return totalKey
	}
	switch by {
	case "block":
		name := r.First.Local().Truncate(time.Hour).Format("2006-01-02 15:04")
		if r.Active {
			name += " (goes on)"
		}
		return name
	case "project":
		return cmp.Or(config.Shorten(r.Key, o.env.UserHome), "(no folder)")
	case "worktree":
		return cmp.Or(r.Title, config.Shorten(r.Key, o.env.UserHome), "(no folder)")
	case "branch":
		name := cmp.Or(r.Key, "(no branch)")
		if r.Title != "" {
			name += " (" + filepath.Base(r.Title) + ")"
		}
		return name
	case "task":
		if r.Key == "" {
			return "(no task)"
		}
		return strings.TrimSpace(r.Key + " " + r.Title)
	}
	return cmp.Or(r.Key, map[costs.By]string{"agent": "(no agent of the suite)", "repo": "(not registered)"}[by], "(unnamed)")
}

// statusWait bounds the wait for a client's input for a status line.
const statusWait = time.Second

// line prints what is taken now in one line.
func (o *usageOptions) line(ctx context.Context, s *stores.Stores) error {
	var status costs.Status
	if json.Unmarshal(clienthook.Input(ctx, o.env.Streams, statusWait), &status) != nil {
		status = costs.Status{} // nothing came, or something else
	}
	n, err := s.Costs.Now(ctx, status.Session)
	return printDocument(ctx, o.env, n, err, func(st *term.Streams) error { return st.Text(n.Line(status) + "\n") })
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
