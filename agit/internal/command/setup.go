package command

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/setup"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type setupOptions struct {
	env *cli.Env
	setup.Options
	Global bool
	Check  bool
	DryRun bool
	Diff   bool
	Commit bool
	Print  bool
	Yes    bool

	grades bool
}

func newSetup(env *cli.Env, run cli.Func[setupOptions]) *cobra.Command {
	o := &setupOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "setup [CLIENT...] [flags]",
		Args:  cobra.ArbitraryArgs,
		Short: "Register the suite with the agent clients of this machine",
		Long: `Register the MCP servers of the suite with Claude Code, Codex, Cursor, VS Code,
opencode, Gemini CLI, Windsurf and Zed, with session hooks where the client has
them, four skills, four agent definitions and a block of habits in AGENTS.md.
Without CLIENT those that are found on this machine are set up, in the files of
this project; --global uses your own files instead, which count in every project.

What exists is kept: servers that are configured already, skills, definitions,
and whatever you changed yourself. Comments and order stay as they are. A file
that cannot be read is left alone and named, and the rest is done. setup then still
exits with 0, so that it never fails an install; --check fails. Files outside
the project are changed once you agree, with --yes, or where CI or NONINTERACTIVE is
set; otherwise, without a terminal to ask on, they are left alone and named, and exit
status 2 says that nothing else was to do.

Every request of a client carries the tools of its servers: about 11 kB for the core
tools of all five, 41 kB with --tools all, and nothing with --no-servers: agents then
use the commands that the habits name. A client's --servers or --no-servers holds for
later runs and --check too; --servers all takes it back. With --grades agents ask for
a grade of each commit; that stays until --grades=false.

Worktrees hold only committed files: --commit commits the files that setup wrote into the
project, and nothing else. The user's own configuration (--global) needs no commit.

--worktrees, which no other flag implies, lets agit make Claude Code's worktrees
(WorktreeCreate) and fill those of Cursor and Codex, by .worktreeinclude and post_spawn.
Claude Code then no longer removes clean worktrees, nor those of its agents: agit
cleanup does. Where agit cannot make one, a plain worktree is made at the usual place.

--remove takes out what setup put in and restores the bytes from before; with --commit
it commits that too.`,
		Example:           "agit setup --dry-run\nagit setup\nagit setup --commit\nagit setup --global --yes\nagit setup cursor --servers agit,memoryd --tools core\nagit setup --no-servers\nagit setup --check\nagit setup zed --print\nagit setup --remove",
		ValidArgsFunction: cli.Words(setup.Names()...),
	}, o, o.take, run)
	f := cmd.Flags()
	f.StringSliceVar(&o.Servers, "servers", nil, "only these `servers`: "+strings.Join(setup.Servers, ", ")+" (default those of the last choice, else all that are installed)")
	f.BoolVar(&o.NoServers, "no-servers", false, "commands, skills and hooks alone, without MCP servers: no request of a client carries tools")
	f.BoolVar(&o.grades, "grades", false, "agents ask for a grade of each commit; --grades=false takes that out again")
	f.StringVar(&o.Tools, "tools", "", "offer all tools, or the core set of each server: every request of a client carries them (default core)")
	f.BoolVarP(&o.Global, "global", "g", false, "use your own configuration, which counts in every project")
	f.BoolVar(&o.Check, "check", false, "report what is missing, stale or current, and change nothing")
	f.BoolVarP(&o.DryRun, "dry-run", "n", false, "show what would change, and change nothing")
	f.BoolVar(&o.Diff, "diff", false, "with --dry-run, show the lines that would change")
	f.BoolVar(&o.Commit, "commit", false, "commit the project's files of the set-up, or with --remove their removal, and nothing else: worktrees hold only committed files")
	f.BoolVar(&o.Print, "print", false, "print the entries for CLIENT, to be put in by hand")
	f.BoolVar(&o.Remove, "remove", false, "take out everything that setup put in")
	f.BoolVar(&o.Force, "force", false, "replace, or with --remove take out, entries edited by hand too")
	f.BoolVar(&o.Portable, "portable", false, "write program names instead of paths, for files that a team shares")
	f.StringArrayVar(&o.Through, "through", nil, "write also where a link leads into this `folder` or file outside; may be repeated")
	f.BoolVar(&o.Worktrees, "worktrees", false, "have clients' worktrees made or filled by agit too: Claude Code's WorktreeCreate hook, Cursor's and Codex's set-up of worktrees")
	f.BoolVarP(&o.Yes, "yes", "y", false, "do not ask before files outside the project are changed")
	cmd.MarkFlagsMutuallyExclusive("check", "dry-run", "print")
	cmd.MarkFlagsMutuallyExclusive("check", "remove")
	cmd.MarkFlagsMutuallyExclusive("servers", "no-servers")
	cmd.MarkFlagsMutuallyExclusive("remove", "no-servers")
	cmd.MarkFlagsMutuallyExclusive("print", "remove")
	cli.CompleteFlag(cmd, "servers", cli.Words(append(slices.Clone(setup.Servers), setup.AllServers)...))
	cli.CompleteFlag(cmd, "tools", cli.Words("all", "core"))
	cli.Exits(cmd, fault.ExitFailure, "with --check, something is missing or stale; else nothing could be written")
	return cmd
}

