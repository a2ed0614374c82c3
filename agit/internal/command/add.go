package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/stores"
	"github.com/agit-suite/agit/agit/internal/view/found"
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
to date, and adding it from a new place links a repository that was moved. What there
is already is named, each with its command: worktrees, whoever made them, sessions of
agents' clients, what agents are told and how much of it is stale, memories and plans
of other programs, and a tracker that the remote or a key in the environment names.`,
		Example: "agit add .\nagit add ~/src/app --name app",
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

func runAdd(ctx context.Context, o *addOptions, s *stores.Stores) error {
	a, err := s.AddRepo(ctx, repo.New{Path: o.Path, Name: o.Name})
	if err != nil {
		return err
	}
	seen := o.look(ctx, s, a.Repo)
	return o.env.Printer().Document(ctx, added{a, seen}, func(st *term.Streams) error {
		if err := st.Line(a.Repo.Name, a.Repo.Path, string(a.Outcome)); err != nil {
			return err
		}
		if p := a.Apart; p != nil {
			st.Notice("what was kept in this folder before is in project %s (%q): `--project %s` shows it", p.UID, p.Name, p.UID)
		}
		tellFound(st, seen)
		switch {
		case hasNoCommit(ctx, a.Repo):
			st.Notice("next: make a first commit, which worktrees begin at")
		case seen.Worktrees == 0:
			st.Notice("next: `agit spawn %s` makes a worktree for an agent", operand(a.Repo.Name, `--task "what to do" --agent NAME`))
		}
		return nil
	})
}

// hasNoCommit reports whether a repository is as git init leaves it. It is false where the repository is not readable.
func hasNoCommit(ctx context.Context, r repo.Repo) bool {
	g, err := r.Open()
	if err != nil {
		return false
	}
	newest, err := g.Run(ctx, "rev-list", "--max-count=1", "--all")
	return err == nil && newest == ""
}

// added is the result of a registration, and what exists already.
type added struct {
	repo.Addition
	Found found.Found `json:"found"`
}

// look looks at what there is in a repository before anything is set up.
func (o *addOptions) look(ctx context.Context, s *stores.Stores, r repo.Repo) found.Found {
	trees, _ := s.Worktrees.WithOthers(ctx, r.UID) // what cannot be read, status tells
	w := found.Where{Folder: r.Path, Remote: r.RemoteURL, Home: o.env.UserHome, Getenv: o.env.Getenv, Off: s.Config.Sources.Off, Trees: trees,
		Sessions: func() []index.Count { return o.sessions(ctx, s.Config, r.Path) },
		Progress: func(what string) func() { return o.env.Streams.Progress(what).Done }}
	if cfg, err := o.env.ConfigAt(ctx, r.Path); err == nil && cfg.Provider.Name != "local" {
		w.Tracker = cfg.Provider.Name
	}
	return found.Look(ctx, w)
}

// tellFound names what exists, a line each with its command.
func tellFound(s *term.Streams, f found.Found) {
	for _, c := range f.Sessions {
		s.Notice("%s of %s here in the last month: `memoryd history --client %s` finds what they asked and did", text.Count(c.Sessions, "session", "sessions"), c.Client, c.Client)
	}
	if f.Told != nil && f.Told.Files > 0 {
		files := text.Count(f.Told.Files, "file tells agents", "files tell agents") + " about this repository"
		switch f.Told.Stale {
		case 0:
			s.Notice("%s, and nothing in %s is known to be stale: `citecheck` shows what was checked", files, text.Plural(f.Told.Files, "it", "them"))
		default:
			s.Notice("%s, and %s: `citecheck instructions` lists what is stale", files, text.Count(f.Told.Stale, "statement does not hold", "statements do not hold"))
		}
	}
	for _, c := range f.Memories {
		s.Notice("%s of %s: `memoryd recall` finds them, `memoryd import %s` copies them", text.Count(c.Count, "memory", "memories"), c.Name, c.Name)
	}
	for _, tracker := range f.Plans {
		s.Notice("%s keeps tasks here: `agit import %s` brings them over", tracker, tracker)
	}
	if f.Tracker != "" {
		s.Notice("%s points to %s: `pmsync connect %s` brings its tickets", f.PointedBy, f.Tracker, f.Tracker)
	}
	if f.Worktrees > 0 {
		makers := make([]string, len(f.Makers))
		for i, m := range f.Makers {
			makers[i] = fmt.Sprintf("%s %d", m.Name, m.Count)
		}
		s.Notice("%s watched, whoever made them (%s): `agit status` shows them, `agit conflicts` where they meet",
			text.Count(f.Worktrees, "worktree is", "worktrees are"), strings.Join(makers, ", "))
	}
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
