package command

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type syncOptions struct {
	where
	sync.Request
}

const lateHelp = `A tracker that cannot be reached exits with 5; what is here can be read and
changed all the same.`

func newPull(env *cli.Env, run cli.Func[syncOptions]) *cobra.Command {
	o := &syncOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:   "pull [flags]",
		Short: "Fetch what changed at the project's tracker",
		Long: `Fetch what changed at the tracker since the last pull. A pull that was cut off
goes on where it stood. Changes of yours that wait to be sent stay: what both
sides changed is a conflict, see pmsync conflicts. ` + lateHelp,
		Example: "pmsync pull\npmsync pull --full",
	}, o, nil, run))
	o.bindPull(cmd)
	cli.Exits(cmd, fault.ExitProvider, "the tracker cannot be reached, or refuses the credentials")
	return cmd
}

func (o *syncOptions) bindPull(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.Full, "full", false, "read everything again, and find what was deleted there")
	cmd.Flags().StringSliceVar(&o.Types, "types", nil, "fetch only these `types`: ticket, epic, sprint, milestone, subtask")
}

func (o *syncOptions) bindPush(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.Now, "force", false, "send what was changed a moment ago too")
}

func newPush(env *cli.Env, run cli.Func[syncOptions]) *cobra.Command {
	o := &syncOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:   "push [flags]",
		Short: "Send queued changes to the project's tracker",
		Long: `Send waiting changes of tickets, in the order they were made. Each ticket is read
first, so that changes by others stay. push waits until a change is older than
sync.push_debounce_seconds. A change that the tracker could not take waits for
the next push; a change that it refuses stays in pmsync status. Plans,
sessions, memories and criteria are never sent. ` + lateHelp,
		Example: "pmsync push --dry-run\npmsync push",
	}, o, nil, run))
	o.bindPush(cmd)
	cmd.Flags().BoolVar(&o.Due, "due", false, "leave a change that could not be sent until it is tried again by itself: a minute later, longer each time, at most an hour")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "show what would be sent, and send nothing")
	cli.Exits(cmd, fault.ExitFailure, "the tracker refused a change, or could not take it")
	cli.Exits(cmd, fault.ExitProvider, "the tracker cannot be reached, or refuses the credentials")
	return cmd
}

func newSync(env *cli.Env, run cli.Func[syncOptions]) *cobra.Command {
	o := &syncOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:     "sync [flags]",
		Short:   "Pull, then push",
		Long:    "Fetch what changed at the tracker, then send what waits. " + lateHelp,
		Example: "pmsync sync",
	}, o, nil, run))
	o.bindPull(cmd)
	o.bindPush(cmd)
	cli.Exits(cmd, fault.ExitFailure, "something could not be stored or sent")
	cli.Exits(cmd, fault.ExitProvider, "the tracker cannot be reached, or refuses the credentials")
	return cmd
}

func runPull(ctx context.Context, o *syncOptions) error { return o.run(ctx, "pull") }
func runPush(ctx context.Context, o *syncOptions) error { return o.run(ctx, "push") }
func runSync(ctx context.Context, o *syncOptions) error { return o.run(ctx, "sync") }

func (o *syncOptions) run(ctx context.Context, verb string) error {
	st, c, err := o.start(ctx)
	if err != nil {
		return err
	}
	return o.with(ctx, st, c, verb)
}

// with runs a function with open stores.
func (o *syncOptions) with(ctx context.Context, st *stores.Stores, c caller.Caller, verb string) (err error) {
	bar := o.env.Streams.Progress(verb)
	defer bar.Done()
	o.Request.Caller, o.Progress = c, func(p sync.Progress) { bar.Count(p.Done, p.Total) }
	var results []sync.Result // of the directions that ended well
	switch verb {
	case "pull":
		results, err = alone(st.Sync.Pull(ctx, o.Request))
	case "push":
		results, err = alone(st.Sync.Push(ctx, o.Request))
	default:
		results, err = st.Sync.Sync(ctx, o.Request)
	}
	bar.Done()
	if !brought(verb, results) {
		redact.Taken() // the secrets of tickets that were here before were reported then
	}
	return o.print(ctx, verb, results, err)
}

