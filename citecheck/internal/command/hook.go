package command

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/gate"
	"github.com/agit-suite/agit/citecheck/internal/instruct"
	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/githook"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

func newHook(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{
		Use:   "hook",
		Short: "Check citations before each commit",
		Long: `Let git's pre-commit hook check the citations into files of a commit, as they are
staged. A machine without citecheck commits as before.`,
	}, newHookInstall(env, runHookInstall), newHookRemove(env, runHookRemove), newHookRun(env, runHookRun))
}

type hookOptions struct {
	folder
	FailOn       []string
	Instructions bool
}

func newHookInstall(env *cli.Env, run cli.Func[hookOptions]) *cobra.Command {
	o := &hookOptions{folder: folder{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "install [flags]",
		Short: "Add citecheck to the repository's pre-commit hook",
		Long: `Add citecheck to the pre-commit hook of the current repository, or make the hook. One
that is there is kept; citecheck's lines stand between marks at its beginning.
Installing twice is the same as once. core.hooksPath is honoured inside the
repository. With --instructions it also refuses a commit that leaves CLAUDE.md,
AGENTS.md or rules with a stale statement.`,
		Example: "citecheck hook install\ncitecheck hook install --instructions",
	}, o, nil, run)
	cmd.Flags().BoolVar(&o.Instructions, "instructions", false, "check the instructions for agents too, at each commit")
	return cmd
}

func newHookRemove(env *cli.Env, run cli.Func[hookOptions]) *cobra.Command {
	o := &hookOptions{folder: folder{env: env}}
	return cli.Command(&cobra.Command{
		Use:     "remove",
		Short:   "Take citecheck out of the pre-commit hook",
		Example: "citecheck hook remove",
	}, o, nil, run)
}

func newHookRun(env *cli.Env, run cli.Func[hookOptions]) *cobra.Command {
	o := &hookOptions{folder: folder{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "run [flags]",
		Short: "Check the staged files (started by the hook)",
		Long: `Check the citations into files that are staged, against the index, and those of the
staged memories. It prints nothing when all is well.`,
		Example: "citecheck hook run\ncitecheck hook run --fail-on stale\ncitecheck hook run --instructions",
	}, o, nil, run)
	o.flags(cmd)
	cmd.Flags().BoolVar(&o.Instructions, "instructions", false, "check the instructions for agents too, if the commit touches them")
	failOn(cmd, &o.FailOn)
	return cmd
}

// failOn is the flag for the verdicts that make a gate fail.
func failOn(cmd *cobra.Command, to *[]string) {
	names := make([]string, len(check.FailOn))
	for i, v := range check.FailOn {
		names[i] = string(v)
	}
	cmd.Flags().StringSliceVar(to, "fail-on", names, "`verdicts` that fail; stale is every one but valid and unverifiable, none is none")
	cli.CompleteFlag(cmd, "fail-on", cli.Words("moved", "renamed", "changed", "gone", "ambiguous", "outside", "unverifiable", "stale", "none"))
	cli.Exits(cmd, fault.ExitFailure, "a citation has one of the verdicts of --fail-on, or a memory cannot be read")
}

func runHookInstall(ctx context.Context, o *hookOptions) error {
	part := githook.Citations
	if o.Instructions {
		part = part.Given()
	}
	return writeHook(ctx, o.env, part.Install)
}

func runHookRemove(ctx context.Context, o *hookOptions) error {
	return writeHook(ctx, o.env, githook.Citations.Remove)
}

func writeHook(ctx context.Context, env *cli.Env, write func(path string) (githook.Result, error)) error {
	path, err := githook.Citations.Path(ctx, env.Dir)
	if err != nil {
		return err
	}
	r, err := write(path)
	if err != nil {
		return err
	}
	return env.Printer().Document(ctx, r, func(st *term.Streams) error { return st.Line(r.Outcome, r.Hook) })
}

func runHookRun(ctx context.Context, o *hookOptions) error {
	fails, err := check.ParseVerdicts(o.FailOn)
	if err != nil {
		return err
	}
	told := 0
	if o.Instructions {
		if told, err = hookInstructions(ctx, o, fails); err != nil {
			return err
		}
	}
	err = hookCitations(ctx, o, fails)
	if err == nil && told > 0 {
		return cli.ExitStatus(fault.ExitFailure)
	}
	return err
}

// index returns the index file of the commit being made, "" for the repository's own.
func (o *hookOptions) index() string {
	index := o.env.Getenv("GIT_INDEX_FILE")
	if index != "" && !filepath.IsAbs(index) {
		return filepath.Join(o.env.Dir, index) // git starts hooks at the working tree's root
	}
	return index
}

// hookInstructions reports the instructions that the commit makes false, and counts those that fail.
func hookInstructions(ctx context.Context, o *hookOptions, fails []verify.Verdict) (failed int, err error) {
	root := library.RootOf(o.env.Dir)
	staged, err := instruct.Since(ctx, root, "", o.index())
	if err != nil || staged.Empty() {
		return 0, err
	}
	report, err := instruct.Check(ctx, root, instruct.Options{IndexFile: o.index()})
	if err != nil {
		return 0, err
	}
	report = report.Only(func(f instruct.Finding) bool { return f.Verdict != instruct.Hidden && staged.Concerns(f) })
	if len(report.Findings) == 0 {
		return 0, nil
	}
	for _, f := range gate.Instructions(report, fails) {
		if f.Fails {
			failed++
		}
	}
	err = o.env.Printer().Document(ctx, report, func(st *term.Streams) error { return printInstructionFindings(st, report) })
	if err == nil && failed > 0 {
		o.env.Streams.Warn("the commit is refused: with it %s", text.Count(failed, "statement that agents are told is not true any more", "statements that agents are told are not true any more"))
	}
	return failed, err
}

// hookCitations checks the citations that the commit concerns.
func hookCitations(ctx context.Context, o *hookOptions, fails []verify.Verdict) error {
	s, err := o.open(ctx, stores.Unused, false)
	if fault.Is(err, fault.KindNotFound) && o.Dir == "" {
		return nil // a branch without memories commits normally
	}
	if err != nil {
		return err
	}
	defer s.Close()
	s.Checks.IndexFile = o.index()
	sum, err := s.Checks.Staged(ctx)
	if err != nil {
		return err
	}
	if !sum.Failed() {
		return nil
	}
	err = o.env.Printer().Document(ctx, sum, func(st *term.Streams) error { return printStale(st, sum, false) })
	if err != nil {
		return err
	}
	if n := sum.Failing(fails); n > 0 || sum.Unreadable > 0 {
		hint := "correct the memories named above, or commit with --no-verify"
		if sum.Verdicts[verify.Moved] > 0 {
			hint = "`citecheck fix` corrects moved citations; " + hint
		}
		o.env.Streams.Warn("the commit is refused: with it %s; %s", broken(n, sum.Unreadable), hint)
		return cli.ExitStatus(fault.ExitFailure)
	}
	o.env.Streams.Notice("`citecheck fix` writes the new places: %s", strings.TrimSpace(verdictCounts(sum.Verdicts)))
	return nil
}

// broken returns what is wrong, as one clause.
func broken(citations, unreadable int) string {
	switch {
	case citations == 0:
		return text.Count(unreadable, "memory cannot be read", "memories cannot be read")
	case citations == 1:
		return "1 citation is not true any more"
	}
	return fmt.Sprintf("%d citations are not true any more", citations)
}
