package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/classify/internal/catalogue"
	"github.com/agit-suite/agit/classify/internal/inspect"
	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/classify/internal/similar"
	"github.com/agit-suite/agit/classify/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/term"
)

type explainOptions struct {
	env   *cli.Env
	Dir   string
	Other []string // what to compare it with
}

func newExplain(env *cli.Env, run cli.Func[explainOptions]) *cobra.Command {
	o := &explainOptions{env: env}
	return cli.Command(&cobra.Command{
		Use:   "explain [DIR] [OTHER]",
		Short: "Explain a folder's profile, or the score of two",
		Long: `Look at a folder now and list the evidence for each language and framework, and
the source of every field of its profile. With OTHER (a folder, or a project by its
id or name) list the parts of their score. Nothing is stored.`,
		Example: "classify explain\nclassify explain . ~/src/other\nclassify explain --jq .languages",
	}, o, o.take, run)
}

func (o *explainOptions) take(g cli.Given) (err error) {
	dir := "."
	if len(g.Args) > 0 {
		dir, o.Other = g.Args[0], g.Args[1:]
	}
	o.Dir, err = o.env.Path(dir)
	return err
}

// explanation is the JSON output of explain.
type explanation struct {
	Profile profile.Profile `json:"profile"`
	inspect.Reasons
	Comparison *comparison `json:"comparison,omitempty"`
}

type comparison struct {
	Project string  `json:"project"`
	Path    string  `json:"path"`
	Score   float64 `json:"score"`
	similar.Breakdown
	Shared []string `json:"shared"`
}

func runExplain(ctx context.Context, o *explainOptions) error {
	r, reasons, err := catalogue.Look(ctx, o.Dir)
	if err != nil {
		return err
	}
	e := explanation{Profile: r.Profile, Reasons: reasons}
	if len(o.Other) > 0 {
		if e.Comparison, err = o.compare(ctx, &r.Profile); err != nil {
			return err
		}
	}
	return o.env.Printer().Document(ctx, e, e.print)
}

func (o *explainOptions) compare(ctx context.Context, p *profile.Profile) (*comparison, error) {
	w, err := which(o.env, o.Other, "")
	if err != nil {
		return nil, err
	}
	s, err := stores.Open(ctx, o.env)
	if err != nil {
		return nil, err
	}
	other, err := s.Catalogue.Subject(ctx, w)
	if err != nil {
		return nil, err
	}
	b := similar.Compare(p, &other)
	return &comparison{Project: other.Project, Path: other.Path, Score: b.Score(), Breakdown: b, Shared: similar.SharedNames(p, &other)}, nil
}

func (e *explanation) print(s *term.Streams) error {
	if err := printProfile(s, &e.Profile); err != nil {
		return err
	}
	if err := s.Text("\nLanguages\n"); err != nil {
		return err
	}
	t := term.NewTable(term.Column{Title: "LANGUAGE"}, term.Column{Title: "SCORE", Right: true}, term.Column{Title: "WHY", Flex: true})
	for _, l := range e.Reasons.Languages {
		t.Add(l.Language, fmt.Sprintf("%.2f", l.Score), strings.Join(l.Why, ", "))
	}
	if err := t.WriteTo(s); err != nil {
		return err
	}
	if len(e.Reasons.Frameworks) > 0 {
		if err := s.Text("\nFrameworks\n"); err != nil {
			return err
		}
		t := term.NewTable(term.Column{Title: "FRAMEWORK"}, term.Column{Title: "CONFIDENCE"}, term.Column{Title: "WHY", Flex: true})
		for _, f := range e.Reasons.Frameworks {
			t.Add(f.Framework, f.Confidence, strings.Join(f.Why, ", "))
		}
		if err := t.WriteTo(s); err != nil {
			return err
		}
	}
	if c := e.Comparison; c != nil {
		return s.Text(fmt.Sprintf("\n%.2f with %s: language %.2f, framework %.2f, scope %.2f, dependencies %.2f (%s)\n",
			c.Score, c.Path, c.Language, c.Framework, c.Scope, c.Dependencies, some(c.Shared, 12)))
	}
	return nil
}