func (o *setupOptions) take(g cli.Given) error {
	o.Clients = g.Args
	if g.Changed("grades") {
		o.Grades = &o.grades
	}
	o.Scope = setup.Project
	if o.Global {
		o.Scope = setup.User
	}
	if o.Commit && (o.Global || o.Check || o.DryRun || o.Print) {
		return fault.Validation("commit", "--commit goes with the set-up of a project").WithHint("run `agit setup --commit` alone")
	}
	if o.Diff && !o.DryRun {
		return fault.Validation("diff", "--diff goes with --dry-run").WithHint("give both")
	}
	return nil
}

// begin makes a run of setup for the project that the current folder lies in: its working tree, else the folder itself.
func (o *setupOptions) begin() (*setup.Setup, error) {
	suite, err := config.HomeFolder(o.env.Getenv("AGIT_HOME"), o.env.UserHome)
	if err != nil {
		return nil, err
	}
	options := o.Options
	options.Through = nil
	for _, path := range o.Through {
		if path, err = o.env.Path(path); err != nil {
			return nil, err
		}
		options.Through = append(options.Through, path)
	}
	dir := o.env.Dir
	if repo, err := git.Find(dir); err == nil && repo.WorkTree != "" {
		dir = repo.WorkTree
	} else if o.Commit {
		return nil, fault.Validation("commit", "%q is not in a working tree of git, which a commit needs", dir).
			WithHint("run it in a clone or a worktree, or leave --commit out")
	}
	return &setup.Setup{Dir: dir, Home: o.env.UserHome, Suite: suite, Getenv: o.env.Getenv, Options: options}, nil
}

// look finds out how things are.
func (o *setupOptions) look(ctx context.Context) (*setup.Setup, setup.Report, error) {
	s, err := o.begin()
	if err != nil {
		return nil, setup.Report{}, err
	}
	r, err := s.Look(ctx)
	return s, r, err
}

func runSetup(ctx context.Context, o *setupOptions) error {
	if o.Print {
		return printSetup(ctx, o)
	}
	s, r, err := o.look(ctx)
	if err != nil {
		return err
	}
	left := ""
	if !o.Check && !o.DryRun && (len(r.Files) > 0 || r.Chosen) {
		outside := s.Outside(r)
		agreed := outside == ""
		if !agreed {
			agreed, err = o.env.Streams.Confirm(ctx, "Change what is yours in every project: "+outside+"?", o.Yes || o.unattended())
		}
		switch unasked := fault.Is(err, fault.KindValidation); {
		case err != nil && !(unasked && s.Inside(r)):
			return err
		case !agreed && !s.Inside(r):
			o.env.Streams.Notice("nothing was changed")
			return nil
		case !agreed: // the project's files need no agreement
			o.Within, left = true, outside
		}
		if s, err = o.begin(); err != nil {
			return err
		}
		if r, err = s.Apply(ctx); err != nil {
			return err
		}
	}
	uncommitted, ignored, err := o.settle(ctx, s, r)
	if err != nil {
		return err
	}
	if o.Remove && !o.DryRun && len(uncommitted) > 0 {
		defer o.env.Streams.Notice("worktrees still get the committed files: commit the removal of %s too (`agit setup --remove --commit` does both)",
			text.Few(setup.Tops(uncommitted)))
	}
	err = o.tell(ctx, &r)
	if err == nil && !o.Remove && len(uncommitted) > 0 {
		o.env.Streams.Notice("agents in worktrees read only committed files, and these are not committed: %s; `agit setup --commit` commits them, `agit setup --global` needs no commit", text.Few(setup.Tops(uncommitted)))
	}
	if err == nil && len(ignored) > 0 {
		o.env.Streams.Notice("agents in worktrees read only committed files, and git ignores these: %s; %s", text.Few(setup.Tops(ignored)), setup.IgnoredHint)
	}
	if err == nil && o.NoServers && !o.Check {
		err = o.tellServers(ctx)
	}
	if left != "" {
		o.env.Streams.Warn("left alone, because it is yours in every project and no one agreed: %s; --yes agrees beforehand", left)
	}
	return exitWhen(err, !o.Check && !o.DryRun && r.Refused(), fault.ExitFailure)
}

