package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type taskDeleteOptions struct {
	taskChange // of each of the tasks
	IDs        []string
	DryRun     bool
	Yes        bool
}

func newTaskDelete(env *cli.Env, run cli.Func[taskDeleteOptions]) *cobra.Command {
	o := &taskDeleteOptions{taskChange: taskChange{oneTask: oneTask{env: env}}}
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
