package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
)

// taskChange is one task, who changes it with what authority (its holder by name or claim
// token, or a person with --force), and what else the change needs. To look at a task takes less of it.
type taskChange struct {
	env *cli.Env
	ID  string
	byAgent
	Token  int64
	Force  bool
	Step   string
	Result string // kept with a step
	Why    string
	To     string // the agent a task is handed over to
}

func (o *taskChange) caller() task.Caller {
	return task.Caller{Agent: agentOf(o.env, o.Agent), Token: o.Token, Force: o.Force}
}

// callerFlags adds who changes a task, and by what right.
func (o *taskChange) callerFlags(cmd *cobra.Command) {
	o.agentFlag(cmd, o.env)
	f := cmd.Flags()
	f.Int64Var(&o.Token, "token", 0, "claim `token` of a report")
	f.BoolVar(&o.Force, "force", false, "as a person, change a task that another holds; its history records that")
}

// taskStep is a verb that moves a task from one status to another.
type taskStep struct {
	verb   string   // of the subcommand and the flag
	also   []string // words for the same
	short  string
	long   string
	flag   string // what the flag's help says
	why    string // what --why says; "" when the verb takes none
	result bool   // takes --result
}

// The verbs.
const (
	stepStart    = "start"
	stepComplete = "complete"
	stepFail     = "fail"
	stepRelease  = "release"
	stepReopen   = "reopen"
	stepBlock    = "block"
	stepUnblock  = "unblock"
)

var taskSteps = []taskStep{
	{verb: stepStart, short: "Report a task as in progress", flag: "report the task with this `id` as in progress"},
	{verb: stepComplete, also: []string{"done", "close"}, short: "Report a task as completed", flag: "report the task with this `id` as completed", result: true},
	{
		verb: stepFail, short: "Report a task as failed", result: true,
		long: "Report a task as failed. With --result canceled it closes one that is not wanted.",
		flag: "report the task with this `id` as failed (--result canceled closes one that is not wanted)",
	},
	{verb: stepRelease, short: "Give a task back to the queue", flag: "give the task with this `id` back to the queue", why: "`reason` of giving it back"},
	{verb: stepReopen, short: "Put a finished task back in the queue", flag: "put the finished task with this `id` back in the queue", why: "`reason` of reopening it"},
	{
		verb: stepBlock, short: "Hold a task back: no agent gets it", why: "`reason` of holding it back",
		long: "Hold a task back: no agent gets it until `agit tasks unblock`.",
		flag: "hold the task with this `id` back: no agent gets it until --unblock",
	},
	{verb: stepUnblock, short: "Let a task go that was held back", flag: "let the task with this `id` go that --block held back", why: "`reason` of letting it go"},
}

func newTaskStep(step taskStep) func(*cli.Env, cli.Func[taskChange]) *cobra.Command {
	return func(env *cli.Env, run cli.Func[taskChange]) *cobra.Command {
		o := &taskChange{env: env, Step: step.verb}
		cmd := cli.Command(&cobra.Command{
			Use:               step.verb + " ID [flags]",
			Aliases:           step.also,
			Short:             step.short,
			Long:              step.long,
			Example:           "agit tasks " + step.verb + " t-06q8v1k2m4 --agent builder-1",
			ValidArgsFunction: cli.CompleteFirst(env, listTaskIDs(step.verb)),
		}, o, cli.Take(&o.ID), run)
		o.callerFlags(cmd)
		if step.result {
			cmd.Flags().StringVar(&o.Result, "result", "", "`text` kept with the task")
		}
		if step.why != "" {
			cmd.Flags().StringVar(&o.Why, "why", "", step.why)
		}
		return cmd
	}
}

func runTaskStep(ctx context.Context, o *taskChange, s *stores.Stores) error {
	t, err := o.move(ctx, s.Tasks)
	return printTask(ctx, o.env, t, err)
}

func (o *taskChange) move(ctx context.Context, store *task.Store) (task.Task, error) {
	switch o.Step {
	case stepReopen:
		return store.Reopen(ctx, o.ID, o.caller(), o.Why)
	case stepBlock:
		return store.Block(ctx, o.ID, o.caller(), o.Why)
	case stepUnblock:
		return store.Unblock(ctx, o.ID, o.caller(), o.Why)
	}
	status := map[string]string{stepStart: task.InProgress, stepComplete: task.Completed, stepFail: task.Failed, stepRelease: task.Pending}[o.Step]
	return store.Report(ctx, task.Report{ID: o.ID, Status: status, Result: o.Result, Why: o.Why, Caller: o.caller()})
}

func newTaskClaim(env *cli.Env, run cli.Func[taskChange]) *cobra.Command {
	o := &taskChange{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "claim ID [flags]",
		Short: "Claim a task for an agent",
		Long: `Claim a task for an agent. A claim is won by exactly one of any number of agents;
the same claim again is not an error.`,
		Example:           "agit tasks claim t-06q8v1k2m4 --agent builder-1",
		ValidArgsFunction: cli.CompleteFirst(env, listTaskIDs("claim")),
	}, o, cli.Take(&o.ID), run)
	o.agentFlag(cmd, env)
	return cmd
}

func runTaskClaim(ctx context.Context, o *taskChange, s *stores.Stores) error {
	t, err := s.Tasks.Claim(ctx, o.ID, agentOf(o.env, o.Agent))
	return printTask(ctx, o.env, t, err)
}

type taskNextOptions struct {
	env *cli.Env
	byAgent
	Repo string
}

func newTaskNext(env *cli.Env, run cli.Func[taskNextOptions]) *cobra.Command {
	o := &taskNextOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "next [REPO] [flags]",
		Short: "Claim the next ready task of a repository",
		Long: `Claim the next ready task of a repository for an agent. agit next does the same with
a choice: of project, priority and capabilities.`,
		Example:           "agit tasks next app --agent builder-1",
		ValidArgsFunction: repoNames(env),
	}, o, cli.Take(&o.Repo), run)
	o.agentFlag(cmd, env)
	cli.Exits(cmd, fault.ExitNotFound, "nothing is ready, or there is no such repository")
	return cmd
}

func runTaskNext(ctx context.Context, o *taskNextOptions, s *stores.Stores) error {
	name, err := repoName(ctx, o.env, s.DB, o.Repo)
	if err != nil {
		return err
	}
	t, ok, err := s.Tasks.Next(ctx, name, agentOf(o.env, o.Agent))
	if err != nil {
		return err
	}
	if !ok {
		o.env.Streams.Notice("no task of %q is ready", name)
		return cli.ExitStatus(fault.ExitNotFound)
	}
	return printTask(ctx, o.env, t, nil)
}
