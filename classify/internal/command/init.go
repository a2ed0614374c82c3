package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/classify/internal/catalogue"
	"github.com/agit-suite/agit/classify/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

type initOptions struct {
	env    *cli.Env
	Dirs   []string // absolute
	Many   bool     // the output is a list
	DryRun bool
	catalogue.InitOptions
}

func newInit(env *cli.Env, run cli.Func[initOptions]) *cobra.Command {
	o := &initOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "init [DIR...|-] [flags]",
		Args:  cobra.ArbitraryArgs,
		Short: "Profile folders and remember them",
		Long: `Find out what each folder is (language, framework, scope, dependencies, packages)
and keep that in the registry, registering the project when it is new. DIR is
the current folder by default and need not be in git; "-" reads folders from
standard input, one a line or as JSON. Nothing is executed, and only --write-agents-md
writes into a folder.

A profile is made anew only when AGENTS.md, a manifest, a README or .gitattributes
changed, or with --force.`,
		Example: "classify init\nclassify init ~/src/* -o ndjson\nfind ~/src -name .git -prune -printf '%h\\n' | classify init -\nclassify init . --write-agents-md",
	}, o, o.take, run)
	cli.Exits(cmd, fault.ExitFailure, "a folder of several could not be profiled, or the operation failed")
	f := cmd.Flags()
	f.BoolVarP(&o.Force, "force", "f", false, "make the profile anew though nothing changed")
	f.BoolVar(&o.WriteAgentsMD, "write-agents-md", false, "put the profile into AGENTS.md too, between marks of its own")
	f.BoolVar(&o.DryRun, "dry-run", false, "print the profile, and store and write nothing")
	return cmd
}

func (o *initOptions) take(g cli.Given) error {
	args := g.Args
	if len(args) == 1 && args[0] == "-" {
		dirs, err := readDirs(o.env.Streams)
		o.Many = true
		return errors.Join(err, o.absolute(dirs))
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	o.Many = len(args) > 1
	return o.absolute(args)
}

func (o *initOptions) absolute(dirs []string) error {
	for _, dir := range dirs {
		if dir == "" || dir == "-" {
			return fault.Validation("dir", "%q is not a folder", dir).WithHint("\"-\" stands alone")
		}
		abs, err := o.env.Path(dir)
		if err != nil {
			return err
		}
		o.Dirs = append(o.Dirs, abs)
	}
	return nil
}

// initResult is one folder's entry in a list: a profile, or an error.
type initResult struct {
	*catalogue.Result
	Dir   string       `json:"dir"`
	Error *fault.Fault `json:"error,omitempty"`
}

func runInit(ctx context.Context, o *initOptions) error {
	one := func(ctx context.Context, dir string) (catalogue.Result, error) {
		r, _, err := catalogue.Look(ctx, dir)
		return r, err
	}
	if !o.DryRun {
		s, err := stores.Open(ctx, o.env)
		if err != nil {
			return err
		}
		one = func(ctx context.Context, dir string) (catalogue.Result, error) {
			return s.Catalogue.Init(ctx, dir, o.InitOptions)
		}
	}
	if o.Many {
		return initMany(ctx, o, one)
	}
	r, err := one(ctx, o.Dirs[0])
	if err != nil {
		return err
	}
	return o.env.Printer().Document(ctx, initDocument{[]initResult{{Result: &r, Dir: o.Dirs[0]}}, &r}, func(s *term.Streams) error {
		if err := printProfile(s, &r.Profile); err != nil {
			return err
		}
		s.Notice("%s", told(&r))
		if r.Package != "" {
			s.Notice("it is the part %q of its project; `classify init` in the repository's root profiles the whole", r.Package)
		}
		return nil
	})
}

// initDocument is the output for one folder: the same list as for several folders, plus the fields of its profile at the top, as `show` has
// them.
type initDocument struct {
	Profiles []initResult `json:"profiles"`
	*catalogue.Result
}

func told(r *catalogue.Result) string {
	sentence := "the profile is " + r.Outcome
	if r.Outcome == catalogue.Unchanged {
		sentence = "no AGENTS.md, manifest, README or .gitattributes changed: the profile is as it was"
	}
	if r.AgentsMD != "" {
		sentence += "; the block in AGENTS.md is " + r.AgentsMD
	}
	return sentence
}

// initMany continues after a folder fails, and reports the error in its place.
func initMany(ctx context.Context, o *initOptions, one func(context.Context, string) (catalogue.Result, error)) error {
	all := make([]initResult, 0, len(o.Dirs))
	failed := 0
	progress := o.env.Streams.Progress("profiling")
	defer progress.Done()
	stream, streaming := o.stream()
	for i, dir := range o.Dirs {
		item := initResult{Dir: dir}
		r, err := one(ctx, dir)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			item.Result = &r
		} else {
			item.Error = fault.From(err)
			failed++
			o.env.Streams.Warn("%s: %s", dir, item.Error.Error())
		}
		progress.Count(i+1, len(o.Dirs))
		if streaming {
			if err := stream.Item(ctx, item); err != nil {
				return err
			}
			continue
		}
		all = append(all, item)
	}
	if !streaming {
		progress.Done() // its line is the head of the table
		if err := output.List(ctx, o.env.Printer(), "profiles", all, initColumns()); err != nil {
			return err
		}
	}
	if failed > 0 {
		return cli.ExitStatus(fault.ExitFailure)
	}
	return nil
}

// stream prints each folder as soon as it is done, if the format allows it.
func (o *initOptions) stream() (*output.Stream[initResult], bool) {
	if o.env.Printer().Format() != output.NDJSON {
		return nil, false
	}
	s, err := output.NewStream(o.env.Printer(), initColumns())
	return s, err == nil
}

func initColumns() []output.Column[initResult] {
	field := func(get func(*catalogue.Result) string) func(initResult) string {
		return func(r initResult) string {
			if r.Result == nil {
				return ""
			}
			return get(r.Result)
		}
	}
	return []output.Column[initResult]{
		{Title: "PATH", Flex: true, Value: func(r initResult) string { return r.Dir }},
		{Title: "LANGUAGE", Value: field(func(r *catalogue.Result) string { return r.Language })},
		{Title: "FRAMEWORK", Value: field(func(r *catalogue.Result) string { return r.Framework })},
		{Title: "SCOPE", Value: field(func(r *catalogue.Result) string { return r.Scope }), Flex: true},
		{Title: "OUTCOME", Value: func(r initResult) string {
			if r.Error != nil {
				return "failed"
			}
			return r.Outcome
		}},
	}
}
