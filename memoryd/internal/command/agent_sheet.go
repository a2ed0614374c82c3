package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/memoryd/internal/sheet"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
)

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
	st, err := open(ctx, o.env)
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
