package checkout

import (
	"context"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/git"
)

// Landed reports whether what tip adds is in one of the targets.
func Landed(ctx context.Context, g *git.Repo, tip string, targets []string) (bool, error) {
	if slices.Contains(targets, tip) {
		return true, nil
	}
	for _, target := range targets {
		for _, test := range []func(context.Context, *git.Repo, string, string) (bool, error){
			IsAncestor, addsNothing, allPicked, squashed,
		} {
			if yes, err := test(ctx, g, tip, target); yes || err != nil {
				return yes, err
			}
		}
	}
	return false, nil
}

// addsNothing reports whether merging tip would leave the target as it is: the target has its changes already, however they came.
func addsNothing(ctx context.Context, g *git.Repo, tip, target string) (bool, error) {
	v, err := git.CurrentVersion(ctx)
	if err != nil || !v.AtLeast(2, 38) {
		return false, err
	}
	o, done, err := g.Attributed(ctx, git.Options{}, target)
	if err != nil {
		return false, notAnError(ctx)
	}
	defer done()
	merged, err := g.Output(ctx, o, "merge-tree", "--write-tree", "--no-messages", target, tip)
	if err != nil {
		return false, notAnError(ctx)
	}
	tree, err := TreeOf(ctx, g, target)
	return err == nil && strings.TrimSpace(string(merged)) == tree, err
}

// TreeOf returns the tree of a commit.
func TreeOf(ctx context.Context, g *git.Repo, commit string) (string, error) {
	tree, err := g.Run(ctx, "rev-parse", "--verify", "--end-of-options", commit+"^{tree}")
	if err != nil {
		return "", git.Fault(err, "read commit %s", commit)
	}
	return tree, nil
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
	picked, err := Picked(ctx, g, git.Options{}, tip, target)
	if err != nil {
		return false, notAnError(ctx)
	}
	return picked, nil
}

// Picked reports whether target has, for every commit of tip that it lacks, one with the same patch.
func Picked(ctx context.Context, g *git.Repo, o git.Options, tip, target string) (bool, error) {
	out, err := g.Output(ctx, o, "cherry", target, tip)
	if err != nil {
		return false, git.Fault(err, "compare %s with %s", tip, target)
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "+") {
			return false, nil
		}
	}
	return len(out) > 0, nil
}

// Squash makes one commit, which nothing refers to, of what lies between base and tip.
func Squash(ctx context.Context, g *git.Repo, o git.Options, base, tip string) (string, error) {
	o.Env = append(slices.Clone(o.Env), Committer()...)
	out, err := g.Output(ctx, o, "commit-tree", tip+"^{tree}", "-p", base, "-m", "all of it")
	if err != nil {
		return "", git.Fault(err, "make one commit of %s", tip)
	}
	return strings.TrimSpace(string(out)), nil
}

// squashed reports whether all commits together have the patch of one commit in the target, whatever the target got since. It makes a
// commit of them that nothing refers to.
func squashed(ctx context.Context, g *git.Repo, tip, target string) (bool, error) {
	base, err := g.Run(ctx, "merge-base", target, tip)
	if err != nil {
		return false, notAnError(ctx)
	}
	one, err := Squash(ctx, g, git.Options{}, base, tip)
	if err != nil {
		return false, notAnError(ctx)
	}
	return cherry(ctx, g, one, target)
}

// moves are the beginnings of reflog lines that bring a branch to commits which others made.
var moves = []string{"branch: ", "reset: ", "rebase", "agit update", "checkout: ", "Branch: "}

// movedOnly reports whether a line of a reflog brought the branch to commits of others, rather than adding a commit to it. A line without
// words comes from update-ref.
func movedOnly(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasSuffix(line, ": Fast-forward") || strings.HasSuffix(line, ": fast-forward") ||
		slices.ContainsFunc(moves, func(m string) bool { return strings.HasPrefix(line, m) })
}

// NothingDone reports whether a branch has no work of its own: it is where it began, or at a commit of the target and its reflog shows no
// commit made on it. A branch whose work was landed by hand has such commits. A branch without a reflog counts as having work.
func NothingDone(ctx context.Context, g *git.Repo, branch, base, head, target string) (bool, error) {
	if head == base || head == "" {
		return true, nil
	}
	if target == "" {
		return false, nil
	}
	if there, err := IsAncestor(ctx, g, head, target); err != nil || !there {
		return false, err
	}
	out, err := g.Output(ctx, git.Options{}, "log", "--walk-reflogs", "--format=%gs", "refs/heads/"+branch, "--")
	if err != nil || len(out) == 0 {
		return false, ctx.Err()
	}
	for line := range strings.Lines(string(out)) {
		if !movedOnly(line) {
			return false, nil
		}
	}
	return true, nil
}
