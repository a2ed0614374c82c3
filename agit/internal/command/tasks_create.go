package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// taskDetails are what is kept of a task beside its text, when it is made and when it is edited.
type taskDetails struct {
	Priority     string
	Epic         string
	Capabilities []string
	Estimate     string
}

// flags adds them. task is how their help calls the task.
func (o *taskDetails) flags(f *pflag.FlagSet, task string) {
	f.StringVar(&o.Priority, "priority", "", "`priority` of "+task+": none, low, medium, high, critical or 0 to 4")
	f.StringVar(&o.Epic, "epic", "", "`epic` of "+task+", whose project a created one gets")
	f.StringSliceVar(&o.Capabilities, "capabilities", nil, "what an agent must be able to do to get the task, separated by commas")
	f.StringVar(&o.Estimate, "estimate", "", "estimated `duration` of "+task+", like 30m or 2d")
}

// taskCreateOptions are what a created task is made of.
type taskCreateOptions struct {
	env *cli.Env
	byAgent
	taskDetails
	Repo      string
	Text      string // or - for standard input
	ID        string
	Project   string
	DependsOn []string
	From      string
}

func newTaskCreate(env *cli.Env, run cli.Func[taskCreateOptions]) *cobra.Command {
	o := &taskCreateOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:     "create [REPO] TEXT|- [flags]",
		Aliases: []string{"add", "new"},
		Short:   "Create a task, or those that standard input lists",
		Long: `Create a task from TEXT, whose first line is its name. REPO is the current
folder's by default.

- reads tasks from standard input, as JSON or NDJSON: objects with description (or
name, or title) and, if wanted, id and priority; all are created or none. A ticket or
plan in the list, as pmsync ready prints them, becomes a task only once.`,
		Example: `agit tasks create app "fix the login page" --priority high
pmsync ready -o ndjson | agit tasks create app -`,
		Args:              cli.Args("TEXT|-", "[TEXT|-]"),
		ValidArgsFunction: repoNames(env),
	}, o, o.take, run)
	f := cmd.Flags()
	o.taskDetails.flags(f, "the task")
	o.flags(f, "the task")
	f.StringVar(&o.Project, "project", "", "`project` of a task without a repository")
	o.agentFlag(cmd, env)
	cli.CompleteFlag(cmd, "project", cli.Complete(env, listProjectIDs))
	return cmd
}

// flags adds what only a created task has.
func (o *taskCreateOptions) flags(f *pflag.FlagSet, task string) {
	f.StringVar(&o.ID, "id", "", "`id` of "+task+"; made when left out")
	f.StringSliceVar(&o.DependsOn, "depends-on", nil, "`ids` that "+task+" waits for, separated by commas")
	f.StringVar(&o.From, "from", "", "`id` of the ticket, plan or other item that "+task+" takes up")
}

func (o *taskCreateOptions) take(g cli.Given) error {
	o.Repo, o.Text = repoAndLast(g.Args)
	return nil
}

// common returns the fields that the flags set for every created task.
func (o *taskCreateOptions) common() (n task.New, err error) {
	n = task.New{Epic: o.Epic, Project: o.Project, DependsOn: o.DependsOn, Capabilities: o.Capabilities, Origin: o.From, Agent: agentOf(o.env, o.Agent)}
	if n.Priority, err = work.ParsePriority(o.Priority); err != nil {
		return n, err
	}
	if n.Estimate, err = work.ParseDuration("estimate", o.Estimate); err != nil {
		return n, err
	}
	if o.Repo == "" && (o.Epic != "" || o.Project != "") {
		return n, nil
	}
	n.Find = func(tx *registry.Tx) (task.Place, error) {
		r, err := repoNamedIn(tx, o.env, o.Repo)
		return task.Place{Project: r.ProjectID, Repo: r.ID}, err
	}
	return n, nil
}

func runTaskCreate(ctx context.Context, o *taskCreateOptions, s *stores.Stores) error {
	common, err := o.common()
	if err != nil {
		return err
	}
	if o.Text == "-" {
		return readTasks(ctx, o, s, common)
	}
	common.ID, common.Text = o.ID, o.Text
	made, err := s.Tasks.Create(ctx, []task.New{common})
	if err != nil {
		return inQuotes(err, fmt.Sprintf("agit tasks create %q", o.Repo+" "+o.Text), o.Repo, o.Text)
	}
	return printTask(ctx, o.env, made[0], nil)
}

// readTasks creates the tasks that standard input lists, each with what the flags say.
func readTasks(ctx context.Context, o *taskCreateOptions, s *stores.Stores, common task.New) error {
	if o.ID != "" {
		return fault.Validation("id", "--id names one task, and - may read many").WithHint("give each object its id")
	}
	if common.Find != nil { // also when there is nothing to make: a wrong name is reported at once
		r, err := repoNamed(ctx, o.env, s.DB, o.Repo)
		if err != nil {
			return err
		}
		common.Repo, common.Find = r.UID, nil
	}
	items, err := output.ReadItems[incomingTask](o.env.Streams, "tasks", "items", "tickets")
	if err != nil {
		return err
	}
	given := len(items)
	items = slices.DeleteFunc(items, func(item output.Item[incomingTask]) bool { return item.Value.isTask() })
	tasks := make([]task.New, len(items))
	for i, item := range items {
		tasks[i] = common
		tasks[i].ID, tasks[i].Text = item.Value.ID, item.Value.text()
		if item.Value.isOrigin() {
			tasks[i].ID, tasks[i].Origin, tasks[i].Once = "", item.Value.ID, true
		}
		if item.Value.Priority != nil {
			if tasks[i].Priority, err = work.ParsePriority(fmt.Sprint(item.Value.Priority)); err != nil {
				return fmt.Errorf("line %d of standard input: %w", item.Line, err)
			}
		}
		if tasks[i].Text == "" {
			return fault.Validation("description", "line %d of standard input: the task has no description, name or title", item.Line)
		}
	}
	made, err := s.Tasks.Create(ctx, tasks)
	if err != nil {
		return err
	}
	if err := output.List(ctx, o.env.Printer(), "tasks", made, taskColumns); err != nil {
		return err
	}
	switch skipped := given - len(items); {
	case given == 0:
		o.env.Streams.Notice("no task was made: standard input lists nothing")
	case skipped > 0:
		o.env.Streams.Notice("%d of %d left out: tasks are not made into tasks", skipped, given)
	}
	return nil
}

// incomingTask is a task read from standard input: our own list's objects, and
// those of other lists, which say title. An object of another kind
// is the task's origin.
type incomingTask struct {
	ID          string `json:"id"`
	Kind        string `json:"kind"`
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Priority    any    `json:"priority"`
}

// isOrigin reports that it is a ticket, plan or bug, of which a task is to be made.
func (in incomingTask) isOrigin() bool {
	return in.ID != "" && (in.Kind == string(work.KindTicket) || in.Kind == string(work.KindPlan) || in.Kind == string(work.KindBug))
}

// isTask reports that it stands in a list of work as the task that it is already.
func (in incomingTask) isTask() bool { return in.Kind == string(work.KindTask) }

func (in incomingTask) text() string {
	name := cmp.Or(in.Name, in.Title)
	switch {
	case in.Description == "":
		return name
	case strings.HasPrefix(in.Description, name):
		return in.Description
	}
	return name + "\n\n" + in.Description
}
