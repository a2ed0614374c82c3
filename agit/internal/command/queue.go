package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

type queueOptions struct {
	env  *cli.Env
	Repo string
	All  bool
	Past int
}

func newQueue(env *cli.Env, run cli.Func[queueOptions]) *cobra.Command {
	o := &queueOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "queue [REPO] [flags]",
		SuggestFor: []string{"landings", "landing"},
		Short:      "Show what is about to land, and what was returned",
		Long: `Show what is about to land, in the order it will: the first runs its gate, the
others wait. After them come the worktrees whose last merge was returned or
cancelled, with the reason, and with --past the last landings. REPO is the current
folder's by default; with --all, or outside of any repository, all are shown.`,
		Example: "agit queue\nagit queue app --json --jq '.landings[] | select(.state == \"returned\")'",
	}, o, cli.Take(&o.Repo), run)
	cmd.Flags().BoolVar(&o.All, "all", false, "every repository, even when the current folder is in one")
	cmd.Flags().IntVar(&o.Past, "past", 0, "also the last `n` that landed")
	cmd.ValidArgsFunction = repoNames(env)
	return cmd
}

func runQueue(ctx context.Context, o *queueOptions, s *stores.Stores) (err error) {
	if o.Repo, err = hereOrAll(ctx, o.env, s.DB, o.Repo, o.All); err != nil {
		return err
	}
	list, err := s.Landings.Queue(ctx, o.Repo)
	if err != nil {
		return err
	}
	if o.Past > 0 {
		past, err := s.Landings.Landed(ctx, o.Repo, o.Past)
		if err != nil {
			return err
		}
		list = append(list, past...)
	}
	if len(list) == 0 {
		o.env.Streams.Notice("nothing waits to land")
	}
	called, err := shownNames(ctx, o.env, s, o.Repo)
	if err != nil {
		return err
	}
	now := time.Now()
	columns := []output.Column[land.Landing]{
		{Title: "#", Value: func(l land.Landing) string { return some(l.Position) }},
		{Title: "WORKTREE", Short: true, Value: func(l land.Landing) string { return called(l.Worktree) }},
		{Title: "STATE", Value: func(l land.Landing) string { return string(l.State) }},
		{Title: "BY", Value: func(l land.Landing) string { return l.Agent }},
		{Title: "ASKED", Value: func(l land.Landing) string { return term.Ago(l.AskedAt.Time, now) }},
		{Title: "WHAT", Value: func(l land.Landing) string { return doing(l, now) }, Flex: true},
	}
	if o.Repo == "" {
		columns = append([]output.Column[land.Landing]{{Title: "REPO", Value: func(l land.Landing) string { return l.Repo }}}, columns...)
	}
	return output.List(ctx, o.env.Printer(), "landings", list, columns)
}

// doing returns what a landing does, or why it was returned.
func doing(l land.Landing, now time.Time) string {
	switch {
	case l.Reason != "":
		return l.Reason
	case l.State == land.Landed && l.Commit == "":
		return "was in " + l.Target + " already"
	case l.State == land.Landed:
		what := fmt.Sprintf("%s into %s as %.12s", l.Strategy, l.Target, l.Commit)
		switch {
		case l.GateResult == land.GatePassed:
			what += ", gate passed"
		case l.GateSkipped != "":
			what += ", without the gate: " + l.GateSkipped
		}
		return what
	case l.State == land.Running && l.GateResult == land.GateRunning:
		what := fmt.Sprintf("gate running for %s: %s", now.Sub(l.GateAt.Time).Round(time.Second), strings.Join(l.Gate, ", "))
		if l.Rounds > 1 {
			what += fmt.Sprintf(" (round %d)", l.Rounds)
		}
		return what
	case l.State == land.Running, len(l.Gate) == 0:
		return fmt.Sprintf("%s into %s", l.Strategy, l.Target)
	}
	return fmt.Sprintf("%s into %s, then %s", l.Strategy, l.Target, strings.Join(l.Gate, ", "))
}
