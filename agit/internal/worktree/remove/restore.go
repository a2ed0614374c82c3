package remove

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// Restore brings a removed worktree back from the trash: folder, branch,
// uncommitted state and row.
func (s *Store) Restore(ctx context.Context, repoName, ref string) (w worktree.Worktree, err error) {
	t, r, err := s.inTrash(ctx, repoName, ref)
	if err != nil {
		return w, err
	}
	g, err := s.Trees.Recovered(ctx, r)
	if err != nil {
		return w, err
	}
	if err := restorable(ctx, g, t); err != nil {
		return w, err
	}
	end, err := worktree.Begin(t.Worktree)
	if err != nil {
		return w, err
	}
	defer end()
	j := journal{Before: t.Worktree.Status, After: worktree.Active, TrashID: t.ID, Entry: freeEntry(g, entryName(g, t), t.Worktree.Ref)}
	err = s.Trees.DB.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
		if err := tx.Must(expired(ref), `UPDATE trash SET status = 'kept' WHERE id = ? AND status = 'kept'`, t.ID); err != nil { // it may be emptied meanwhile
			return err
		}
		if err := worktree.RenewPort(tx, t.Worktree, s.Trees.Settings(r)); err != nil {
			return err
		}
		return worktree.SetIntent(tx, t.Worktree, worktree.OpRestore, worktree.Creating, j)
	})
	if registry.IsDuplicate(err) {
		err = worktree.Conflictf(t.Worktree, "another worktree is registered at %q", t.Worktree.Path).WithHint("merge or clean up that one first")
	}
	if err != nil {
		return w, err
	}
	return s.bringBack(context.WithoutCancel(ctx), g, t, j)
}

// inTrash finds the trash of a worktree.
func (s *Store) inTrash(ctx context.Context, repoName, ref string) (t Trash, r repo.Repo, err error) {
	err = s.Trees.DB.Read(ctx, func(tx *registry.Tx) error {
		var w worktree.Worktree
		if r, w, err = s.Trees.Find(tx, repoName, ref, true); err != nil {
			return err
		}
		if w.Status.Live() {
			return worktree.Conflictf(w, "worktree %q is not in the trash, it is %s at %q", w.Ref, w.Status, w.Path).WithHint("`agit cleanup --trash` lists those that are")
		}
		t, err = scanTrash(tx.QueryRow(trashSelection+`WHERE t.worktree_id = ? AND t.status = 'kept' ORDER BY t.id DESC LIMIT 1`, w.ID))
		if registry.NoRows(err) && w.Foreign() && !checkout.Gone(w.Path) {
			return worktree.Conflictf(w, "worktree %q is not in the trash: it landed, and its folder stayed at %q", w.Ref, w.Path).WithHint("`agit cleanup --trash` lists those that are")
		}
		if registry.NoRows(err) {
			return expired(ref)
		}
		t.Worktree = w
		return err
	})
	return t, r, err
}

// expired is the NotFound fault for a worktree whose trash was emptied.
func expired(ref string) error {
	return fault.NotFound("worktree", ref).WithHint("its time in the trash is over; commits it had may still be found with `git reflog`")
}

