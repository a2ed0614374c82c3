// Package stores puts agit's stores together over one registry and one
// configuration, for the command line and the MCP server alike. It decides
// nothing itself. A Stores is safe for concurrent use.
package stores

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/agit-suite/agit/agit/internal/agents"
	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/doctor/worktreecheck"
	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/graph/graphquery"
	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/land/pull"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/land/trial"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/agit/internal/run/message"
	"github.com/agit-suite/agit/agit/internal/run/question"
	"github.com/agit-suite/agit/agit/internal/run/wall"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/view/distance"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/agit/internal/work/unattended"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/agit/internal/worktree/seen"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions/usage"
)

// Port is where `agit serve` listens over HTTP unless told otherwise.
const Port = 3847

// Stores are all of them.
type Stores struct {
	DB        *registry.DB
	Config    *config.Config
	Repos     *repo.Store
	Tasks     *task.Store
	Worktrees *worktree.Store // their rows; the next four work on them
	Spawns    *spawn.Store
	Removals  *remove.Store
	Landings  *land.Store
	Trials    *trial.Store
	Audits    *worktreecheck.Store
	Reviews   *review.Store
	Assign    *assignment.Store
	Conflicts *conflict.Store
	Roster    *agents.Store
	Presence  *presence.Store
	Asks      *question.Store
	Messages  *message.Store
	Forges    *forge.Store
	Pulls     *pull.Store
	Overview  *overview.Store // the read model of status, of both screens and of the page
	Graph     *graph.Store
	Queries   *graphquery.Store
	Work      *unattended.Store
	Costs     *costs.Store
	Wall      *wall.Wanted // around agents and gates

	settings config.Options // of the user's own configuration
}

// Open opens the registry of a run and puts the stores together. What hooks
// print goes to hookOutput.
func Open(ctx context.Context, env *cli.Env, hookOutput io.Writer) (*Stores, error) {
	cfg, err := env.Config(ctx)
	if err != nil {
		return nil, err
	}
	db, err := env.Registry(ctx)
	if err != nil {
		return nil, err
	}
	s := &Stores{
		DB: db, Config: cfg, settings: env.ConfigOptions(""),
		Repos:     &repo.Store{DB: db},
		Tasks:     &task.Store{DB: db, ReleaseAfter: cfg.Agent.ReleaseAfter},
		Conflicts: &conflict.Store{DB: db, CacheDir: filepath.Join(cfg.Home(), "cache", "conflicts"), Parties: cfg.Conflicts.Parties, Clones: cfg.Conflicts.Clones},
		Roster:    &agents.Store{DB: db, StaleAfter: cfg.Agent.StaleAfter},
		Presence:  &presence.Store{DB: db, StaleAfter: cfg.Agent.StaleAfter},
	}
	s.Asks, s.Messages = &question.Store{DB: db}, &message.Store{DB: db}
	s.Costs = &costs.Store{DB: db, Kept: usage.For(cfg.Home(), env.UserHome, env.Getenv, cfg.Sources.Off), Table: cfg.Work.Prices}
	s.Graph = &graph.Store{DB: db, Tasks: s.Tasks, StaleAfter: cfg.Agent.StaleAfter}
	s.Queries = &graphquery.Store{DB: db}
	s.Worktrees = &worktree.Store{DB: db, Options: worktree.Options{
		Settings: settings(ctx, env, cfg), SettingsOf: settingsOf(env), Tasks: s.Tasks, HookOutput: hookOutput, Home: cfg.Home(), Dir: env.Dir,
		Notice: func(sentence string) { env.Streams.Notice("%s", sentence) },
	}}
	s.Conflicts.Home = func(r repo.Repo) (branch, remote string) {
		set := s.Worktrees.Settings(r)
		return set.DefaultBranch, set.Remote
	}
	s.Repos.DefaultBranch = s.Conflicts.BranchOf
	s.Conflicts.Share = s.Worktrees.Share
	s.Spawns, s.Removals = &spawn.Store{Trees: s.Worktrees}, &remove.Store{Trees: s.Worktrees}
	s.Wall = &wall.Wanted{Settings: WallSettings(env, cfg, db.Path())}
	s.Landings = &land.Store{Trees: s.Worktrees, Removals: s.Removals, Wall: s.Wall}
	s.Worktrees.MendedBy(s.Spawns, s.Removals, s.Landings)
	s.Audits = &worktreecheck.Store{Trees: s.Worktrees, Removals: s.Removals, Landings: s.Landings}
	s.Reviews = &review.Store{DB: db, Trees: s.Worktrees, Tasks: s.Tasks, Landings: s.Landings, Conflicts: s.Conflicts, Costs: s.Costs}
	s.Forges = &forge.Store{Trees: s.Worktrees, Kind: forge.KindFrom(cfg.Forge.Kind), Env: git.UserEnvironment(),
		Notice:   func(sentence string) { env.Streams.Notice("%s", sentence) },
		Accepted: s.Reviews.Accepted}
	s.Pulls = &pull.Store{Trees: s.Worktrees, Forges: s.Forges, Reviews: s.Reviews, Interval: cfg.Forge.Interval, Everyone: cfg.Forge.Comments == "all",
		StaleAfter: cfg.Agent.StaleAfter}
	s.Assign = &assignment.Store{DB: db, Trees: s.Worktrees, Spawns: s.Spawns, Removals: s.Removals, Tasks: s.Tasks, Landings: s.Landings, Reviews: s.Reviews, Forges: s.Forges, Conflicts: s.Conflicts, Flags: env.Globals.Args(), Wall: s.Wall}
	s.Work = &unattended.Store{DB: db, Tasks: s.Tasks, Trees: s.Worktrees, Assign: s.Assign, Presence: s.Presence, Asks: s.Asks, Messages: s.Messages, Costs: s.Costs,
		Home: cfg.Home(), KeepLogs: cfg.Logs.KeepFor, LogSize: int64(cfg.Logs.MaxSize), ReleaseAfter: cfg.Agent.ReleaseAfter}
	s.Work.Pulls = s.Pulls
	s.Trials = &trial.Store{Landings: s.Landings, Conflicts: s.Conflicts, Home: cfg.Home()}
	s.Work.Trials = s.Trials
	s.Overview = overview.New(overview.Options{DB: db, Conflicts: s.Conflicts, Landings: s.Landings, Costs: s.Costs,
		Sweeper: sweeper(env),
		Meter:   distance.Meter{Dir: filepath.Join(cfg.Home(), "cache", "distances")}, StaleAfter: cfg.Agent.StaleAfter, ReleaseAfter: cfg.Agent.ReleaseAfter})
	return s, nil
}

