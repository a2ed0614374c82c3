package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/work"
)

func newEpic(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{Use: "epic", Short: "Make and list epics", Long: "Work with epics: tasks of a project that belong together."},
		newEpicList(env, looking(env, runEpicList)), newEpicCreate(env, changing(env, runEpicCreate)),
		newEpicSet(env, changing(env, runEpicSet)))
}

type epicListOptions struct{ inProject }

func newEpicList(env *cli.Env, run cli.Func[epicListOptions]) *cobra.Command {
	o := &epicListOptions{inProject{env: env}}
	cmd := cli.Command(&cobra.Command{Use: "list", Short: "List epics with their progress"}, o, nil, run)
	o.listFlags(cmd)
	return cmd
}

type epicCreateOptions struct {
	inProject
	byAgent
	Name, ID, Description, Priority string
}

func newEpicCreate(env *cli.Env, run cli.Func[epicCreateOptions]) *cobra.Command {
	o := &epicCreateOptions{inProject: inProject{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:     "create NAME",
		Short:   "Make an epic",
		Example: "agit epic create 'UAT Testing' --id uat-testing --project working-todo-app --priority high",
	}, o, cli.Take(&o.Name), run)
	o.projectFlag(cmd, "`project` it belongs to (default: the folder's)")
	o.agentFlag(cmd, env)
	cmd.Flags().StringVar(&o.ID, "id", "", "`id` of the epic; made when left out")
	cmd.Flags().StringVar(&o.Description, "description", "", "what it is about")
	cmd.Flags().StringVar(&o.Priority, "priority", "", "`priority`: none, low, medium, high, critical or 0 to 4")
	return cmd
}

func newEpicSet(env *cli.Env, run cli.Func[setOptions]) *cobra.Command {
	return newSet(env, run, &cobra.Command{
		Use:     "set ID STATUS",
		Short:   "Set an epic's status by hand, or let it follow its tasks (auto)",
		Long:    "An epic's status follows its tasks until it is set by hand: to pending, in_progress or\ncompleted. auto lets it follow them again.",
		Example: "agit epic set uat-testing completed\nagit epic set uat-testing auto",
	})
}

func runEpicList(ctx context.Context, o *epicListOptions, s *stores.Stores) error {
	project, err := o.within(ctx, s)
	if err != nil {
		return err
	}
	all, err := s.Graph.Epics(ctx, project)
	return printList(ctx, o.env, "epics", all, err, []output.Column[graph.Epic]{
		{Title: "ID", Value: func(e graph.Epic) string { return e.ID }},
		{Title: "STATUS", Value: func(e graph.Epic) string { return e.Status }},
		{Title: "PRIORITY", Value: func(e graph.Epic) string { return e.Priority.String() }},
		{Title: "DONE", Value: func(e graph.Epic) string { return fmt.Sprintf("%d/%d", e.Completed, e.Tasks) }, Right: true},
		{Title: "PROJECT", Short: true, Value: func(e graph.Epic) string { return e.Project }},
		{Title: "NAME", Value: func(e graph.Epic) string { return e.Name }, Flex: true},
	}, "there is no epic; `agit epic create NAME` makes one")
}

func runEpicCreate(ctx context.Context, o *epicCreateOptions, s *stores.Stores) error {
	priority, err := work.ParsePriority(o.Priority)
	if err != nil {
		return err
	}
	in, err := o.here(ctx, s)
	if err != nil {
		return err
	}
	e, err := s.Graph.CreateEpic(ctx, graph.NewEpic{ID: o.ID, Project: in, Name: o.Name, Description: o.Description, Priority: priority, Agent: agentOf(o.env, o.Agent)})
	return printEpic(ctx, o.env, e, err)
}

func runEpicSet(ctx context.Context, o *setOptions, s *stores.Stores) error {
	status := o.Status
	if status == "auto" {
		status = ""
	}
	e, err := s.Graph.SetEpicStatus(ctx, o.ID, status, agentOf(o.env, o.Agent))
	return printEpic(ctx, o.env, e, err)
}

func printEpic(ctx context.Context, env *cli.Env, e graph.Epic, failed error) error {
	return printChange(ctx, env, e, failed, e.ID, e.Status, e.Name)
}
