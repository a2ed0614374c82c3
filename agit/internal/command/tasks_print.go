package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

var taskColumns = []output.Column[task.Task]{
	{Title: "ID", Value: func(t task.Task) string { return t.ID }},
	{Title: "STATUS", Value: func(t task.Task) string { return t.Status }, Style: taskStyle},
	{Title: "PRIORITY", Value: func(t task.Task) string { return t.Priority.String() }},
	{Title: "AGENT", Value: func(t task.Task) string { return t.Agent }},
	{Title: "NAME", Value: func(t task.Task) string { return t.Name }, Flex: true},
}

func taskStyle(status string) term.Style {
	switch status {
	case task.Completed:
		return term.Green
	case task.Failed, task.Blocked:
		return term.Red
	case task.Claimed, task.InProgress:
		return term.Yellow
	}
	return term.Plain
}

func listTasks(ctx context.Context, o *tasksOptions, db *registry.DB, store *task.Store) error {
	f := task.Filter{Repo: o.Repo, Project: o.Project, Statuses: o.Statuses, Limit: o.Limit, After: o.After}
	if f.Repo == "" && f.Project == "" {
		if err := o.stay(ctx, &f, db); err != nil {
			return err
		}
	}
	if o.All {
		f.Limit = 0
		if f.Statuses == nil {
			f.Statuses = task.Statuses
		}
	}
	list, none := store.List, "no open task; `agit tasks --create TEXT` makes one, --all lists finished ones too"
	switch {
	case o.Ready:
		list, none = store.Ready, "no task is ready; `agit tasks explain ID` says why of one"
	case o.Statuses != nil:
		none = "no task is " + strings.Join(o.Statuses, " or ")
	case o.All:
		none = "no task was made yet; `agit tasks --create TEXT` makes one"
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

// stay narrows a list to the repository that the command is run in, or to the
// folder's project where that has none.
func (o *tasksOptions) stay(ctx context.Context, f *task.Filter, db *registry.DB) (err error) {
	if f.Repo, err = repoName(ctx, o.env, db, ""); err == nil || !fault.Is(err, fault.KindValidation) {
		return err
	}
	at, notPlace := project.Identify(o.env.Dir)
	if notPlace != nil {
		return err
	}
	return db.Read(ctx, func(tx *registry.Tx) error {
		p, notFound := project.At(tx, at)
		if notFound != nil {
			return err
		}
		f.Project = p.UID
		return nil
	})
}

// printTask prints one task that was just changed.
func printTask(ctx context.Context, env *cli.Env, t task.Task) error {
	return env.Printer().Document(ctx, t, func(s *term.Streams) error { return taskLine(s, t) })
}

// taskLine is a task that a command claimed, moved or changed, the same behind
// every command.
func taskLine(s *term.Streams, t task.Task) error {
	cells := []string{t.ID, t.Status, t.Name}
	if t.Agent != "" {
		cells = append(cells, t.Agent)
	}
	if err := s.Line(cells...); err != nil {
		return err
	}
	if t.ClaimToken != 0 {
		s.Notice("claim token %d: give it as --token with later reports to be sure the claim is still yours", t.ClaimToken)
	}
	return nil
}

func showTask(ctx context.Context, o *tasksOptions, store *task.Store) error {
	d, err := store.Get(ctx, o.Show)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, d, func(s *term.Streams) error {
		for _, row := range [][2]string{
			{"id", d.ID}, {"name", d.Name}, {"status", d.Status}, {"priority", d.Priority.String()}, {"repo", d.Repo},
			{"epic", d.Epic}, {"parent", d.Parent}, {"made from", d.Origin}, {"agent", d.Agent}, {"worktree", d.Worktree}, {"created", d.CreatedAt.Format(time.RFC3339)},
			{"started", when(d.StartedAt)}, {"completed", when(d.CompletedAt)}, {"result", d.Result},
			{"estimate", d.EstimatedDuration}, {"took", d.ActualDuration}, {"needs", strings.Join(d.RequiredCapabilities, " ")},
			{"depends on", strings.Join(d.DependsOn, " ")}, {"blocks", strings.Join(d.Blocks, " ")}, {"bugs", strings.Join(d.BlockedBy, " ")}, {"blocked", d.BlockedWhy},
			{"produced", strings.Join(d.Artifacts, " ")},
		} {
			if row[1] == "" {
				continue
			}
			if err := s.Line(fmt.Sprintf("%-10s", row[0]), row[1]); err != nil {
				return err
			}
		}
		if d.Description != d.Name {
			if err := s.Text("\n" + d.Description + "\n"); err != nil {
				return err
			}
		}
		return printHistory(s, d.History)
	})
}

func printHistory(s *term.Streams, events []work.Event) error {
	if err := s.Text("\n"); err != nil {
		return err
	}
	for _, e := range events {
		who := e.Name
		if who == "" {
			who = e.Actor
		}
		if err := s.Line(e.At.Local().Format(time.DateTime), change(e), who, e.Why); err != nil {
			return err
		}
	}
	return nil
}

func when(t *timestamp.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.RFC3339)
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
	name := in.Name
	if name == "" {
		name = in.Title
	}
	switch {
	case in.Description == "":
		return name
	case name == "" || in.Description == name || len(in.Description) > len(name) && in.Description[:len(name)] == name:
		return in.Description
	}
	return name + "\n\n" + in.Description
}

// common is what the flags say of every created task.
func (o *tasksOptions) common(ctx context.Context, db *registry.DB) (n task.New, err error) {
	n = task.New{Epic: o.Epic, Project: o.Project, DependsOn: o.DependsOn, Capabilities: o.Capabilities, Origin: o.From, Agent: o.Agent}
	if n.Priority, err = work.ParsePriority(o.Priority); err != nil {
		return n, err
	}
	if n.Estimate, err = work.ParseDuration("estimate", o.Estimate); err != nil {
		return n, err
	}
	if o.Repo == "" && (o.Epic != "" || o.Project != "") {
		return n, nil
	}
	n.Repo, err = repoName(ctx, o.env, db, o.Repo)
	return n, err
}

func createTasks(ctx context.Context, o *tasksOptions, db *registry.DB, store *task.Store) error {
	common, err := o.common(ctx, db)
	if err != nil {
		return err
	}
	if o.Create != "-" {
		common.ID, common.Text = o.ID, o.Create
		made, err := store.Create(ctx, []task.New{common})
		if err != nil {
			return err
		}
		return printTask(ctx, o.env, made[0])
	}
	if o.ID != "" {
		return fault.Validation("id", "--id names one task, and --create - may read many").WithHint("give each object its id")
	}
	if common.Repo != "" { // also when there is nothing to make: a wrong name is told at once
		if _, err := repoNamed(ctx, o.env, db, common.Repo); err != nil {
			return err
		}
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
	made, err := store.Create(ctx, tasks)
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
