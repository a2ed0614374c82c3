package command

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

func newTaskShow(env *cli.Env, run cli.Func[taskChange]) *cobra.Command {
	o := &taskChange{env: env}
	return cli.Command(&cobra.Command{
		Use:               "show ID",
		Short:             "Show one task, with its history",
		Example:           "agit tasks show t-06q8v1k2m4",
		ValidArgsFunction: cli.CompleteFirst(env, listTaskIDs("")),
	}, o, cli.Take(&o.ID), run)
}

func runTaskShow(ctx context.Context, o *taskChange, s *stores.Stores) error {
	d, err := s.Tasks.Get(ctx, o.ID)
	return printDocument(ctx, o.env, d, err, func(s *term.Streams) error {
		rows := [][]string{
			{"id", d.ID}, {"name", d.Name}, {"status", d.Status}, {"priority", d.Priority.String()}, {"repo", d.Repo},
			{"epic", d.Epic}, {"parent", d.Parent}, {"made from", d.Origin}, {"agent", d.Agent}, {"worktree", d.Worktree}, {"created", d.CreatedAt.Format(time.RFC3339)},
			{"started", when(d.StartedAt)}, {"completed", when(d.CompletedAt)}, {"result", text.InRow(d.Result, longestWhy)},
			{"estimate", d.EstimatedDuration}, {"took", d.ActualDuration}, {"needs", strings.Join(d.RequiredCapabilities, " ")},
			{"depends on", strings.Join(d.DependsOn, " ")}, {"blocks", strings.Join(d.Blocks, " ")}, {"bugs", strings.Join(d.BlockedBy, " ")}, {"blocked", d.BlockedWhy},
			{"produced", strings.Join(d.Artifacts, " ")},
		}
		if err := s.Lines(facts(10, rows)...); err != nil {
			return err
		}
		if d.Description != d.Name {
			if err := s.Text("\n" + d.Description + "\n"); err != nil {
				return err
			}
		}
		if strings.Contains(strings.TrimSpace(d.Result), "\n") { // the row has its first line
			if err := s.Text("\n" + d.Result + "\n"); err != nil {
				return err
			}
		}
		if err := s.Text("\n"); err != nil {
			return err
		}
		var events [][]string
		for _, e := range d.History {
			events = append(events, []string{e.At.Local().Format(time.DateTime), change(e), cmp.Or(e.Name, e.Actor), text.InRow(e.Why, longestWhy)})
		}
		return s.Lines(events...)
	})
}

func newTaskExplain(env *cli.Env, run cli.Func[taskChange]) *cobra.Command {
	o := &taskChange{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:               "explain ID [flags]",
		Short:             "Explain why a task or any other item is or is not ready",
		Example:           "agit tasks explain t-06q8v1k2m4\nagit tasks explain t-06q8v1k2m4 --agent builder-1",
		ValidArgsFunction: cli.CompleteFirst(env, listTaskIDs("")),
	}, o, cli.Take(&o.ID), run)
	o.agentFlag(cmd, env)
	return cmd
}

func runTaskExplain(ctx context.Context, o *taskChange, s *stores.Stores) error {
	e, err := s.Tasks.Explain(ctx, o.ID, agentOf(o.env, o.Agent))
	return printDocument(ctx, o.env, e, err, func(s *term.Streams) error {
		rows := [][]string{{e.ID, "is ready"}}
		if !e.Ready {
			rows[0][1] = "is not ready"
		}
		for _, r := range e.Reasons {
			rows = append(rows, []string{"because", r.Sentence})
		}
		for _, note := range e.Notes {
			rows = append(rows, []string{"note", note})
		}
		return s.Lines(rows...)
	})
}
