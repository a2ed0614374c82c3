package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/gate"
	"github.com/agit-suite/agit/citecheck/internal/instruct"
	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type ciOptions struct {
	folder
	check.Options
	Format       string
	FailOn       []string
	Instructions bool
}

func newCI(env *cli.Env, run cli.Func[ciOptions]) *cobra.Command {
	o := &ciOptions{folder: folder{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "ci [flags]",
		Short: "Check all citations in CI, in the format it reads",
		Long: `Check every memory's citations and print the invalid ones as annotations of GitHub
Actions, SARIF, JUnit, Markdown for a job's summary, or JSON. The exit status tells
whether a verdict of --fail-on was found. The registry is not used, and none is made.`,
		Example: "citecheck ci --format github --since origin/main\ncitecheck ci --format sarif > citecheck.sarif\ncitecheck ci --fail-on gone,outside\ncitecheck ci --instructions --format github",
	}, o, nil, run)
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.Format, "format", "text", "text, github, sarif, junit, markdown or json")
	f.StringVar(&o.Since, "since", "", "only citations into files changed since a `revision`")
	f.StringVar(&o.At, "at", "", "look at the code of a `revision` (default the working tree)")
	f.BoolVar(&o.Prose, "prose", false, "count references in prose (path:line) as citations")
	f.BoolVar(&o.Instructions, "instructions", false, "check the instructions for agents too: CLAUDE.md, AGENTS.md, rules")
	failOn(cmd, &o.FailOn)
	cli.CompleteFlag(cmd, "format", cli.Words(gate.Formats...))
	return cmd
}

func runCI(ctx context.Context, o *ciOptions) error {
	if err := oneOf("format", o.Format, gate.Formats...); err != nil {
		return err
	}
	fails, err := check.ParseVerdicts(o.FailOn)
	if err != nil {
		return err
	}
	s, err := o.open(ctx, stores.Unused, o.Instructions)
	if err != nil {
		return err
	}
	defer s.Close()
	var told *instruct.Report
	if o.Instructions {
		if told, err = ciInstructions(ctx, o); err != nil {
			return err
		}
	}
	opts := o.Options
	opts.Whole, opts.NoRecord = true, true
	sum, err := s.Checks.VerifyAll(ctx, opts)
	if err != nil {
		return err
	}
	for i, m := range sum.Memories {
		if m.File != "" {
			sum.Memories[i].File = s.Library.InRepository(m.File)
		}
	}
	findings := append(gate.Findings(sum, fails), gate.Instructions(told, fails)...)
	sum.Memories = reported(sum.Memories)
	if err := printFindings(ctx, o, sum, told, findings); err != nil {
		return err
	}
	o.env.Streams.Notice("%s in %s; history is not kept", text.Count(sum.Citations, "citation", "citations"), text.Count(sum.Total, "memory", "memories"))
	if gate.Failed(findings) {
		return cli.ExitStatus(fault.ExitFailure)
	}
	return nil
}

// ciReport is the output as JSON.
type ciReport struct {
	*check.Summary
	Instructions *instruct.Report `json:"instructions,omitempty"`
}

// ciInstructions checks the instructions in a clone, not the memories that clients keep elsewhere. With --since only statements count that
// a change since then made false, or whose file it touched.
func ciInstructions(ctx context.Context, o *ciOptions) (*instruct.Report, error) {
	if o.At != "" {
		return nil, fault.Validation("at", "--instructions looks at the working tree, not at %q", o.At).WithHint("check the revision out, or leave --at out")
	}
	root := library.RootOf(o.env.Dir)
	report, err := instruct.Check(ctx, root, instruct.Options{})
	if err != nil || o.Since == "" {
		return report, err
	}
	touched, err := instruct.Since(ctx, root, o.Since, "")
	if err != nil {
		return nil, err
	}
	return report.Only(touched.Concerns), nil
}

func printFindings(ctx context.Context, o *ciOptions, sum *check.Summary, told *instruct.Report, findings []gate.Finding) (err error) {
	g := o.env.Globals
	var text string
	switch {
	case o.Format == "json", g.JSON || g.Output != "" && g.Output != "table" || g.JQ != "":
		return documentAsJSON(ctx, o.env, ciReport{sum, told})
	case o.Format == "github":
		text = gate.GitHub(findings)
	case o.Format == "sarif":
		text, err = gate.SARIF(findings, o.env.Version)
	case o.Format == "junit":
		text, err = gate.JUnit(gate.WithInstructions(sum, told), findings)
	case o.Format == "markdown":
		text = gate.Markdown(sum, findings)
	default:
		return o.env.Printer().Document(ctx, ciReport{sum, told}, func(st *term.Streams) error {
			if told != nil {
				if err := printInstructions(st, told); err != nil {
					return err
				}
			}
			return printSummary(st, sum, false)
		})
	}
	if err != nil {
		return err
	}
	return o.env.Streams.Text(text)
}
