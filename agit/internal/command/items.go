package command

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/work"
)

func newEpic(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{Use: "epic", Short: "Make and list epics", Long: "Work with epics: tasks of a project that belong together."},
		newItemList(env, "List epics with their progress", looking(env, runEpicList)), newEpicCreate(env, changing(env, runEpicCreate)),
		newEpicSet(env, changing(env, runEpicSet)))
}

// newItemList lists the items of one kind that belong to a project.
func newItemList(env *cli.Env, short string, run cli.Func[inProject]) *cobra.Command {
	o := &inProject{env: env}
	cmd := cli.Command(&cobra.Command{Use: "list", Short: short}, o, nil, run)
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

func runEpicList(ctx context.Context, o *inProject, s *stores.Stores) error {
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

func newScenario(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{Use: "scenario", Short: "Record and list test scenarios", Long: "Work with the test scenarios that validate tasks."},
		newItemList(env, "List test scenarios", looking(env, runScenarioList)), newScenarioRecord(env, changing(env, runScenarioRecord)))
}

type scenarioRecordOptions struct {
	inProject
	graph.ScenarioRecord
	rate float64
}

func newScenarioRecord(env *cli.Env, run cli.Func[scenarioRecordOptions]) *cobra.Command {
	o := &scenarioRecordOptions{inProject: inProject{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:     "record ID STATUS",
		Short:   "Record how a test scenario went, making it when it is new",
		Long:    "Record a test scenario as pending, running, passed or failed. The tasks that it\nvalidates are added to the known ones.",
		Example: "agit scenario record UAT-001 passed --name 'User registration' --pass-rate 100 --validates T-1,T-2",
	}, o, o.take, run)
	f := cmd.Flags()
	f.StringVar(&o.Name, "name", "", "what a new one is called (default the id)")
	f.StringVar(&o.Description, "description", "", "what a new one tests")
	f.StringVar(&o.Priority, "priority", "", "`priority` of a new one")
	f.Float64Var(&o.rate, "pass-rate", 0, "`percent` that passed")
	f.StringSliceVar(&o.Validates, "validates", nil, "`tasks` it validates, separated by commas")
	o.projectFlag(cmd, "`project` of a new one (default: that of the tasks, else the folder's)")
	agentFlag(cmd, env, &o.Agent, doneFor)
	return cmd
}

func (o *scenarioRecordOptions) take(g cli.Given) error {
	o.ID, o.Status, o.PassRate = g.Args[0], g.Args[1], cli.IfGiven(g, "pass-rate", &o.rate)
	return nil
}

var scenarioColumns = []output.Column[graph.Scenario]{
	{Title: "ID", Value: func(s graph.Scenario) string { return s.ID }},
	{Title: "STATUS", Value: func(s graph.Scenario) string { return s.Status }},
	{Title: "PASSED", Value: func(s graph.Scenario) string {
		if s.PassRate == nil {
			return ""
		}
		return strconv.FormatFloat(*s.PassRate, 'f', -1, 64) + " %"
	}, Right: true},
	{Title: "VALIDATES", Flex: true, Value: func(s graph.Scenario) string { return strings.Join(s.Validates, " ") }},
	{Title: "NAME", Value: func(s graph.Scenario) string { return s.Name }, Flex: true},
}

func runScenarioList(ctx context.Context, o *inProject, s *stores.Stores) error {
	project, err := o.within(ctx, s)
	if err != nil {
		return err
	}
	all, err := s.Graph.Scenarios(ctx, project)
	return printList(ctx, o.env, "scenarios", all, err, scenarioColumns, "there is no test scenario; `agit scenario record ID STATUS` records one")
}

func runScenarioRecord(ctx context.Context, o *scenarioRecordOptions, s *stores.Stores) (err error) {
	r := o.ScenarioRecord
	r.Project, r.Agent = o.inProject.Project, agentOf(o.env, o.Agent)
	if r.Project == "" && len(r.Validates) == 0 {
		if r.Project, err = s.Graph.ProjectOf(ctx, o.env.Dir); err != nil { // one that is known needs none
			return err
		}
	}
	out, err := s.Graph.RecordScenario(ctx, r)
	return printChange(ctx, o.env, out, err, out.ID, out.Status, out.Name)
}

func newArtifact(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{Use: "artifact", Short: "Note and list what tasks produced", Long: "Work with the artifacts that tasks produced."},
		newArtifactList(env, looking(env, runArtifactList)), newArtifactAdd(env, changing(env, runArtifactAdd)))
}

type artifactListOptions struct {
	inProject
	Task string
}

func newArtifactList(env *cli.Env, run cli.Func[artifactListOptions]) *cobra.Command {
	o := &artifactListOptions{inProject: inProject{env: env}}
	cmd := cli.Command(&cobra.Command{Use: "list", Short: "List what tasks produced"}, o, nil, run)
	o.listFlags(cmd)
	cmd.Flags().StringVar(&o.Task, "task", "", "list those of this `task`")
	return cmd
}

type artifactAddOptions struct {
	byAgent
	env        *cli.Env
	Task, Type string
	Paths      []string
}

func newArtifactAdd(env *cli.Env, run cli.Func[artifactAddOptions]) *cobra.Command {
	o := &artifactAddOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:     "add TASK PATH...",
		Short:   "Note what a task produced",
		Long:    "Note the files or folders that a task produced, with their size where they are found\nhere. One that is known under its path is brought up to date.",
		Example: "agit artifact add UAT-001 reports/UAT-001.md --type report",
	}, o, o.take, run)
	cmd.Flags().StringVar(&o.Type, "type", "", "`type`: code, test, report, screenshot or documentation (default by name)")
	o.agentFlag(cmd, env)
	cli.CompleteFlag(cmd, "type", cli.Words(graph.ArtifactTypes...))
	return cmd
}

func (o *artifactAddOptions) take(g cli.Given) error {
	o.Task, o.Paths = g.Args[0], g.Args[1:]
	return nil
}

var artifactColumns = []output.Column[graph.Artifact]{
	{Title: "ID", Value: func(a graph.Artifact) string { return a.ID }},
	{Title: "TYPE", Value: func(a graph.Artifact) string { return a.Type }},
	{Title: "TASK", Value: func(a graph.Artifact) string { return a.Task }},
	{Title: "PATH", Value: func(a graph.Artifact) string { return a.Path }, Flex: true},
}

func runArtifactList(ctx context.Context, o *artifactListOptions, s *stores.Stores) error {
	project, err := o.within(ctx, s)
	if err != nil {
		return err
	}
	if o.Task != "" {
		project = o.Project // the task says it
	}
	all, err := s.Graph.Artifacts(ctx, project, o.Task)
	return printList(ctx, o.env, "artifacts", all, err, artifactColumns, "there is no artifact; `agit artifact add TASK PATH` notes one")
}

func runArtifactAdd(ctx context.Context, o *artifactAddOptions, s *stores.Stores) error {
	var list []graph.Produced
	for _, path := range o.Paths {
		list = append(list, graph.Produced{Path: path, Type: o.Type})
	}
	all, err := s.Graph.AddArtifacts(ctx, o.Task, o.env.Dir, list, agentOf(o.env, o.Agent))
	return printList(ctx, o.env, "artifacts", all, err, artifactColumns, "")
}
