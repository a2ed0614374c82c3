package command

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
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
	Edit       string
	HandOver   string
	Delete     []string
	Show       string
	Explain    string
	ParallelOK bool

	Agent    string
	Token    int64
	Force    bool
	To       string
	Text     string
	Assign   string
	DryRun   bool
	Yes      bool
	Result   string
	Why      string
	Priority string
	ID       string

	changed func(flag string) bool

	// of a created or edited task
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

func newTasks(env *cli.Env) *cobra.Command {
	o := &tasksOptions{env: env}
	cmd := &cobra.Command{
		Use:        "tasks [REPO] [show|explain ID] [flags]",
		SuggestFor: []string{"list", "todo"},
		Short:      "List, create, claim, edit and report on tasks",
		Long: `List the open tasks of a repository or --project, or do one thing with a task.
REPO is the one the current folder lies in when it is left out.

A claim is won by exactly one of any number of agents. Its holder alone, by name
or claim token, reports on the task, edits it or hands it over; a person may with
--force. A finished task changes only by --reopen. --create - reads tasks from
standard input, as JSON or NDJSON: objects with description (or name, or title)
and, if wanted, id and priority; all are created or none. Of a ticket or plan in
the list, as of pmsync ready, a task is made once. explain says for any
item why it is or is not ready.`,
		Example: `agit tasks app --create "fix the login page" --priority high
agit tasks app --next --agent builder-1
agit tasks app --complete t-06q8v1k2m4 --agent builder-1 --result "merged"
agit tasks --hand-over t-06q8v1k2m4 --to builder-2 --agent builder-1
agit tasks --edit t-06q8v1k2m4 --priority critical --estimate 2h
agit tasks app --status failed,completed --json
agit tasks app --ready
agit tasks show t-06q8v1k2m4
agit tasks explain t-06q8v1k2m4`,
		RunE: func(c *cobra.Command, args []string) error {
			o.changed = c.Flags().Changed
			if err := o.take(args); err != nil {
				return err
			}
			if err := o.oneAction(); err != nil {
				return err
			}
			return runTasks(c.Context(), o)
		},
	}
	o.addFlags(cmd.Flags())
	cli.Exits(cmd, fault.ExitNotFound, "no such task or repository, or --next found nothing to do")
	completeTasksFlags(cmd, env)
	return cmd
}

// addFlags defines the flags: the actions, what goes with them, what a task is made of, and what is listed. Help sorts them.
func (o *tasksOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Create, "create", "", "create a task from a `text` (its first line is the name), or - to read tasks")
	f.StringVar(&o.Claim, "claim", "", "claim the task with this `id` for --agent")
	f.BoolVar(&o.Next, "next", false, "claim the next ready task for --agent")
	f.StringVar(&o.Start, "start", "", "report the task with this `id` as in progress")
	f.StringVar(&o.Complete, "complete", "", "report the task with this `id` as completed")
	f.StringVar(&o.Fail, "fail", "", "report the task with this `id` as failed (--result canceled closes one that is not wanted)")
	f.StringVar(&o.Release, "release", "", "give the task with this `id` back to the queue")
	f.StringVar(&o.Reopen, "reopen", "", "put the finished task with this `id` back in the queue")
	f.StringVar(&o.HandOver, "hand-over", "", "give the held task with this `id` to the agent of --to")
	f.StringVar(&o.To, "to", "", "`agent` that goes on with a task handed over")
	f.StringVar(&o.Edit, "edit", "", "change the task with this `id`: --text, --priority, --estimate, --epic, --assign, --capabilities")
	f.StringSliceVar(&o.Delete, "delete", nil, "delete the tasks with these `ids`, if they were never begun")
	f.StringVar(&o.Block, "block", "", "hold the task with this `id` back: no agent gets it until --unblock")
	f.StringVar(&o.Unblock, "unblock", "", "let the task with this `id` go that --block held back")
	f.StringVar(&o.Why, "why", "", "`reason` of a --block, --unblock, --release or --reopen")
	f.BoolVar(&o.ParallelOK, "parallel-ok", false, "say of each pending task whether it touches files that are in work")
	f.StringVar(&o.Agent, "agent", "", "`agent` this is done for (default AGIT_AGENT)")
	f.Int64Var(&o.Token, "token", 0, "claim `token` of a report")
	f.BoolVar(&o.Force, "force", false, "as a person, change a task that another holds; its history says so")
	f.StringVar(&o.Result, "result", "", "`text` kept with a completed or failed task")
	f.StringVar(&o.Priority, "priority", "", "`priority` of a created or edited task: none, low, medium, high, critical or 0 to 4")
	f.StringVar(&o.Text, "text", "", "new `text` of an edited task; its first line is the name")
	f.StringVar(&o.Assign, "assign", "", "`agent` that alone may claim an edited task; empty for any")
	f.StringVar(&o.ID, "id", "", "`id` of a created task; made when left out")
	f.StringVar(&o.Epic, "epic", "", "`epic` of a created or edited task; of a created one it says the project too")
	f.StringVar(&o.Project, "project", "", "`project` to list, or of a created task that has no repository")
	f.StringSliceVar(&o.DependsOn, "depends-on", nil, "`ids` that a created task waits for, separated by commas")
	f.StringSliceVar(&o.Capabilities, "capabilities", nil, "what an agent must be able to do to get the task, separated by commas")
	f.StringVar(&o.Estimate, "estimate", "", "estimated `duration` of a created or edited task, like 30m or 2d")
	f.StringVar(&o.From, "from", "", "`id` of the ticket, plan or other item that a created task takes up")
	f.BoolVar(&o.Ready, "ready", false, "list what can be claimed now, in the order of the queue")
	f.StringSliceVar(&o.Statuses, "status", nil, "list tasks of these `statuses`, separated by commas")
	f.BoolVar(&o.All, "all", false, "list finished tasks too, and every page")
	f.IntVar(&o.Limit, "limit", 50, "list at most `n` tasks; 0 for all")
	f.StringVar(&o.After, "after", "", "list the page after this `cursor`, the next of the page before")
	f.BoolVar(&o.DryRun, "dry-run", false, "with --delete, say what would go and change nothing")
	f.BoolVarP(&o.Yes, "yes", "y", false, "with --delete, do not ask")
}

// completeTasksFlags has the shell complete ids, agents and statuses.
func completeTasksFlags(cmd *cobra.Command, env *cli.Env) {
	cmd.ValidArgsFunction = completeTasks(env)
	for _, flag := range []string{"claim", "start", "complete", "fail", "release", "reopen", "block", "unblock", "edit", "hand-over", "delete"} {
		cli.CompleteFlag(cmd, flag, cli.Complete(env, listTaskIDs(flag)))
	}
	cli.CompleteFlag(cmd, "project", cli.Complete(env, listProjectIDs))
	for _, flag := range []string{"agent", "to", "assign"} {
		cli.CompleteFlag(cmd, flag, cli.Complete(env, listAgentNames))
	}
	cli.CompleteFlag(cmd, "status", cli.Words(task.Statuses...))
}
