package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// verbs are words that people type where a flag is meant.
var taskVerbs = []string{"create", "claim", "next", "start", "complete", "fail", "release", "reopen", "block", "unblock", "edit", "hand-over", "delete"}

// take reads [REPO] [show|explain ID].
func (o *tasksOptions) take(args []string) error {
	given := args
	if len(args) > 0 && args[0] != "show" && args[0] != "explain" {
		o.Repo, args = args[0], args[1:]
	}
	switch {
	case len(args) == 0:
		return nil
	case args[0] != "show" && args[0] != "explain":
		f := fault.Validation("", "tasks was given an argument too many: %q", args[0])
		for _, word := range given {
			if slices.Contains(taskVerbs, word) {
				return f.WithHint("to %s, give --%s", strings.ReplaceAll(word, "-", " "), word)
			}
		}
		return f.WithHint("usage: agit tasks [REPO] [show|explain ID] [flags]")
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

// oneAction refuses two actions in one command, and one that names nothing.
func (o *tasksOptions) oneAction() error {
	given := []string{}
	for _, flag := range append(slices.Clone(taskVerbs), "parallel-ok") {
		if !o.changed(flag) {
			continue
		}
		given = append(given, "--"+flag)
		if value := o.value(flag); value != nil && *value == "" {
			what := "the id of a task"
			if flag == "create" {
				what = "what is to be done"
			}
			return fault.Validation(flag, "--%s is empty", flag).WithHint("give %s", what)
		}
	}
	for name, id := range map[string]string{"show": o.Show, "explain": o.Explain} {
		if id != "" {
			given = append(given, name)
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

// value is what an action's flag was given; nil for one that takes no text.
func (o *tasksOptions) value(flag string) *string {
	return map[string]*string{
		"create": &o.Create, "claim": &o.Claim, "start": &o.Start, "complete": &o.Complete, "fail": &o.Fail, "release": &o.Release,
		"reopen": &o.Reopen, "block": &o.Block, "unblock": &o.Unblock, "edit": &o.Edit, "hand-over": &o.HandOver,
	}[flag]
}

func runTasks(ctx context.Context, o *tasksOptions) error {
	s, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	db, store := s.DB, s.Tasks
	if o.Agent == "" {
		o.Agent = o.env.Getenv("AGIT_AGENT")
	}
	switch {
	case o.Create != "":
		return createTasks(ctx, o, db, store)
	case o.Next:
		return nextTask(ctx, o, db, store)
	case o.Delete != nil:
		return deleteTasks(ctx, o, store)
	case o.Show != "":
		return showTask(ctx, o, store)
	case o.Explain != "":
		return explainTask(ctx, o, store)
	case o.ParallelOK:
		return parallelTasks(ctx, o, db, store, s.Conflicts)
	}
	change := o.change(ctx, store)
	if change == nil {
		return listTasks(ctx, o, db, store)
	}
	t, err := change()
	if err != nil {
		return err
	}
	return printTask(ctx, o.env, t)
}

// change is the one change of a task that was asked for; nil for none.
func (o *tasksOptions) change(ctx context.Context, store *task.Store) func() (task.Task, error) {
	caller := task.Caller{Agent: o.Agent, Token: o.Token, Force: o.Force}
	report := func(id, status string) func() (task.Task, error) {
		return func() (task.Task, error) {
			return store.Report(ctx, task.Report{ID: id, Status: status, Result: o.Result, Why: o.Why, Caller: caller})
		}
	}
	switch {
	case o.Claim != "":
		return func() (task.Task, error) { return store.Claim(ctx, o.Claim, o.Agent) }
	case o.Start != "":
		return report(o.Start, task.InProgress)
	case o.Complete != "":
		return report(o.Complete, task.Completed)
	case o.Fail != "":
		return report(o.Fail, task.Failed)
	case o.Release != "":
		return report(o.Release, task.Pending)
	case o.Reopen != "":
		return func() (task.Task, error) { return store.Reopen(ctx, o.Reopen, caller, o.Why) }
	case o.Block != "":
		return func() (task.Task, error) { return store.Block(ctx, o.Block, caller, o.Why) }
	case o.Unblock != "":
		return func() (task.Task, error) { return store.Unblock(ctx, o.Unblock, caller, o.Why) }
	case o.HandOver != "":
		return func() (task.Task, error) { return store.HandOver(ctx, o.HandOver, o.To, caller) }
	case o.Edit != "":
		return func() (task.Task, error) {
			edit, err := o.edit()
			if err != nil {
				return task.Task{}, err
			}
			return store.Edit(ctx, o.Edit, edit, caller)
		}
	}
	return nil
}

// edit is what the flags change of a task: those that are given, even if empty.
func (o *tasksOptions) edit() (e task.Edit, err error) {
	if o.changed("text") {
		e.Text = &o.Text
	}
	if o.changed("priority") {
		p, err := work.ParsePriority(o.Priority)
		if err != nil {
			return e, err
		}
		e.Priority = &p
	}
	if o.changed("estimate") {
		d, err := work.ParseDuration("estimate", o.Estimate)
		if err != nil {
			return e, err
		}
		e.Estimate = &d
	}
	if o.changed("epic") {
		e.Epic = &o.Epic
	}
	if o.changed("assign") {
		e.Assignee = &o.Assign
	}
	if o.changed("capabilities") {
		e.Capabilities = &o.Capabilities
	}
	return e, nil
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

func deleteTasks(ctx context.Context, o *tasksOptions, store *task.Store) error {
	caller := task.Caller{Agent: o.Agent, Token: o.Token, Force: o.Force}
	plan, err := store.Delete(ctx, o.Delete, caller, true)
	if err != nil {
		return err
	}
	if !o.DryRun {
		question := fmt.Sprintf("Delete %s (%s)?", text.Count(len(plan.Tasks), "task", "tasks"), strings.Join(plan.Tasks, ", "))
		if len(plan.Waiting) > 0 {
			question = strings.TrimSuffix(question, "?") + fmt.Sprintf(" for which %s waits?", strings.Join(plan.Waiting, ", "))
		}
		agreed, err := o.env.Streams.Confirm(ctx, question, o.Yes)
		if err != nil {
			return err
		}
		if !agreed {
			o.env.Streams.Notice("nothing was deleted")
			return nil
		}
		if plan, err = store.Delete(ctx, o.Delete, caller, false); err != nil {
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

// completeTasks completes a repository, or a task behind show and explain.
func completeTasks(env *cli.Env) cli.Completer {
	ids, names := cli.Complete(env, listTaskIDs("")), repoNames(env)
	return func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if n := len(args); n > 0 && (args[n-1] == "show" || args[n-1] == "explain") {
			return ids(c, nil, typed)
		}
		if len(args) > 0 {
			return cli.Words("show", "explain")(c, args, typed)
		}
		found, directive := names(c, args, typed)
		return append(found, "show\tone task", "explain\twhy one is ready or not"), directive
	}
}

func listTaskIDs(flag string) func(context.Context, *registry.DB, string) ([]string, error) {
	statuses := map[string][]string{
		"claim": {task.Pending}, "start": {task.Claimed, task.Pending}, "release": {task.InProgress, task.Claimed}, "hand-over": {task.InProgress, task.Claimed},
		"reopen": {task.Failed, task.Completed}, "unblock": {task.Blocked}, "delete": {task.Pending},
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
