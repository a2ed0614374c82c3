package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/criteria"
	"github.com/agit-suite/agit/pmsync/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

func newAC(env *cli.Env) *cobra.Command {
	return cli.Parent(&cobra.Command{
		Use:   "ac",
		Short: "Track what a ticket must meet, with evidence",
		Long: `Track acceptance criteria: what a ticket must meet, how far each one is, and the
evidence for it. A criterion is named by its id, or by its ticket and place, such
as SEM-12#2. They stay here: no tracker gets them.`,
	}, newACParse(env, starts(runACParse)), newACAdd(env, starts(runACAdd)), newACStatus(env, looks(runACStatus)), newACVerify(env, starts(runACVerify)), newACUpdate(env, starts(runACUpdate)), newACCheckAll(env, looks(runACCheckAll)))
}

var criterionColumns = []output.Column[criteria.Criterion]{
	{Title: "ID", Value: func(c criteria.Criterion) string { return c.ID }},
	{Title: "STATUS", Value: statusOf, Style: criterionStyle},
	{Title: "CRITERION", Value: func(c criteria.Criterion) string { return c.Text }, Flex: true},
}

// explained are the columns, including the reason for each criterion.
func explained(wanted bool) []output.Column[criteria.Criterion] {
	if !wanted {
		return criterionColumns
	}
	return append(slices.Clone(criterionColumns), output.Column[criteria.Criterion]{Title: "BECAUSE", Value: func(c criteria.Criterion) string { return cmp.Or(c.Why, "it was added") }})
}

func statusOf(c criteria.Criterion) string {
	if c.Unsure {
		return c.Status + ", unsure"
	}
	return c.Status
}

func criterionStyle(status string) term.Style {
	switch status {
	case criteria.Verified:
		return term.Green
	case criteria.Failed, criteria.Blocked:
		return term.Red
	case criteria.InProgress:
		return term.Yellow
	}
	return term.Plain
}

type acOptions struct {
	where
	Ticket         string
	Force, Explain bool
}

// reasons selects whether criteria are listed with the reasons why they were recognized.
func (o *acOptions) reasons(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.Explain, "explain", false, "show what in the text makes each a criterion")
}

func newACParse(env *cli.Env, run cli.Func[acOptions]) *cobra.Command {
	o := &acOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:        "parse TICKET [flags]",
		SuggestFor: []string{"find", "extract", "import"},
		Short:      "Find the acceptance criteria in a ticket's text",
		Long: `Find the acceptance criteria in a ticket's text, unless it has some already. --force
looks again: a criterion that is the same, or nearly so, keeps its status and
evidence; one that is gone is put aside with its evidence.

A line that its author did not call a criterion is unsure: a box or a sentence that
says what the product does. It is not required until it is judged or confirmed (ac
update --status pending). --explain shows why each was found.`,
		Example:           "pmsync ac parse SEM-12\npmsync ac parse SEM-12 --force --explain",
		ValidArgsFunction: completeTickets(env),
	}, o, cli.Take(&o.Ticket), run))
	cmd.Flags().BoolVar(&o.Force, "force", false, "look again")
	o.reasons(cmd)
	return cmd
}

func runACParse(ctx context.Context, o *acOptions, st *stores.Stores, c caller.Caller) error {
	p, err := st.Tickets.ParseCriteria(ctx, c, o.Ticket, o.Force)
	if err != nil {
		return err
	}
	if !o.Explain {
		p.Criteria = criteria.WithoutReasons(p.Criteria)
	}
	if err := output.ListDocument(ctx, o.env.Printer(), p, p.Criteria, explained(o.Explain)); err != nil {
		return err
	}
	switch {
	case len(p.Criteria) == 0:
		o.env.Streams.Notice("the text of %s has no acceptance criteria; `pmsync ac add %s TEXT` adds one", p.Ticket, text.ShellWord(p.Ticket))
	case p.Reparsed == nil:
		o.env.Streams.Notice("these were found before; --force looks again")
	default:
		o.env.Streams.Notice("%d new, %d as before, %d in other words, %d put aside", p.Reparsed.Added, p.Reparsed.Kept, p.Reparsed.Changed, p.Reparsed.Removed)
	}
	return nil
}

