package command

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// newTasks is `tasks` with a subcommand for each verb. By itself it lists, or does what one
// of its flags names: taskFlags.
func newTasks(env *cli.Env) *cobra.Command {
	cmd := newTaskFlags(env, runTaskFlags)
	cmd.AddCommand(newTaskList(env, looking(env, runTaskList)), newTaskCreate(env, changing(env, runTaskCreate)),
		newTaskShow(env, looking(env, runTaskShow)), newTaskExplain(env, looking(env, runTaskExplain)),
		newTaskClaim(env, changing(env, runTaskClaim)), newTaskNext(env, changing(env, runTaskNext)),
		newTaskEdit(env, changing(env, runTaskEdit)), newTaskHandOver(env, changing(env, runTaskHandOver)),
		newTaskDelete(env, changing(env, runTaskDelete)))
	for _, step := range taskSteps {
		cmd.AddCommand(newTaskStep(step)(env, changing(env, runTaskStep)))
	}
	return cli.RunsAlone(cmd)
}

func newTaskFlags(env *cli.Env, run cli.Func[taskFlags]) *cobra.Command {
	o := &taskFlags{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "tasks [REPO] [flags]",
		Args:       cobra.ArbitraryArgs,
		SuggestFor: []string{"list", "todo"},
		Short:      "List, create, claim, edit and report on tasks",
		Long: `List the open tasks of a repository or --project; the commands do one thing with a
task. REPO is the current folder's by default. A repository with the name of a command
comes after that command: agit tasks list list.

A claim is won by exactly one of any number of agents. Its holder alone, by name
or claim token, reports on the task, edits it or hands it over; a person may with
--force. A finished task changes only by agit tasks reopen.

Each command is a flag too: agit tasks [REPO] --claim ID.`,
		Example: `agit tasks create app "fix the login page" --priority high
agit tasks next app --agent builder-1
agit tasks complete t-06q8v1k2m4 --agent builder-1 --result "merged"
agit tasks hand-over t-06q8v1k2m4 --to builder-2 --agent builder-1
agit tasks edit t-06q8v1k2m4 --priority critical --estimate 2h
agit tasks app --status failed,completed --json
agit tasks app --ready
agit tasks show t-06q8v1k2m4
agit tasks explain t-06q8v1k2m4`,
		ValidArgsFunction: completeTasks(env),
	}, o, o.take, run)
	o.flags(cmd)
	cli.Exits(cmd, fault.ExitNotFound, "no such task or repository, or --next found nothing to do")
	return cmd
}

// taskFlags are the flags of tasks itself. At most one of them names an action, which
// becomes the options of the subcommand of its name.
type taskFlags struct {
	env *cli.Env

	list    taskListOptions
	create  taskCreateOptions
	edited  taskEdited
	deleted taskDeleteOptions
	change  taskChange
	Next    bool
	ids     map[string]*string // what each action's flag was given

	action action
}

// taskActions are the flags that name an action and take a value.
var taskActions = []string{
	"create", "claim", stepStart, stepComplete, stepFail, stepRelease, stepReopen, stepBlock, stepUnblock, "edit", "hand-over",
}

// flags defines the flags: of the actions, of a new task, and of the list. Help sorts them.
func (o *taskFlags) flags(cmd *cobra.Command) {
	o.list.env, o.create.env, o.change.env = o.env, o.env, o.env
	o.ids = map[string]*string{}
	for _, action := range taskActions {
		o.ids[action] = new(string)
	}
	f := cmd.Flags()
	f.StringVar(o.ids["create"], "create", "", "create a task from a `text` (its first line is the name), or - to read tasks")
	f.StringVar(o.ids["claim"], "claim", "", "claim the task with this `id` for --agent")
	f.BoolVar(&o.Next, "next", false, "claim the next ready task for --agent")
	for _, step := range taskSteps {
		f.StringVar(o.ids[step.verb], step.verb, "", step.flag)
	}
	f.StringVar(o.ids["hand-over"], "hand-over", "", "give the held task with this `id` to the agent of --to")
	f.StringVar(o.ids["edit"], "edit", "", "change the task with this `id`: --text, --priority, --estimate, --epic, --assign, --capabilities")
	f.StringSliceVar(&o.deleted.IDs, "delete", nil, "delete the tasks with these `ids`, if they were never begun")
	f.StringVar(&o.change.Why, "why", "", "`reason` of a --block, --unblock, --release or --reopen")
	f.StringVar(&o.change.Result, "result", "", "`text` kept with a completed or failed task")
	f.StringVar(&o.list.Project, "project", "", "`project` to list, or of a new task without a repository")
	o.list.flags(cmd)
	o.edited.taskDetails.flags(f, "a created or edited task")
	o.edited.flags(cmd, o.env, "an edited task")
	o.create.flags(f, "a created task")
	o.change.toFlag(cmd)
	o.deleted.flags(f, "with --delete, ")
	o.change.callerFlags(cmd)
	for _, action := range append(taskActions[1:len(taskActions):len(taskActions)], "delete") {
		cli.CompleteFlag(cmd, action, cli.Complete(o.env, listTaskIDs(action)))
	}
	cli.CompleteFlag(cmd, "project", cli.Complete(o.env, listProjectIDs))
}

