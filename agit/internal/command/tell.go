package command

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/run/message"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

type tellOptions struct {
	env      *cli.Env
	Agent    string
	Text     []string
	Now      bool
	Withdraw string
}

func newTell(env *cli.Env, run cli.Func[tellOptions]) *cobra.Command {
	o := &tellOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "tell [AGENT TEXT...] [flags]",
		SuggestFor: []string{"say", "message", "msg", "send", "steer"},
		Short:      "Send an agent a message while it works, or list waiting messages",
		Long: `Send an agent a message. It is kept until it was delivered, once, and is in the log of
the run. A client that speaks the protocol gets it as its next turn, in the same
session; --now first cancels the current turn. Another client of agit work gets it
with its next run; --now ends the client and starts it again, in its session if it
can. A client with the hooks of agit setup gets it after its next tool. An agent that
is not at work gets it when it starts again.

Without arguments it lists undelivered messages. AGENT may be a worktree. Only a person
may send one: a call with an agent's name, or from a program that an agent started, is
refused.`,
		Example: "agit tell ann leave the old parser alone\nagit tell ann --now \"stop: the tests need a database\"\nagit tell",
		Args:    cobra.ArbitraryArgs,
	}, o, o.take, run)
	f := cmd.Flags()
	f.BoolVar(&o.Now, "now", false, "cancel what the agent does now")
	f.StringVar(&o.Withdraw, "withdraw", "", "take back the message with this `id`, unless it was delivered")
	cli.Exits(cmd, fault.ExitConflict, "an agent tells, or the message was delivered already")
	cmd.ValidArgsFunction = cli.CompleteFirst(env, listAgentNames)
	return cmd
}

func (o *tellOptions) take(g cli.Given) error {
	if len(g.Args) > 0 {
		o.Agent, o.Text = g.Args[0], g.Args[1:]
	}
	switch {
	case o.Withdraw != "" && (o.Agent != "" || o.Now):
		return fault.Validation("withdraw", "--withdraw takes back a message and goes with nothing else").WithHint("give the id alone: agit tell --withdraw %s", o.Withdraw)
	case o.Agent != "" && len(o.Text) == 0:
		return fault.Validation("text", "the text for agent %q is missing", o.Agent).WithHint("give it after the agent's name")
	case o.Agent == "" && o.Now:
		return fault.Validation("agent", "no agent is named").WithHint("give an agent and a text; `agit agents` lists the agents")
	}
	return nil
}

func runTell(ctx context.Context, o *tellOptions) error {
	lists := o.Agent == "" && o.Withdraw == ""
	s, err := openTo(ctx, o.env, lists)
	if err != nil {
		return err
	}
	if lists {
		return listMessages(ctx, o, s)
	}
	if o.Withdraw != "" {
		m, err := s.Withdraw(ctx, o.Withdraw, asker(o.env))
		return printChange(ctx, o.env, m, err, m.ID, string(m.State), m.Agent)
	}
	t, err := s.Tell(ctx, message.New{Agent: o.Agent, Text: strings.Join(o.Text, " "), AtOnce: o.Now}, o.env.Getenv("AGIT_REPO"), asker(o.env))
	return printDocument(ctx, o.env, t, err, func(st *term.Streams) error {
		if t.Run == "" {
			st.Notice("%s is not run by agit work now; it gets this with its next run, or by the hook of its client", t.Agent)
		}
		return st.Line(t.ID, string(t.State), t.Agent, t.Task)
	})
}

func listMessages(ctx context.Context, o *tellOptions, s *stores.Stores) error {
	list, err := s.Messages.List(ctx)
	now := time.Now()
	return printList(ctx, o.env, "messages", list, err, []output.Column[message.Message]{
		{Title: "MESSAGE", Value: func(m message.Message) string { return m.ID }},
		{Title: "AGENT", Value: func(m message.Message) string { return m.Agent }},
		{Title: "TASK", Value: func(m message.Message) string { return m.Task }},
		{Title: "TOLD", Value: func(m message.Message) string { return term.Ago(m.ToldAt.Time, now) }},
		{Title: "TEXT", Value: func(m message.Message) string { return m.Text }, Flex: true},
	}, "every message was delivered")
}
