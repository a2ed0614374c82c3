package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/term"
)

type projectOptions struct {
	graphOptions
	Name, Description, Status, Path string
}

func newProject(env *cli.Env) *cobra.Command {
	list, create, status, set := &projectOptions{}, &projectOptions{}, &projectOptions{}, &projectOptions{}
	listCmd := graphCommand(env, &cobra.Command{Use: "list", Short: "List the projects"}, list, &list.graphOptions, nil, runProjectList)
	createCmd := graphCommand(env, &cobra.Command{
		Use: "create ID", Short: "Make a project",
		Long:    "Make a project with an id of your own. With --path the project of that folder gets\nthe id: every clone and worktree of its remote belongs to it.",
		Example: "agit project create working-todo-app --name 'Working Todo App' --path .",
	}, create, &create.graphOptions, []string{"ID"}, runProjectCreate)
	f := createCmd.Flags()
	f.StringVar(&create.Name, "name", "", "what people call it (default the id)")
	f.StringVar(&create.Description, "description", "", "what it is")
	f.StringVar(&create.Status, "status", "", "`status`: active (default), completed or on_hold")
	f.StringVar(&create.Path, "path", "", "`folder` whose project gets the id")
	create.agentFlag(createCmd, env)
	cli.CompleteFlag(createCmd, "status", values(project.Statuses...))
	statusCmd := graphCommand(env, &cobra.Command{
		Use: "status [ID]", Short: "Show how a project stands: counts, progress, critical path",
		Long:    "Show the counts of a project's epics, tasks, bugs and agents, its progress, and the\nlongest chain of unfinished work. Without ID the project of the current folder.",
		Example: "agit project status\nagit project status working-todo-app --jq .progress",
	}, status, &status.graphOptions, []string{"[ID]"}, runProjectStatus)
	setCmd := graphCommand(env, &cobra.Command{
		Use: "set ID STATUS", Short: "Set a project to active, completed or on_hold",
		Long:    "Set how a project stands. Only the tasks of an active project are ready.",
		Example: "agit project set working-todo-app on_hold",
	}, set, &set.graphOptions, []string{"ID", "STATUS"}, runProjectSet)
	set.agentFlag(setCmd, env)
	for _, c := range []*cobra.Command{statusCmd, setCmd} {
		c.ValidArgsFunction = cli.CompleteFirst(env, listProjectIDs)
	}
	return cli.Parent(&cobra.Command{Use: "project", Short: "Make, list and look at projects", Long: "Work with the projects of the knowledge graph."},
		listCmd, createCmd, statusCmd, setCmd)
}

var projectColumns = []output.Column[project.Project]{
	{Title: "ID", Value: func(p project.Project) string { return p.UID }},
	{Title: "STATUS", Value: func(p project.Project) string { return p.Status }},
	{Title: "NAME", Value: func(p project.Project) string { return p.Name }, Flex: true},
}

func runProjectList(ctx context.Context, o *projectOptions, s *stores.Stores) error {
	all, err := s.Graph.Projects(ctx)
	if err != nil {
		return err
	}
	return output.List(ctx, o.env.Printer(), "projects", all, projectColumns)
}

func runProjectCreate(ctx context.Context, o *projectOptions, s *stores.Stores) (err error) {
	n := graph.NewProject{ID: o.Args[0], Name: o.Name, Description: o.Description, Status: o.Status, Agent: o.Agent}
	if o.Path != "" {
		if n.Path, err = o.env.Path(o.Path); err != nil {
			return err
		}
	}
	p, err := s.Graph.CreateProject(ctx, n)
	if err != nil {
		return err
	}
	return printProject(ctx, o.env, p)
}

func runProjectSet(ctx context.Context, o *projectOptions, s *stores.Stores) error {
	p, err := s.Graph.SetProjectStatus(ctx, o.Args[0], o.Args[1], o.Agent)
	if err != nil {
		return err
	}
	return printProject(ctx, o.env, p)
}

func printProject(ctx context.Context, env *cli.Env, p project.Project) error {
	return env.Printer().Document(ctx, p, func(s *term.Streams) error { return s.Line(p.UID, p.Status, p.Name) })
}

func runProjectStatus(ctx context.Context, o *projectOptions, s *stores.Stores) (err error) {
	if len(o.Args) > 0 {
		o.Project = o.Args[0]
	}
	id, err := o.here(ctx, s)
	if err != nil {
		return err
	}
	st, err := s.Graph.ProjectStatus(ctx, id)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, st, func(out *term.Streams) error {
		for _, row := range [][2]string{
			{"project", st.ProjectID + "  " + st.ProjectName},
			{"status", st.Status},
			{"progress", fmt.Sprintf("%.1f %%", st.Progress)},
			{"tasks", fmt.Sprintf("%d: %d pending, %d claimed, %d in progress, %d blocked, %d completed, %d failed", st.Tasks.Total, st.Tasks.Pending,
				st.Tasks.Claimed, st.Tasks.InProgress, st.Tasks.Blocked, st.Tasks.Completed, st.Tasks.Failed)},
			{"epics", fmt.Sprintf("%d: %d in progress, %d completed", st.Epics.Total, st.Epics.InProgress, st.Epics.Completed)},
			{"bugs", fmt.Sprintf("%d: %d open, %d of them critical", st.Bugs.Total, st.Bugs.Open, st.Bugs.Critical)},
			{"agents", fmt.Sprintf("%d active, %d idle", st.Agents.Active, st.Agents.Idle)},
			{"critical path", strings.Join(st.CriticalPath, " → ")},
		} {
			if err := out.Line(fmt.Sprintf("%-13s", row[0]), row[1]); err != nil {
				return err
			}
		}
		return nil
	})
}
