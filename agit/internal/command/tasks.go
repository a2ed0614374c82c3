package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// tasksOptions are the flags of tasks: at most one of the actions, and what
// goes with it.
type tasksOptions struct {
	env  *cli.Env
	Repo string

	// actions
	Create     string
	Claim      string
	Next       bool
	Start      string
	Complete   string
	Fail       string
	Release    string
	Reopen     string
	Block      string
	Unblock    string
	Show       string
	Explain    string
	ParallelOK bool

	Agent    string
	Token    int64
	Result   string
	Why      string
	Priority string
	ID       string

	// of a created task
	Epic         string
	Project      string
	DependsOn    []string
	Capabilities []string
	Estimate     string
	From         string

	Ready    bool
	Statuses []string
	All      bool
	Limit    int
	After    string
}

func newTasks(env *cli.Env, run func(context.Context, *tasksOptions) error) *cobra.Command {
	o := &tasksOptions{env: env}
	cmd := &cobra.Command{
		Use:   "tasks [REPO] [show|explain ID] [flags]",
		Short: "List, create, claim and report on tasks",
		Long: `List the open tasks of a repository, or do one thing with a task. REPO is the
one the current folder lies in when it is left out.

A claim is won by exactly one of any number of agents and carries a claim token;
a report that gives the token cannot overwrite a later claim. --create - reads
tasks from standard input, as JSON or NDJSON: objects with description (or name,
or title) and, if wanted, id and priority; all are created or none. explain says for any item why it is or is not ready.`,
		Example: `agit tasks app --create "fix the login page" --priority high
agit tasks app --next --agent builder-1
agit tasks app --complete t-06q8v1k2m4 --agent builder-1 --result "merged"
agit tasks app --status failed,completed --json
agit tasks app --ready
agit tasks show t-06q8v1k2m4
agit tasks explain t-06q8v1k2m4`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.take(args); err != nil {
				return err
			}
			if err := o.oneAction(); err != nil {
				return err
			}
			return run(c.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Create, "create", "", "create a task from a `text` (its first line is the name), or - to read tasks")
	f.StringVar(&o.Claim, "claim", "", "claim the task with this `id` for --agent")
	f.BoolVar(&o.Next, "next", false, "claim the next ready task for --agent")
	f.StringVar(&o.Start, "start", "", "report the task with this `id` as in progress")
	f.StringVar(&o.Complete, "complete", "", "report the task with this `id` as completed")
	f.StringVar(&o.Fail, "fail", "", "report the task with this `id` as failed (--result canceled closes one nobody wants)")
	f.StringVar(&o.Release, "release", "", "give the task with this `id` back to the queue")
	f.StringVar(&o.Reopen, "reopen", "", "put the finished task with this `id` back in the queue")
	f.StringVar(&o.Block, "block", "", "hold the task with this `id` back: it is given to nobody until --unblock")
	f.StringVar(&o.Unblock, "unblock", "", "let the task with this `id` go that --block held back")
	f.StringVar(&o.Why, "why", "", "`reason` of a --block or --unblock")
	f.BoolVar(&o.ParallelOK, "parallel-ok", false, "say of each pending task whether it touches files that are in work")
	f.StringVar(&o.Agent, "agent", "", "`agent` this is done for (default AGIT_AGENT)")
	f.Int64Var(&o.Token, "token", 0, "claim `token` of a report")
	f.StringVar(&o.Result, "result", "", "`text` kept with a completed or failed task")
	f.StringVar(&o.Priority, "priority", "", "`priority` of a created task: none, low, medium, high, critical or 0 to 4")
	f.StringVar(&o.ID, "id", "", "`id` of a created task; made when left out")
	f.StringVar(&o.Epic, "epic", "", "`epic` of a created task, which says the project too; no repository is needed then")
	f.StringVar(&o.Project, "project", "", "`project` of a created task that has no repository")
	f.StringSliceVar(&o.DependsOn, "depends-on", nil, "`ids` that a created task waits for, separated by commas")
	f.StringSliceVar(&o.Capabilities, "capabilities", nil, "what an agent must be able to do to get the created task, separated by commas")
	f.StringVar(&o.Estimate, "estimate", "", "estimated `duration` of a created task, like 30m or 2d")
	f.StringVar(&o.From, "from", "", "`id` of the ticket, plan or other item that a created task takes up")
	f.BoolVar(&o.Ready, "ready", false, "list what can be claimed now, in the order of the queue (also of a --project)")
	f.StringSliceVar(&o.Statuses, "status", nil, "list tasks of these `statuses`, separated by commas")
	f.BoolVar(&o.All, "all", false, "list finished tasks too, and every page")
	f.IntVar(&o.Limit, "limit", 50, "list at most `n` tasks; 0 for all")
	f.StringVar(&o.After, "after", "", "list the page after this `cursor`, the next of the page before")
	cli.Exits(cmd, fault.ExitNotFound, "no such task or repository, or --next found nothing to do")
	cmd.ValidArgsFunction = repoNames(env)
	for _, flag := range []string{"claim", "start", "complete", "fail", "release", "reopen", "block", "unblock"} {
		cli.CompleteFlag(cmd, flag, cli.Complete(env, listTaskIDs(flag)))
	}
	cli.CompleteFlag(cmd, "project", cli.Complete(env, listProjectIDs))
	cli.CompleteFlag(cmd, "agent", cli.Complete(env, listAgentNames))
	cli.CompleteFlag(cmd, "status", values(task.Statuses...))
	return cmd
}

// take reads [REPO] [show|explain ID].
func (o *tasksOptions) take(args []string) error {
	if len(args) > 0 && args[0] != "show" && args[0] != "explain" {
		o.Repo, args = args[0], args[1:]
	}
	switch {
	case len(args) == 0:
		return nil
	case args[0] != "show" && args[0] != "explain":
		return fault.Validation("", "agit tasks was given an argument too many: %q", args[0]).WithHint("usage: agit tasks [REPO] [show|explain ID] [flags]")
	case len(args) != 2 || args[1] == "":
		return fault.Validation("id", "agit tasks %s needs one id", args[0]).WithHint("usage: agit tasks [REPO] %s ID", args[0])
	}
	if args[0] == "explain" {
		o.Explain = args[1]
		return nil
	}
	o.Show = args[1]
	return nil
}

// oneAction refuses two actions in one command.
func (o *tasksOptions) oneAction() error {
	var given []string
	for _, action := range []struct {
		name string
		set  bool
	}{
		{"--create", o.Create != ""}, {"--claim", o.Claim != ""}, {"--next", o.Next}, {"--start", o.Start != ""},
		{"--complete", o.Complete != ""}, {"--fail", o.Fail != ""}, {"--release", o.Release != ""},
		{"--reopen", o.Reopen != ""}, {"--block", o.Block != ""}, {"--unblock", o.Unblock != ""}, {"show", o.Show != ""}, {"explain", o.Explain != ""}, {"--parallel-ok", o.ParallelOK},
	} {
		if action.set {
			given = append(given, action.name)
		}
	}
	if len(given) > 1 {
		return fault.Validation(strings.TrimLeft(given[1], "-"), "%s cannot be done at once", strings.Join(given, " and ")).WithHint("give them one after another")
	}
	if o.Ready && (o.Statuses != nil || o.All) {
		return fault.Validation("ready", "--ready and --status or --all contradict each other").WithHint("what is ready is pending")
	}
	if o.Limit < 0 {
		return fault.Validation("limit", "a limit of %d makes no sense", o.Limit).WithHint("use 0 for all")
	}
	return nil
}

func runTasks(ctx context.Context, o *tasksOptions) error {
	s, err := stores.Open(ctx, o.env, o.env.Streams.ErrWriter())
	if err != nil {
		return err
	}
	db, store := s.DB, s.Tasks
	if o.Agent == "" {
		o.Agent = o.env.Getenv("AGIT_AGENT")
	}
	report := func(id, status string) error {
		t, err := store.Report(ctx, task.Report{ID: id, Status: status, Result: o.Result, Agent: o.Agent, Token: o.Token})
		if err != nil {
			return err
		}
		return printTask(ctx, o.env, t)
	}
	switch {
	case o.Create != "":
		return createTasks(ctx, o, db, store)
	case o.Claim != "":
		t, err := store.Claim(ctx, o.Claim, o.Agent)
		if err != nil {
			return err
		}
		return printTask(ctx, o.env, t)
	case o.Next:
		return nextTask(ctx, o, db, store)
	case o.Start != "":
		return report(o.Start, task.InProgress)
	case o.Complete != "":
		return report(o.Complete, task.Completed)
	case o.Fail != "":
		return report(o.Fail, task.Failed)
	case o.Release != "":
		return report(o.Release, task.Pending)
	case o.Reopen != "":
		t, err := store.Reopen(ctx, o.Reopen, o.Agent)
		if err != nil {
			return err
		}
		return printTask(ctx, o.env, t)
	case o.Block != "":
		t, err := store.Block(ctx, o.Block, o.Agent, o.Why)
		if err != nil {
			return err
		}
		return printTask(ctx, o.env, t)
	case o.Unblock != "":
		t, err := store.Unblock(ctx, o.Unblock, o.Agent, o.Why)
		if err != nil {
			return err
		}
		return printTask(ctx, o.env, t)
	case o.Show != "":
		return showTask(ctx, o, store)
	case o.Explain != "":
		return explainTask(ctx, o, store)
	case o.ParallelOK:
		return parallelTasks(ctx, o, db, store, s.Conflicts)
	}
	return listTasks(ctx, o, db, store)
}

func nextTask(ctx context.Context, o *tasksOptions, db *registry.DB, store *task.Store) error {
	name, err := repoName(ctx, o.env, db, o.Repo)
	if err != nil {
		return err
	}
	t, ok, err := store.Next(ctx, name, o.Agent)
	if err != nil {
		return err
	}
	if !ok {
		o.env.Streams.Notice("no task of %q is ready", name)
		return cli.ExitStatus(fault.ExitNotFound)
	}
	return printTask(ctx, o.env, t)
}

func listTaskIDs(flag string) func(context.Context, *registry.DB, string) ([]string, error) {
	statuses := map[string][]string{
		"claim": {task.Pending}, "start": {task.Claimed, task.Pending}, "release": {task.InProgress, task.Claimed},
		"reopen": {task.Failed, task.Completed}, "unblock": {task.Blocked},
	}[flag]
	return func(ctx context.Context, db *registry.DB, _ string) ([]string, error) {
		page, err := (&task.Store{DB: db}).List(ctx, task.Filter{Statuses: statuses, Limit: 100})
		if err != nil {
			return nil, err
		}
		ids := make([]string, len(page.Tasks))
		for i, t := range page.Tasks {
			ids[i] = t.ID + "\t" + t.Name
		}
		return ids, nil
	}
}
