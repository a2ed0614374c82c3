// Package worktreecheck compares what registry, git and disk say of worktrees, and mends what does not agree. `agit doctor` prints its
// findings. Looking changes nothing; a Fix deletes nothing that was not in the trash for its whole time.
//
// worktreecheck.go looks at folders, intents and trash, locks.go at locks of git's, damage.go at what a power cut or a failing disk left of
// git's files. It writes no table: rows are changed by worktree and remove.
package worktreecheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Store compares registry, git and disk.
type Store struct {
	Trees    *worktree.Store
	Removals *remove.Store
	Landings *land.Store
}

// Finding is a disagreement between registry, git and disk.
type Finding struct {
	Kind     FindingKind `json:"kind"`
	Repo     string      `json:"repo"`
	Worktree string      `json:"worktree_id,omitempty"`
	Text     string      `json:"text"`          // a sentence on what is wrong
	Remedy   string      `json:"fix,omitempty"` // what Fix does; "" when only a person can help

	fix func(context.Context) error
}

// FindingKind is the sort of disagreement.
type FindingKind string

// The kinds of findings.
const (
	RepoMissing   FindingKind = "repo_missing"
	Unreadable    FindingKind = "unreadable" // git fails in the repository
	Interrupted   FindingKind = "interrupted"
	FolderMissing FindingKind = "folder_missing"
	BranchOther   FindingKind = "other_branch"
	FolderMoved   FindingKind = "folder_moved"
	FolderBroken  FindingKind = "folder_broken" // it does not point to git's entry of it
	BranchMissing FindingKind = "branch_missing"
	Unregistered  FindingKind = "unregistered"   // git's worktree in our folder, without a row
	UnknownFolder FindingKind = "unknown_folder" // a folder in ours that git does not know
	TrashMissing  FindingKind = "trash_missing"
	TrashExpired  FindingKind = "trash_expired"
	Damaged       FindingKind = "damaged"       // objects, refs or reflogs that git cannot read
	Locked        FindingKind = "locked"        // by a git that was cut off
	HooksMissing  FindingKind = "hooks_missing" // git runs no hook there
	NotHidden     FindingKind = "not_hidden"    // the folder of the worktrees shows up in git status
)

// Fix mends the finding; it may be repeated. Nothing is deleted that was not in
// the trash for its whole time.
func (f Finding) Fix(ctx context.Context) error {
	if f.fix == nil {
		return nil
	}
	return f.fix(ctx)
}

// Fixable reports whether Fix can help.
func (f Finding) Fixable() bool { return f.fix != nil }

// Check compares registry, git and disk, and returns what does not agree;
// repoName "" looks at every repository of this machine. Nothing is changed.
func (s *Store) Check(ctx context.Context, repoName string) (found []Finding, err error) {
	repos, err := s.Trees.Repos(ctx, repoName)
	if err != nil {
		return nil, err
	}
	for _, r := range repos {
		if r.Host != registry.Host() {
			continue
		}
		c := &visit{Store: s, r: r, set: s.Trees.Settings(r)}
		if c.g, err = r.Open(); err != nil {
			c.report(RepoMissing, "", "", nil, "%s", err.Error())
		} else if err := c.run(ctx); err != nil {
			if ctx.Err() != nil || git.IsMissing(err) || fault.Is(err, fault.KindDatabase) {
				return found, err
			}
			f := fault.From(err) // the others are still checked
			c.report(Unreadable, "", cmp.Or(f.Hint, "`git -C "+text.ShellWord(r.Path)+" fsck` shows what git makes of it"), nil, "%s", strings.TrimSuffix(f.Error(), "; "+f.Hint))
		}
		found = append(found, c.found...)
	}
	return found, nil
}

type visit struct {
	*Store
	r     repo.Repo
	g     *git.Repo
	set   worktree.Settings
	found []Finding
}

func (c *visit) report(kind FindingKind, ref, remedy string, fix func(context.Context) error, format string, args ...any) {
	c.found = append(c.found, Finding{kind, c.r.Name, ref, fmt.Sprintf(format, args...), remedy, fix})
}

