package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type resumeOptions struct {
	env      *cli.Env
	Worktree string
	Print    bool
}

func newResume(env *cli.Env, run cli.Func[resumeOptions]) *cobra.Command {
	o := &resumeOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:        "resume [WORKTREE] [flags]",
		SuggestFor: []string{"continue", "takeover"},
		Short:      "Open an agent's own program in its worktree, with its session",
		Long: `Open the program of the client that agit work ran in a worktree, there and with the
session that it had, so that you go on where the agent was: claude --resume, codex
resume, opencode --session, gemini --resume, agent --resume or copilot --resume. The
session is that of the newest run. What you do there is the agent's: the task stays
its own. --print prints the command line instead; so does a pipe.

A worktree whose run goes on is refused: agit logs -f follows it.`,
		Example: "agit resume\nagit resume w-06q8v1k2m4\nagit resume ann --print",
		Args:    cli.Args("[WORKTREE]"),
	}, o, o.take, run)
	cmd.Flags().BoolVar(&o.Print, "print", false, "print the command line, and start nothing")
	cli.Exits(cmd, fault.ExitConflict, "a run goes on there")
	cmd.ValidArgsFunction = cli.CompleteFirst(env, listWorktrees)
	return cmd
}

func (o *resumeOptions) take(g cli.Given) error {
	o.Worktree = worktreeHere(o.env, g.Args)
	return nil
}

// opening is a session that can be opened.
type opening struct {
	Worktree string   `json:"worktree_id"`
	Path     string   `json:"path"`
	Agent    string   `json:"agent,omitempty"`
	Client   string   `json:"client"`
	Session  string   `json:"session"`
	Command  []string `json:"command"`
}

func (o opening) line() string {
	words := make([]string, len(o.Command))
	for i, w := range o.Command {
		words[i] = text.ShellWord(w)
	}
	return "cd " + text.ShellWord(o.Path) + " && " + strings.Join(words, " ")
}

func runResume(ctx context.Context, o *resumeOptions) error {
	s, err := look(ctx, o.env)
	if err != nil {
		return err
	}
	w, err := s.Worktrees.Get(ctx, o.env.Getenv("AGIT_REPO"), o.Worktree)
	if err != nil {
		return err
	}
	last, running, err := s.Work.LastSession(ctx, w)
	switch {
	case err != nil:
		return err
	case running:
		return fault.Conflict("worktree", w.Ref, "a run of agent %q goes on in worktree %q", w.Agent, w.Ref).WithHint("`agit logs %s -f` follows it", w.Ref)
	case last.Session == "":
		return fault.NotFound("session", w.Ref).WithHint("no run of `agit work` left one in this worktree; `agit logs %s` shows what there was", w.Ref)
	}
	c, err := worker.Find(last.Client)
	if err != nil {
		return err
	}
	found := opening{Worktree: w.Ref, Path: w.Path, Agent: w.Agent, Client: c.Name, Session: last.Session}
	if found.Command, err = c.Opened(last.Session); err != nil {
		return err
	}
	if o.Print || !o.env.Streams.CanRedraw() || o.env.Printer().Format() != output.Table {
		return o.env.Printer().Document(ctx, found, func(st *term.Streams) error { return st.Line(found.line()) })
	}
	return sibling.OnTerminal(w.Path, found.Command[0], found.Command[1:], w.Environment())
}
