package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/citecheck/internal/health"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
)

type healthOptions struct {
	folder
	health.Options
	Format string
	HTML   bool
}

func newHealth(env *cli.Env, run cli.Func[healthOptions]) *cobra.Command {
	o := &healthOptions{folder: folder{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "health [flags]",
		Short: "Report how all memories stand",
		Long: `Report which memories are stale, unsure, never verified, without citations, or not
linked, those that need care most first: as Markdown, as JSON, or as one self-contained
page of HTML.`,
		Example: "citecheck health\ncitecheck health --html > health.html\ncitecheck health --json --jq '.never_verified[]'",
	}, o, nil, run)
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.Format, "format", "markdown", "markdown, json or html")
	f.BoolVar(&o.HTML, "html", false, "write one page of HTML, as --format html does")
	f.BoolVar(&o.Registry, "registry", false, "include the registry's memories of this project")
	f.BoolVar(&o.Prose, "prose", false, "count references in prose (path:line) as citations")
	cmd.MarkFlagsMutuallyExclusive("format", "html")
	cli.CompleteFlag(cmd, "format", cli.Words("markdown", "json", "html"))
	return cmd
}

func runHealth(ctx context.Context, o *healthOptions) error {
	if o.HTML {
		o.Format = "html"
	}
	if err := oneOf("format", o.Format, "markdown", "json", "html"); err != nil {
		return err
	}
	s, err := o.open(ctx, stores.Kept, o.Registry)
	if err != nil {
		return o.elsewhere(ctx, err, "citecheck health --registry")
	}
	defer s.Close()
	r, err := health.Make(ctx, s.Checks, o.Options, time.Now())
	if err != nil {
		return err
	}
	g := o.env.Globals
	switch {
	case o.Format == "json", g.JSON || g.Output != "" && g.Output != "table" || g.JQ != "":
		return documentAsJSON(ctx, o.env, r)
	case o.Format == "html":
		page, err := r.HTML()
		if err != nil {
			return err
		}
		return o.env.Streams.Text(page)
	}
	return o.env.Streams.Text(r.Markdown())
}