func (c *visit) run(ctx context.Context) error {
	var rows []worktree.Worktree
	var kept []remove.Trash
	err := c.Trees.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		if rows, err = worktree.List(tx, worktree.Filter{RepoID: c.r.ID}); err != nil {
			return err
		}
		kept, err = remove.Kept(tx, c.r.ID)
		return err
	})
	if err != nil {
		return err
	}
	busy, err := c.interruptions(ctx)
	if err != nil || !c.pointers() {
		return err
	}
	if err := c.damage(ctx, rows, kept); err != nil {
		return err
	}
	if err := c.homeless(ctx); err != nil {
		return err
	}
	known := map[string]bool{}
	for _, w := range rows {
		known[w.Path] = true
		if w.Operation() != "" || busy[w.ID] {
			continue
		}
		if !checkout.Gone(w.Path) {
			c.broken(w)
			c.branchless(ctx, w)
			if hooks := checkout.LackingHooks(c.g, w.Path); hooks != "" {
				c.report(HooksMissing, w.Ref, checkout.HooksHint, nil, "git runs no hooks in worktree %s at %q, which lacks their folder %q (core.hooksPath)", w.Ref, w.Path, hooks)
			}
			continue
		}
		at, moved, err := c.Trees.Whereabouts(ctx, c.g, c.r, w)
		if err != nil {
			return err
		}
		if moved {
			known[at.Path] = true
			c.report(FolderMoved, w.Ref, "note its new place", c.follow(w), "the folder of worktree %s was moved from %q to %q", w.Ref, w.Path, at.Path)
			continue
		}
		c.report(FolderMissing, w.Ref, "take it off the lists; its branch stays when it has commits of its own", c.drop(w),
			"the folder of worktree %s is gone from %q; if it was moved, `git worktree repair NEWPATH` connects it again", w.Ref, w.Path)
	}
	if err := c.listed(ctx, rows); err != nil {
		return err
	}
	c.locked(ctx, rows)
	if err := c.folders(ctx, known); err != nil {
		return err
	}
	return c.trash(ctx, kept)
}

// interruptions reports the operations whose process is gone.
func (c *visit) interruptions(ctx context.Context) (map[int64]bool, error) {
	left, err := c.Trees.Interrupted(ctx, c.r.ID)
	if err != nil {
		return nil, err
	}
	busy := map[int64]bool{}
	for _, w := range left {
		busy[w.ID] = true
		c.report(Interrupted, w.Ref, "finish or undo it", func(ctx context.Context) error { return c.Trees.Mend(ctx, c.g, c.r, w) },
			"the %s of worktree %s at %q was cut off", w.Operation(), w.Ref, w.Path)
	}
	gone, err := c.Landings.Abandoned(ctx, c.r)
	for _, l := range gone {
		if !busy[l.WorktreeID] { // else it ends with that
			c.report(Interrupted, l.Worktree, "take it off the queue", func(ctx context.Context) error { _, err := c.Landings.Clear(ctx, c.r, l); return err },
				"worktree %s is in the queue of landings, but the agit that was landing it is gone", l.Worktree)
		}
	}
	return busy, err
}

// homeless reports a default branch that was renamed or deleted, here or at the remote, or a remote that git does not know: nothing can land.
func (c *visit) homeless(ctx context.Context) error {
	home, remedy := c.set.DefaultBranch, "`agit add "+text.ShellWord(c.r.Path)+"` registers the branch that it has now"
	if c.set.Remote != "" {
		if err := checkout.Knows(c.g, c.set.Remote); err != nil { // the remote's branch is what counts
			c.report(BranchMissing, "", fault.From(err).Hint, nil, "repository %q has no remote %q, where its work is to land", c.r.Name, c.set.Remote)
			return nil
		}
		seen, err := c.g.RemoteBranches(ctx)
		of := func(b git.RemoteBranch) bool { return strings.HasPrefix(b.Name, c.set.Remote+"/") }
		own := func(b git.RemoteBranch) bool { return b.Name == c.set.Remote+"/"+home }
		if err == nil && slices.ContainsFunc(seen, of) && !slices.ContainsFunc(seen, own) {
			c.report(BranchMissing, "", checkout.Renamed(c.g, c.set.Remote), nil, "remote %q of repository %q had no branch %q, the default branch of its worktrees, at the last fetch", c.set.Remote, c.r.Name, home)
		}
		return err
	}
	if home != c.r.DefaultBranch {
		remedy = "write the branch that it has now as default_branch into the configuration"
	}
	lost, err := checkout.Lost(ctx, c.g, home)
	if lost {
		c.report(BranchMissing, "", remedy, nil, "repository %q has no branch %q, the default branch of its worktrees", c.r.Name, home)
	}
	return err
}

