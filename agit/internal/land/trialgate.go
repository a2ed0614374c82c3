package land

import (
	"context"
	"strconv"

	"github.com/agit-suite/agit/agit/internal/land/verdict"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// Judgement describes how a state built on a repository's default branch would be judged.
type Judgement struct {
	Branch  string // the default branch
	Commit  string // its commit
	Gate    verdict.Gate
	Secrets []string // values in the gate's environment that must not appear in a log
	Beside  string   // stands for the files that a checkout gets besides those of its commit
	Set     worktree.Settings
}

// Key is the verdicts' key of the gate.
func (j Judgement) Key() string { return j.Gate.Key(j.Beside) }

// JudgementOf returns how a landing on the default branch of a repository would be judged. It returns an *Unjudged when the gate may not
// run.
func (s *Store) JudgementOf(ctx context.Context, g *git.Repo, r repo.Repo) (j Judgement, err error) {
	set := s.Trees.Settings(r)
	ref, commit, err := checkout.DefaultBranch(ctx, g, set.DefaultBranch, set.Remote)
	if err != nil {
		return j, err
	}
	if commit == "" {
		return j, fault.Validation("default_branch", "repository %q has no branch %q, its default branch", r.Name, set.DefaultBranch).
			WithHint("make a first commit on it, or name another with default_branch in the configuration").About("repo", r.Name)
	}
	set, broken := s.Trees.SettingsAt(ctx, g, r, ref, commit)
	if ctx.Err() != nil {
		return j, ctx.Err()
	}
	if why := unjudged(set, broken, set.DefaultBranch); why != "" {
		return j, &Unjudged{shown{fault.Conflict("repo", r.Name, "nothing was tried together: %s", why).WithHint("a person looks at it and runs `agit config trust`")}}
	}
	j = Judgement{Branch: set.DefaultBranch, Commit: commit, Set: set, Gate: verdict.Gate{Commands: set.Gate, Limit: set.GateTimeout, Wall: s.Wall}}
	env := append(git.UserEnvironment(), "AGIT_REPO="+r.Name, "AGIT_TARGET="+set.DefaultBranch)
	port, err := registry.Read(ctx, s.Trees.DB, func(tx *registry.Tx) (int, error) { return worktree.PickPort(tx, "trial "+r.UID, set) })
	if err != nil {
		return j, err
	}
	if port > 0 {
		env = append(env, "AGIT_PORT="+strconv.Itoa(port))
	}
	j.Gate.Env, j.Secrets = worker.Client{}.Environment(env, set.GateEnv)
	j.Beside, err = s.Trees.Inclusion(g, r, set, commit).Key(ctx)
	return j, err
}

// Verdicts are what gates said of trees.
func (s *Store) Verdicts() *verdict.Store { return &verdict.Store{DB: s.Trees.DB} }