// brought reports whether a pull stored tickets that are new or have changed. A failed pull, which has no result, may have.
func brought(verb string, results []sync.Result) bool {
	return verb != "push" && len(results) == 0 ||
		slices.ContainsFunc(results, func(r sync.Result) bool { return r.Direction != "push" && r.Created+r.Updated > 0 })
}

// print prints the results of the directions that ended well. It returns the failure of another one, else the exit status of a result that
// is partial.
func (o *syncOptions) print(ctx context.Context, verb string, results []sync.Result, failure error) error {
	if len(results) == 0 {
		return failure
	}
	var document any = results[0]
	if verb == "sync" {
		both := map[string]sync.Result{}
		for i, direction := range []string{"pull", "push"}[:len(results)] {
			both[direction] = results[i]
		}
		document = both
	}
	err := errors.Join(o.env.Printer().Document(ctx, document, func(s *term.Streams) error { return printResults(s, results) }), failure)
	if err == nil && slices.ContainsFunc(results, func(r sync.Result) bool { return r.Status == sync.Partial }) {
		return cli.ExitStatus(fault.ExitFailure)
	}
	return err
}

// alone is a direction without the other one, as Sync returns both.
func alone(r sync.Result, err error) ([]sync.Result, error) {
	if err != nil {
		return nil, err
	}
	return []sync.Result{r}, nil
}

// printResults prints the results of one command: a note of several directions is printed once.
func printResults(s *term.Streams, results []sync.Result) error {
	var told []string
	for _, r := range results {
		if err := printResult(s, r, told); err != nil {
			return err
		}
		told = append(told, r.Notes...)
	}
	return nil
}

// printResult prints the result of a pull or push in one line, and below it errors and the notes that were not told before.
func printResult(s *term.Streams, r sync.Result, told []string) error {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	if r.Direction != "push" { // a pull also sends waiting changes
		add(r.Created, "new")
		add(r.Updated, "changed")
	}
	add(r.Deleted, "gone")
	add(r.Sent, "sent")
	if !r.DryRun {
		add(r.Waiting, "waiting")
	}
	add(r.Conflicts, "in conflict")
	if r.Direction == "push" {
		add(len(r.Errors), "failed")
	}
	if len(parts) == 0 && len(r.Notes) == 0 && len(r.Planned) == 0 && !s.Quiet {
		parts = []string{"nothing new"}
	}
	direction := map[string]string{"pull": "pulled", "full": "pulled all", "push": "pushed"}[r.Direction]
	if r.DryRun {
		direction = "would push"
		parts = []string{text.Count(len(r.Planned), "change", "changes")}
	}
	if len(parts) > 0 {
		if err := s.Line(direction + ": " + strings.Join(parts, ", ")); err != nil {
			return err
		}
	}
	for _, p := range r.Planned {
		if err := s.Text(term.EscapeText(planned(p)) + "\n"); err != nil {
			return err
		}
	}
	for _, e := range r.Errors {
		s.Warn("%s", e)
	}
	for _, n := range r.Notes {
		if !slices.Contains(told, n) {
			s.Notice("%s", n)
		}
	}
	if r.Conflicts > 0 {
		s.Notice("next: `pmsync conflicts --all` shows both values")
	}
	return nil
}

// planned returns a change as a dry run shows it: of a text with several lines the lines that differ, each below the other.
func planned(p sync.Send) string {
	head := fmt.Sprintf("  %s %s: ", p.Ticket, p.Type)
	if p.Type != outbox.Description && p.Type != outbox.Comment {
		if p.From != "" {
			head += p.From + " → "
		}
		return strings.ReplaceAll(head+p.To, "\n", ", ")
	}
	from, to := strings.Split(p.From, "\n"), strings.Split(p.To, "\n")
	for len(from) > 0 && len(to) > 0 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	for len(from) > 0 && len(to) > 0 && from[len(from)-1] == to[len(to)-1] {
		from, to = from[:len(from)-1], to[:len(to)-1]
	}
	if p.From == "" {
		from = nil
	}
	if len(from) == 0 && len(to) == 1 {
		return head + to[0]
	}
	for _, side := range []struct {
		sign  string
		lines []string
	}{{"-", from}, {"+", to}} {
		for _, line := range side.lines {
			head += "\n    " + side.sign + " " + line
		}
	}
	return strings.ReplaceAll(head, ": \n", ":\n")
}

