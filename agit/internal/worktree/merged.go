package worktree

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// checkMerged looks for commits of the worktree that are in no default branch,
// neither the local one nor the one last seen at the remote. Commits taken over
// by squashing, rebasing or picking count as merged.
func checkMerged(ctx context.Context, g *git.Repo, p *proof, w Worktree, branch string) error {
	targets, err := defaultTips(ctx, g, branch)
	if err != nil {
		return err
	}
	tips := map[string]string{}
	if p.head.OID != "" {
		tips[p.head.OID] = "HEAD"
	}
	if p.branchOID != "" {
		tips[p.branchOID] = w.Branch
	}
	for tip, name := range tips {
		if tip == w.Base {
			continue // nothing was committed here
		}
		merged, err := mergedInto(ctx, g, tip, targets)
		if err != nil {
			return err
		}
		if merged {
			continue
		}
		what, err := describeUnmerged(ctx, g, tip, targets)
		if err != nil {
			return err
		}
		if name == "HEAD" && p.head.Ref != "" {
			name = p.head.Branch()
		}
		p.add(Unmerged, nil, "%s of %s not in %s: %s", what.count, name, branch, what.subjects)
	}
	return nil
}

// defaultTips are the commits of the default branch here and at the remote.
func defaultTips(ctx context.Context, g *git.Repo, branch string) ([]string, error) {
	var tips []string
	refs := []string{"refs/heads/" + branch}
	config, err := g.Config()
	if err != nil {
		return nil, err
	}
	if remote := config.Remote(); remote != "" {
		refs = append(refs, "refs/remotes/"+remote+"/"+branch)
	}
	for _, ref := range refs {
		oid, err := g.Resolve(ctx, ref)
		if err != nil {
			return nil, err
		}
		if oid != "" {
			tips = append(tips, oid)
		}
	}
	return tips, nil
}

// mergedInto reports whether what tip adds is in one of the targets.
func mergedInto(ctx context.Context, g *git.Repo, tip string, targets []string) (bool, error) {
	for _, target := range targets {
		if tip == target {
			return true, nil
		}
	}
	for _, target := range targets {
		for _, test := range []func(context.Context, *git.Repo, string, string) (bool, error){
			isAncestor, addsNothing, allPicked, squashed,
		} {
			if yes, err := test(ctx, g, tip, target); yes || err != nil {
				return yes, err
			}
		}
	}
	return false, nil
}

func isAncestor(ctx context.Context, g *git.Repo, tip, target string) (bool, error) {
	_, err := g.Run(ctx, "merge-base", "--is-ancestor", tip, target)
	switch git.ExitCode(err) {
	case 0:
		return true, nil
	case 1:
		return false, nil
	}
	return false, git.Fault(err, "compare %s with %s", tip, target)
}

// addsNothing reports whether merging tip would leave the target as it is: its
// changes are there already, however they came.
func addsNothing(ctx context.Context, g *git.Repo, tip, target string) (bool, error) {
	v, err := git.CurrentVersion(ctx)
	if err != nil || !v.AtLeast(2, 38) {
		return false, err
	}
	merged, err := g.Run(ctx, "merge-tree", "--write-tree", "--no-messages", target, tip)
	if err != nil {
		return false, notAnError(ctx)
	}
	tree, err := g.Run(ctx, "rev-parse", "--verify", "--end-of-options", target+"^{tree}")
	if err != nil {
		return false, git.Fault(err, "read commit %s", target)
	}
	return merged == tree, nil
}

// notAnError: a test that cannot be made proves nothing, unless it was cut off.
func notAnError(ctx context.Context) error { return ctx.Err() }

// allPicked reports whether every commit has a counterpart with the same patch
// in the target. Merges have no patch, so with one among them it proves nothing.
func allPicked(ctx context.Context, g *git.Repo, tip, target string) (bool, error) {
	merges, err := g.Run(ctx, "rev-list", "--merges", "--max-count=1", target+".."+tip)
	if err != nil || merges != "" {
		return false, notAnError(ctx)
	}
	return cherry(ctx, g, tip, target)
}

func cherry(ctx context.Context, g *git.Repo, tip, target string) (bool, error) {
	out, err := g.Run(ctx, "cherry", target, tip)
	if err != nil {
		return false, notAnError(ctx)
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "+") {
			return false, nil
		}
	}
	return out != "", nil
}

// squashed reports whether all commits together have the patch of one commit in
// the target, wherever the target went since. It makes a commit of them that
// nothing refers to.
func squashed(ctx context.Context, g *git.Repo, tip, target string) (bool, error) {
	base, err := g.Run(ctx, "merge-base", target, tip)
	if err != nil {
		return false, notAnError(ctx)
	}
	one, err := g.Output(ctx, git.Options{Env: committer()}, "commit-tree", tip+"^{tree}", "-p", base, "-m", "all of it")
	if err != nil {
		return false, notAnError(ctx)
	}
	return cherry(ctx, g, strings.TrimSpace(string(one)), target)
}

// committer names the author of commits that nobody will see.
func committer() []string {
	return []string{"GIT_AUTHOR_NAME=agit", "GIT_AUTHOR_EMAIL=agit@localhost", "GIT_COMMITTER_NAME=agit", "GIT_COMMITTER_EMAIL=agit@localhost"}
}

type unmerged struct{ count, subjects string }

func describeUnmerged(ctx context.Context, g *git.Repo, tip string, targets []string) (u unmerged, err error) {
	args := []string{"log", "--no-show-signature", "--format=%h %s", tip}
	if len(targets) > 0 {
		args = append(append(args, "--not"), targets...)
	}
	out, err := g.Run(ctx, append(args, "--")...)
	if err != nil {
		return u, git.Fault(err, "list the commits of %s", tip)
	}
	lines := strings.Split(out, "\n")
	return unmerged{text.Count(len(lines), "commit", "commits"), some(lines)}, nil
}