// restorable refuses when something else took the worktree's place.
func restorable(ctx context.Context, g *git.Repo, t Trash) error {
	w := t.Worktree
	if _, err := os.Lstat(w.Path); !errors.Is(err, fs.ErrNotExist) {
		return worktree.Conflictf(w, "worktree %q cannot be restored: %q exists", w.Ref, w.Path).WithHint("move that folder elsewhere, then try again")
	}
	if _, err := os.Lstat(t.Path); err != nil {
		return worktree.Conflictf(w, "the trash of worktree %q is no longer at %q", w.Ref, t.Path).
			WithHint("`git for-each-ref %s/` lists the refs that keep its commits; `agit doctor` looks into it", t.Ref)
	}
	branches, err := t.branches(ctx, g, "")
	if err != nil {
		return err
	}
	list, err := g.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, b := range branches {
		oid, err := g.Resolve(ctx, b.Ref)
		if err != nil {
			return err
		}
		on := oid == "" || oid == b.OID
		if _, err := os.Lstat(t.entry(g)); !on && err != nil && b.OID != "" { // no index and no file is of that commit
			if on, err = checkout.IsAncestor(ctx, g, b.OID, oid); err != nil {
				return err
			}
		}
		if !on {
			return worktree.Conflictf(w, "worktree %q cannot be restored: its branch %q is at another commit now", w.Ref, b.Branch()).
				WithHint("rename that branch, then try again")
		}
		if oid == "" && b.OID != "" && g.Whole(ctx, []string{b.OID}) != nil && ctx.Err() == nil {
			return worktree.Conflictf(w, "worktree %q cannot be restored: its commit %s is not in %q, which may have been cloned anew", w.Ref, b.OID, g.Dir()).
				WithHint("its files are in %q, and nowhere else", t.Path)
		}
		for _, other := range list {
			if other.Branch == b.Ref {
				return worktree.Conflictf(w, "worktree %q cannot be restored: its branch %q is checked out at %q", w.Ref, b.Branch(), other.Path).
					WithHint("switch that one to another branch, then try again")
			}
		}
	}
	return nil
}

// branches returns the branches of a worktree with the commits that its trash keeps of them: its own, and the one that it has checked out.
// entry is the name that git's entry gets once it is back.
func (t Trash) branches(ctx context.Context, g *git.Repo, entry string) (all []git.Head, err error) {
	if t.BranchOID != "" {
		all = append(all, git.Head{Ref: "refs/heads/" + t.Branch, OID: t.BranchOID})
	}
	for _, dir := range []string{t.entry(g), filepath.Join(g.CommonDir, "worktrees", entry)} {
		if at, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil || at.IsDir() {
			continue
		}
		ref, err := g.Output(ctx, git.Options{Env: []string{"GIT_DIR=" + dir, "GIT_COMMON_DIR=" + g.CommonDir}}, "symbolic-ref", "--quiet", "HEAD")
		if git.ExitCode(err) == 1 { // detached
			break
		}
		if err != nil {
			return nil, git.Fault(err, "read HEAD of worktree %q", t.Worktree.Ref)
		}
		if head := (git.Head{Ref: strings.TrimSpace(string(ref)), OID: t.HeadOID}); len(all) == 0 || head.Ref != all[0].Ref {
			all = append(all, head)
		}
		break
	}
	return all, nil
}

// entryName returns the name that git's entry had, which the tree's .git file holds.
func entryName(g *git.Repo, t Trash) string {
	if _, err := os.Lstat(t.entry(g)); err != nil {
		return ""
	}
	content, err := os.ReadFile(filepath.Join(t.tree(), ".git"))
	if err != nil {
		return filepath.Base(t.Worktree.Path)
	}
	return filepath.Base(strings.TrimSpace(strings.TrimPrefix(string(content), "gitdir:")))
}

// bringBack does the work of a restore; it may be repeated.
func (s *Store) bringBack(ctx context.Context, g *git.Repo, t Trash, j journal) (w worktree.Worktree, err error) {
	if err := s.Trees.Reach("restore:planned"); err != nil {
		return w, err
	}
	if err := putBack(ctx, g, t, j.Entry); err != nil {
		return w, err
	}
	if err := s.Trees.Reach("restore:moved"); err != nil {
		return w, err
	}
	if err := dropRefs(ctx, g, t); err != nil { // all commits that they kept are in their place again
		return w, err
	}
	if err := s.syncRestored(ctx, g, t); err != nil {
		return w, err
	}
	return registry.Write(ctx, s.Trees.DB, registry.Scope{Project: t.Worktree.ProjectID}, func(tx *registry.Tx) (worktree.Worktree, error) {
		if err := tx.Do(`UPDATE trash SET status = 'restored' WHERE id = ?`, t.ID); err != nil {
			return w, err
		}
		if err := worktree.EndIntent(tx, t.Worktree, worktree.Active); err != nil {
			return w, err
		}
		return worktree.ByID(tx, t.Worktree.ID)
	})
}

