package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/history"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type historyOptions struct {
	where
	index.Query
	Since      string // as written; Query has the time
	Everywhere bool
}

func newHistory(env *cli.Env) *cobra.Command {
	o := &historyOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:   "history [QUESTION...]",
		Short: "Find what was asked, done and decided in sessions of agents' clients",
		Long: `Find places in the sessions that agents' clients keep on this machine, whoever started
them: what was asked and answered, which files were edited, which commands ran, and how
they failed. Without a question the newest sessions are listed. Copies of a session
(forks, resumes) are one hit.

Sessions are read where they are and never changed. The index of them is a file of its
own, without secrets; it can be deleted and is made again. The first run reads all, later
ones what is new. sources.off in the configuration turns clients off.`,
		Example: "memoryd history 'why did the migration fail?'\n" +
			"memoryd history --file src/app.go --since 14d\n" +
			"memoryd history --command 'npm test' --failed --json\n" +
			"memoryd history --all-projects",
		Args: cobra.ArbitraryArgs,
	}, o, cli.TakeWords(&o.Text), runHistory)
	o.bindProject(env, cmd)
	f := cmd.Flags()
	f.StringVar(&o.Client, "client", "", "only sessions of this `client`, as claude-code")
	f.StringVar(&o.Since, "since", "", "only what happened since this `time`: a date, or how long ago, such as 14d")
	f.StringVar(&o.File, "file", "", "only edits of this `file`: a path or the end of one")
	f.StringVar(&o.Command, "command", "", "only commands that hold these `words`")
	f.BoolVar(&o.Failed, "failed", false, "only commands that failed, and errors")
	f.BoolVar(&o.Everywhere, "all-projects", false, "search every project")
	f.IntVarP(&o.Limit, "limit", "n", index.DefaultLimit, "at most `n` sessions")
	cmd.AddCommand(newHistoryShow(env, runHistoryShow))
	return cmd
}

func runHistory(ctx context.Context, o *historyOptions) error {
	if o.Limit < 1 {
		return fault.Validation("limit", "limit %d is outside 1 to %d", o.Limit, history.MostHits).WithHint("give a number between them")
	}
	if o.File != "" && o.Command != "" {
		return fault.Validation("command", "--file and --command exclude each other").WithHint("give one of them")
	}
	if o.Everywhere && o.Project != "" {
		return fault.Validation("all-projects", "--all-projects and --project exclude each other").WithHint("give one of them")
	}
	since, err := cli.Since(o.Since, time.Now())
	if err != nil {
		return err
	}
	q := history.Query{Query: o.Query}
	q.Since = since
	if !o.Everywhere {
		place, err := o.place()
		if err != nil {
			return err
		}
		q.Place = &place
	}
	st, err := look(ctx, o.env)
	if err != nil {
		return err
	}
	defer progress(o.env, st.History)()
	a, err := st.History.Search(ctx, q)
	if err != nil {
		return err
	}
	switch {
	case len(a.Hits) == 0 && a.Elsewhere > 0:
		o.env.Streams.Notice("no session of this project matches; `--all-projects` finds %s", text.Count(a.Elsewhere, "session", "sessions"))
	case len(a.Hits) == 0:
		o.env.Streams.Notice("no session was found")
	}
	return output.ListDocument(ctx, o.env.Printer(), a, a.Hits, []output.Column[index.Hit]{
		{Title: "SESSION", Value: func(h index.Hit) string { return h.ID }},
		{Title: "WHEN", Value: func(h index.Hit) string { return local(h.At) }},
		{Title: "CLIENT", Value: func(h index.Hit) string { return h.Client }},
		{Title: "PROJECT", Short: true, Value: func(h index.Hit) string { return h.Project }},
		{Title: "WHAT", Value: func(h index.Hit) string {
			if h.Failed && h.Kind != "error" {
				return h.Kind + ", failed"
			}
			return h.Kind
		}},
		{Title: "TEXT", Flex: true, Value: func(h index.Hit) string { return index.OneLine(h.Text, 300) }},
	})
}

// progress shows the progress of the first reading until the returned function is called.
func progress(env *cli.Env, s *history.Store) func() {
	p := env.Streams.Progress("reading sessions of agents' clients")
	s.Kept.Progress = func(done, all int64) { p.Say("reading sessions of agents' clients: %d of %d MB", done>>20, all>>20) }
	return p.Done
}

type historyShowOptions struct {
	env     *cli.Env
	ID      string
	Handoff bool
	Limit   int
}

func newHistoryShow(env *cli.Env, run cli.Func[historyShowOptions]) *cobra.Command {
	o := &historyShowOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "show ID",
		Short: "Print what happened in a session of an agents' client",
		Long: `Print a session that a client keeps: what was asked, answered, edited and run, and how
commands ended. --handoff makes a brief of at most 6 kB, for an agent of another client.`,
		Example: "memoryd history show 3f0c\nmemoryd history show 3f0c --handoff > brief.md",
	}, o, cli.Take(&o.ID), run)
	cmd.Flags().BoolVar(&o.Handoff, "handoff", false, "print a brief for another agent")
	cmd.Flags().IntVarP(&o.Limit, "limit", "n", 200, "at most the `n` newest entries")
	return cmd
}

func runHistoryShow(ctx context.Context, o *historyShowOptions) error {
	if o.Limit < 1 {
		return fault.Validation("limit", "limit %d is not positive", o.Limit).WithHint("give a number from 1")
	}
	st, err := look(ctx, o.env)
	if err != nil {
		return err
	}
	defer progress(o.env, st.History)()
	found, err := st.History.Show(ctx, o.ID, o.Limit)
	if err != nil {
		return err
	}
	if o.Handoff {
		brief := struct {
			ID    string `json:"id"`
			Brief string `json:"brief"`
		}{found.ID, found.Handoff()}
		return o.env.Printer().Document(ctx, brief, func(t *term.Streams) error { return t.Text(brief.Brief) })
	}
	return o.env.Printer().Document(ctx, found, func(t *term.Streams) error { return t.Text(history.Text(found)) })
}