// WallSettings returns the settings of the wall that the user's configuration asks for.
func WallSettings(env *cli.Env, cfg *config.Config, registryFile string) wall.Settings {
	return wall.Settings{Sandbox: cfg.Work.Sandbox, Write: cfg.Work.SandboxWrite, Read: cfg.Work.SandboxRead, Hide: cfg.Work.SandboxHide,
		Home: env.UserHome, Data: cfg.Home(), Registry: registryFile}
}

// sweeper returns a sweeper with the settings of the user's clients.
func sweeper(env *cli.Env) seen.Sweeper {
	home, _ := os.UserHomeDir() // without one their defaults hold
	return seen.Sweeper{Home: home, ClaudeDir: env.Getenv("CLAUDE_CONFIG_DIR")}
}

// Pages are what only a page and the panels of a screen have room for.
func (s *Stores) Pages() *overview.Pages {
	return &overview.Pages{DB: s.DB, Tasks: s.Tasks, Graph: s.Graph, Worktrees: s.Worktrees, Home: s.Config.Home(), DecayThreshold: float64(s.Config.Memory.DecayThreshold)}
}

// AddRepo registers a repository; the worktrees of one that was moved are
// linked again with it.
func (s *Stores) AddRepo(ctx context.Context, n repo.New) (repo.Addition, error) {
	a, err := s.Repos.Add(ctx, n)
	if err == nil && a.Outcome == repo.Relinked {
		if _, err = s.Worktrees.Relocate(ctx, a.Repo); err == nil {
			err = s.Removals.Relocate(ctx, a.Repo)
		}
	}
	return a, err
}

// ProjectFor returns the id of the project that a screen shows: that of the repository which the arguments name, else or for "." that of the folder.
// It returns "", which shows all, where the folder has no project.
func (s *Stores) ProjectFor(ctx context.Context, dir string, args []string) (string, error) {
	if len(args) > 0 && args[0] != "." {
		r, err := s.Repos.Get(ctx, args[0])
		if err != nil {
			return "", err
		}
		dir = r.Path
	}
	return s.Graph.ProjectOf(ctx, dir)
}

// settings reads each repository's own project files. An unreadable file leaves the
// user's configuration in force and causes a warning, once.
func settings(ctx context.Context, env *cli.Env, user *config.Config) func(repo.Repo) worktree.Settings {
	var told sync.Map
	warn := func(format string, args ...any) {
		if _, again := told.LoadOrStore(fmt.Sprintf(format, args...), true); !again {
			env.Streams.Warn(format, args...)
		}
	}
	return func(r repo.Repo) worktree.Settings {
		cfg, err := env.ConfigNow(ctx, r.Path)
		if err == nil && cfg.UntrustedWarning() != "" {
			warn("repository %q: %s", r.Name, cfg.UntrustedWarning())
		}
		if err != nil {
			warn("the configuration of %q is ignored: %v", r.Name, err)
			cfg = user
		}
		return worktree.SettingsFrom(cfg, r.Name)
	}
}

// settingsOf reads a repository's settings with the project's files as a commit has them, under the trust that the repository has.
func settingsOf(env *cli.Env) func(repo.Repo, func(string) ([]byte, error)) (worktree.Settings, error) {
	return func(r repo.Repo, read func(string) ([]byte, error)) (worktree.Settings, error) {
		o := env.ConfigOptions(r.Path)
		o.Project, o.TrustRoot, o.Content = r.Path, "", read
		cfg, err := config.Load(o)
		if err != nil {
			o.Content, o.Without = nil, true
			own, failed := config.Load(o)
			if failed != nil {
				return worktree.Settings{}, failed
			}
			return worktree.SettingsFrom(own, r.Name), err
		}
		return worktree.SettingsFrom(cfg, r.Name), nil
	}
}