type watchOptions struct {
	syncOptions
	Every time.Duration
}

// leastEvery is the shortest interval of a watch, so that it does not load a tracker more than people do.
const leastEvery = 15 * time.Second

func newWatch(env *cli.Env, run cli.Func[watchOptions]) *cobra.Command {
	o := &watchOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:   "watch [flags]",
		Short: "Pull and push again and again, until it is stopped",
		Long: `Sync the project again and again, for a service or a terminal of its own. A
tracker that cannot be reached is tried again; what is wrong with the
credentials ends the watch. A round costs the tracker one or two requests when
nothing is new; at night, while nothing is, it comes every 15 minutes.`,
		Example: "pmsync watch --every 5m",
	}, o, nil, run))
	cmd.Flags().DurationVar(&o.Every, "every", time.Minute, "`time` between two rounds")
	cli.Exits(cmd, fault.ExitProvider, "the tracker refuses the credentials")
	return cmd
}

// At night a watch asks less often after so many rounds without news: each further round doubles the interval, up to nightly.
const (
	calm    = 10
	nightly = 15 * time.Minute
	evening = 22 // o'clock
	morning = 6
)

// pause returns the wait before a watch's next round: the given interval, shortened by up to a tenth, so that several watches do not
// ask at one moment. quiet is the number of rounds without news, and random is from 0 to 1.
func pause(every time.Duration, quiet int, at time.Time, random float64) time.Duration {
	wait := every
	if hour := at.Hour(); (hour >= evening || hour < morning) && quiet > calm {
		wait = max(every, min(every<<min(quiet-calm, 10), nightly))
	}
	return wait - time.Duration(random*float64(wait)/10)
}

func runWatch(ctx context.Context, o *watchOptions) error {
	if o.Every < leastEvery {
		return fault.Validation("every", "a round every %s costs the tracker too much", o.Every).WithHint("give %s or more", leastEvery)
	}
	st, c, err := o.start(ctx)
	if err != nil {
		return err
	}
	if _, err := st.Sync.TrackerOf(ctx, c.Place); err != nil {
		return err
	}
	o.env.Streams.Notice("pulls and pushes every %s until it is stopped", o.Every)
	timer, quiet := time.NewTimer(o.Every), 0
	defer timer.Stop()
	for {
		results, err := st.Sync.Sync(ctx, sync.Request{Caller: c, Due: true})
		if ctx.Err() != nil {
			return nil // stopping is the normal end of a watch
		}
		if quiet, err = o.round(results, err, quiet); err != nil {
			return err
		}
		timer.Reset(pause(o.Every, quiet, time.Now(), rand.Float64()))
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
	}
}

// round prints the results of a round of a watch. quiet counts the successive rounds without news before it, and the number returned counts
// it too; a failed round does not count. An error ends the watch, because another try would not mend it.
func (o *watchOptions) round(results []sync.Result, failure error, quiet int) (int, error) {
	if failure == nil {
		quiet++
	}
	for _, r := range results {
		if r.Created+r.Updated+r.Deleted+r.Sent+r.Conflicts+len(r.Errors) == 0 {
			continue
		}
		quiet = 0
		if err := printResult(o.env.Streams, r, nil); err != nil {
			return quiet, err
		}
	}
	if failure == nil {
		return quiet, nil
	}
	if f := fault.From(failure); f == nil || !f.Retryable {
		return quiet, failure
	}
	o.env.Streams.Warn("%s", failure)
	return quiet, nil
}
