package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/work/unattended"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type attachOptions struct {
	env  *cli.Env
	Who  string
	Once bool
	Tail int
}

func newAttach(env *cli.Env, run cli.Func[attachOptions]) *cobra.Command {
	o := &attachOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "attach AGENT [flags]",
		SuggestFor: []string{"follow"},
		Short:      "Follow an agent at work, tool by tool",
		Long: `Follow what an agent of agit work does: what it writes, each tool that it calls, with
its command or file, how that ended, what was allowed and denied, and what people told
it. When a run ends its outcome is printed, and the agent's next run follows, until
its agit work ends or you press Ctrl-C, which ends nothing else. AGENT may be a
worktree.

agit tell sends the agent a message meanwhile, agit answer answers its questions.`,
		Example: "agit attach ann\nagit attach w-06q8v1k2m4 --once",
	}, o, cli.Take(&o.Who), run)
	f := cmd.Flags()
	f.BoolVar(&o.Once, "once", false, "end with the run that goes on")
	f.IntVarP(&o.Tail, "lines", "n", 20, "begin with the last `n` lines")
	cli.Exits(cmd, fault.ExitNotFound, "no run of the agent goes on")
	cmd.ValidArgsFunction = cli.CompleteFirst(env, listAgentNames)
	return cmd
}

func runAttach(ctx context.Context, o *attachOptions, s *stores.Stores) error {
	a, err := o.find(ctx, s)
	return printDocument(ctx, o.env, a, err, func(st *term.Streams) error {
		for lines := max(0, o.Tail); ; lines = -1 { // of the next runs all
			st.Notice("%s at %s with %s, since %s", a.Agent, a.TaskID, a.Client, a.StartedAt.Local().Format("15:04"))
			log, err := runlog.Named(a.Log)
			if err != nil {
				return err
			}
			if err := log.Follow(ctx, st.Out, lines); err != nil {
				return err
			}
			if o.Once {
				return nil
			}
			ended, next, found, err := s.Work.Following(ctx, a)
			if err != nil {
				return err
			}
			st.Notice("%s at %s: %s", ended.Agent, ended.TaskID, endOf(ended))
			if !found {
				return nil
			}
			a = next
		}
	})
}

// endOf returns how a run ended, in a few words.
func endOf(a unattended.Attempt) string {
	if a.Why == "" {
		return string(a.State)
	}
	return string(a.State) + ": " + text.FirstLine(a.Why, 200)
}

// find returns the requested run: of an agent, or in a worktree.
func (o *attachOptions) find(ctx context.Context, s *stores.Stores) (unattended.Attempt, error) {
	a, found, err := s.Work.AtWork(ctx, o.Who, "")
	if err != nil || found {
		return a, err
	}
	if w, failed := s.Worktrees.Get(ctx, o.env.Getenv("AGIT_REPO"), o.Who); failed == nil {
		if a, found, err = s.Work.AtWork(ctx, "", w.Ref); err != nil || found {
			return a, err
		}
	}
	return a, fault.NotFound("run", o.Who).Saying("no run of `agit work` goes on at %q", o.Who).
		WithHint("`agit logs %s` shows the last one", text.ShellWord(o.Who))
}