// tellServers names the files with servers of an earlier run, which a run without servers leaves alone.
func (o *setupOptions) tellServers(ctx context.Context) error {
	taking := *o
	taking.NoServers, taking.Remove, taking.Servers = false, true, []string{setup.AllServers}
	_, r, err := taking.look(ctx)
	if err != nil {
		return err
	}
	var files []string
	for _, row := range setup.Group(r.Items) {
		file, stays := row.Where(r.Root, o.env.UserHome), row.Item.State != setup.Missing && row.Item.State != setup.Broken
		if stays && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	if len(files) > 0 {
		line := append([]string{"agit", "setup"}, o.Clients...)
		if o.Global {
			line = append(line, "--global")
		}
		o.env.Streams.Notice("servers that were set up before stay in %s; `%s --remove --servers all` takes them out", text.Few(files), strings.Join(line, " "))
	}
	return nil
}

// settle commits what was set up for the project or taken out of it, where that is asked
// for, and returns the files that are still not committed, and those that git ignores.
func (o *setupOptions) settle(ctx context.Context, s *setup.Setup, r setup.Report) (files, ignored []string, err error) {
	if o.Global || o.DryRun {
		return nil, nil, nil
	}
	message := "Set up agents' clients with agit"
	if o.Remove {
		files, err = s.Removed(ctx, r)
		message = "Take out what agit set up for agents' clients"
	} else {
		files, ignored, err = s.Uncommitted(ctx, r)
	}
	if err != nil || !o.Commit || len(files) == 0 {
		return files, ignored, err
	}
	commit, err := s.Commit(ctx, files, message)
	if err != nil {
		return nil, nil, err
	}
	o.env.Streams.Notice("committed %s: %s", commit, text.Few(setup.Tops(files)))
	return nil, ignored, nil
}

// unattended reports whether the environment names a run without a person to ask:
// CI and NONINTERACTIVE, as installers know them.
func (o *setupOptions) unattended() bool {
	return slices.ContainsFunc([]string{"CI", "NONINTERACTIVE"}, func(name string) bool {
		value := o.env.Getenv(name)
		return value != "" && value != "0" && !strings.EqualFold(value, "false")
	})
}

func (o *setupOptions) tell(ctx context.Context, r *setup.Report) error {
	if o.DryRun {
		r.Diffs()
	} else {
		r.Files = nil // the items say it
	}
	quiet := o.env.Printer().Format() == output.Table && !o.Check && !o.DryRun && (o.env.Getenv("CI") != "" || o.env.Getenv("NONINTERACTIVE") != "")
	if !quiet {
		if err := o.list(ctx, r); err != nil {
			return err
		}
		if o.Diff && o.env.Printer().Format() == output.Table {
			for _, f := range r.Files {
				if err := o.env.Streams.Text(f.Diff); err != nil {
					return err
				}
			}
		}
	}
	o.notices(r, quiet)
	return exitWhen(nil, o.Check && !r.Current, fault.ExitFailure)
}

// list prints the items; for people those that differ by name alone are one row.
func (o *setupOptions) list(ctx context.Context, r *setup.Report) error {
	if o.env.Printer().Format() != output.Table {
		return output.ListDocument(ctx, o.env.Printer(), r, r.Items, []output.Column[setup.Item]{})
	}
	rows := slices.DeleteFunc(setup.Group(r.Items), func(row setup.Row) bool { return o.Remove && row.Done == "" })
	return output.List(ctx, o.env.Printer(), "items", rows, []output.Column[setup.Row]{
		{Title: "STATE", Value: func(i setup.Row) string {
			if o.DryRun && i.Done == setup.Removed {
				return "goes"
			}
			return i.State(!o.Remove && (o.Check || o.DryRun))
		}, Style: setupStyle},
		{Title: "CLIENT", Value: func(i setup.Row) string { return strings.Join(i.Clients, ", ") }, Flex: true},
		{Title: "WHAT", Value: setup.Row.Items, Flex: true},
		{Title: "WHERE", Value: func(i setup.Row) string { return i.Where(r.Root, o.env.UserHome) }, Flex: true},
		{Title: "WHY", Value: func(i setup.Row) string {
			if i.Done == setup.Failed && !o.Check { // a warning prints it
				return ""
			}
			return i.Why
		}, Flex: true, Below: true},
	})
}

func setupStyle(state string) term.Style {
	switch state {
	case string(setup.Missing), string(setup.Stale), setup.Kept:
		return term.Yellow
	case string(setup.Broken), setup.Failed:
		return term.Red
	}
	return term.Green
}

// notices prints what the table does not show.
func (o *setupOptions) notices(r *setup.Report, quiet bool) {
	s := o.env.Streams
	for _, row := range setup.Group(r.Items) {
		if row.Done == setup.Failed && !o.Check {
			s.Warn("%s for %s left out of %s: %s", row.Items(), strings.Join(row.Clients, ", "), row.Where(r.Root, o.env.UserHome), row.Why)
		}
	}
	if quiet {
		return
	}
	for _, c := range r.Clients {
		if c.Note != "" {
			s.Notice("%s: %s", c.Title, c.Note)
		}
	}
	switch {
	case len(r.Items) == 0 && len(o.Clients) == 0 && !o.Remove:
		s.Notice("no agent client was found on this machine; name one, as in `agit setup %s`: %s", setup.Names()[0], strings.Join(setup.Names(), ", "))
	case o.DryRun && len(r.Files) == 0:
		s.Notice("nothing would change")
	case o.Remove && !slices.ContainsFunc(r.Items, func(i setup.Item) bool { return i.Done != "" }):
		s.Notice("nothing of the suite is set up here")
	case o.Check && !r.Current:
		s.Notice("next: `agit setup` adds what is missing and renews what is stale")
	case !o.Check && !o.DryRun && !o.Remove:
		if wrote(r, func(i setup.Item) bool { return i.Kind == setup.KindHook && i.Clients[0] == "codex" }) {
			s.Notice("Codex runs new hooks only after you trust them: `/hooks` in Codex")
		}
		if r.Scope == setup.Project && wrote(r, func(i setup.Item) bool { return i.Kind == setup.KindServer && i.Clients[0] == "gemini" }) {
			s.Notice("Gemini CLI starts a project's servers only in a folder that it trusts: start `gemini` here once, and trust it")
		}
		switch {
		case wrote(r, func(i setup.Item) bool { return i.Kind == setup.KindServer }):
			s.Notice("next: restart the clients, so that they start the servers")
		case wrote(r, func(i setup.Item) bool { return i.Kind == setup.KindHook }):
			s.Notice("next: restart the clients, so that they read the hooks")
		}
	}
}

// wrote reports whether something that is asked for was written.
func wrote(r *setup.Report, asked func(setup.Item) bool) bool {
	return slices.ContainsFunc(r.Items, func(i setup.Item) bool {
		return (i.Done == setup.Added || i.Done == setup.Updated) && asked(i)
	})
}

// printSetup prints what clients need as if none of their files existed.
func printSetup(ctx context.Context, o *setupOptions) error {
	if len(o.Clients) == 0 {
		return fault.Validation("client", "--print needs a client").WithHint("name one of %s", strings.Join(setup.Names(), ", "))
	}
	o.Fresh = true
	_, r, err := o.look(ctx)
	return printDocument(ctx, o.env, map[string][]setup.File{"files": r.Files}, err, func(st *term.Streams) error {
		for i, f := range r.Files {
			head := "# " + f.Path + "\n\n"
			if i > 0 {
				head = "\n" + head
			}
			if err := st.Text(head + f.After); err != nil {
				return err
			}
		}
		return nil
	})
}
