package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

func newBug(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{Use: "bug", Short: "Report, list and resolve bugs", Long: "Work with the bugs that stand in the way of tasks."},
		newBugList(env, looking(env, runBugList)), newBugReport(env, changing(env, runBugReport)),
		newBugShow(env, looking(env, runBugShow)), newBugSet(env, changing(env, runBugSet)))
}

type bugListOptions struct {
	inProject
	All bool
}

func newBugList(env *cli.Env, run cli.Func[bugListOptions]) *cobra.Command {
	o := &bugListOptions{inProject: inProject{env: env}}
	cmd := cli.Command(&cobra.Command{Use: "list", Short: "List the open bugs, most severe first"}, o, nil, run)
	cmd.Flags().BoolVar(&o.All, "all", false, "list resolved ones too")
	o.listFlags(cmd)
	return cmd
}

type bugReportOptions struct {
	inProject
	graph.BugReport
}

func newBugReport(env *cli.Env, run cli.Func[bugReportOptions]) *cobra.Command {
	o := &bugReportOptions{inProject: inProject{env: env}}
	cmd := cli.Command(&cobra.Command{
		Use:     "report TITLE",
		Aliases: []string{"create", "new", "add"},
		Short:   "Report a bug and block tasks until it is resolved",
		Long:    "Report a bug. The open tasks that it blocks keep their status and holder and are not\nworked on until no open bug blocks them; finished ones are named.",
		Example: "agit bug report 'Login fails' --severity critical --in UAT-006 --blocks UAT-007,UAT-008 --agent tester",
	}, o, cli.Take(&o.Title), run)
	f := cmd.Flags()
	f.StringVar(&o.ID, "id", "", "`id` of the bug; made when left out")
	f.StringVar(&o.Description, "description", "", "what happens, and how to see it")
	f.StringVar(&o.Severity, "severity", "medium", "`severity`: low, medium, high or critical")
	f.StringVar(&o.FoundIn, "in", "", "`task` that it was found in")
	f.StringVar(&o.Artifact, "artifact", "", "`artifact` that it was found in, by id or path")
	f.StringSliceVar(&o.Blocks, "blocks", nil, "`tasks` that cannot go on, separated by commas")
	o.projectFlag(cmd, "`project` it belongs to (default: that of the tasks, else the folder's)")
	agentFlag(cmd, env, &o.FoundBy, doneFor)
	cli.CompleteFlag(cmd, "severity", cli.Words(graph.Severities...))
	return cmd
}

func newBugShow(env *cli.Env, run cli.Func[nameOptions]) *cobra.Command {
	o := &nameOptions{env: env}
	return cli.Command(&cobra.Command{Use: "show ID", SuggestFor: []string{cli.ForID}, Short: "Show a bug", Example: "agit bug show BUG-06q8v1k2m4"},
		o, cli.Take(&o.Name), run)
}

func newBugSet(env *cli.Env, run cli.Func[setOptions]) *cobra.Command {
	return newSet(env, run, &cobra.Command{
		Use:        "set ID STATUS",
		SuggestFor: []string{"close", "resolve", "fix", "reopen"},
		Short:      "Set a bug to open, investigating, fixed or wont_fix",
		Long:       "Move a bug. fixed and wont_fix resolve it and name the tasks that no bug blocks any\nmore. A bug that is being investigated still blocks.",
		Example:    "agit bug set BUG-06q8v1k2m4 fixed",
	})
}

func runBugList(ctx context.Context, o *bugListOptions, s *stores.Stores) error {
	project, err := o.within(ctx, s)
	if err != nil {
		return err
	}
	none := "there is no such bug; `agit bug report TITLE` reports one"
	if !o.All {
		none += ", --all lists resolved ones too"
	}
	bugs, err := s.Graph.Bugs(ctx, project, o.All)
	return printList(ctx, o.env, "bugs", bugs, err, []output.Column[graph.Bug]{
		{Title: "ID", Value: func(b graph.Bug) string { return b.ID }},
		{Title: "SEVERITY", Value: func(b graph.Bug) string { return b.Severity }},
		{Title: "STATUS", Value: func(b graph.Bug) string { return b.Status }},
		{Title: "BLOCKS", Flex: true, Value: func(b graph.Bug) string { return strings.Join(b.Blocks, " ") }},
		{Title: "TITLE", Value: func(b graph.Bug) string { return b.Title }, Flex: true},
	}, none)
}

func runBugReport(ctx context.Context, o *bugReportOptions, s *stores.Stores) (err error) {
	r := o.BugReport
	r.FoundBy, r.Project = agentOf(o.env, o.FoundBy), o.inProject.Project
	if r.Project == "" && r.FoundIn == "" && r.Artifact == "" && len(r.Blocks) == 0 {
		if r.Project, err = o.here(ctx, s); err != nil {
			return err
		}
	}
	out, err := s.Graph.ReportBug(ctx, r)
	return printDocument(ctx, o.env, out, err, func(t *term.Streams) error {
		if len(out.NotBlocked) > 0 {
			t.Notice("finished already, so not blocked: %s", strings.Join(out.NotBlocked, " "))
		}
		return t.Line(out.BugID, "blocks "+text.Count(out.Count, "task", "tasks"), strings.Join(out.Blocked, " "))
	})
}

func runBugShow(ctx context.Context, o *nameOptions, s *stores.Stores) error {
	b, err := s.Graph.Bug(ctx, o.Name)
	return printDocument(ctx, o.env, b, err, func(t *term.Streams) error {
		rows := [][]string{
			{"id", b.ID}, {"title", b.Title}, {"severity", b.Severity}, {"status", b.Status}, {"found by", b.FoundBy},
			{"found in", strings.TrimSpace(b.FoundIn + " " + b.Artifact)}, {"blocks", strings.Join(b.Blocks, " ")}, {"resolved", when(b.Resolved)},
		}
		if err := t.Lines(facts(0, rows)...); err != nil || b.Description == "" {
			return err
		}
		return t.Text("\n" + b.Description + "\n")
	})
}

func runBugSet(ctx context.Context, o *setOptions, s *stores.Stores) error {
	out, err := s.Graph.SetBugStatus(ctx, o.ID, o.Status, agentOf(o.env, o.Agent))
	return printChange(ctx, o.env, out, err, out.BugID, out.Status, strings.Join(out.Unblocked, " "))
}
