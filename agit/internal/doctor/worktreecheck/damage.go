package worktreecheck

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// damage looks for what a power cut or a failing disk does to a repository: unreadable objects behind the default branch, the worktrees and
// the trash, and refs and reflogs of zeros. It only reports: lost objects come from another copy, and the rest must not be cleared away
// before.
func (c *visit) damage(ctx context.Context, rows []worktree.Worktree, kept []remove.Trash) error {
	const elsewhere = "fetch what is missing from a remote or another clone; until then nothing should be removed or packed (no `git gc`)"
	damaged, err := c.g.DamagedObjects(ctx)
	if err != nil {
		return git.Fault(err, "look at the objects of repository %q", c.r.Name)
	}
	for _, path := range damaged {
		c.report(Damaged, "", "move the file elsewhere and "+elsewhere, nil, "git's object %q of repository %q is empty or damaged", path, c.r.Name)
	}
	for _, ref := range c.g.DamagedRefs() {
		advice := "its reflog says nothing of use; `git fsck --lost-found` lists commits that no ref names"
		if oid := c.g.LastLogged(ref); oid != "" && c.g.Whole(ctx, []string{oid}) == nil {
			advice = "by its reflog it named " + oid + ", which is whole; look at it, then write that name into the file"
		}
		c.report(Damaged, "", advice, nil, "ref %s of repository %q names no object", ref, c.r.Name)
	}
	for _, path := range c.g.DamagedLogs() {
		c.report(Damaged, "", "it is history only; take the line with zero bytes out of it", nil, "the reflog %q of repository %q holds zero bytes", path, c.r.Name)
	}
	for _, tip := range c.tips(ctx, rows, kept) {
		if err := c.g.Whole(ctx, []string{tip.oid}); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			c.report(Damaged, tip.worktree, elsewhere+"; `git fsck` lists it", nil, "objects behind %s of repository %q are missing or damaged: %s",
				tip.what, c.r.Name, git.Fault(err, "read them").Error())
		}
	}
	return nil
}

// pointers reports entries of worktrees that stop git in the whole repository. The other checks need git, and follow once they are mended.
func (c *visit) pointers() (whole bool) {
	entries := c.g.EmptyPointers()
	for _, entry := range entries {
		c.report(FolderBroken, "", "complete it", func(context.Context) error { return git.CompletePointer(entry) },
			"git fails in repository %q: a `git worktree add` that was killed left %q empty", c.r.Name, filepath.Join(entry, "commondir"))
	}
	return len(entries) == 0
}

// listed reports what git itself cannot use among the worktrees that it lists, whoever made them: the HEAD and the index of each, and the
// folder of those without a row.
func (c *visit) listed(ctx context.Context, rows []worktree.Worktree) error {
	all, err := worktree.Join(ctx, c.g, c.r, rows)
	if err != nil {
		return err
	}
	for _, w := range all {
		repair := "`git -C " + text.ShellWord(c.r.Path) + " worktree repair "
		switch entries := checkout.Entries(c.g, w.Path); {
		case w.Operation() != "" || w.Row() && checkout.Gone(w.Path):
			continue // reported as interrupted or missing
		case w.Marks.MovedFrom != "" && !w.Row():
			c.report(FolderMoved, "", repair+text.ShellWord(w.Path)+"` tells git", nil, "the folder of worktree %s was moved from %q to %q", w.Ref, w.Marks.MovedFrom, w.Path)
		case w.Marks.Prunable && !w.Row() && w.Marks.Locked == "": // a locked one may be on a disk that is not attached
			c.report(FolderMissing, "", repair+"NEWPATH` tells git where it was moved; `git worktree prune` takes one that was deleted off the list", nil,
				"the folder of worktree %s is gone from %q", w.Ref, w.Path)
		case len(entries) == 1 && !checkout.Gone(w.Path):
			c.readable(ctx, w, entries[0])
		}
	}
	return nil
}

// readable reports a worktree, with git's entry of it, whose .git file, HEAD or index git cannot read.
func (c *visit) readable(ctx context.Context, w worktree.Worktree, entry string) {
	ref := ""
	if w.Row() {
		ref = w.Ref
	}
	tree := &git.Repo{GitDir: entry, CommonDir: c.g.CommonDir, WorkTree: w.Path}
	if head, err := tree.Head(ctx); err != nil && head.Ref == "" { // else the ref is damaged
		remedy := fault.From(err).Hint
		if w.Branch != "" {
			remedy = fmt.Sprintf("write `ref: refs/heads/%s` into %q", w.Branch, filepath.Join(entry, "HEAD"))
		}
		c.report(Damaged, ref, remedy, nil, "%s", fault.From(err).Message)
		return
	}
	if target, err := git.ReadGitFile(filepath.Join(w.Path, ".git")); err != nil || !checkout.SameFolder(target, entry) {
		switch {
		case w.Row():
		case checkout.OfAnother(c.g, filepath.Base(entry), w.Path):
			c.report(FolderBroken, "", "`rm -r "+text.ShellWord(entry)+"` takes it off the list; `git worktree repair` here would take the worktree from the other one", nil,
				"git lists the worktree at %q in %q too, a copy of its repository", w.Path, c.r.Path)
		default:
			c.report(FolderBroken, "", "`git -C "+text.ShellWord(c.r.Path)+" worktree repair` writes it again", nil,
				"the .git file of worktree %s at %q does not point to git's entry of it", w.Ref, w.Path)
		}
		return
	}
	if _, err := tree.Run(ctx, "ls-files", "--unmerged"); err != nil && ctx.Err() == nil {
		c.report(Damaged, ref, "move "+filepath.Join(entry, "index")+" elsewhere, then `git -C "+text.ShellWord(w.Path)+" reset` makes it again from the last commit; files stay as they are", nil,
			"%s", git.Fault(err, "git cannot read the index of %q", w.Path).Error())
	}
}

type tip struct{ oid, what, worktree string }

// tips are the commits that someone relies on, each once; all of them are looked
// at together first, which takes one process when nothing is wrong.
func (c *visit) tips(ctx context.Context, rows []worktree.Worktree, kept []remove.Trash) (list []tip) {
	seen := map[string]bool{"": true}
	add := func(oid, what, ref string) {
		if !seen[oid] {
			seen[oid] = true
			list = append(list, tip{oid, what, ref})
		}
	}
	resolved := func(ref string) string {
		oid, err := c.g.Resolve(ctx, ref)
		if err != nil {
			return "" // told as a damaged ref
		}
		return oid
	}
	add(resolved("refs/heads/"+c.set.DefaultBranch), "the default branch "+c.set.DefaultBranch, "")
	for _, w := range rows {
		add(resolved("refs/heads/"+w.Branch), "branch "+w.Branch, w.Ref)
		if tree, err := git.Find(w.Path); err == nil && tree.CommonDir == c.g.CommonDir {
			if head, err := tree.Head(ctx); err == nil {
				add(head.OID, "HEAD in "+filepath.Base(w.Path), w.Ref)
			}
		}
	}
	for _, t := range kept {
		what := "the trash of worktree " + t.Worktree.Ref
		add(t.BranchOID, what, t.Worktree.Ref)
		add(t.HeadOID, what, t.Worktree.Ref)
		add(resolved(t.Ref+"/work"), what, t.Worktree.Ref)
	}
	all := make([]string, len(list))
	for i, t := range list {
		all[i] = t.oid
	}
	if c.g.Whole(ctx, all) == nil {
		return nil
	}
	return list
}
