package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

type beginOptions struct {
	byAgent
	env          *cli.Env
	Task         string
	Repo         string
	Here         bool
	Capabilities []string
	Priority     string
}

func newBegin(env *cli.Env, run cli.Func[beginOptions]) *cobra.Command {
	o := &beginOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "begin [TASK]",
		Short: "Begin the next task: claim it, make its worktree, print the brief",
		Long: `Claim a task for an agent, make its worktree, open its session, and print one brief
of at most 6 kB: what to do, criteria, where to work, what waits for what, who else is
near, what is remembered, and how to finish.

TASK is an id, a ticket's key, or words in quotes: the name of an open task, else of a
new one, which has several words.

The default TASK is the one that the agent holds already, else the next ready one of
the repository. So the same call again returns the same task and worktree. Work that a
review returned, or that another agent left, continues in its worktree. When nothing
is ready it reports why and exits with 3.

--here begins the task in the worktree that you stand in, whoever made it: a client,
git, or agit. From then on it lands as agit's own do, and its folder stays. A worktree
without a branch gets one at its commit.`,
		Example: "agit begin --agent builder-1\nagit begin t-06q8v1k2m4 --agent builder-1\nagit begin \"Add a login page\" --agent builder-1\nagit begin --agent builder-1 --json --jq .worktree.path\nagit begin --here t-06q8v1k2m4 --agent builder-1",
	}, o, cli.Take(&o.Task), run)
	o.agentFlag(cmd, env)
	f := cmd.Flags()
	f.BoolVar(&o.Here, "here", false, "begin it in the worktree that you stand in, and make none")
	repoFlag(cmd, env, &o.Repo, "`repository` (default AGIT_REPO, else the folder's)")
	f.StringSliceVar(&o.Capabilities, "capabilities", nil, "what the agent can do, separated by commas (default: what it registered)")
	f.StringVar(&o.Priority, "priority", "", "the least `priority`: low, medium, high or critical")
	cli.Exits(cmd, fault.ExitNotFound, "nothing is ready")
	cli.Exits(cmd, fault.ExitConflict, "another agent has the task, or it is not ready")
	cmd.ValidArgsFunction = cli.CompleteFirst(env, listTaskIDs("claim"))
	return cmd
}

func runBegin(ctx context.Context, o *beginOptions, s *stores.Stores) (err error) {
	q := assignment.BeginRequest{Task: o.Task, Make: true, Agent: agentOf(o.env, o.Agent), Capabilities: o.Capabilities}
	if o.Priority != "" {
		if q.MinPriority, err = work.ParsePriority(o.Priority); err != nil {
			return err
		}
	}
	q.Find = func(tx *registry.Tx) (repo.Repo, error) { return repoNamedIn(tx, o.env, o.Repo) }
	if o.Here {
		r, err := repoNamed(ctx, o.env, s.DB, o.Repo)
		if err != nil {
			return err
		}
		q.Repo, q.Here, q.Find = r.UID, o.env.Dir, nil
	}
	progress := o.env.Streams.Progress("beginning a task")
	b, err := s.Assign.Begin(ctx, q)
	progress.Done()
	if err != nil {
		return err
	}
	if b.Task == nil {
		o.env.Streams.Notice("nothing is ready: %s", whyNothing(b.Reason))
		return cli.ExitStatus(fault.ExitNotFound)
	}
	if b.Task.Made {
		o.env.Streams.Notice("made task %s for it: %s", b.Task.ID, text.FirstLine(b.Task.Name, 60))
	}
	return o.env.Printer().Document(ctx, b, func(t *term.Streams) error { return t.Text(b.Text()) })
}

// reasons are why tasks are not ready, as parts of a sentence. A reason that is not among them is written with blanks.
var reasons = map[work.Why]string{
	work.WhyContainer:  "only hold others",
	work.WhyProject:    "in a project that is not active",
	work.WhyFailed:     "blocked by a failed task",
	work.WhyOutside:    "waiting for something outside",
	work.WhyAncestor:   "inside something that waits",
	work.WhyChildren:   "with open parts",
	work.WhyOrigin:     "of a ticket that waits",
	work.WhyCapability: "for other capabilities",
	work.WhyPriority:   "of a lower priority",
}

// whyNothing explains why no task is ready, from the number of unfinished tasks for each reason.
func whyNothing(counts map[work.Why]int) string {
	var why []string
	for reason, n := range counts {
		why = append(why, fmt.Sprintf("%d %s", n, cmp.Or(reasons[reason], strings.ReplaceAll(string(reason), "_", " "))))
	}
	slices.Sort(why)
	if len(why) == 0 {
		return "there is no open task; `agit tasks create TEXT` makes one"
	}
	return strings.Join(why, ", ") + "; `agit tasks list` lists them, `agit tasks create TEXT` makes one"
}