// putBack makes the branches again that are missing and moves git's entry and the folder back; it skips each step that was done before.
func putBack(ctx context.Context, g *git.Repo, t Trash, entry string) error {
	branches, err := t.branches(ctx, g, entry)
	if err != nil {
		return err
	}
	for _, b := range branches {
		oid, err := g.Resolve(ctx, b.Ref)
		if err != nil {
			return err
		}
		if oid == "" && b.OID != "" {
			if err := checkout.UpdateRefs(ctx, g, git.Options{}, nil, []string{b.Ref}, "-m", "agit: restored", b.Ref, b.OID, git.ZeroOID(b.OID)); err != nil {
				return git.Fault(err, "make branch %q again", b.Branch())
			}
		}
	}
	if _, err := os.Lstat(t.entry(g)); err == nil && entry != "" {
		place := filepath.Join(g.CommonDir, "worktrees", entry)
		if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
			return fault.Operation(err, "put worktree %q on git's list", t.Worktree.Path)
		}
		if err := os.Rename(t.entry(g), place); err != nil {
			return fault.Operation(err, "put worktree %q on git's list", t.Worktree.Path)
		}
	}
	if _, err := os.Lstat(t.tree()); err == nil {
		if err := os.MkdirAll(filepath.Dir(t.Worktree.Path), 0o755); err != nil {
			return fault.Operation(err, "make the folder of the worktrees")
		}
		if err := os.Rename(t.tree(), t.Worktree.Path); err != nil {
			return fault.Operation(err, "move worktree %q back", t.Worktree.Path)
		}
	}
	if err := remake(ctx, g, t, entry); err != nil {
		return err
	}
	_ = os.Remove(t.Path) // empty now
	_ = os.Remove(t.home(g))
	return nil
}

// remake connects git's entry and the folder, and checks files out again where no folder was left to keep.
func remake(ctx context.Context, g *git.Repo, t Trash, entry string) error {
	path := t.Worktree.Path
	gone := checkout.Gone(path)
	if entry == "" {
		if !gone || t.Branch == "" {
			return nil
		}
		if _, err := g.Run(ctx, "worktree", "add", "--quiet", "--", path, t.Branch); err != nil {
			return git.Fault(err, "make worktree %q again", path)
		}
		return nil
	}
	if gone {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return fault.Operation(err, "make worktree %q again", path)
		}
	}
	if err := checkout.Connect(g, entry, path); err != nil {
		return err
	}
	if entry != filepath.Base(path) {
		if err := checkout.NoteOwner(g, entry, t.Worktree.Ref); err != nil {
			return err
		}
	}
	if !gone {
		return nil
	}
	tree, err := checkout.Open(g, path)
	if err != nil {
		return err
	}
	if _, err := tree.Run(ctx, "checkout-index", "--all", "--quiet"); err != nil {
		return git.Fault(err, "check out the files of %q again", path)
	}
	return nil
}

// freeEntry returns a name for git's entry that no other worktree has.
func freeEntry(g *git.Repo, name, ref string) string {
	if name == "" {
		return ""
	}
	if _, err := os.Lstat(filepath.Join(g.CommonDir, "worktrees", name)); err == nil {
		name += "-" + ref
	}
	return name
}

// Trash lists what can be restored, newest first; repoName may be empty.
func (s *Store) Trash(ctx context.Context, repoName string) ([]Trash, error) {
	return registry.Read(ctx, s.Trees.DB, func(tx *registry.Tx) ([]Trash, error) {
		if repoName == "" {
			return Kept(tx, 0)
		}
		r, err := repo.Find(tx, repoName)
		if err != nil {
			return nil, err
		}
		return Kept(tx, r.ID)
	})
}
