package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/classify/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

type listOptions struct {
	env *cli.Env
	profile.Filter
}

func newList(env *cli.Env, run cli.Func[listOptions]) *cobra.Command {
	o := &listOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:     "list [flags]",
		Short:   "List the profiled projects",
		Example: "classify list\nclassify list --language go -o ndjson\nclassify list --dependency react --jq '.projects[].path'",
	}, o, nil, run)
	o.bind(cmd, 0)
	return cmd
}

type searchOptions struct{ listOptions }

func newSearch(env *cli.Env, run cli.Func[searchOptions]) *cobra.Command {
	o := &searchOptions{listOptions{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "search QUERY... [flags]",
		Short: "Find projects by words",
		Long: `Find the profiled projects in whose name, language, framework, scope,
description, dependencies or README every word occurs, the best first.`,
		Example: "classify search invoice api\nclassify search laravel --language php --json",
	}, o, o.take, run)
	o.bind(cmd, 20)
	return cmd
}

func (o *searchOptions) take(g cli.Given) error {
	o.Query = strings.Join(g.Args, " ")
	if strings.TrimSpace(o.Query) == "" {
		return fault.Validation("query", "the query is empty").WithHint("give words, or `classify list` lists all")
	}
	return nil
}

func (o *listOptions) bind(cmd *cobra.Command, limit int) {
	f := cmd.Flags()
	f.StringVar(&o.Language, "language", "", "only in this `language`")
	f.StringVar(&o.Framework, "framework", "", "only with this `framework`")
	f.StringVar(&o.Dependency, "dependency", "", "only with this declared `dependency`")
	f.BoolVar(&o.Packages, "packages", false, "list packages that were only found beside projects too")
	f.IntVar(&o.Limit, "limit", limit, "list at most `n`; 0 for all")
}

func runSearch(ctx context.Context, o *searchOptions) error { return runList(ctx, &o.listOptions) }

func runList(ctx context.Context, o *listOptions) error {
	if o.Limit < 0 {
		return fault.Validation("limit", "--limit %d is negative", o.Limit).WithHint("0 lists all")
	}
	s, err := stores.Open(ctx, o.env)
	if err != nil {
		return err
	}
	all, err := s.Profiles.List(ctx, o.Filter)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		o.env.Streams.Notice("%s", noneFound(o.Filter))
	}
	return output.List(ctx, o.env.Printer(), "projects", all, []output.Column[profile.Entry]{
		{Title: "NAME", Flex: true, Value: func(e profile.Entry) string { return e.Name }},
		{Title: "LANGUAGE", Value: func(e profile.Entry) string { return e.Language }},
		{Title: "FRAMEWORK", Value: func(e profile.Entry) string { return e.Framework }},
		{Title: "SCOPE", Value: func(e profile.Entry) string { return e.Scope }, Flex: true},
		{Title: "PATH", Flex: true, Below: true, Value: func(e profile.Entry) string { return e.Path }},
		{Title: "ID", Value: func(e profile.Entry) string { return e.Project }},
	})
}

func noneFound(f profile.Filter) string {
	f.Limit, f.Packages = 0, false
	if f == (profile.Filter{}) {
		return "no project is profiled yet: `classify init DIR`"
	}
	return "no profile fits"
}

// completeProjects offers the ids of profiled projects with their names.
func completeProjects(ctx context.Context, db *registry.DB, _ string) (ids []string, err error) {
	err = db.Read(ctx, func(tx *registry.Tx) error {
		all, err := project.List(tx)
		for _, p := range all {
			ids = append(ids, p.UID+"\t"+p.Name)
		}
		return err
	})
	return ids, err
}
