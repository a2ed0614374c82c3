package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/work"
)

type epicOptions struct {
	graphOptions
	ID, Description, Priority string
}

func newEpic(env *cli.Env) *cobra.Command {
	list, create, set := &epicOptions{}, &epicOptions{}, &epicOptions{}
	listCmd := graphCommand(env, &cobra.Command{Use: "list", Short: "List epics with their progress"}, list, &list.graphOptions, nil, runEpicList)
	list.listFlags(listCmd, env)
	createCmd := graphCommand(env, &cobra.Command{
		Use: "create NAME", Short: "Make an epic",
		Example: "agit epic create 'UAT Testing' --id uat-testing --project working-todo-app --priority high",
	}, create, &create.graphOptions, []string{"NAME"}, runEpicCreate)
	create.projectFlag(createCmd, env, "`project` it belongs to (default: the folder's)")
	create.agentFlag(createCmd, env)
	createCmd.Flags().StringVar(&create.ID, "id", "", "`id` of the epic; made when left out")
	createCmd.Flags().StringVar(&create.Description, "description", "", "what it is about")
	createCmd.Flags().StringVar(&create.Priority, "priority", "", "`priority`: none, low, medium, high, critical or 0 to 4")
	setCmd := graphCommand(env, &cobra.Command{
		Use: "set ID STATUS", Short: "Set an epic's status by hand, or let its tasks say it (auto)",
		Long:    "An epic's status follows its tasks until it is set by hand: to pending, in_progress or\ncompleted. auto lets its tasks say it again.",
		Example: "agit epic set uat-testing completed\nagit epic set uat-testing auto",
	}, set, &set.graphOptions, []string{"ID", "STATUS"}, runEpicSet)
	set.agentFlag(setCmd, env)
	return cli.Parent(&cobra.Command{Use: "epic", Short: "Make and list epics", Long: "Work with epics: tasks of a project that belong together."},
		listCmd, createCmd, setCmd)
}

func runEpicList(ctx context.Context, o *epicOptions, s *stores.Stores) error {
	project, err := o.within(ctx, s)
	if err != nil {
		return err
	}
	all, err := s.Graph.Epics(ctx, project)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		o.env.Streams.Notice("there is no epic; `agit epic create NAME` makes one")
	}
	return output.List(ctx, o.env.Printer(), "epics", all, []output.Column[graph.Epic]{
		{Title: "ID", Value: func(e graph.Epic) string { return e.ID }},
		{Title: "STATUS", Value: func(e graph.Epic) string { return e.Status }},
		{Title: "PRIORITY", Value: func(e graph.Epic) string { return e.Priority.String() }},
		{Title: "DONE", Value: func(e graph.Epic) string { return fmt.Sprintf("%d/%d", e.Completed, e.Tasks) }, Right: true},
		{Title: "PROJECT", Short: true, Value: func(e graph.Epic) string { return e.Project }},
		{Title: "NAME", Value: func(e graph.Epic) string { return e.Name }, Flex: true},
	})
}

func runEpicCreate(ctx context.Context, o *epicOptions, s *stores.Stores) error {
	priority, err := work.ParsePriority(o.Priority)
	if err != nil {
		return err
	}
	in, err := o.here(ctx, s)
	if err != nil {
		return err
	}
	e, err := s.Graph.CreateEpic(ctx, graph.NewEpic{ID: o.ID, Project: in, Name: o.Args[0], Description: o.Description, Priority: priority, Agent: o.Agent})
	if err != nil {
		return err
	}
	return printEpic(ctx, o.env, e)
}

func runEpicSet(ctx context.Context, o *epicOptions, s *stores.Stores) error {
	status := o.Args[1]
	if status == "auto" {
		status = ""
	}
	e, err := s.Graph.SetEpicStatus(ctx, o.Args[0], status, o.Agent)
	if err != nil {
		return err
	}
	return printEpic(ctx, o.env, e)
}

func printEpic(ctx context.Context, env *cli.Env, e graph.Epic) error {
	return env.Printer().Document(ctx, e, func(s *term.Streams) error { return s.Line(e.ID, e.Status, e.Name) })
}
