package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// taskEdited is what flags change of a task: those that are given, even if empty.
type taskEdited struct {
	taskDetails
	Text   string
	Assign string
}

// flags adds what only an edited task has.
func (o *taskEdited) flags(cmd *cobra.Command, env *cli.Env, task string) {
	f := cmd.Flags()
	f.StringVar(&o.Text, "text", "", "new `text` of "+task+"; its first line is the name")
	f.StringVar(&o.Assign, "assign", "", "`agent` that alone may claim "+task+"; empty for any")
	cli.CompleteFlag(cmd, "assign", cli.Complete(env, listAgentNames))
}

func (o *taskEdited) edit(g cli.Given) (e task.Edit, err error) {
	e = task.Edit{
		Text: cli.IfGiven(g, "text", &o.Text), Epic: cli.IfGiven(g, "epic", &o.Epic),
		Assignee: cli.IfGiven(g, "assign", &o.Assign), Capabilities: cli.IfGiven(g, "capabilities", &o.Capabilities),
	}
	if g.Changed("priority") {
		p, err := work.ParsePriority(o.Priority)
		if err != nil {
			return e, err
		}
		e.Priority = &p
	}
	if g.Changed("estimate") {
		d, err := work.ParseDuration("estimate", o.Estimate)
		if err != nil {
			return e, err
		}
		e.Estimate = &d
	}
	return e, nil
}

type taskEditOptions struct {
	taskChange
	taskEdited
	Edit task.Edit
}

func newTaskEdit(env *cli.Env, run cli.Func[taskEditOptions]) *cobra.Command {
	o := &taskEditOptions{taskChange: taskChange{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:               "edit ID [flags]",
		Short:             "Change a task that is not finished",
		Long:              "Change an unfinished task: each flag sets a field, and an empty value clears it.",
		Example:           "agit tasks edit t-06q8v1k2m4 --priority critical --estimate 2h\nagit tasks edit t-06q8v1k2m4 --epic ''",
		ValidArgsFunction: cli.CompleteFirst(env, listTaskIDs("edit")),
	}, o, o.take, run)
	o.taskDetails.flags(cmd.Flags(), "the task")
	o.taskEdited.flags(cmd, env, "the task")
	o.callerFlags(cmd)
	return cmd
}

func (o *taskEditOptions) take(g cli.Given) (err error) {
	o.ID = g.Arg(0)
	o.Edit, err = o.edit(g)
	return err
}

func runTaskEdit(ctx context.Context, o *taskEditOptions, s *stores.Stores) error {
	t, err := s.Tasks.Edit(ctx, o.ID, o.Edit, o.caller())
	return printTask(ctx, o.env, t, err)
}

func newTaskHandOver(env *cli.Env, run cli.Func[taskChange]) *cobra.Command {
	o := &taskChange{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:               "hand-over ID --to AGENT [flags]",
		Short:             "Give a held task to another agent",
		Example:           "agit tasks hand-over t-06q8v1k2m4 --to builder-2 --agent builder-1",
		Args:              cli.Args("ID"),
		ValidArgsFunction: cli.CompleteFirst(env, listTaskIDs("hand-over")),
	}, o, cli.Take(&o.ID), run)
	o.toFlag(cmd)
	o.callerFlags(cmd)
	return cmd
}

func (o *taskChange) toFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.To, "to", "", "`agent` that goes on with a task handed over")
	cli.CompleteFlag(cmd, "to", cli.Complete(o.env, listAgentNames))
}

func runTaskHandOver(ctx context.Context, o *taskChange, s *stores.Stores) error {
	t, err := s.Tasks.HandOver(ctx, o.ID, o.To, o.caller())
	return printTask(ctx, o.env, t, err)
}

type taskDeleteOptions struct {
	taskChange // of each of the tasks
	IDs        []string
	DryRun     bool
	Yes        bool
}

func newTaskDelete(env *cli.Env, run cli.Func[taskDeleteOptions]) *cobra.Command {
	o := &taskDeleteOptions{taskChange: taskChange{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:               "delete ID... [flags]",
		Aliases:           []string{"remove", "rm"},
		Short:             "Delete tasks that were never begun",
		Long:              "Delete tasks that were never begun: all that are named, or none. Tasks that\nwaited for a deleted one no longer wait for it.",
		Example:           "agit tasks delete t-06q8v1k2m4 --dry-run\nagit tasks delete t-06q8v1k2m4 t-06q8v1k2n6 --yes",
		ValidArgsFunction: cli.Complete(env, listTaskIDs("delete")),
	}, o, cli.TakeAll(&o.IDs), run)
	o.flags(cmd.Flags(), "")
	o.callerFlags(cmd)
	return cmd
}

func (o *taskDeleteOptions) flags(f *pflag.FlagSet, with string) {
	f.BoolVar(&o.DryRun, "dry-run", false, with+"show what would go and change nothing")
	f.BoolVarP(&o.Yes, "yes", "y", false, with+"do not ask")
}

func runTaskDelete(ctx context.Context, o *taskDeleteOptions, s *stores.Stores) error {
	plan, err := s.Tasks.Delete(ctx, o.IDs, o.caller(), true)
	if err != nil {
		return err
	}
	if !o.DryRun {
		question := fmt.Sprintf("Delete %s (%s)?", text.Count(len(plan.Tasks), "task", "tasks"), strings.Join(plan.Tasks, ", "))
		if len(plan.Waiting) > 0 {
			question = strings.TrimSuffix(question, "?") + fmt.Sprintf(" for which %s waits?", strings.Join(plan.Waiting, ", "))
		}
		if agreed, err := o.env.Streams.Agreed(ctx, question, o.Yes, "nothing was deleted"); !agreed {
			return err
		}
		if plan, err = s.Tasks.Delete(ctx, o.IDs, o.caller(), false); err != nil {
			return err
		}
	}
	return o.env.Printer().Document(ctx, plan, func(s *term.Streams) error {
		verb := "deleted"
		if !plan.Deleted {
			verb = "would be deleted"
		}
		cells := []string{text.Count(len(plan.Tasks), "task", "tasks") + " " + verb, strings.Join(plan.Tasks, " ")}
		if len(plan.Waiting) > 0 {
			cells = append(cells, "waits for it no longer: "+strings.Join(plan.Waiting, " "))
		}
		return s.Line(cells...)
	})
}
