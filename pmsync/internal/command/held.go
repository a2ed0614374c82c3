package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

// printHeld lists the changes that could not be sent, with the reasons.
func printHeld(out *term.Streams, all []sync.Held) error {
	for _, h := range all {
		state := "waits"
		if h.Refused {
			state = "refused"
		}
		line := fmt.Sprintf("%s %s  %s %s %q", state, h.ID, h.Ticket, h.Type, text.FirstLine(strings.ReplaceAll(h.Value, "\n", ", "), 60))
		if err := out.Line(term.EscapeText(line + ": " + h.Reason)); err != nil {
			return err
		}
	}
	return nil
}

type heldOptions struct {
	where
	ID  string
	All bool
}

func newRetry(env *cli.Env, run cli.Func[heldOptions]) *cobra.Command {
	o := &heldOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:   "retry [ID] [flags]",
		Short: "Send a refused change once more",
		Long: `Queue a change again that the tracker refused, for the next push. ID is the
change's id, as pmsync status shows it, or a ticket's for all of its refused
changes. The ticket shows the value again.`,
		Example: "pmsync retry c-4k2m\npmsync retry --all",
	}, o, cli.Take(&o.ID), run))
	cmd.Flags().BoolVar(&o.All, "all", false, "all refused changes of the project")
	cmd.ValidArgsFunction = completeTickets(env)
	return cmd
}

func runRetry(ctx context.Context, o *heldOptions) error {
	if (o.ID == "") != o.All {
		return fault.Validation("id", "no refused change is named").WithHint("give the id of a change or ticket, or `--all`; `pmsync status` lists them")
	}
	st, c, err := o.start(ctx)
	if err != nil {
		return err
	}
	done, err := st.Sync.Retry(ctx, c, o.ID)
	return o.print(ctx, done, err, "queued", "next: `pmsync push` sends it")
}

func newDiscard(env *cli.Env, run cli.Func[heldOptions]) *cobra.Command {
	o := &heldOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:   "discard ID [flags]",
		Short: "Give up a change that waits or was refused",
		Long: `Give up a change that was not sent. ID is the change's id, as pmsync status
shows it, or a ticket's for all of its changes. The ticket shows the tracker's
value again. A ticket that was to be made at the tracker stays here alone.`,
		Example: "pmsync discard c-4k2m",
	}, o, cli.Take(&o.ID), run))
	cmd.ValidArgsFunction = completeTickets(env)
	cli.Exits(cmd, fault.ExitConflict, "the change may have been sent, which the next push finds out")
	return cmd
}

func runDiscard(ctx context.Context, o *heldOptions, st *stores.Stores, c caller.Caller) error {
	done, err := st.Sync.Discard(ctx, c, o.ID)
	return o.print(ctx, done, err, "discarded", "")
}

// print lists the changes that had an effect.
func (o *heldOptions) print(ctx context.Context, done sync.Settled, err error, became, next string) error {
	return o.show(ctx, done, err, func(s *term.Streams) error {
		for _, h := range done.Changes {
			if err := s.Line(became, h.ID, h.Ticket, h.Type, text.FirstLine(h.Value, 60)); err != nil {
				return err
			}
		}
		switch {
		case len(done.Changes) == 0:
			s.Notice("no change was refused")
		case next != "":
			s.Notice("%s", next)
		}
		return nil
	})
}