// broken reports a worktree whose folder does not point to git's entry of it.
func (c *visit) broken(w worktree.Worktree) {
	entries := checkout.Entries(c.g, w.Path)
	if len(entries) == 0 {
		c.report(FolderBroken, w.Ref, "copy what was not committed to another place, then move the folder away: `agit doctor --fix` takes the worktree off the lists; its branch stays when it has commits of its own", nil,
			"git no longer knows the worktree %s at %q: its entry in %q is gone", w.Ref, w.Path, filepath.Join(c.g.CommonDir, "worktrees"))
		return
	}
	if len(entries) != 1 {
		return
	}
	switch target, err := git.ReadGitFile(filepath.Join(w.Path, ".git")); {
	case checkout.Disconnected(w.Path):
		c.report(FolderBroken, w.Ref, "write it again", func(context.Context) error { return checkout.Reconnect(c.g, w.Path) },
			"worktree %s at %q lacks the .git file by which git knows it", w.Ref, w.Path)
	case err != nil || !checkout.SameFolder(target, entries[0]):
		c.report(FolderBroken, w.Ref, "move what is there elsewhere, and the worktree back if you have it; else `agit doctor --fix` takes it off the lists; its branch stays when it has commits of its own", nil,
			"the folder at %q is not the worktree %s that registry and git take it for", w.Path, w.Ref)
	}
}

// branchless reports a worktree that has checked out another branch than its own, or whose branch was deleted or renamed by hand. Its
// commits are where HEAD is or was; a person decides which of them to keep.
func (c *visit) branchless(ctx context.Context, w worktree.Worktree) {
	if w.Branch == "" {
		return // a client made it so
	}
	oid, err := c.g.Resolve(ctx, "refs/heads/"+w.Branch)
	tree, failed := checkout.Open(c.g, w.Path)
	if err != nil || failed != nil {
		return // told as damage
	}
	in := "`git -C " + text.ShellWord(w.Path)
	head, err := tree.Head(ctx)
	if oid != "" {
		if err == nil && head.Ref != "" && head.Ref != w.BranchRef() {
			c.report(BranchOther, w.Ref, in+" switch "+text.ShellWord(w.Branch)+"`, and merge "+text.ShellWord(head.Branch())+" there where its commits are wanted", nil,
				"worktree %s has branch %s checked out, not its own, %s", w.Ref, head.Branch(), w.Branch)
		}
		return
	}
	switch at := tree.LastHead(); {
	case err != nil:
		return
	case head.OID != "":
		c.report(BranchMissing, w.Ref, in+" switch -c "+text.ShellWord(w.Branch)+"` makes it again where the worktree stands", nil,
			"branch %s of worktree %s is gone", w.Branch, w.Ref)
	case at != "" && c.g.Whole(ctx, []string{at}) == nil:
		c.report(BranchMissing, w.Ref, in+" branch "+text.ShellWord(w.Branch)+" "+at+"` makes it again where the worktree stood last", nil,
			"branch %s of worktree %s is gone", w.Branch, w.Ref)
	default:
		c.report(BranchMissing, w.Ref, "", nil, "branch %s of worktree %s is gone, and no reflog says where it stood", w.Branch, w.Ref)
	}
}

func (c *visit) follow(w worktree.Worktree) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := c.Trees.Follow(ctx, c.g, c.r, w)
		return err
	}
}

func (c *visit) drop(w worktree.Worktree) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := c.Removals.Forget(ctx, obstacle.Subject{Git: c.g, Repo: c.r, Worktree: w})
		return err
	}
}

// folders reports what lies in the folder of the worktrees without a row.
func (c *visit) folders(ctx context.Context, known map[string]bool) error {
	dir := worktree.FolderOf(c.r, c.set)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // none was ever spawned
	}
	if err := checkout.Refuse(ctx, c.g, dir); err != nil {
		f := fault.From(err)
		c.report(NotHidden, "", f.Hint, nil, "%s", f.Message)
		return nil // what lies there is the repository's
	}
	list, err := c.g.Worktrees(ctx)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(repo.FolderOf(c.r.Path), dir)
	shared := err != nil || filepath.IsAbs(c.set.Dir) || rel == "." || !filepath.IsLocal(rel)
	listed := map[string]git.Worktree{}
	for _, t := range list[1:] {
		listed[t.Path] = t
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if known[path] || !e.IsDir() || e.Name() == ".trash" || land.IsKept(e.Name()) {
			continue
		}
		if busy, err := c.temporary(ctx, e.Name()); err != nil {
			return err
		} else if busy {
			continue
		}
		if t, ok := listed[path]; ok && t.Prunable == "" {
			c.report(Unregistered, "", "register it", func(ctx context.Context) error { return c.adopt(ctx, t) },
				"git has a worktree at %q that agit does not know", path)
			continue
		}
		if e.Name() == filepath.Base(c.r.Path) || shared && !c.pointsHere(path) {
			continue // a folder that others use too
		}
		if c.closed(path) {
			c.report(Unreadable, "", "", nil, "git's entry of the worktree at %q cannot be read; another user may have made it", path)
			continue
		}
		c.report(UnknownFolder, "", "move it to the trash, from where it can be restored",
			func(ctx context.Context) error { return c.Removals.PutAside(ctx, c.g, c.r, c.set, path) },
			"%q lies among the worktrees, but neither git nor agit knows it", path)
	}
	if !c.g.Bare && len(entries) > 0 {
		c.hidden(ctx, dir)
	}
	return nil
}

