package command

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/agents/edits"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

type logOptions struct {
	inProject
	File   string // absolute; "" for what happened to items
	named  string // File as it was typed
	Limit  int
	Follow bool
}

func newLog(env *cli.Env, run cli.Func[logOptions]) *cobra.Command {
	o := &logOptions{inProject: inProject{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "log [FILE]",
		Short: "Show what happened to tasks, bugs and the rest, or who edited a file",
		Long: `Show who changed what, when, from what, to what, and why: the newest last. --follow
goes on with what any process changes until it is stopped.

With FILE, the sessions of agents' clients that edited it, in any worktree and whoever
started them: what was asked, when, and which commit holds it, or that it is uncommitted
or was not kept. memoryd history show prints a session.`,
		Example: "agit log\nagit log src/login.go\nagit log --follow -o ndjson --jq 'select(.new == \"completed\")'",
	}, o, o.take, run)
	o.listFlags(cmd)
	cmd.Flags().IntVar(&o.Limit, "limit", 50, "show at most `n` events; 0 for all")
	cmd.Flags().BoolVarP(&o.Follow, "follow", "f", false, "go on with new entries")
	return cmd
}

func (o *logOptions) take(g cli.Given) (err error) {
	if o.Follow {
		o.env.Readers = 2 // one listens while the other reads
	}
	if g.Arg(0) == "" {
		return nil
	}
	if o.Follow {
		return fault.Validation("follow", "--follow and a file exclude each other").WithHint("leave one out")
	}
	o.named = g.Arg(0)
	o.File, err = o.env.Path(o.named)
	return err
}

var editColumns = []output.Column[edits.Edit]{
	{Title: "TIME", Value: func(e edits.Edit) string { return e.At.Local().Format(time.DateTime) }},
	{Title: "SESSION", Short: true, Value: func(e edits.Edit) string { return e.ID }},
	{Title: "CLIENT", Value: func(e edits.Edit) string { return e.Client }},
	{Title: "EDITS", Right: true, Value: func(e edits.Edit) string { return strconv.Itoa(e.Edits) }},
	{Title: "BRANCH", Short: true, Value: func(e edits.Edit) string { return e.Branch }},
	{Title: "STATE", Value: state},
	{Title: "ASKED", Flex: true, Value: func(e edits.Edit) string { return e.Title }},
}

// logEdits shows which sessions edited a file, the newest last as in every log.
func logEdits(ctx context.Context, o *logOptions, s *stores.Stores) error {
	if info, err := os.Stat(o.File); err == nil && info.IsDir() {
		return fault.Validation("file", "%q is a folder", o.named).WithHint("name a file in it; without one `agit log` shows what happened to tasks and bugs")
	}
	found, err := editors(ctx, o.env, s, o.File, cmp.Or(o.Limit, math.MaxInt32), 0)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		if _, missing := os.Stat(o.File); missing != nil {
			return notAFile(ctx, s, o.named)
		}
		o.env.Streams.Notice("no session of a client edited it; `git log` shows its commits")
	}
	slices.Reverse(found)
	return output.List(ctx, o.env.Printer(), "sessions", found, editColumns)
}

// notAFile returns the error that no file of a name exists and none was edited, and names what else has the name.
func notAFile(ctx context.Context, s *stores.Stores, name string) error {
	f := fault.NotFound("file", name).WithHint("`agit log` without a file shows what happened to tasks and bugs")
	if t, err := s.Tasks.Get(ctx, name); err == nil { // which names its worktree too
		f.Hint = fmt.Sprintf("it is a task: `agit tasks show %s` shows what happened to it", t.ID)
	} else if w, err := s.Worktrees.Get(ctx, "", name); err == nil {
		f.Hint = fmt.Sprintf("it names a worktree: `agit diff %s` shows what it changes, `agit logs %s` what was printed there", text.ShellWord(name), w.Ref)
	} else if !fault.Is(err, fault.KindNotFound) {
		f.Hint = "it names more than one worktree: `agit status` lists them"
	}
	return f
}

