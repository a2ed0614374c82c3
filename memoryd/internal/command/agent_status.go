package command

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/memoryd/internal/sheet"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

func newAgentStatus(env *cli.Env, run cli.Func[oneAgent]) *cobra.Command {
	o := &oneAgent{where: where{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:               "status [NAME]",
		Short:             "Print how an agent stands",
		Long:              "Print an agent's tier, score points (SP), experience (XP) and what it still takes to\nthe next score point, communication score (CS), commits, bugs, and whether it is halted.",
		Example:           "memoryd agent status builder-1\nmemoryd agent status --json --jq .halted",
		ValidArgsFunction: cli.CompleteFirst(env, listAgents),
	}, o, cli.Take(&o.Name), run)
	o.bindAgent(cmd)
	return cmd
}

func runAgentStatus(ctx context.Context, o *oneAgent) error {
	st, err := look(ctx, o.env)
	if err != nil {
		return err
	}
	status, err := st.Records.Status(ctx, o.name())
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, status, func(t *term.Streams) error { return printStatus(t, status) })
}

func printStatus(t *term.Streams, s record.Status) error {
	halted := "no"
	if s.Halted {
		halted = "YES"
	}
	return rows(t, [][]string{
		{"agent", s.Agent}, {"tier", s.Tier}, {"SP", strconv.FormatInt(s.SP, 10)},
		{"XP", fmt.Sprintf("%s of %s to the next SP", s.XP, s.NextSP)}, {"CS", strconv.FormatInt(s.CS, 10)},
		{"commits", strconv.FormatInt(s.Commits, 10)}, {"bugs", strconv.FormatInt(s.Bugs, 10)}, {"halted", halted},
	})
}

// rows prints the cells of some lines.
func rows(t *term.Streams, all [][]string) error {
	for _, cells := range all {
		if err := t.Line(cells...); err != nil {
			return err
		}
	}
	return nil
}

func newAgentList(env *cli.Env, run cli.Func[oneAgent]) *cobra.Command {
	o := &oneAgent{where: where{env: env}}
	return cli.Command(&cobra.Command{
		Use:     "list",
		Short:   "List how every agent stands",
		Example: "memoryd agent list\nmemoryd agent list -o ndjson --jq 'select(.halted) | .agent'",
	}, o, nil, run)
}

func runAgentList(ctx context.Context, o *oneAgent) error {
	st, err := look(ctx, o.env)
	if err != nil {
		return err
	}
	all, err := st.Records.List(ctx)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		o.env.Streams.Notice("no agent is registered yet")
	}
	number := func(value func(record.Status) int64) func(record.Status) string {
		return func(s record.Status) string { return strconv.FormatInt(value(s), 10) }
	}
	return output.List(ctx, o.env.Printer(), "agents", all, []output.Column[record.Status]{
		{Title: "AGENT", Value: func(s record.Status) string { return s.Agent }},
		{Title: "TIER", Value: func(s record.Status) string { return s.Tier }},
		{Title: "SP", Right: true, Value: number(func(s record.Status) int64 { return s.SP })},
		{Title: "XP", Right: true, Value: func(s record.Status) string { return s.XP.String() }},
		{Title: "CS", Right: true, Value: number(func(s record.Status) int64 { return s.CS })},
		{Title: "COMMITS", Right: true, Value: number(func(s record.Status) int64 { return s.Commits })},
		{Title: "BUGS", Right: true, Value: number(func(s record.Status) int64 { return s.Bugs })},
		{Title: "HALTED", Value: func(s record.Status) string {
			if s.Halted {
				return "halted"
			}
			return ""
		}, Style: func(string) term.Style { return term.Red }},
	})
}

type agentSheetOptions struct {
	oneAgent
	HTML bool
}

func newAgentSheet(env *cli.Env, run cli.Func[agentSheetOptions]) *cobra.Command {
	o := &agentSheetOptions{oneAgent: about(env)}
	cmd := cli.Command(&cobra.Command{
		Use:   "sheet [NAME]",
		Short: "Draw an agent's player sheet",
		Long: `Draw an agent's record as a player sheet: its name in large letters, tier, progress
to the next score point, scores, whether it is halted, and the uncommitted changes of
the current folder's working tree. Lines are at most 60 columns of plain ASCII. With
--html it is one page, which loads nothing, for a mail or an artefact of CI.`,
		Example:           "memoryd agent sheet builder-1\nmemoryd agent sheet builder-1 --html > builder-1.html",
		Args:              cli.Args("[NAME]"),
		ValidArgsFunction: cli.CompleteFirst(env, listAgents),
	}, o, cli.Take(&o.Name), run)
	o.bindAgent(cmd)
	cmd.Flags().BoolVar(&o.HTML, "html", false, "write one page of HTML")
	return cmd
}

// sheetDocument is the JSON output: the numbers, and the sheet as drawn.
type sheetDocument struct {
	record.Status
	Pending []string `json:"pending"`
	Sheet   string   `json:"sheet"`
}

func runAgentSheet(ctx context.Context, o *agentSheetOptions) error {
	return o.draw(ctx, o.name(), o.env.Dir, o.HTML)
}

// draw prints the sheet of an agent, with the uncommitted changes of a folder.
func (o *where) draw(ctx context.Context, name, folder string, html bool) error {
	st, err := look(ctx, o.env)
	if err != nil {
		return err
	}
	s, err := st.Records.Status(ctx, name)
	if err != nil {
		return err
	}
	pending := record.Uncommitted(ctx, folder)
	drawn := sheet.Sheet{
		Agent: s.Agent, ID: s.AgentID, Type: s.Type, Tier: s.Tier, TierSP: record.TierSP(s.SP), SP: s.SP, CS: s.CS, Commits: s.Commits, Bugs: s.Bugs,
		XP: s.XP.String(), NextSP: s.NextSP.String(), Progress: s.Progress, Halted: s.Halted, Pending: pending,
	}
	return o.env.Printer().Document(ctx, sheetDocument{s, pending, drawn.String()}, func(t *term.Streams) error {
		if html {
			return t.Text(drawn.HTML())
		}
		return t.Text(drawn.String())
	})
}
