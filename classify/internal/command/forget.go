package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/classify/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type forgetOptions struct {
	subject
	DryRun bool
	Yes    bool
}

func newForget(env *cli.Env, run cli.Func[forgetOptions]) *cobra.Command {
	o := &forgetOptions{subject: subject{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "forget [DIR|PROJECT] [flags]",
		Short: "Drop a stored profile",
		Long: `Drop the stored profile of a project, with those of its packages. The project
itself, its folder and all else that is known of it stay; ` + "`classify init`" + ` makes
the profile again.`,
		Example:           "classify forget ~/src/old --yes\nclassify forget app --package packages/web --dry-run",
		ValidArgsFunction: cli.CompleteFirst(env, completeProjects),
	}, o, o.take, run)
	f := cmd.Flags()
	f.StringVar(&o.Package, "package", "", "only that of the package in this `folder` of the project")
	f.BoolVar(&o.DryRun, "dry-run", false, "show what would be dropped and change nothing")
	f.BoolVarP(&o.Yes, "yes", "y", false, "do not ask")
	return cmd
}

// forgotten is the JSON output of forget.
type forgotten struct {
	Project   string   `json:"project"`
	Path      string   `json:"path"`
	Packages  []string `json:"packages"` // "" is the whole project
	Forgotten bool     `json:"forgotten"`
}

func runForget(ctx context.Context, o *forgetOptions) error {
	s, err := stores.Open(ctx, o.env)
	if err != nil {
		return err
	}
	p, err := s.Catalogue.Get(ctx, o.Which)
	if err != nil {
		return err
	}
	r := forgotten{Project: p.Project, Path: p.Path}
	if r.Packages, err = s.Profiles.Forget(ctx, p.Project, p.Package, true); err != nil {
		return err
	}
	if !o.DryRun {
		agreed, err := o.env.Streams.Confirm(ctx, fmt.Sprintf("Drop %s of %q? No folder is touched.", text.Count(len(r.Packages), "profile", "profiles"), p.Path), o.Yes)
		if err != nil {
			return err
		}
		if !agreed {
			o.env.Streams.Notice("nothing is dropped")
			return nil
		}
		if r.Packages, err = s.Profiles.Forget(ctx, p.Project, p.Package, false); err != nil {
			return err
		}
		r.Forgotten = true
	}
	return o.env.Printer().Document(ctx, r, func(s *term.Streams) error {
		verb := "forgotten"
		if !r.Forgotten {
			verb = "would be forgotten"
		}
		return s.Line(r.Path, verb, text.Count(len(r.Packages), "profile", "profiles"))
	})
}
