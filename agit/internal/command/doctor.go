package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/doctor"
	"github.com/agit-suite/agit/agit/internal/setup"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/term"
)

type doctorOptions struct {
	env *cli.Env
	Fix bool
}

func newDoctor(env *cli.Env, run cli.Func[doctorOptions]) *cobra.Command {
	o := &doctorOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "doctor [flags]",
		Short: "Find out what is wrong and how to mend it",
		Long: `Look at the suite's programs, the registry, git, the configuration, repositories with
their hooks and disks, worktrees and agents, at the objects that the default branch,
worktrees and trash rely on, at what agent clients were set up with, and whether the
project's tracker answers. A tracker that does not answer is a warning. Nothing is
changed without --fix, which mends what can be mended without losing anything: it
finishes or undoes what a process that is gone left half done.`,
		Example: "agit doctor\nagit doctor --fix",
	}, o, nil, run)
	cmd.Flags().BoolVar(&o.Fix, "fix", false, "mend what can be mended safely")
	cli.Exits(cmd, fault.ExitFailure, "something is wrong")
	return cmd
}

func runDoctor(ctx context.Context, o *doctorOptions) error {
	report, err := o.visit(ctx)
	if fault.Is(err, fault.KindDatabase) {
		options, failed := o.env.RegistryOptions(ctx)
		if failed != nil {
			return failed
		}
		if shut, is := doctor.Shut(options.Path); is {
			report, err = shut, nil
		} else if registry.IsDamaged(err) {
			report, err = doctor.Damaged(ctx, options.Path, err), nil
		} else {
			report, err = doctor.Unopened(options.Path, err), nil
		}
	}
	if err != nil {
		return err
	}
	err = output.ListDocument(ctx, o.env.Printer(), report, report.Checks, []output.Column[doctor.Check]{
		{Title: "STATUS", Value: func(c doctor.Check) string { return string(c.Status) }, Style: checkStyles.Of},
		{Title: "CHECK", Flex: true, Value: func(c doctor.Check) string { return c.Name }},
		{Title: "MESSAGE", Value: func(c doctor.Check) string { return c.Message }, Flex: true},
		{Title: "FIX", Flex: true, Below: true, Value: func(c doctor.Check) string { return c.Fix }},
	})
	return exitWhen(err, !report.OK, fault.ExitFailure)
}

func (o *doctorOptions) visit(ctx context.Context) (doctor.Report, error) {
	s, err := openTo(ctx, o.env, !o.Fix)
	if err != nil {
		return doctor.Report{}, err
	}
	d := &doctor.Doctor{Dir: o.env.Dir, DB: s.DB, Config: s.Config, Sessions: index.For(s.Config.Home(), o.env.UserHome, o.env.Getenv, s.Config.Sources.Off), Audits: s.Audits, Roster: s.Roster, Wall: s.Wall}
	for _, scope := range []setup.Scope{setup.Project, setup.User} {
		clients := &setupOptions{env: o.env, Options: setup.Options{Scope: scope}}
		if one, err := clients.begin(); err == nil && (scope == setup.User || one.Dir != one.Home) {
			d.Clients = append(d.Clients, one)
		}
	}
	return d.Visit(ctx, o.Fix)
}

var checkStyles = term.Styles{
	string(doctor.OK): term.Green, string(doctor.Fixed): term.Green,
	string(doctor.Warning): term.Yellow,
	string(doctor.Error):   term.Red,
}
