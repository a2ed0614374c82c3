package worktree

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// place is where a worktree whose folder is gone was found.
type place struct {
	path  string
	entry string // git's entry of it
}

// whereabouts looks for a worktree whose folder was moved: by `git worktree
// move`, by hand within the folders around, or together with its repository.
func (s *Store) whereabouts(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree) (place, bool, error) {
	list, err := g.Worktrees(ctx)
	if err != nil {
		return place{}, false, err
	}
	lost := map[string]bool{} // entries that may be this worktree's and whose folder is gone
	for _, t := range list[1:] {
		ours := t.Path == w.Path || t.Branch == "refs/heads/"+w.Branch
		switch {
		case ours && t.Prunable == "" && t.Path != w.Path:
			return place{t.Path, t.Name}, true, nil
		case ours && t.Prunable != "":
			lost[t.Name] = true
		}
	}
	if len(lost) == 0 {
		return place{}, false, nil
	}
	around := []string{folderOf(r, s.settings(r)), filepath.Dir(w.Path), filepath.Dir(filepath.Dir(w.Path)), r.Path, filepath.Dir(r.Path)}
	slices.Sort(around)
	for _, dir := range slices.Compact(around) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			at := filepath.Join(dir, e.Name())
			if name := entryOf(at); lost[name] {
				return place{at, name}, true, nil
			}
		}
	}
	return place{}, false, nil
}

// entryOf returns the name of git's entry that a folder's .git file points to, ""
// when it has none.
func entryOf(dir string) string {
	at := filepath.Join(dir, ".git")
	if info, err := os.Lstat(at); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	target, err := git.ReadGitFile(at)
	if err != nil || filepath.Base(filepath.Dir(target)) != "worktrees" {
		return ""
	}
	return filepath.Base(target)
}

// relocated returns the worktree with its new path when it was moved, and as it
// was when it cannot be found.
func (s *Store) relocated(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree) (Worktree, error) {
	at, ok, err := s.whereabouts(ctx, g, r, w)
	if err != nil || !ok {
		return w, err
	}
	if err := connect(g, at.entry, at.path); err != nil {
		return w, err
	}
	err = s.db.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE worktrees SET path = ?, updated_at = ? WHERE id = ?`, at.path, tx.Stamp(), w.ID)
		tx.Changed(registry.TopicWorktrees, r.ProjectID, w.Ref)
		return err
	})
	if err == nil {
		w.Path = at.path
	}
	return w, err
}

// Relocate follows a repository that was moved: its worktrees that moved with
// it, and its trash. It gives the worktrees it connected again.
func (s *Store) Relocate(ctx context.Context, r repo.Repo) (moved []Worktree, err error) {
	g, err := r.Open()
	if err != nil {
		return nil, err
	}
	var list []Worktree
	var kept []Trash
	err = s.db.Read(ctx, func(tx *registry.Tx) error {
		if list, err = List(tx, Filter{RepoID: r.ID}); err != nil {
			return err
		}
		kept, err = listTrash(tx, r.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, w := range list {
		if !folderGone(w) {
			if name := entryOf(w.Path); name != "" { // it stayed, its repository went
				if err := connect(g, name, w.Path); err != nil {
					return moved, err
				}
			}
			continue
		}
		now, err := s.relocated(ctx, g, r, w)
		if err != nil {
			return moved, err
		}
		if now.Path != w.Path {
			moved = append(moved, now)
		}
	}
	for _, t := range kept {
		if err := s.relocateTrash(ctx, g, r, t); err != nil {
			return moved, err
		}
	}
	return moved, nil
}

func (s *Store) relocateTrash(ctx context.Context, g *git.Repo, r repo.Repo, t Trash) error {
	now := filepath.Join(g.CommonDir, "agit", "trash", filepath.Base(t.Path))
	if _, err := os.Lstat(t.Path); err == nil || now == t.Path {
		return nil
	}
	if _, err := os.Lstat(now); err != nil {
		return nil // doctor reports it
	}
	folder := filepath.Join(folderOf(r, s.settings(r)), filepath.Base(t.Worktree.Path))
	return s.db.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
		if _, err := tx.Exec(`UPDATE trash SET path = ? WHERE id = ?`, now, t.ID); err != nil {
			return err
		}
		_, err := tx.Exec(`UPDATE worktrees SET path = ? WHERE id = ?`, folder, t.Worktree.ID)
		return err
	})
}
