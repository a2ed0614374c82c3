package land

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/run/wall"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/userhook"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// prepare makes the merge commit, which nothing refers to yet, on the default branch as it is now. It touches no file. It returns true when
// the branch has all of the worktree's commits already.
func (m *merging) prepare(ctx context.Context) (there bool, err error) {
	ref, old, err := m.destination(ctx)
	if err != nil {
		return false, err
	}
	if old == "" && m.local {
		return false, fault.NotFound("branch", m.target).WithHint("`git branch %s` makes it", text.ShellWord(m.target))
	}
	if old == "" {
		return false, worktree.NoDefaultBranch(m.r, m.set.DefaultBranch)
	}
	m.j.Target, m.j.Old, m.j.New = ref, old, ""
	if err := m.resettle(ctx); err != nil {
		return false, err
	}
	return m.prepareOn(ctx, ref, old)
}

// prepareOn is prepare on a commit that the branch is at, or will be moved to first.
func (m *merging) prepareOn(ctx context.Context, ref, old string) (there bool, err error) {
	m.j.Target, m.j.Old, m.j.New = ref, old, ""
	if there, err := checkout.IsAncestor(ctx, m.g, m.tip, old); err != nil || there {
		return there, err
	}
	if m.remote == "" && !m.trial { // a branch of a remote lands whatever is unfinished here, and a trial moves none
		if _, err := workingTreesOn(ctx, m.g, m.w, ref); err != nil {
			return false, err // refused before a hook has run for minutes
		}
	}
	m.tested, m.knownLog = "", ""
	if m.j.New, m.tree, err = m.build(ctx); err != nil || m.j.New == "" {
		return err == nil, err
	}
	if m.changes, err = diffTree(ctx, m.g, m.objects, m.j.Old, m.j.New); err != nil || m.dry {
		return false, err
	}
	return false, m.readable(ctx)
}

// build makes the commit that the branch is to move to, and names its tree. It returns "" when a squash or rebase adds nothing.
func (m *merging) build(ctx context.Context) (commit, tree string, err error) {
	if m.strategy == Rebase {
		return m.rebase(ctx)
	}
	if tree, err = m.mergeTrees(ctx, m.j.Old, m.tip); err != nil {
		return "", "", err
	}
	if m.strategy == MergeCommit {
		commit, err = m.commit(ctx, tree)
		return commit, tree, err
	}
	if there, err := checkout.TreeOf(ctx, m.g, m.j.Old); err != nil || there == tree {
		return "", "", err
	}
	commit, err = m.squash(ctx, tree)
	return commit, tree, err
}

// judge lets the pre_merge hooks and then the gate judge the merge commit, in a checkout of it.
func (m *merging) judge(ctx context.Context) error {
	known, err := m.known(ctx)
	if err != nil || known && len(m.set.PreMerge) == 0 {
		return err
	}
	var log *runlog.Log
	if len(m.gate) > 0 && !known {
		if log, err = runlog.Create(m.Trees.Home(), m.w.Ref, runlog.Gate); err != nil {
			return err
		}
		defer log.Close()
		m.j.Run = "gate-" + registry.NewUID()
	}
	return m.withKeptCheckout(ctx, m.j.New, m.gateBegun(log), func(dir string, _ *git.Repo) error {
		if err := m.asCommitted(ctx, dir); err != nil {
			return err
		}
		if err := m.Trees.Inclusion(m.g, m.r, m.set, m.j.Old).Copy(ctx, dir, m.Trees.Notice); err != nil {
			return err
		}
		hooks := m.Trees.Hooks("pre_merge", m.set.PreMerge, m.set, dir, m.w)
		hooks.Env, _ = m.environment()
		w, err := m.Wall.Get(ctx)
		if err != nil {
			return err
		}
		if w != nil { // they run what an agent wrote
			through, done := w.Through(wall.Room{Run: m.j.Run, Dir: dir, Git: wall.ReadOnly(m.g, dir), Cache: w.Cache(m.r.UID + "-gates")})
			defer done()
			hooks.Through = through
		}
		if err := userhook.Run(ctx, hooks); err != nil {
			return err
		}
		return m.runGate(ctx, dir, log)
	})
}

// commit writes the merge commit as the user.
func (m *merging) commit(ctx context.Context, tree string) (string, error) {
	message := strings.TrimSpace(m.o.Message)
	if message == "" {
		message = fmt.Sprintf("Merge branch '%s'", m.w.Branch)
		if m.local {
			message += fmt.Sprintf(" into %s", m.target)
		}
		if m.w.Task != "" {
			message += "\n\n" + strings.TrimSpace(m.w.Task)
		}
	}
	return m.commitTree(ctx, git.Options{}, tree, message+"\n", m.j.Old, m.tip)
}

// commitTree writes a commit, signed where the user has all commits signed and it is to land.
func (m *merging) commitTree(ctx context.Context, o git.Options, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	args = append(args, "-F", "-")
	if !m.dry && !m.trial && signs(ctx, m.g) {
		args = append(args, "-S")
	}
	o.Env = append(slices.Clone(o.Env), m.objects.Env...)
	o.Stdin = strings.NewReader(message)
	out, err := m.g.Output(ctx, o, args...)
	if err != nil {
		return "", m.g.CommitFault(ctx, err, "write the merge commit")
	}
	return strings.TrimSpace(string(out)), nil
}

// signs reports whether the user has all commits signed; commit-tree does not read that setting itself. It asks git, because only git knows
// all the places where the setting may be.
func signs(ctx context.Context, g *git.Repo) bool {
	said, err := g.Run(ctx, "config", "--type=bool", "--get", "commit.gpgsign")
	return err == nil && said == "true"
}
