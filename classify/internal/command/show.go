package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/classify/internal/catalogue"
	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/classify/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
)

// subject holds the argument and the flag that name a profile.
type subject struct {
	env     *cli.Env
	Which   catalogue.Which
	Package string
}

func (o *subject) take(g cli.Given) (err error) {
	o.Which, err = which(o.env, g.Args, o.Package)
	return err
}

type showOptions struct{ subject }

func newShow(env *cli.Env, run cli.Func[showOptions]) *cobra.Command {
	o := &showOptions{subject{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:   "show [DIR|PROJECT] [flags]",
		Short: "Print a stored profile",
		Long: `Print the stored profile of a folder's project (the current folder by default),
or of a project by its id, its name or the name of its folder. Inside a package of a monorepo that is the
package's.`,
		Example:           "classify show\nclassify show app --package packages/web\nclassify show --jq .language",
		ValidArgsFunction: cli.CompleteFirst(env, completeProjects),
	}, o, o.take, run)
	cmd.Flags().StringVar(&o.Package, "package", "", "the `folder` of a package inside the project")
	return cmd
}

func runShow(ctx context.Context, o *showOptions) error {
	s, err := stores.Open(ctx, o.env)
	if err != nil {
		return err
	}
	p, err := s.Catalogue.Get(ctx, o.Which)
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, p, func(s *term.Streams) error { return printProfile(s, &p) })
}

// printProfile prints a profile for people: each field with its origin.
func printProfile(s *term.Streams, p *profile.Profile) error {
	t := term.NewTable(term.Column{Title: "FIELD"}, term.Column{Title: "VALUE", Flex: true}, term.Column{Title: "FROM", Flex: true})
	from := func(field string) string {
		o, ok := p.Origins[field]
		if !ok {
			return ""
		}
		return o.From + " (" + o.Confidence + ")"
	}
	name := p.Name
	if p.Package != "" {
		name += " (" + p.Package + ")"
	}
	t.Add("name", name)
	t.Add("path", p.Path)
	t.Add("language", p.Language, from("language"))
	t.Add("framework", frameworks(p), from("framework"))
	t.Add("scope", p.Scope, from("scope"))
	t.Add("dependencies", some(p.Dependencies, 12), from("dependencies"))
	t.Add("manifests", some(p.Manifests, 6), from("manifestType"))
	for _, pkg := range p.Packages {
		t.Add("package", pkg.Package, pkg.Language+" "+pkg.Framework)
	}
	for _, problem := range p.Problems {
		t.Add("problem", problem)
	}
	return t.WriteTo(s)
}

// frameworks lists the main framework first. When that is unknown, it marks the others as used.
func frameworks(p *profile.Profile) string {
	var others []string
	for _, name := range p.Frameworks {
		if name != p.Framework && len(others) < 5 {
			others = append(others, name)
		}
	}
	switch {
	case len(others) == 0:
		return p.Framework
	case p.Framework == profile.Unknown:
		return p.Framework + "; uses " + strings.Join(others, ", ")
	}
	return p.Framework + ", " + strings.Join(others, ", ")
}

// some lists the first entries, and the number of the others.
func some(all []string, n int) string {
	if len(all) == 0 {
		return "none"
	}
	if len(all) <= n {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:n], ", "), len(all)-n)
}
