package command

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/worktree"
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
	unnamed  bool // neither an argument nor AGIT_WORKTREE names it
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
session is that of the newest run. The task stays the agent's. With --print, and in a
pipe, the command line is printed instead.

The default WORKTREE is the one that you stand in. In the main checkout it is the only
one that can be resumed; when there are several, they are listed for you to choose from.

A worktree whose run goes on is refused: agit logs -f follows it.`,
		Example: "agit resume\nagit resume w-06q8v1k2m4\nagit resume ann --print",
	}, o, o.take, run)
	cmd.Flags().BoolVar(&o.Print, "print", false, "print the command line, and start nothing")
	cli.Exits(cmd, fault.ExitConflict, "a run goes on there")
	cmd.ValidArgsFunction = cli.CompleteFirst(env, listWorktrees)
	return cmd
}

func (o *resumeOptions) take(g cli.Given) error {
	o.Worktree = worktreeHere(o.env, g.Args)
	o.unnamed = len(g.Args) == 0 && o.Worktree == "."
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

func runResume(ctx context.Context, o *resumeOptions, s *stores.Stores) error {
	w, err := s.Worktrees.Get(ctx, o.env.Getenv("AGIT_REPO"), o.Worktree)
	if err != nil {
		return err
	}
	if o.unnamed && w.Marks.Main {
		if w, err = onlyResumable(ctx, o.env, s); err != nil {
			return err
		}
	}
	last, running, err := s.Work.LastSession(ctx, w)
	switch {
	case err != nil:
		return err
	case running:
		name := filepath.Base(w.Path)
		return fault.Conflict("worktree", w.Ref, "a run of agent %q goes on in worktree %q", w.Agent, name).WithHint("`agit logs %s -f` follows it", name)
	case last.Session == "":
		return fault.NotFound("session", w.Ref).Saying("worktree %q has no session that can be resumed", filepath.Base(w.Path)).
			WithHint("`agit work` leaves one where its run is over; `agit logs %s` shows what ran there", w.Ref)
	}
	c, err := worker.Find(last.Client)
	if err != nil || len(c.Open) == 0 {
		return fault.Validation("client", "the session in worktree %q is of %q, whose sessions agit cannot open", filepath.Base(w.Path), last.Client).
			WithHint("its id is %q; `agit logs %s` shows what ran there", last.Session, w.Ref)
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

// resumable is a worktree with the session of its newest run, which is over.
type resumable struct {
	worktree.Worktree
	Client string
}

// onlyResumable returns the only worktree of the current repository with a session that can be opened.
func onlyResumable(ctx context.Context, env *cli.Env, s *stores.Stores) (none worktree.Worktree, err error) {
	r, err := repoNamed(ctx, env, s.DB, "")
	if err != nil {
		return none, err
	}
	list, err := s.Worktrees.List(ctx, r.UID, false)
	if err != nil {
		return none, err
	}
	var all []resumable
	for _, w := range list {
		last, running, err := s.Work.LastSession(ctx, w)
		if err != nil {
			return none, err
		}
		if c, err := worker.Find(last.Client); err == nil && len(c.Open) > 0 && last.Session != "" && !running {
			all = append(all, resumable{w, last.Client})
		}
	}
	return theOnly(r.Name, all)
}

// theOnly returns the one worktree that can be resumed. Where there is none, or several, the fault names what there is.
func theOnly(repo string, all []resumable) (w worktree.Worktree, err error) {
	switch len(all) {
	case 0:
		return w, fault.NotFound("session", "").Saying("no worktree of %q has a session that can be resumed", repo).
			WithHint("`agit work` leaves one where its run is over; `memoryd history` lists the sessions that people began")
	case 1:
		return all[0].Worktree, nil
	}
	names := make([]string, len(all))
	for i, r := range all {
		names[i] = fmt.Sprintf("%s (%s of %s)", r.Ref, r.Client, r.Agent)
	}
	return w, fault.Validation("worktree", "%d worktrees of %q have a session that can be resumed: %s", len(all), repo, text.Few(names)).
		WithHint("name one, as in `agit resume %s`", all[len(all)-1].Ref)
}