type acAddOptions struct {
	where
	Ticket, Text string
	Index        int
	index        *int
}

func newACAdd(env *cli.Env, run cli.Func[acAddOptions]) *cobra.Command {
	o := &acAddOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:               "add TICKET TEXT [flags]",
		SuggestFor:        []string{"create", "new"},
		Short:             "Add an acceptance criterion",
		Example:           "pmsync ac add SEM-12 \"An expired link says so\"",
		ValidArgsFunction: completeTickets(env),
	}, o, o.take, run))
	cmd.Flags().IntVar(&o.Index, "index", 0, "`place` in the list, from 0 (default the end)")
	return cmd
}

func (o *acAddOptions) take(g cli.Given) error {
	o.Ticket, o.Text, o.index = g.Args[0], g.Args[1], cli.IfGiven(g, "index", &o.Index)
	return nil
}

func runACAdd(ctx context.Context, o *acAddOptions, st *stores.Stores, c caller.Caller) error {
	done, err := st.Criteria.Add(ctx, c, o.Ticket, o.Text, o.index)
	return o.printCriterion(ctx, done, err)
}

func (w *where) printCriterion(ctx context.Context, c criteria.Changed, err error) error {
	return w.show(ctx, c, err, func(s *term.Streams) error {
		if err := s.Line(c.ID, c.Status, c.Text); err != nil {
			return err
		}
		if len(c.Checked) > 0 {
			s.Notice("found: %s", joined(c.Checked))
		}
		return nil
	})
}

func newACStatus(env *cli.Env, run cli.Func[acOptions]) *cobra.Command {
	o := &acOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:               "status TICKET",
		SuggestFor:        []string{"show", "list", "ls", cli.ForID},
		Short:             "Show the criteria of a ticket, with status and evidence",
		Example:           "pmsync ac status SEM-12\npmsync ac status SEM-12 --jq .completion_percentage",
		ValidArgsFunction: completeTickets(env),
	}, o, cli.Take(&o.Ticket), run))
	o.reasons(cmd)
	return cmd
}

func runACStatus(ctx context.Context, o *acOptions, st *stores.Stores, c caller.Caller) error {
	s, err := st.Criteria.Status(ctx, c, o.Ticket)
	if err != nil {
		return err
	}
	if !o.Explain {
		s.Criteria = criteria.WithoutReasons(s.Criteria)
	}
	if err := output.ListDocument(ctx, o.env.Printer(), s, s.Criteria, explained(o.Explain)); err != nil {
		return err
	}
	if s.Total == 0 {
		o.env.Streams.Notice("no criteria of %s are known; `pmsync ac parse %s --force` looks for them, `pmsync ac add` adds one", s.Ticket, text.ShellWord(s.Ticket))
		return nil
	}
	if s.Total > s.Unsure {
		o.env.Streams.Notice("%d of %d verified (%g%%)", s.Verified, s.Total-s.Unsure, s.Completion)
	}
	if s.Unsure > 0 {
		o.env.Streams.Notice("%d unsure: not called criteria by their author, and not required; `pmsync ac update %s#N --status pending` confirms one", s.Unsure, text.ShellWord(s.Ticket))
	}
	return nil
}

type acVerifyOptions struct {
	where
	criteria.Verdict
	Check bool
}

