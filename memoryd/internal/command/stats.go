package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
)

type statsOptions struct {
	where
	All bool
}

func newStats(env *cli.Env, run cli.Func[statsOptions]) *cobra.Command {
	o := &statsOptions{}
	cmd := cli.Command(&cobra.Command{
		Use:     "stats [flags]",
		Short:   "Count what is kept: memories by type and state, sessions, records",
		Example: "memoryd stats\nmemoryd stats --all-projects --json --jq .memories.total",
	}, o, nil, run)
	o.bindProject(env, cmd)
	cmd.Flags().BoolVar(&o.All, "all-projects", false, "count over every project")
	return cmd
}

func runStats(ctx context.Context, o *statsOptions) error {
	st, err := look(ctx, o.env)
	if err != nil {
		return err
	}
	var id int64
	if !o.All {
		p, ok, err := o.findOrNone(ctx, st)
		if err != nil {
			return err
		}
		if id = p.ID; !ok {
			id = memory.Nothing
		}
	}
	s, err := st.Memories.Stats(ctx, id)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, s, func(t *term.Streams) error {
		m := s.Memories
		lines := [][]string{{"memories", fmt.Sprint(m.Total)}}
		for _, kind := range memory.Types() {
			lines = append(lines, []string{"  " + kind, fmt.Sprint(m.ByType[kind])})
		}
		lines = append(lines, []string{"  archived", fmt.Sprint(m.Archived)}, []string{"  replaced", fmt.Sprint(m.Superseded)},
			[]string{"  expired", fmt.Sprint(m.Expired)}, []string{"  with citations", fmt.Sprint(m.Cited)}, []string{"  never used", fmt.Sprint(m.Unused)},
			[]string{"  earlier versions", fmt.Sprint(m.Versions)}, []string{"sessions", fmt.Sprint(s.Sessions)}, []string{"events", fmt.Sprint(s.Events)},
			[]string{"retrospectives", fmt.Sprint(s.Retrospectives)}, []string{"activities", fmt.Sprint(s.Activities)},
			[]string{"commits", fmt.Sprint(s.Commits)}, []string{"grades", fmt.Sprint(s.Grades)})
		return rows(t, lines)
	})
}
