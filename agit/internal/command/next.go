package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/work"
)

type nextOptions struct {
	inProject
	byAgent
	Capabilities []string
	Priority     string
	Peek         bool
}

func newNext(env *cli.Env, run cli.Func[nextOptions]) *cobra.Command {
	o := &nextOptions{inProject: inProject{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "next",
		Short: "Claim the next ready task",
		Long: `Claim the next ready task for an agent: nothing blocks it, the agent has the
capabilities that it asks for, highest priority first, then oldest. Inside a
repository it looks at the tasks of that repository only. Elsewhere it looks at the
project of the current folder, or at all projects if that one has no tasks; --project
and --all choose others. When no task is ready it reports why and exits with 3.`,
		Example: "agit next --agent builder-1\nagit next --agent tester --capabilities browser-automation --priority high --json\nagit next --peek",
	}, o, nil, run)
	o.agentFlag(cmd, env)
	o.projectFlag(cmd, "serve this `project`")
	f := cmd.Flags()
	f.StringSliceVar(&o.Capabilities, "capabilities", nil, "what the agent can do, separated by commas (default: what it registered)")
	f.StringVar(&o.Priority, "priority", "", "the least `priority`: low, medium, high or critical")
	f.BoolVar(&o.Wide, "all", false, "serve every project")
	f.BoolVar(&o.Peek, "peek", false, "only look; claim nothing")
	cli.Exits(cmd, fault.ExitNotFound, "nothing is ready")
	return cmd
}

func runNext(ctx context.Context, o *nextOptions, s *stores.Stores) (err error) {
	ask := task.Ask{Agent: agentOf(o.env, o.Agent), Capabilities: o.Capabilities, Project: o.Project, Peek: o.Peek}
	if o.Priority != "" {
		if ask.MinPriority, err = work.ParsePriority(o.Priority); err != nil {
			return err
		}
	}
	if ask.Project == "" && !o.Wide {
		ask.Find = func(tx *registry.Tx) (task.Place, error) {
			r, err := repoNamedIn(tx, o.env, "")
			if err == nil || !fault.Is(err, fault.KindValidation) {
				return task.Place{Project: r.ProjectID, Repo: r.ID}, err
			}
			home, err := s.Graph.ProjectAt(tx, o.env.Dir)
			if err != nil {
				return task.Place{}, err
			}
			return task.Home(tx, home)
		}
	}
	offer, err := s.Tasks.Offer(ctx, ask)
	if err != nil {
		return err
	}
	if offer.TaskID == nil {
		o.env.Streams.Notice("nothing is ready: %s", whyNothing(offer.Reason))
		return cli.ExitStatus(fault.ExitNotFound)
	}
	return o.env.Printer().Document(ctx, offer, func(t *term.Streams) error {
		return taskLine(t, *offer.Task)
	})
}