// pointsHere reports whether a folder is, or was, a worktree of the repository.
func (c *visit) pointsHere(path string) bool {
	target, err := git.ReadGitFile(filepath.Join(path, ".git"))
	return err == nil && checkout.SameFolder(filepath.Dir(filepath.Dir(target)), c.g.CommonDir)
}

// closed reports whether a folder may be a worktree of the repository all the same: git's entry of it is there, or cannot be looked for.
func (c *visit) closed(path string) bool {
	target, err := git.ReadGitFile(filepath.Join(path, ".git"))
	return errors.Is(err, fs.ErrPermission) || err == nil && !checkout.Gone(target) && checkout.SameFolder(filepath.Dir(filepath.Dir(target)), c.g.CommonDir)
}

// temporary reports whether a name is that of a folder some merge or spawn is
// using now; leftovers of those that were cut off go with their intents.
func (c *visit) temporary(ctx context.Context, name string) (bool, error) {
	for _, prefix := range []string{".merge-", ".undone-"} {
		ref, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		return registry.Read(ctx, c.Trees.DB, func(tx *registry.Tx) (bool, error) { return worktree.UnderWay(tx, ref) })
	}
	return false, nil
}

// hidden reports worktrees that show up in the repository's status.
func (c *visit) hidden(ctx context.Context, dir string) {
	rel, err := filepath.Rel(c.g.WorkTree, dir)
	if err != nil || strings.HasPrefix(rel, "..") {
		return
	}
	out, err := c.g.Output(ctx, git.Options{Env: []string{"GIT_LITERAL_PATHSPECS=1"}},
		"status", "--porcelain", "-z", "--untracked-files=normal", "--", filepath.ToSlash(rel))
	if err != nil || len(out) == 0 {
		return
	}
	c.report(NotHidden, "", "ignore them again", func(ctx context.Context) error { return checkout.Hide(ctx, c.g, dir) },
		"the worktrees in %q show up in the repository's git status", dir)
}

func (c *visit) trash(ctx context.Context, kept []remove.Trash) error {
	return c.Trees.DB.Read(ctx, func(tx *registry.Tx) error {
		var over []remove.Trash
		for _, t := range kept {
			now := filepath.Join(c.g.CommonDir, "agit", "trash", filepath.Base(t.Path))
			gone, moved := checkout.Gone(t.Path), !checkout.Gone(now)
			switch {
			case !t.ExpiresAt.After(tx.Now()):
				over = append(over, t)
			case gone && moved:
				c.report(FolderMoved, t.Worktree.Ref, "note its new place", func(ctx context.Context) error { return c.Removals.RelocateOne(ctx, c.g, c.r, t) },
					"the trash of worktree %s was moved to %q", t.Worktree.Ref, now)
			case gone:
				c.report(TrashMissing, t.Worktree.Ref, "take it off the list; its commits stay at "+t.Ref, func(ctx context.Context) error { return c.Removals.CloseTrash(ctx, t) },
					"the trash of worktree %s is gone from %q", t.Worktree.Ref, t.Path)
			}
		}
		if len(over) > 0 {
			c.report(TrashExpired, "", "empty it", func(ctx context.Context) (err error) {
				for _, t := range over {
					err = errors.Join(err, c.Removals.PurgeOne(ctx, t))
				}
				return err
			}, "the trash holds %s whose time is over", text.Count(len(over), "worktree", "worktrees"))
		}
		return nil
	})
}

// adopt registers a worktree that git has and agit does not know.
func (c *visit) adopt(ctx context.Context, t git.Worktree) error {
	base, err := worktree.LeftAt(ctx, c.g, c.set, t.Head)
	if err != nil {
		return err
	}
	return c.Trees.Adopt(ctx, c.r, c.set, worktree.Worktree{Path: t.Path, Branch: strings.TrimPrefix(t.Branch, "refs/heads/"), Base: base, Status: worktree.Active}, nil)
}
