package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// taskListOptions say which tasks are listed.
type taskListOptions struct {
	env *cli.Env
	task.Filter
	Ready      bool
	All        bool
	ParallelOK bool
}

func newTaskList(env *cli.Env, run cli.Func[taskListOptions]) *cobra.Command {
	o := &taskListOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:     "list [REPO] [flags]",
		Aliases: []string{"ls"},
		Short:   "List the open tasks",
		Long: `List the open tasks of a repository, by default that of the current folder, or of
--project. --ready lists what can be claimed now, --parallel-ok marks the pending
tasks that touch no file that another worktree changes.`,
		Example:           "agit tasks list app\nagit tasks list app --status failed,completed --json\nagit tasks list --ready",
		ValidArgsFunction: repoNames(env),
	}, o, o.take, run)
	o.flags(cmd)
	cmd.Flags().StringVar(&o.Project, "project", "", "list the tasks of this `project`")
	cli.CompleteFlag(cmd, "project", cli.Complete(env, listProjectIDs))
	return cmd
}

// flags adds what says which tasks are listed.
func (o *taskListOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.Ready, "ready", false, "list tasks that can be claimed now, in the order of the queue")
	f.StringSliceVar(&o.Statuses, "status", nil, "list tasks of these `statuses`, separated by commas")
	f.BoolVar(&o.All, "all", false, "list finished tasks too, and every page")
	f.IntVar(&o.Limit, "limit", 50, "list at most `n` tasks; 0 for all")
	f.StringVar(&o.After, "after", "", "list the page after this `cursor`, the next of the page before")
	f.BoolVar(&o.ParallelOK, "parallel-ok", false, "show whether each pending task touches files that another worktree changes")
	cli.CompleteFlag(cmd, "status", cli.Words(task.Statuses...))
}

func (o *taskListOptions) take(g cli.Given) error {
	o.Repo = withPath(o.env, g.Arg(0))
	return o.check()
}

// check refuses what contradicts itself.
func (o *taskListOptions) check() error {
	if o.Ready && (o.Statuses != nil || o.All) {
		return fault.Validation("ready", "--ready and --status or --all contradict each other").WithHint("ready tasks are pending")
	}
	if o.Limit < 0 {
		return fault.Validation("limit", "a limit of %d makes no sense", o.Limit).WithHint("use 0 for all")
	}
	return nil
}

func runTaskList(ctx context.Context, o *taskListOptions, s *stores.Stores) error {
	if o.ParallelOK {
		return parallelTasks(ctx, o, s)
	}
	f := o.Filter
	if isHere(o.env, f.Repo) && f.Project == "" {
		f.Repo, f.Find = "", o.stay
	}
	if o.All {
		f.Limit = 0
		if f.Statuses == nil {
			f.Statuses = task.Statuses
		}
	}
	list, none := s.Tasks.List, "no open task; `agit tasks create TEXT` makes one, --all lists finished ones too"
	switch {
	case o.Ready:
		list, none = s.Tasks.Ready, "no task is ready; `agit tasks explain ID` explains why of one"
	case o.Statuses != nil:
		none = "no task is " + strings.Join(o.Statuses, " or ")
	case o.All:
		none = "no task was made yet; `agit tasks create TEXT` makes one"
	}
	page, err := list(ctx, f)
	if err != nil {
		return err
	}
	if err := output.ListDocument(ctx, o.env.Printer(), page, page.Tasks, taskColumns); err != nil {
		return err
	}
	switch {
	case page.Next != "":
		o.env.Streams.Notice("more: --after %s, or --limit 0 for all", page.Next)
	case len(page.Tasks) == 0:
		o.env.Streams.Notice("%s", none)
	}
	return nil
}

// stay returns the repository that the command is run in, or the folder's project where that
// has none.
func (o *taskListOptions) stay(tx *registry.Tx) (task.Place, error) {
	r, err := repoNamedIn(tx, o.env, o.Repo)
	if err == nil || !fault.Is(err, fault.KindValidation) {
		return task.Place{Project: r.ProjectID, Repo: r.ID}, err
	}
	at, notPlace := project.Identify(o.env.Dir)
	if notPlace != nil {
		return task.Place{}, err
	}
	p, notFound := project.At(tx, at)
	if notFound != nil {
		return task.Place{}, err
	}
	return task.Place{Project: p.ID}, nil
}

// parallelTasks returns for each pending task whether it can start beside the work in flight.
func parallelTasks(ctx context.Context, o *taskListOptions, s *stores.Stores) error {
	r, err := repoNamed(ctx, o.env, s.DB, o.Repo)
	if err != nil {
		return err
	}
	page, err := s.Tasks.List(ctx, task.Filter{Repo: r.Name, Statuses: []string{task.Pending}, Limit: o.Limit})
	if err != nil {
		return err
	}
	texts := make([]conflict.TaskText, len(page.Tasks))
	for i, t := range page.Tasks {
		texts[i] = conflict.TaskText{ID: t.ID, Text: t.Description, Agent: t.Agent}
	}
	verdicts, unread, err := s.Conflicts.ParallelOK(ctx, r.ID, texts)
	tellUnscanned(o.env.Streams, &conflict.Report{Skipped: unread})
	return printList(ctx, o.env, "tasks", verdicts, err, []output.Column[conflict.Parallel]{
		{Title: "TASK", Value: func(p conflict.Parallel) string { return p.Task }},
		{Title: "PARALLEL", Value: func(p conflict.Parallel) string { return string(p.Verdict) }},
		{Title: "FILES", Value: func(p conflict.Parallel) string { return strings.Join(p.Files, ", ") }, Flex: true},
		{Title: "WITH", Value: func(p conflict.Parallel) string { return meets(p.With) }, Flex: true},
	}, "")
}

func meets(with []conflict.Meet) string {
	names := make([]string, len(with))
	for i, m := range with {
		names[i] = strings.TrimSpace(m.File + " " + m.Worktree + m.Claim + " " + m.Agent)
	}
	return strings.Join(names, ", ")
}
