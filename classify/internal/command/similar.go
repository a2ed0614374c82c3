package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/classify/internal/similar"
	"github.com/agit-suite/agit/classify/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
)

type similarOptions struct {
	subject
	similar.Options
}

func newSimilar(env *cli.Env, run cli.Func[similarOptions]) *cobra.Command {
	o := &similarOptions{subject: subject{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "similar [DIR|PROJECT] [flags]",
		Short: "List the known projects most like one",
		Long: `List the profiled projects most like that of a folder (the current one by default)
or like a project named by its id or name, the most alike first. A folder inside
a repository that was profiled by itself counts as one; other packages do with
--packages.

The score is 0.4 for the same language, 0.3 for the same framework, 0.2 for the
same scope (compared as a set of words), and 0.1 times the dependencies both
declare over those of the one that declares more. What is unknown never matches.
A folder without a profile is looked at there and then, and not stored.`,
		Example:           "classify similar\nclassify similar ~/src/app --min-score 0.7 --json\nclassify similar app --jq '.projects[] | {path, score}'",
		ValidArgsFunction: cli.CompleteFirst(env, completeProjects),
	}, o, o.take, run)
	f := cmd.Flags()
	f.StringVar(&o.Package, "package", "", "the `folder` of a package inside the project")
	f.Float64Var(&o.Min, "min-score", similar.Threshold, "least `score`, 0 to 1")
	f.IntVar(&o.Limit, "limit", 10, "list at most `n`; 0 for all")
	f.BoolVar(&o.Packages, "packages", false, "compare with packages that were only found beside projects too")
	return cmd
}

func (o *similarOptions) take(g cli.Given) error {
	if o.Limit < 0 {
		return fault.Validation("limit", "--limit %d is negative", o.Limit).WithHint("0 lists all")
	}
	return o.subject.take(g)
}

func runSimilar(ctx context.Context, o *similarOptions) error {
	s, err := stores.Open(ctx, o.env)
	if err != nil {
		return err
	}
	found, err := s.Catalogue.Similar(ctx, o.Which, o.Options)
	if err != nil {
		return err
	}
	if len(found.Projects) == 0 {
		o.env.Streams.Notice("no known project scores %g or more; `classify init FOLDER...` makes more of them known", o.Min)
	}
	part := func(get func(similar.Breakdown) float64) func(similar.Match) string {
		return func(m similar.Match) string { return fmt.Sprintf("%.2f", get(m.Breakdown)) }
	}
	return output.ListDocument(ctx, o.env.Printer(), found, found.Projects, []output.Column[similar.Match]{
		{Title: "SCORE", Value: func(m similar.Match) string { return fmt.Sprintf("%.2f", m.Score) }},
		{Title: "NAME", Flex: true, Value: func(m similar.Match) string { return m.Name }},
		{Title: "LANGUAGE", Value: part(func(b similar.Breakdown) float64 { return b.Language })},
		{Title: "FRAMEWORK", Value: part(func(b similar.Breakdown) float64 { return b.Framework })},
		{Title: "SCOPE", Value: part(func(b similar.Breakdown) float64 { return b.Scope })},
		{Title: "DEPS", Value: part(func(b similar.Breakdown) float64 { return b.Dependencies })},
		{Title: "PATH", Value: func(m similar.Match) string { return m.Path }, Flex: true},
	})
}
