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

func newProject(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{Use: "project", Short: "Make, list and look at projects", Long: "Work with the projects of the knowledge graph."},
		newProjectList(env, looking(env, runProjectList)), newProjectCreate(env, changing(env, runProjectCreate)),
		newProjectStatus(env, looking(env, runProjectStatus)), newProjectSet(env, changing(env, runProjectSet)))
}

func newProjectList(env *cli.Env, run cli.Func[cli.Env]) *cobra.Command {
	return cli.Command(&cobra.Command{Use: "list", Short: "List the projects"}, env, nil, run)
}

type projectCreateOptions struct {
	env *cli.Env
	graph.NewProject
}

func newProjectCreate(env *cli.Env, run cli.Func[projectCreateOptions]) *cobra.Command {
	o := &projectCreateOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:     "create ID",
		Short:   "Make a project",
		Long:    "Make a project with an id of your own. With --path the project of that folder gets\nthe id: every clone and worktree of its remote belongs to it.",
		Example: "agit project create working-todo-app --name 'Working Todo App' --path .",
	}, o, cli.Take(&o.ID), run)
	f := cmd.Flags()
	f.StringVar(&o.Name, "name", "", "what people call it (default the id)")
	f.StringVar(&o.Description, "description", "", "what it is")
	f.StringVar(&o.Status, "status", "", "`status`: active (default), completed or on_hold")
	f.StringVar(&o.Path, "path", "", "`folder` whose project gets the id")
	agentFlag(cmd, env, &o.Agent, doneFor)
	cli.CompleteFlag(cmd, "status", cli.Words(project.Statuses...))
	return cmd
}

func newProjectStatus(env *cli.Env, run cli.Func[inProject]) *cobra.Command {
	o := &inProject{env: env}
	return cli.Command(&cobra.Command{
		Use:               "status [ID]",
		Short:             "Show how a project stands: counts, progress, critical path",
		Long:              "Show the counts of a project's epics, tasks, bugs and agents, its progress, and the\nlongest chain of unfinished work. Without ID the project of the current folder.",
		Example:           "agit project status\nagit project status working-todo-app --jq .progress",
		ValidArgsFunction: cli.CompleteFirst(env, listProjectIDs),
	}, o, cli.Take(&o.Project), run)
}

func newProjectSet(env *cli.Env, run cli.Func[setOptions]) *cobra.Command {
	return newSet(env, run, &cobra.Command{
		Use:               "set ID STATUS",
		Short:             "Set a project to active, completed or on_hold",
		Long:              "Set a project's status. Only the tasks of an active project are ready.",
		Example:           "agit project set working-todo-app on_hold",
		ValidArgsFunction: cli.CompleteFirst(env, listProjectIDs),
	})
}

var projectColumns = []output.Column[project.Project]{
	{Title: "ID", Value: func(p project.Project) string { return p.UID }},
	{Title: "STATUS", Value: func(p project.Project) string { return p.Status }},
	{Title: "NAME", Value: func(p project.Project) string { return p.Name }, Flex: true},
}

func runProjectList(ctx context.Context, env *cli.Env, s *stores.Stores) error {
	all, err := s.Graph.Projects(ctx)
	return printList(ctx, env, "projects", all, err, projectColumns, "")
}

func runProjectCreate(ctx context.Context, o *projectCreateOptions, s *stores.Stores) (err error) {
	o.Agent = agentOf(o.env, o.Agent)
	if o.Path != "" {
		if o.Path, err = o.env.Path(o.Path); err != nil {
			return err
		}
	}
	p, err := s.Graph.CreateProject(ctx, o.NewProject)
	return printProject(ctx, o.env, p, err)
}

func runProjectSet(ctx context.Context, o *setOptions, s *stores.Stores) error {
	p, err := s.Graph.SetProjectStatus(ctx, o.ID, o.Status, agentOf(o.env, o.Agent))
	return printProject(ctx, o.env, p, err)
}

func printProject(ctx context.Context, env *cli.Env, p project.Project, failed error) error {
	return printChange(ctx, env, p, failed, p.UID, p.Status, p.Name)
}

func runProjectStatus(ctx context.Context, o *inProject, s *stores.Stores) error {
	id, err := o.here(ctx, s)
	if err != nil {
		return err
	}
	st, err := s.Graph.ProjectStatus(ctx, id)
	if err != nil {
		return err
	}
	path, err := steps(ctx, s, st.CriticalPath)
	return printDocument(ctx, o.env, st, err, func(out *term.Streams) error {
		rows := [][]string{
			{"project", st.ProjectID + "  " + st.ProjectName},
			{"status", st.Status},
			{"progress", fmt.Sprintf("%.1f %%", st.Progress)},
			{"tasks", counted(st.Tasks.Total, part{st.Tasks.Pending, "pending"}, part{st.Tasks.Claimed, "claimed"}, part{st.Tasks.InProgress, "in progress"},
				part{st.Tasks.Blocked, "blocked"}, part{st.Tasks.Completed, "completed"}, part{st.Tasks.Failed, "failed"})},
			{"epics", counted(st.Epics.Total, part{st.Epics.InProgress, "in progress"}, part{st.Epics.Completed, "completed"})},
			{"bugs", counted(st.Bugs.Total, part{st.Bugs.Open, "open"}, part{st.Bugs.Critical, "of them critical"})},
			{"agents", fmt.Sprintf("%d active, %d idle", st.Agents.Active, st.Agents.Idle)},
		}
		title := "critical path"
		for _, step := range path {
			rows = append(rows, []string{title, step})
			title = "" // the further steps stand below the first
		}
		return out.Lines(facts(13, rows)...)
	})
}

// part is how many of a total are in some state.
type part struct {
	count int
	is    string
}

// counted is a total and its parts, without those that are zero: "7: 2 pending, 5 failed".
func counted(total int, parts ...part) string {
	return strings.TrimSuffix(fmt.Sprintf("%d: %s", total, joined(parts...)), ": ")
}

// joined names the parts that are not zero.
func joined(parts ...part) string {
	var words []string
	for _, p := range parts {
		if p.count > 0 {
			words = append(words, fmt.Sprintf("%d %s", p.count, p.is))
		}
	}
	return strings.Join(words, ", ")
}

// pathSteps is how many tasks of a critical path are named.
const pathSteps = 8

// steps names the tasks of a critical path, in order of doing, each on a line.
func steps(ctx context.Context, s *stores.Stores, path []string) (lines []string, err error) {
	for i, id := range path {
		if i == pathSteps {
			return append(lines, fmt.Sprintf("and %d more", len(path)-i)), nil
		}
		t, err := s.Tasks.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		lines = append(lines, named(t.ID, t.Name))
	}
	return lines, nil
}
