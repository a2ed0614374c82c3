package remove

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/shared/git"
)

// snapshot writes a worktree's uncommitted state as a commit, without touching
// its index or files: the files as they are, on top of HEAD and of the index. Of a folder that is gone it writes what was staged.
func snapshot(ctx context.Context, p *obstacle.Proof) (string, error) {
	tree, w, head := p.Tree, p.Worktree, p.Head.OID
	if tree == nil {
		tree = p.Git
	}
	index, err := checkout.CopyIndex(filepath.Join(p.Git.CommonDir, "worktrees", p.Entry), "agit-snapshot")
	if err != nil {
		return "", err
	}
	defer os.Remove(index)
	_ = os.Remove(index + ".lock") // of a git that was cut off; the intent keeps others away
	env := append(checkout.Committer(), "GIT_INDEX_FILE="+index)
	run := func(args ...string) (string, error) {
		out, err := tree.Output(ctx, git.Options{Env: env}, args...)
		return strings.TrimSpace(string(out)), err
	}
	failed := func(err error) (string, error) {
		return "", git.Fault(err, "keep the uncommitted state of worktree %q", w.Ref)
	}
	var parents []string
	if head != "" {
		parents = []string{"-p", head}
	}
	staged, err := run("write-tree")
	if err == nil { // an index in conflict has no tree
		commit, err := run(append([]string{"commit-tree", staged, "-m", "index of " + w.Ref}, parents...)...)
		if err != nil {
			return failed(err)
		}
		if p.Tree == nil {
			return commit, nil
		}
		parents = append(parents, "-p", commit)
	}
	if p.Tree == nil {
		return "", ctx.Err()
	}
	if _, err := run("add", "--all", "--", ":/"); err != nil {
		// A repository inside the worktree that has no commit cannot be added. The trash has the folder as it is; the commit then holds the
		// files that git tracks.
		if _, err := run("add", "--update", "--", ":/"); err != nil {
			return failed(err)
		}
	}
	files, err := run("write-tree")
	if err != nil {
		return failed(err)
	}
	commit, err := run(append([]string{"commit-tree", files, "-m", "uncommitted state of " + w.Ref}, parents...)...)
	if err != nil {
		return failed(err)
	}
	return commit, nil
}
