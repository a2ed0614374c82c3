package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type verifyAllOptions struct {
	looking
	All bool
}

func newVerifyAll(env *cli.Env, run cli.Func[verifyAllOptions]) *cobra.Command {
	o := &verifyAllOptions{}
	o.env = env
	cmd := cli.Command(&cobra.Command{
		Use:        "verify-all [flags]",
		SuggestFor: []string{"check", "list"},
		Short:      "Check every memory's citations",
		Long: `Check the citations of every memory in the folder. One line is printed when all
is well, none with --quiet, as cron wants it; else each memory that is not, with what
became of its citations. Memories without citations are read and not reported (--all does).`,
		Example: "citecheck verify-all\ncitecheck verify-all --since origin/main\ncitecheck verify-all --write-verified\ncitecheck verify-all -o ndjson --jq 'select(.confidence < 0.7)'",
	}, o, nil, run)
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.Since, "since", "", "only citations into files changed since a `revision`")
	f.BoolVar(&o.Registry, "registry", false, "check the registry's memories of this project too")
	f.BoolVar(&o.All, "all", false, "report memories without citations too")
	cmd.MarkFlagsMutuallyExclusive("since", "write-verified")
	return cmd
}

func runVerifyAll(ctx context.Context, o *verifyAllOptions) error {
	s, err := o.open(ctx, stores.Kept, o.Registry)
	if err != nil {
		return o.elsewhere(ctx, err, "citecheck verify-all --registry")
	}
	defer s.Close()
	opts := o.options()
	progress := o.env.Streams.Progress("checking citations")
	sum, err := s.Checks.VerifyAll(ctx, opts)
	progress.Done()
	if err != nil {
		return err
	}
	var marked error
	if o.WriteVerified {
		_, marked = s.Checks.Mark(ctx, sum)
	}
	if !o.All {
		sum.Memories = reported(sum.Memories)
	}
	for i := range sum.Memories {
		sum.Memories[i].Citations = nil
	}
	if o.env.Printer().Format() == ndjson {
		err = listMemories(ctx, o.env, sum)
	} else {
		err = o.env.Printer().Document(ctx, sum, func(st *term.Streams) error { return printSummary(st, sum, o.All) })
	}
	if n := sum.Verdicts[verify.Moved] + sum.Verdicts[verify.Renamed]; err == nil && n > 0 && o.At == "" && !o.Registry {
		o.env.Streams.Notice("`citecheck fix` writes where %s now", text.Count(n, "citation is", "citations are"))
	}
	if err == nil && marked == nil && sum.Failed() {
		return cli.ExitStatus(fault.ExitFailure)
	}
	return cmp.Or(err, marked)
}

// reported returns the memories that refer to the code.
func reported(memories []check.Memory) []check.Memory {
	return slices.DeleteFunc(memories, func(m check.Memory) bool { return m.Total == 0 && m.State == check.StateUnverified })
}

func printSummary(st *term.Streams, sum *check.Summary, all bool) error {
	if !sum.Failed() && !all {
		if st.Quiet {
			return nil // cron mails any output
		}
		return st.Line(oneLine(sum))
	}
	if err := printStale(st, sum, all); err != nil {
		return err
	}
	if !sum.Failed() {
		return st.Line(oneLine(sum))
	}
	text := fmt.Sprintf("%d of %s not valid", sum.Stale+sum.Unreadable, text.Count(sum.Total, "memory is", "memories are"))
	if sum.Total != 1 {
		text = fmt.Sprintf("%d of %d memories not valid", sum.Stale+sum.Unreadable, sum.Total)
	}
	if counts := verdictCounts(sum.Verdicts); counts != "" {
		text += ": " + counts
	}
	if !sum.History {
		text += "; history is not kept (no registry)"
	}
	return closing(st, text)
}
