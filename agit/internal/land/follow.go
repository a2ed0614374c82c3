package land

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// workingTree is a working tree whose files must follow a branch that is moved.
//
// While the branch and the files disagree, a commit made there would undo the
// merge. So the index is locked the way git locks it, from before the branch is
// moved until the files have followed; git works on a copy of the index that
// then takes its place.
type workingTree struct {
	Path   string `json:"path"`
	GitDir string `json:"git_dir"`
	Owner  string `json:"owner"` // the worktree being merged, named in the lock
}

// Blocked reports that a place where the branch is checked out cannot follow it: files there are not committed, an operation is unfinished,
// or files cannot be written; or that the remote takes no push to it. Another commit on the worktree does not change that. Its chain holds
// the *fault.Fault that people see.
type Blocked struct{ shown }

func (f workingTree) repo(g *git.Repo) *git.Repo {
	return &git.Repo{GitDir: f.GitDir, CommonDir: g.CommonDir, WorkTree: f.Path}
}

func (f workingTree) index() checkout.IndexLock { return checkout.MergeLock(f.GitDir, f.Owner) }
func (f workingTree) copyName() string          { return "agit-" + f.Owner }
func (f workingTree) copyFile() string          { return filepath.Join(f.GitDir, f.copyName()+".index") }

// workingTreesOn returns the working trees that have a branch checked out, and refuses while an operation is unfinished in one of them.
func workingTreesOn(ctx context.Context, g *git.Repo, w worktree.Worktree, ref string) ([]workingTree, error) {
	list, err := g.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	var trees []workingTree
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
		if what := checkout.Underway(gitDir); what != "" {
			return nil, &Blocked{shown{worktree.Conflictf(w, "%s is in progress in %q, where %s is checked out", what, t.Path, strings.TrimPrefix(ref, "refs/heads/")).
				WithHint("whoever began it there ends it; `agit finish --land review` leaves the work for review meanwhile")}}
		}
		trees = append(trees, workingTree{t.Path, gitDir, w.Ref})
	}
	return trees, nil
}

// unlock releases the lock when it is ours.
func (f workingTree) unlock() error {
	_ = os.Remove(f.copyFile())
	_ = os.Remove(f.copyFile() + ".lock")
	_ = os.Remove(filepath.Join(f.GitDir, "index.lock."+f.Owner)) // left by a process that was killed while it held the lock
	return f.index().Release()
}

// prepare copies the index, refreshes it, and proves that the files can follow the branch as it
// is moved, without touching anything that is not committed.
func (f workingTree) prepare(ctx context.Context, m *merging) error {
	tree := f.repo(m.g)
	if err := f.roomFor(ctx, m); err != nil {
		return err
	}
	if inTheWay := f.untouchable(m.changes); len(inTheWay) > 0 {
		return f.refuse(m, inTheWay)
	}
	if f.missing(m.changes) { // git would make a deleted file again
		dirty, err := f.dirty(ctx, tree, m.changes)
		if err != nil {
			return git.Fault(err, "look for changes in %q", f.Path)
		}
		if len(dirty) > 0 {
			return f.refuse(m, dirty)
		}
	}
	if _, err := checkout.CopyIndex(f.GitDir, f.copyName()); err != nil {
		return err
	}
	if err := f.refresh(ctx, tree); err != nil {
		return git.Fault(err, "look for changes in %q", f.Path)
	}
	if err := f.follow(ctx, tree, m.j.Old, m.j.New, "--dry-run"); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		dirty, statusErr := f.dirty(ctx, tree, m.changes)
		if statusErr != nil || len(dirty) == 0 {
			return git.Fault(err, "bring the files of %q up to the merge", f.Path)
		}
		return f.refuse(m, dirty)
	}
	return f.canBeWritten(ctx, m, tree)
}

func (f workingTree) refuse(m *merging, files []string) error {
	refused := m.refusal("that would change %s in %q that %s not committed: %s",
		text.Count(len(files), "file", "files"), f.Path, text.Plural(len(files), "is", "are"), text.Few(files)).
		WithHint("commit or move what is there, then try again")
	return &Blocked{shown{refused}}
}

// refresh marks the unchanged files in the copied index: stat data that is merely old must not count as a change. Real changes make git
// exit with 1; read-tree judges those.
func (f workingTree) refresh(ctx context.Context, tree *git.Repo) error {
	o := git.Options{Env: []string{"GIT_INDEX_FILE=" + f.copyFile()}}
	if _, err := tree.Output(ctx, o, "update-index", "-q", "--refresh"); err != nil && git.ExitCode(err) != 1 {
		return err
	}
	return nil
}

// follow lets git bring the files and the copied, refreshed index from one commit to another.
func (f workingTree) follow(ctx context.Context, tree *git.Repo, from, to string, more ...string) error {
	o := git.Options{Env: []string{"GIT_INDEX_FILE=" + f.copyFile()}}
	args := append(append([]string{"read-tree", "-m", "-u"}, more...), from, to)
	_, err := tree.Output(ctx, o, args...)
	return err
}

// apply brings the files to the merge and puts the new index in place.
func (f workingTree) apply(ctx context.Context, g *git.Repo, from, to string, reach func(string) error) error {
	if err := f.follow(ctx, f.repo(g), from, to); err != nil {
		return git.Fault(err, "bring the files of %q up to the merge", f.Path)
	}
	if err := reach("merge:files"); err != nil {
		return err
	}
	return f.install()
}

func (f workingTree) install() error {
	if err := durable.SyncFile(f.copyFile()); err != nil {
		return fault.Operation(err, "write the new index of %q to the disk", f.Path)
	}
	if err := os.Rename(f.copyFile(), filepath.Join(f.GitDir, "index")); err != nil {
		return fault.Operation(err, "put the new index of %q in place", f.Path)
	}
	return f.unlock()
}

// gitlink is the mode of a submodule in a tree.
const gitlink = "160000"

// submodulesLeft returns the checked-out submodules of a working tree whose commit a landing changes: git updates their files only by a
// command of its own, so that the next commit of all changes there would undo the landing's.
func (f workingTree) submodulesLeft(changes []git.RawChange) (paths []string) {
	if _, err := os.Lstat(filepath.Join(f.Path, ".gitmodules")); err != nil {
		return nil
	}
	for _, c := range changes {
		if c.OldMode != gitlink || c.Mode != gitlink {
			continue
		}
		if _, err := os.Lstat(filepath.Join(f.Path, filepath.FromSlash(c.Path), ".git")); err == nil {
			paths = append(paths, c.Path)
		}
	}
	return paths
}
