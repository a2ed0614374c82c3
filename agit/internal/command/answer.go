package command

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

type answerOptions struct {
	env    *cli.Env
	ID     string
	Why    []string
	Allow  bool
	Always bool
	Deny   bool
}

func newAnswer(env *cli.Env, run cli.Func[answerOptions]) *cobra.Command {
	o := &answerOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "answer [QUESTION [WHY...]] [flags]",
		Args:       cobra.ArbitraryArgs,
		SuggestFor: []string{"allow", "permit"},
		Short:      "Answer an agent that asks permission, or list what is asked",
		Long: `Allow or deny a call that an agent of agit work asks permission for. A call that no
rule of work.allow, work.ask or work.deny decides waits for a person for work.ask_for,
and is then denied. Without arguments the waiting calls are listed in full. The answer
reaches the agent within a second, with any words that follow the question's id.

--always also adds the narrowest rule that allows such a call to work.allow in your own
configuration, and prints it. Only a person may answer: a call with an agent's name, or
from a program that an agent started, is refused.`,
		Example: "agit answer\nagit answer q-1s5yy6c2ny --allow\nagit answer q-1s5yy6c2ny --deny use the mirror instead",
	}, o, o.take, run)
	f := cmd.Flags()
	f.BoolVar(&o.Allow, "allow", false, "allow it this once")
	f.BoolVar(&o.Always, "always", false, "allow it, and calls like it from now on")
	f.BoolVar(&o.Deny, "deny", false, "deny it; the agent goes on without")
	cmd.MarkFlagsMutuallyExclusive("allow", "always", "deny")
	cli.Exits(cmd, fault.ExitConflict, "you are not a person, or the question does not wait any more")
	return cmd
}

func (o *answerOptions) take(g cli.Given) error {
	o.ID = g.Arg(0)
	if len(g.Args) > 1 {
		o.Why = g.Args[1:]
	}
	given := o.Allow || o.Always || o.Deny
	switch {
	case o.ID != "" && !given:
		return fault.Validation("allow", "the answer to %q is missing", o.ID).WithHint("give --allow, --always or --deny")
	case o.ID == "" && given:
		return fault.Validation("question", "no question is named").WithHint("`agit answer` lists what waits, with the ids")
	}
	return nil
}

func runAnswer(ctx context.Context, o *answerOptions) error {
	s, err := openTo(ctx, o.env, o.ID == "")
	if err != nil {
		return err
	}
	if o.ID == "" {
		return listQuestions(ctx, o, s)
	}
	q, err := s.Answer(ctx, o.ID, question.Answer{Allow: !o.Deny, Always: o.Always, Why: strings.Join(o.Why, " ")}, asker(o.env))
	return printDocument(ctx, o.env, q, err, func(st *term.Streams) error {
		switch {
		case q.Always && len(q.Rules) == 0:
			st.Notice("no rule is narrow enough for it: it is allowed this once")
		case q.Always:
			st.Notice("added to work.allow in your configuration: %s", strings.Join(q.Rules, ", "))
		}
		return st.Line(q.ID, string(q.State), q.Agent, q.Call)
	})
}

func listQuestions(ctx context.Context, o *answerOptions, s *stores.Stores) error {
	list, err := s.Asks.List(ctx, "")
	now := time.Now()
	return printList(ctx, o.env, "questions", list, err, []output.Column[question.Question]{
		{Title: "QUESTION", Value: func(q question.Question) string { return q.ID }},
		{Title: "AGENT", Value: func(q question.Question) string { return q.Agent }},
		{Title: "TASK", Value: func(q question.Question) string { return q.Task }},
		{Title: "ASKED", Value: func(q question.Question) string { return term.Ago(q.AskedAt.Time, now) }},
		{Title: "UNTIL", Value: func(q question.Question) string { return q.Until.Local().Format(time.TimeOnly) }},
		{Title: "CALL", Value: func(q question.Question) string { return q.Call }, Flex: true},
	}, "nothing waits for your answer")
}