// longestWhy is how much of a reason a table shows, in bytes; --json has all.
const longestWhy = 300

// logColumns are those of the log. On a terminal a line has room for what changed of what:
// no year, and "status" and "created" are not repeated.
func logColumns(terminal bool) []output.Column[costed] {
	at, changed, why := time.DateTime, change, func(l costed) string { return text.InRow(l.Why, longestWhy) }
	if terminal {
		at = "01-02 15:04:05"
		changed = func(e work.Event) string { return strings.TrimPrefix(change(e), "status ") }
		why = func(l costed) string { return strings.TrimPrefix(text.InRow(l.Why, longestWhy), "created") }
	}
	return []output.Column[costed]{
		{Title: "TIME", Value: func(l costed) string { return l.At.Local().Format(at) }},
		{Title: "ID", Value: func(l costed) string { return l.Item }},
		{Title: "TITLE", Short: true, Value: func(l costed) string { return l.Title }},
		{Title: "CHANGE", Value: func(l costed) string {
			if cost := l.Cost.Words(); cost != "" {
				return changed(l.Event) + ", " + cost
			}
			return changed(l.Event)
		}},
		{Title: "WHO", Short: true, Value: func(l costed) string { return cmp.Or(l.Name, l.Actor) }},
		{Title: "WHY", Value: why, Flex: true, Below: true},
	}
}

// costed is an event, with what its task took where the event ended it.
type costed struct {
	work.Logged
	Cost *costs.Sum `json:"cost,omitempty"`
}

// withCosts adds what tasks took to the events that ended them.
func withCosts(ctx context.Context, s *stores.Stores, all []work.Logged) ([]costed, error) {
	ends := func(l work.Logged) bool { return l.Field == "status" && (l.New == "completed" || l.New == "failed") }
	var ids []string
	for _, l := range all {
		if ends(l) {
			ids = append(ids, l.Item)
		}
	}
	of, err := s.Costs.OfTasks(ctx, ids)
	if err != nil {
		return nil, err
	}
	events := make([]costed, len(all))
	for i, l := range all {
		events[i].Logged = l
		if one, ok := of[l.Item]; ok && ends(l) {
			events[i].Cost = &one
		}
	}
	return events, nil
}

// change returns what an event changed, from the old value to the new one.
func change(e work.Event) string {
	if e.Old == "" {
		return e.Field + " " + e.New
	}
	return e.Field + " " + e.Old + " → " + e.New
}

func runLog(ctx context.Context, o *logOptions, s *stores.Stores) (err error) {
	if o.File != "" {
		return logEdits(ctx, o, s)
	}
	if o.Project, err = o.within(ctx, s); err != nil {
		return err
	}
	if !o.Follow {
		all, err := s.Graph.Log(ctx, o.Project, o.Limit)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			o.env.Streams.Notice("no task, bug or other item was changed yet; `agit status` shows worktrees")
		}
		events, err := withCosts(ctx, s, all)
		if err != nil {
			return err
		}
		return output.List(ctx, o.env.Printer(), "events", events, logColumns(o.env.Streams.OutTTY))
	}
	stream, err := output.NewStream(o.env.Printer(), logColumns(o.env.Streams.OutTTY))
	if err != nil {
		return err
	}
	last, err := s.Graph.LastEvent(ctx)
	if err != nil {
		return err
	}
	if o.Limit > 0 {
		all, err := s.Graph.Log(ctx, o.Project, o.Limit)
		if err != nil {
			return err
		}
		for _, l := range all {
			if l.Seq > last {
				break
			}
			if err := stream.Item(ctx, costed{Logged: l}); err != nil {
				return err
			}
		}
	}
	return s.Graph.Follow(ctx, o.Project, last, func() {}, func(l work.Logged) error { return stream.Item(ctx, costed{Logged: l}) })
}
