package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// filesOf is a working tree whose files must follow a branch that is moved.
//
// While the branch and the files disagree, a commit made there would undo the
// merge. So the index is locked the way git locks it, from before the branch is
// moved until the files have followed; git works on a copy of the index that
// then takes its place.
type filesOf struct {
	Path   string `json:"path"`
	GitDir string `json:"git_dir"`
	Owner  string `json:"owner"` // the worktree being merged, named in the lock
}

func (f filesOf) repo(g *git.Repo) *git.Repo {
	return &git.Repo{GitDir: f.GitDir, CommonDir: g.CommonDir, WorkTree: f.Path}
}

func (f filesOf) index() indexLock { return lockOfMerge(f.GitDir, f.Owner) }
func (f filesOf) copyName() string { return "agit-" + f.Owner }
func (f filesOf) copyFile() string { return filepath.Join(f.GitDir, f.copyName()+".index") }

// checkedOut returns the working trees that have a branch checked out, and
// refuses while one of them is in the middle of something.
func checkedOut(ctx context.Context, g *git.Repo, w Worktree, ref string) ([]filesOf, error) {
	list, err := g.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	var trees []filesOf
	for _, t := range list {
		gitDir := filepath.Join(g.CommonDir, "worktrees", t.Name)
		if t.Name == "" {
			main, err := g.Main()
			if err != nil {
				return nil, err
			}
			gitDir = main.GitDir
		}
		here := t.Branch == ref
		for _, state := range []string{"rebase-merge/head-name", "rebase-apply/head-name"} {
			if name, err := os.ReadFile(filepath.Join(gitDir, filepath.FromSlash(state))); err == nil && strings.TrimSpace(string(name)) == ref {
				here = true
			}
		}
		if !here || t.Bare || t.Prunable != "" {
			continue
		}
		if what := underway(gitDir); what != "" {
			return nil, conflict(w, "%s is in progress in %q, where %s is checked out", what, t.Path, strings.TrimPrefix(ref, "refs/heads/")).
				WithHint("finish it there, then try again")
		}
		trees = append(trees, filesOf{t.Path, gitDir, w.Ref})
	}
	return trees, nil
}

// lock takes the index lock.
func (f filesOf) lock(ctx context.Context, w Worktree) error { return f.index().take(ctx, w, f.Path) }

// unlock lets go of the lock when it is ours.
func (f filesOf) unlock() error {
	_ = os.Remove(f.copyFile())
	_ = os.Remove(f.copyFile() + ".lock")
	return f.index().release()
}

// prepare copies the index and proves that the files can follow from one commit
// to the other without touching anything that is not committed.
func (f filesOf) prepare(ctx context.Context, g *git.Repo, w Worktree, from, to string) error {
	tree := f.repo(g)
	changes, err := diffTree(ctx, g, from, to)
	if err != nil {
		return err
	}
	if err := f.roomFor(ctx, g, w, changes); err != nil {
		return err
	}
	if inTheWay := f.untouchable(changes); len(inTheWay) > 0 {
		return f.refuse(w, inTheWay)
	}
	if f.missing(changes) { // git would take a deleted file for one to be made again
		dirty, err := f.dirty(ctx, tree, changes)
		if err != nil {
			return git.Fault(err, "look for changes in %q", f.Path)
		}
		if len(dirty) > 0 {
			return f.refuse(w, dirty)
		}
	}
	if _, err := copyIndex(f.GitDir, f.copyName()); err != nil {
		return err
	}
	if err := f.follow(ctx, tree, from, to, "--dry-run"); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		dirty, statusErr := f.dirty(ctx, tree, changes)
		if statusErr != nil || len(dirty) == 0 {
			return git.Fault(err, "bring the files of %q up to the merge", f.Path)
		}
		return f.refuse(w, dirty)
	}
	return nil
}

func (f filesOf) refuse(w Worktree, files []string) error {
	return conflict(w, "worktree %q was not merged: the merge would change %s in %q that %s not committed: %s", w.Ref,
		text.Count(len(files), "file", "files"), f.Path, map[bool]string{true: "is", false: "are"}[len(files) == 1], some(files)).
		WithHint("commit or move what is there, then try again")
}

// follow lets git bring files and the copied index from one commit to another.
func (f filesOf) follow(ctx context.Context, tree *git.Repo, from, to string, more ...string) error {
	o := git.Options{Env: []string{"GIT_INDEX_FILE=" + f.copyFile()}}
	// Stat data that is merely old must not pass for a change; what is really
	// changed makes this exit with 1, and is read-tree's to judge.
	if _, err := tree.Output(ctx, o, "update-index", "-q", "--refresh"); err != nil && git.ExitCode(err) != 1 {
		return err
	}
	args := append(append([]string{"read-tree", "-m", "-u"}, more...), from, to)
	_, err := tree.Output(ctx, o, args...)
	return err
}

// apply brings the files to the merge and puts the new index in place.
func (f filesOf) apply(ctx context.Context, g *git.Repo, from, to string) error {
	if err := f.follow(ctx, f.repo(g), from, to); err != nil {
		return git.Fault(err, "bring the files of %q up to the merge", f.Path)
	}
	if err := reach("merge:files"); err != nil {
		return err
	}
	return f.install()
}

func (f filesOf) install() error {
	if err := durable.SyncFile(f.copyFile()); err != nil {
		return fault.Operation(err, "write the new index of %q to the disk", f.Path)
	}
	if err := os.Rename(f.copyFile(), filepath.Join(f.GitDir, "index")); err != nil {
		return fault.Operation(err, "put the new index of %q in place", f.Path)
	}
	return f.unlock()
}
