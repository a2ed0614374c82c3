package command

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

type addOptions struct {
	env  *cli.Env
	Path string
	Name string
}

func newAdd(env *cli.Env, run cli.Func[addOptions]) *cobra.Command {
	o := &addOptions{env: env}
	cmd := cli.Command(&cobra.Command{
		Use:   "add [PATH] [flags]",
		Short: "Register a repository",
		Long: `Register the git repository at PATH, or the one the current folder lies in. Its
name, remote and default branch are found in it; adding it again brings them up
to date, and adding it from a new place links a repository that was moved.`,
		Example: "agit add .\nagit add ~/src/app --name app",
		Args:    cli.Args("[PATH]"),
	}, o, o.take, run)
	cmd.Flags().StringVar(&o.Name, "name", "", "`name` to register it under; the folder's or the remote's by default")
	return cmd
}

func (o *addOptions) take(g cli.Given) (err error) {
	if o.Path, err = o.env.Path(cmp.Or(g.Arg(0), ".")); err != nil {
		return err
	}
	if o.Name == "" && g.Changed("name") {
		return fault.Validation("name", "--name is empty").WithHint("leave it out to take the folder's or the remote's name")
	}
	return nil
}

func runAdd(ctx context.Context, o *addOptions) error {
	s, err := open(ctx, o.env)
	if err != nil {
		return err
	}
	a, err := s.AddRepo(ctx, repo.New{Path: o.Path, Name: o.Name})
	if err != nil {
		return err
	}
	trees, _ := s.Worktrees.WithOthers(ctx, a.Repo.UID) // what cannot be read, status tells
	there := len(slices.DeleteFunc(trees, func(w worktree.Worktree) bool { return w.Marks.Main }))
	counts := o.sessions(ctx, s.Config, a.Repo.Path)
	return o.env.Printer().Document(ctx, a, func(s *term.Streams) error {
		if err := s.Line(a.Repo.Name, a.Repo.Path, string(a.Outcome)); err != nil {
			return err
		}
		for _, c := range counts {
			s.Notice("%s of %s here in the last month: `memoryd history --client %s` finds what they asked and did", text.Count(c.Sessions, "session", "sessions"), c.Client, c.Client)
		}
		if there > 0 {
			s.Notice("%s watched from now on, whoever made them: `agit status` shows them, `agit conflicts` where they meet", text.Count(there, "worktree is", "worktrees are"))
			return nil
		}
		s.Notice("next: `agit spawn %s` makes a worktree for an agent", operand(a.Repo.Name, `--task "what to do" --agent NAME`))
		return nil
	})
}

// sessionsWait is how long a registration waits for the index of clients' sessions: what is not
// read by then is not counted.
const sessionsWait = 15 * time.Second

// sessions counts the sessions that agents' clients had in a repository in the last month. What
// cannot be read is left out: the repository is registered all the same.
func (o *addOptions) sessions(ctx context.Context, cfg *config.Config, folder string) []index.Count {
	ctx, stop := context.WithTimeout(ctx, sessionsWait)
	defer stop()
	p := o.env.Streams.Progress("reading sessions of agents' clients")
	defer p.Done()
	kept := index.For(cfg.Home(), o.env.UserHome, o.env.Getenv, cfg.Sources.Off)
	kept.Progress = func(done, all int64) { p.Say("reading sessions of agents' clients: %d of %d MB", done>>20, all>>20) }
	x, err := kept.Open(ctx)
	if err != nil {
		return nil
	}
	defer x.Close()
	counts, _ := x.Clients(context.WithoutCancel(ctx), []string{folder}, time.Now().AddDate(0, -1, 0))
	return counts
}

// operand is a name as a shell takes it before flags, or behind them when it looks like one.
func operand(name, flags string) string {
	if strings.HasPrefix(name, "-") {
		return flags + " -- " + text.ShellWord(name)
	}
	return text.ShellWord(name) + " " + flags
}
