package command

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

type progressOptions struct {
	taskChange
	Status             string
	Artifacts, Metrics []string
	Notes              string
}

func newProgress(env *cli.Env, run cli.Func[progressOptions]) *cobra.Command {
	o := &progressOptions{taskChange: taskChange{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:     "progress TASK STATUS",
		Short:   "Report on a task and see what it unblocks",
		Long:    "Report a task as in_progress, completed or failed, with what it produced and measured.\nPrints the tasks that can be worked on now because of it.",
		Example: "agit progress UAT-001 completed --agent tester --artifact report:reports/UAT-001.md --metric duration='4m 30s'",
	}, o, cli.Take(&o.ID, &o.Status), run)
	o.agentFlag(cmd, env)
	f := cmd.Flags()
	f.StringArrayVar(&o.Artifacts, "artifact", nil, "`[type:]path` of something it produced; give it again for more")
	f.StringArrayVar(&o.Metrics, "metric", nil, "a measured `name=value`; duration is kept with the task; give it again for more")
	f.StringVar(&o.Notes, "notes", "", "`text` kept with the report")
	f.Int64Var(&o.Token, "token", 0, "claim `token` of the report")
	f.BoolVar(&o.Force, "force", false, "as a person, report on a task that another holds; its history records that")
	return cmd
}

func runProgress(ctx context.Context, o *progressOptions, s *stores.Stores) error {
	p := graph.Progress{Task: o.ID, Status: o.Status, Caller: o.caller(), Notes: o.Notes, Folder: o.env.Dir, Metrics: map[string]any{}}
	for _, a := range o.Artifacts {
		produced := graph.Produced{Path: a}
		for _, kind := range graph.ArtifactTypes {
			if rest, ok := strings.CutPrefix(a, kind+":"); ok {
				produced = graph.Produced{Path: rest, Type: kind}
			}
		}
		p.Artifacts = append(p.Artifacts, produced)
	}
	for _, m := range o.Metrics {
		name, value, ok := strings.Cut(m, "=")
		if !ok || name == "" {
			return fault.Validation("metric", "%q is not name=value", m).WithHint("write it like passRate=100")
		}
		p.Metrics[name] = value
		if number := json.Number(value); json.Valid([]byte(value)) && number != "" {
			p.Metrics[name] = number
		}
	}
	out, err := s.Graph.Report(ctx, p)
	return printDocument(ctx, o.env, out, err, func(t *term.Streams) error {
		if err := taskLine(t, out.Task); err != nil {
			return err
		}
		var rows [][]string
		for _, id := range out.Unblocked {
			rows = append(rows, []string{"unblocked", id})
		}
		return t.Lines(rows...)
	})
}
