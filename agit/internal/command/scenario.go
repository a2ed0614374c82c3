package command

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
)

func newScenario(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{Use: "scenario", Short: "Record and list test scenarios", Long: "Work with the test scenarios that validate tasks."},
		newScenarioList(env, looking(env, runScenarioList)), newScenarioRecord(env, changing(env, runScenarioRecord)))
}

type scenarioListOptions struct{ inProject }

func newScenarioList(env *cli.Env, run cli.Func[scenarioListOptions]) *cobra.Command {
	o := &scenarioListOptions{inProject{env: env}}
	cmd := cli.Command(&cobra.Command{Use: "list", Short: "List test scenarios"}, o, nil, run)
	o.listFlags(cmd)
	return cmd
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

func runScenarioList(ctx context.Context, o *scenarioListOptions, s *stores.Stores) error {
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