// take reads [REPO] [show|explain ID] and chooses the action.
func (o *taskFlags) take(g cli.Given) error {
	args := g.Args
	if len(args) > 0 && !behindRepo(args[0]) {
		o.list.Repo, args = withPath(o.env, args[0]), args[1:]
	}
	given, err := o.given(g)
	if err != nil {
		return err
	}
	switch {
	case len(args) == 0:
	case !behindRepo(args[0]):
		return tooMany(g.Args, args[0])
	case len(args) != 2 || args[1] == "":
		return fault.Validation("id", "agit tasks %s needs one id", args[0]).WithHint("usage: agit tasks %s ID", args[0])
	default:
		given = append(given, args[0])
	}
	if err := cli.OneOf(given, "give them one after another"); err != nil {
		return err
	}
	if err := o.list.check(); err != nil {
		return err
	}
	o.action = actionOf(looking(o.env, runTaskList), &o.list)
	if len(given) > 0 && given[0] != "--parallel-ok" {
		o.action, err = o.chosen(given[0], args, g)
	}
	return err
}

// behindRepo reports whether a word is a verb that may also follow a repository, though it does not need one.
func behindRepo(word string) bool { return word == "show" || word == "explain" }

// tooMany is the error of a further argument, which names the command that was meant.
func tooMany(args []string, further string) error {
	f := fault.Validation("", "tasks was given an argument too many: %q", further)
	for _, word := range args {
		if slices.Contains(taskActions, word) || slices.Contains([]string{"list", "next", "delete"}, word) {
			return f.WithHint("the command comes first: agit tasks %s", word)
		}
	}
	return f.WithHint("usage: agit tasks [REPO] [flags], or agit tasks COMMAND")
}

// given lists the flags that name an action; one that names nothing is refused.
func (o *taskFlags) given(g cli.Given) (given []string, err error) {
	for _, action := range append(taskActions[:len(taskActions):len(taskActions)], "next", "delete", "parallel-ok") {
		if !g.Changed(action) {
			continue
		}
		given = append(given, "--"+action)
		if value := o.ids[action]; value != nil && *value == "" {
			what := "the id of a task"
			if action == "create" {
				what = "what is to be done"
			}
			return nil, fault.Validation(action, "--%s is empty", action).WithHint("give %s", what)
		}
	}
	return given, nil
}

// chosen is the subcommand that a flag or word stands for. args are show or explain
// with an id.
func (o *taskFlags) chosen(flag string, args []string, g cli.Given) (action, error) {
	verb := strings.TrimPrefix(flag, "--")
	change := o.change
	if id := o.ids[verb]; id != nil {
		change.ID = *id
	} else if len(args) > 1 {
		change.ID = args[1]
	}
	switch verb {
	case "create":
		c := o.create
		c.Repo, c.Text, c.byAgent, c.taskDetails, c.Project = o.list.Repo, *o.ids[verb], change.byAgent, o.edited.taskDetails, o.list.Project
		return actionOf(changing(o.env, runTaskCreate), &c), nil
	case "next":
		if !o.Next { // --next=false
			return actionOf(looking(o.env, runTaskList), &o.list), nil
		}
		return actionOf(changing(o.env, runTaskNext), &taskNextOptions{env: o.env, byAgent: change.byAgent, Repo: o.list.Repo}), nil
	case "show":
		return actionOf(looking(o.env, runTaskShow), &change), nil
	case "explain":
		return actionOf(looking(o.env, runTaskExplain), &change), nil
	case "claim":
		return actionOf(changing(o.env, runTaskClaim), &change), nil
	case "hand-over":
		return actionOf(changing(o.env, runTaskHandOver), &change), nil
	case "delete":
		return actionOf(changing(o.env, runTaskDelete), &taskDeleteOptions{change, o.deleted.IDs, o.deleted.DryRun, o.deleted.Yes}), nil
	case "edit":
		edit, err := o.edited.edit(g)
		return actionOf(changing(o.env, runTaskEdit), &taskEditOptions{change, o.edited, edit}), err
	}
	change.Step = verb
	return actionOf(changing(o.env, runTaskStep), &change), nil
}

func runTaskFlags(ctx context.Context, o *taskFlags) error { return o.action.run(ctx) }

// completeTasks completes a repository, or a task behind show and explain.
func completeTasks(env *cli.Env) cli.Completer {
	ids, names := cli.Complete(env, listTaskIDs("")), repoNames(env)
	return func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch n := len(args); {
		case n > 0 && behindRepo(args[n-1]):
			return ids(c, nil, typed)
		case n > 0:
			return cli.Words("show", "explain")(c, args, typed)
		}
		return names(c, args, typed)
	}
}

// listTaskIDs lists the tasks that a verb may be used on; "" is any.
func listTaskIDs(verb string) func(context.Context, *registry.DB, string) ([]string, error) {
	statuses := map[string][]string{
		"claim": {task.Pending}, "start": {task.Claimed, task.Pending}, "release": {task.InProgress, task.Claimed}, "hand-over": {task.InProgress, task.Claimed},
		"reopen": {task.Failed, task.Completed}, "unblock": {task.Blocked}, "delete": {task.Pending},
	}[verb]
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
