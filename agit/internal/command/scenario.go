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
	"github.com/agit-suite/agit/shared/term"
)

type scenarioOptions struct {
	graphOptions
	Name, Description, Priority string
	PassRate                    float64
	passRate                    *float64
	Validates                   []string
}

func newScenario(env *cli.Env) *cobra.Command {
	list, record := &scenarioOptions{}, &scenarioOptions{}
	listCmd := graphCommand(env, &cobra.Command{Use: "list", Short: "List test scenarios"}, list, &list.graphOptions, nil, runScenarioList)
	list.listFlags(listCmd, env)
	var recordCmd *cobra.Command
	recordCmd = graphCommand(env, &cobra.Command{
		Use: "record ID STATUS", Short: "Record how a test scenario went, making it when it is new",
		Long:    "Record a test scenario as pending, running, passed or failed. The tasks that it\nvalidates are added to those known.",
		Example: "agit scenario record UAT-001 passed --name 'User registration' --pass-rate 100 --validates T-1,T-2",
	}, record, &record.graphOptions, []string{"ID", "STATUS"}, func(ctx context.Context, o *scenarioOptions, s *stores.Stores) error {
		if recordCmd.Flags().Changed("pass-rate") {
			o.passRate = &o.PassRate
		}
		return runScenarioRecord(ctx, o, s)
	})
	f := recordCmd.Flags()
	f.StringVar(&record.Name, "name", "", "what a new one is called (default the id)")
	f.StringVar(&record.Description, "description", "", "what a new one tests")
	f.StringVar(&record.Priority, "priority", "", "`priority` of a new one")
	f.Float64Var(&record.PassRate, "pass-rate", 0, "`percent` that passed")
	f.StringSliceVar(&record.Validates, "validates", nil, "`tasks` it validates, separated by commas")
	record.projectFlag(recordCmd, env, "`project` of a new one (default: that of the tasks, else the folder's)")
	record.agentFlag(recordCmd, env)
	return cli.Parent(&cobra.Command{Use: "scenario", Short: "Record and list test scenarios", Long: "Work with the test scenarios that validate tasks."},
		listCmd, recordCmd)
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

func runScenarioList(ctx context.Context, o *scenarioOptions, s *stores.Stores) error {
	project, err := o.within(ctx, s)
	if err != nil {
		return err
	}
	all, err := s.Graph.Scenarios(ctx, project)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		o.env.Streams.Notice("there is no test scenario; `agit scenario record ID STATUS` records one")
	}
	return output.List(ctx, o.env.Printer(), "scenarios", all, scenarioColumns)
}

func runScenarioRecord(ctx context.Context, o *scenarioOptions, s *stores.Stores) error {
	r := graph.ScenarioRecord{ID: o.Args[0], Status: o.Args[1], Name: o.Name, Description: o.Description, Priority: o.Priority,
		PassRate: o.passRate, Validates: o.Validates, Project: o.Project, Agent: o.Agent}
	if r.Project == "" && len(r.Validates) == 0 {
		r.Project = s.Graph.ProjectOf(ctx, o.env.Dir) // one that is known needs none
	}
	out, err := s.Graph.RecordScenario(ctx, r)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, out, func(t *term.Streams) error { return t.Line(out.ID, out.Status, out.Name) })
}
