package assignment

import (
	"cmp"
	"context"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// state is the content of a worktree.
type state struct {
	tree     *git.Repo
	head     git.Head
	branch   string // the commit of its own branch; "" when that does not exist
	main     *git.Repo
	target   string // the default branch's commit
	changes  []git.StatusEntry
	unpushed []string // submodules with commits that no remote has
	underway string   // "a rebase", …; "" for nothing
}

// inspect looks at a worktree; it changes nothing.
func (s *Store) inspect(ctx context.Context, r repo.Repo, w worktree.Worktree) (at state, err error) {
	if at.main, err = r.Open(); err != nil {
		return at, err
	}
	p, err := obstacle.Identify(ctx, s.Trees, obstacle.Subject{Git: at.main, Repo: r, Worktree: w})
	if err != nil {
		return at, err
	}
	if p.Tree == nil {
		return at, obstacle.Refuse(w, "finished", p.Obstacles)
	}
	at.tree, at.head, at.branch = p.Tree, p.Head, p.BranchOID
	at.underway = checkout.Underway(p.Tree.GitDir)
	if at.changes, err = at.tree.Status(ctx); err != nil {
		return at, git.Fault(err, "look for changes in %q", w.Path)
	}
	if at.unpushed, err = obstacle.UnpushedModules(ctx, at.tree); err != nil {
		return at, err
	}
	set := s.Trees.Settings(r)
	_, at.target, err = checkout.DefaultBranch(ctx, at.main, set.DefaultBranch, set.Remote)
	return at, err
}

// commits lists the commits of the worktree that the default branch lacks, the newest first.
func (at *state) commits(ctx context.Context, w worktree.Worktree) ([]string, error) {
	tip := at.head.OID
	if at.underway != "" { // a rebase has only begun to make them again
		tip = cmp.Or(at.branch, tip)
	}
	if tip == "" || tip == at.target || tip == w.Base {
		return nil, nil
	}
	args := []string{"log", "--no-show-signature", "--format=%h %s", tip}
	if at.target != "" {
		args = append(args, "^"+at.target)
	}
	out, err := at.tree.Run(ctx, append(args, "--")...)
	if err != nil {
		return nil, git.Fault(err, "list the commits of %q", w.Ref)
	}
	return strings.FieldsFunc(out, func(r rune) bool { return r == '\n' }), nil
}

// dirty returns the uncommitted paths as git writes them.
func (at state) dirty() (paths []string) {
	for _, e := range at.changes {
		if e.Kind != git.Ignored {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

// size returns how much the worktree's commits change since it left the default branch.
func (at *state) size(ctx context.Context) (c Changes, err error) {
	if at.head.OID == at.target || at.target == "" {
		return c, nil
	}
	out, err := at.tree.Output(ctx, git.Options{}, "diff", "--numstat", "-z", "--no-ext-diff", "--no-textconv", "--no-renames", "--merge-base", at.target, at.head.OID, "--")
	if err != nil && checkout.Unrelated(ctx, at.tree, git.Options{}, at.target, at.head.OID) {
		return c, nil // landing it is refused for that
	}
	if err != nil {
		return c, git.Fault(err, "measure the changes")
	}
	files, err := git.ParseNumstat(out)
	if err != nil {
		return c, fault.Operation(err, "measure the changes")
	}
	c.Files = len(files)
	for _, f := range files {
		c.Insertions, c.Deletions = c.Insertions+f.Insertions, c.Deletions+f.Deletions
	}
	return c, nil
}

// refuseNoBranch refuses a worktree whose branch does not exist: it was renamed, or deleted.
func (at state) refuseNoBranch(w worktree.Worktree) error {
	own := text.ShellWord(w.Branch)
	f := worktree.Conflictf(w, "branch %s of worktree %q does not exist", w.Branch, w.Ref)
	switch {
	case at.head.OID == "":
		return f.WithHint(obstacle.BranchHint)
	case at.head.Ref == "":
		return f.WithHint("`git switch -c %s` in %q makes it again from commit %.12s, which is checked out there", own, w.Path, at.head.OID)
	}
	return f.WithHint("branch %s is checked out in %q: `git branch -m %s %s` there renames it back", at.head.Branch(), w.Path, text.ShellWord(at.head.Branch()), own)
}

// offBranch refuses a worktree where a commit would not be on its branch: an operation is unfinished, or HEAD left the branch.
func (at state) offBranch(w worktree.Worktree) error {
	if at.underway != "" {
		return worktree.Conflictf(w, "worktree %q is in the middle of something: %s is in progress in it", w.Ref, at.underway).
			WithHint("bring that to its end first, in %q", w.Path)
	}
	if w.Branch == "" && at.head.Ref == "" && at.head.OID != "" { // it gets one when its work is to land
		return nil
	}
	if at.branch == "" {
		return at.refuseNoBranch(w)
	}
	if at.head.Ref == "" {
		return worktree.Conflictf(w, "worktree %q has commit %.12s checked out, not its branch %s", w.Ref, at.head.OID, w.Branch).
			WithHint("commits made there are on no branch: `git log --oneline %s..HEAD` shows them; note their ids, `git switch %s`, and bring them over with `git cherry-pick`",
				text.ShellWord(w.Branch), text.ShellWord(w.Branch))
	}
	if at.head.Branch() != w.Branch {
		return worktree.Conflictf(w, "worktree %q has branch %s checked out, not its own, %s", w.Ref, at.head.Branch(), w.Branch).
			WithHint("bring the work to %s with `git switch %s` and `git merge %s`", w.Branch, text.ShellWord(w.Branch), text.ShellWord(at.head.Branch()))
	}
	return nil
}

// refuse names what keeps a worktree from being finished as it is: it is off its branch, a git is at work, or its work is not committed.
func (at state) refuse(ctx context.Context, w worktree.Worktree, committing bool) error {
	if err := at.offBranch(w); err != nil {
		return err
	}
	var conflicted, modules []string
	for _, e := range at.changes {
		switch {
		case e.Kind == git.Unmerged:
			conflicted = append(conflicted, e.Path)
		case e.InSubmodule():
			modules = append(modules, e.Path)
		}
	}
	if len(conflicted) > 0 {
		return worktree.Conflictf(w, "worktree %q has %s in conflict: %s", w.Ref, text.Count(len(conflicted), "file", "files"), text.Few(conflicted)).
			WithHint("resolve them and commit")
	}
	if len(modules) > 0 {
		return worktree.Conflictf(w, "worktree %q has changes inside %s: %s", w.Ref, text.Count(len(modules), "submodule", "submodules"), text.Few(modules)).
			WithHint(obstacle.ModuleHint)
	}
	if len(at.unpushed) > 0 {
		return worktree.Conflictf(w, "worktree %q has commits in %s that were not pushed, so that no one else could check them out: %s", w.Ref,
			text.Count(len(at.unpushed), "submodule", "submodules"), text.Few(at.unpushed)).WithHint(obstacle.ModuleHint)
	}
	if dirty := at.dirty(); len(dirty) > 0 && !committing {
		return worktree.Conflictf(w, "worktree %q was not finished: %s not committed: %s", w.Ref, text.Count(len(dirty), "file is", "files are"), text.Few(dirty)).
			WithHint("commit what belongs to the task, or let --commit do it; move or ignore the rest")
	}
	lock, err := checkout.BusyIndex(ctx, at.tree)
	if err == nil && lock != "" {
		err = worktree.Conflictf(w, "a git command is at work in worktree %q, or was cut off there: %s exists", w.Ref, lock).
			WithHint("try again when it is done; a lock that no process holds any more can be moved away").Retry()
	}
	return err
}