func newACVerify(env *cli.Env, run cli.Func[acVerifyOptions]) *cobra.Command {
	o := &acVerifyOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:        "verify CRITERION verified|failed [flags]",
		SuggestFor: []string{"pass", "met", "done", "complete", "fail"},
		Short:      "Record whether a criterion is met, with evidence",
		Long: `Record that a criterion is verified or failed, with the files, tests and commits that
show it. --check looks for the files and commits first, and refuses when one does
not exist. A failure counts as an attempt.`,
		Example:           "pmsync ac verify SEM-12#1 verified --file internal/login/link.go --test TestLinkExpires --check\npmsync ac verify ac-06q8v1k2m4 failed --notes \"the second click logs in again\"",
		ValidArgsFunction: completeInTurn(completeCriteria(env), cli.Words(criteria.Verified, criteria.Failed)),
	}, o, cli.Take(&o.ID, &o.Status), run))
	f := cmd.Flags()
	f.StringArrayVar(&o.Evidence.Files, "file", nil, "`path` of a file that shows it")
	f.StringArrayVar(&o.Evidence.Tests, "test", nil, "`name` of a test that shows it")
	f.StringArrayVar(&o.Evidence.Commits, "commit", nil, "`commit` that brought it")
	f.StringArrayVar(&o.Evidence.Screenshots, "screenshot", nil, "`path` of a picture that shows it")
	f.StringVar(&o.Notes, "notes", "", "`text`: what was seen")
	f.StringVar(&o.Session, "session", "", "`session` in which it was judged (default the agent's open one)")
	f.BoolVar(&o.Check, "check", false, "look for the files and commits first")
	return cmd
}

func runACVerify(ctx context.Context, o *acVerifyOptions, st *stores.Stores, c caller.Caller) error {
	if o.Check {
		o.Folder = o.folder()
	}
	done, err := st.Criteria.Verify(ctx, c, o.Verdict)
	return o.printCriterion(ctx, done, err)
}

type acUpdateOptions struct {
	where
	ID, Text, Status string
	text, status     *string
}

func newACUpdate(env *cli.Env, run cli.Func[acUpdateOptions]) *cobra.Command {
	o := &acUpdateOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:               "update CRITERION [flags]",
		SuggestFor:        []string{"edit", "set"},
		Short:             "Change the text or the status of a criterion",
		Example:           "pmsync ac update SEM-12#2 --status in_progress",
		ValidArgsFunction: completeCriteria(env),
	}, o, o.take, run))
	cmd.Flags().StringVar(&o.Text, "text", "", "new `text`")
	cmd.Flags().StringVar(&o.Status, "status", "", "new `status`: "+strings.Join(criteria.Statuses(), ", "))
	cli.CompleteFlag(cmd, "status", cli.Words(criteria.Statuses()...))
	return cmd
}

func (o *acUpdateOptions) take(g cli.Given) error {
	o.ID, o.text, o.status = g.Args[0], cli.IfGiven(g, "text", &o.Text), cli.IfGiven(g, "status", &o.Status)
	return nil
}

func runACUpdate(ctx context.Context, o *acUpdateOptions, st *stores.Stores, c caller.Caller) error {
	done, err := st.Criteria.Update(ctx, c, o.ID, o.text, o.status)
	return o.printCriterion(ctx, done, err)
}

func newACCheckAll(env *cli.Env, run cli.Func[acOptions]) *cobra.Command {
	o := &acOptions{}
	cmd := o.bind(env, cli.Command(&cobra.Command{
		Use:               "check-all TICKET",
		SuggestFor:        []string{"check"},
		Short:             "Check whether a ticket can be closed, with all criteria met",
		Example:           "pmsync ac check-all SEM-12 && pmsync ticket status SEM-12 done",
		ValidArgsFunction: completeTickets(env),
	}, o, cli.Take(&o.Ticket), run))
	cli.Exits(cmd, fault.ExitFailure, "something is left to do")
	return cmd
}

func runACCheckAll(ctx context.Context, o *acOptions, st *stores.Stores, c caller.Caller) error {
	check, err := st.Criteria.CheckAll(ctx, c, o.Ticket)
	if err != nil {
		return err
	}
	err = o.env.Printer().Document(ctx, check, func(s *term.Streams) error {
		if err := s.Text(term.Escape(fmt.Sprint(check.Summary)) + "\n"); err != nil {
			return err
		}
		t := term.NewTable(term.Column{Title: "ID"}, term.Column{Title: "STATUS", Style: criterionStyle}, term.Column{Title: "CRITERION", Flex: true})
		for _, list := range [][]criteria.Criterion{check.Failed, check.Blocked, check.Pending, check.Unsure} {
			for _, c := range list {
				t.Add(c.ID, statusOf(c), c.Text)
			}
		}
		return t.WriteTo(s)
	})
	if err == nil && !check.ReadyToClose {
		return cli.ExitStatus(fault.ExitFailure)
	}
	return err
}
