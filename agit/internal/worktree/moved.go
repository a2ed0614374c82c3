package worktree

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// place is where the moved folder of a worktree was found.
type place struct {
	Path  string
	entry string // git's entry of it
}

// Whereabouts looks for a worktree whose folder was moved: by `git worktree
// move`, by hand within the folders around or to where the process stands, or together with its repository.
func (s *Store) Whereabouts(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree) (place, bool, error) {
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
	around := []string{filepath.Dir(treeAround(s.Options.Dir)), FolderOf(r, s.Settings(r)), filepath.Dir(w.Path), filepath.Dir(filepath.Dir(w.Path)), r.Path, filepath.Dir(r.Path)}
	name, at, found := checkout.FindMoved(around, func(entry, at string) bool { return lost[entry] && !checkout.OfAnother(g, entry, at) })
	return place{at, name}, found, nil
}

// placed returns a worktree with its present path where its folder is gone from the noted one: the path that git's own list has of it, as after
// `git worktree move`, or that of a folder around dir, where someone stands in what was moved by hand. Elsewhere it is as it was. The row
// keeps the noted path. Git's entry of what was moved has the name of the folder as agit made it; another entry with the branch is a worktree
// that someone made since.
func (w Worktree) placed(ctx context.Context, g *git.Repo, dir string) Worktree {
	if w.moved || !w.Row() || !w.Status.Live() || w.intent.op != "" || w.Branch == "" || !checkout.Gone(w.Path) {
		return w
	}
	list, err := g.Worktrees(ctx)
	if err != nil {
		return w // the caller that needs the folder reports what is wrong
	}
	for _, t := range list[1:] {
		if t.Branch != w.BranchRef() || !checkout.MadeFor(g, t.Name, w.Path, w.Ref) {
			continue
		}
		at := t.Path
		if t.Prunable != "" {
			at = treeAround(dir)
		}
		if checkout.EntryOf(at) == t.Name && !checkout.OfAnother(g, t.Name, at) {
			w.Path, w.moved = at, true
		}
	}
	return w
}

// treeAround returns the working tree that a folder lies in; "" where it lies in none.
func treeAround(dir string) string {
	if dir == "" {
		return ""
	}
	g, err := git.Find(dir)
	if err != nil {
		return ""
	}
	return g.WorkTree
}

// notePlace stores the place of a worktree that was moved.
func (s *Store) notePlace(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree) (Worktree, error) {
	entry := checkout.EntryOf(w.Path)
	if err := errors.Join(checkout.Connect(g, entry, w.Path), checkout.NoteOwner(g, entry, w.Ref)); err != nil {
		return w, err
	}
	w.moved = false
	return w, s.DB.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
		tx.Changed(registry.TopicWorktrees, r.ProjectID, w.Ref)
		return SetPath(tx, w.ID, w.Path)
	})
}

// Follow returns the worktree with its new path when it was moved, and as it
// was when it cannot be found.
func (s *Store) Follow(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree) (Worktree, error) {
	at, ok, err := s.Whereabouts(ctx, g, r, w)
	if err != nil || !ok {
		return w, err
	}
	now := w
	now.Path = at.Path
	if now, err = s.notePlace(ctx, g, r, now); err != nil {
		return w, err
	}
	return now, nil
}

// Relocate follows a repository that was moved, with the worktrees that moved with it and those that stayed. It returns the worktrees that
// it connected again.
func (s *Store) Relocate(ctx context.Context, r repo.Repo) (moved []Worktree, err error) {
	g, err := r.Open()
	if err != nil {
		return nil, err
	}
	list, err := s.List(ctx, r.UID, false)
	if err != nil {
		return nil, err
	}
	for _, w := range list {
		if !checkout.Gone(w.Path) {
			if name := checkout.EntryOf(w.Path); name != "" { // it stayed, its repository went
				if err := checkout.Connect(g, name, w.Path); err != nil {
					return moved, err
				}
			}
			continue
		}
		now, err := s.Follow(ctx, g, r, w)
		if err != nil {
			return moved, err
		}
		if now.Path != w.Path {
			moved = append(moved, now)
		}
	}
	return moved, nil
}
