package command

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/land/trial"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

type trialOptions struct {
	env    *cli.Env
	Repo   string
	DryRun bool
	Again  bool
	Limit  time.Duration
}

func newTrial(env *cli.Env, run cli.Func[trialOptions]) *cobra.Command {
	o := &trialOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "trial [REPO] [flags]",
		SuggestFor: []string{"try", "test", "together"},
		Short:      "Merge everything in flight and run the gate on it",
		Long: `Merge the states of all worktrees one on the other onto the default branch,
uncommitted work included, in the order in which they would land, and run the gate
on the result. A worktree that does not merge is left out and named. If the gate
fails, the set is halved until the smallest group of worktrees is found that fails
together.

The repository is only read: merges go to an object store that is thrown away, and
the gate runs with low priority in a checkout of its own, which stays for the next
trial. A verdict of the gate on a tree counts for a day, also for merges.
Two trials never run at once. Like a merge, a trial runs a trusted gate only.`,
		Example: "agit trial app\nagit trial --dry-run\nagit trial --json --jq '.failures[].tests'",
	}, o, cli.Take(&o.Repo), run)
	f := cmd.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, "show what would be merged, what is left out and which gate would run; run nothing")
	f.BoolVar(&o.Again, "again", false, "run the gate also on what it judged within the last day")
	f.DurationVar(&o.Limit, "limit", 0, "how long it may take in all (default trial_limit)")
	cli.Exits(cmd, fault.ExitFailure, "the gate failed on what is in flight, or could not run")
	cmd.ValidArgsFunction = repoNames(env)
	return cmd
}

func runTrial(ctx context.Context, o *trialOptions) error {
	if o.Limit < 0 {
		return fault.Validation("limit", "a trial cannot take %s", o.Limit).WithHint("use a time such as 30m")
	}
	s, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	r, err := repoNamed(ctx, o.env, s.DB, o.Repo)
	if err != nil {
		return err
	}
	progress := o.env.Streams.Progress("trying everything in " + r.Name + " together")
	t, err := s.Trials.Run(ctx, r, trial.Options{DryRun: o.DryRun, Again: o.Again, Limit: o.Limit,
		Running: func(gate string) { progress.Say("trying everything in %s together: %s", r.Name, gate) }})
	progress.Done()
	err = printDocument(ctx, o.env, t, err, func(st *term.Streams) error { return printTrial(st, t) })
	return exitWhen(err, t.Result == trial.Red || t.Result == trial.Unfinished, fault.ExitFailure)
}

func printTrial(st *term.Streams, t trial.Trial) error {
	lines := []string{t.Headline()}
	if t.Result == trial.Planned {
		for _, p := range t.Parties {
			lines = append(lines, "  "+p.Label())
		}
		if len(t.Gate) > 0 {
			lines = append(lines, "the gate would run: "+strings.Join(t.Gate, ", "))
		}
	}
	lines = append(lines, t.Tells()...)
	if t.Result == trial.Red && len(t.Passing) > 0 {
		lines = append(lines, "together pass: "+strings.Join(t.Passing, ", "))
	}
	for _, line := range lines {
		if err := st.Line(line); err != nil {
			return err
		}
	}
	for _, skipped := range t.Skipped {
		st.Warn("%s could not be read: %s", skipped.ID, skipped.Reason)
	}
	if t.Known && t.Result != trial.Nothing && t.Result != trial.Ungated {
		st.Notice("the gate judged this within the last day; `agit trial --again` runs it anew")
	}
	return nil
}
