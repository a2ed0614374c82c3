package worktree

import (
	"context"
	"errors"
	"slices"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// List returns the worktrees of a repository (all when repoName is empty).
func (s *Store) List(ctx context.Context, repoName string, finished bool) ([]Worktree, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) ([]Worktree, error) {
		f := Filter{Finished: finished}
		if repoName != "" {
			r, err := repo.Find(tx, repoName)
			if err != nil {
				return nil, err
			}
			f.RepoID = r.ID
		}
		return List(tx, f)
	})
}

// Get returns one worktree by whatever names it (see Find); repoName may be empty.
func (s *Store) Get(ctx context.Context, repoName, ref string) (Worktree, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (Worktree, error) {
		_, w, err := s.find(tx, repoName, ref, false)
		return w, err
	})
}

// Meant returns a worktree by whatever names it, with its repository, which repoName may name.
func (s *Store) Meant(ctx context.Context, repoName, ref string) (r repo.Repo, w Worktree, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) (err error) { r, w, err = s.Find(tx, repoName, ref, false); return err })
	return r, w, err
}

// Standing returns the worktree that the process stands in (Options.Dir); a fault when it stands in none.
func (s *Store) Standing(tx *registry.Tx) (Worktree, error) {
	_, w, err := s.find(tx, "", ".", false)
	return w, err
}

// Here is Get for a worktree whose folder is on this machine; it refuses one of another machine.
func (s *Store) Here(ctx context.Context, repoName, ref string) (Worktree, error) {
	r, w, err := s.Meant(ctx, repoName, ref)
	if err != nil {
		return w, err
	}
	return w, r.Here()
}

// Logged returns a worktree as its logs name it, if they are on this machine. For one without a row it returns the last row of its folder.
func (s *Store) Logged(ctx context.Context, w Worktree) (Worktree, error) {
	if w.Row() {
		return s.Here(ctx, "", w.Ref)
	}
	last, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) (Worktree, error) { return LastAt(tx, w.RepoID, w.Path) })
	if last.ID == 0 {
		return w, err
	}
	return last, err
}

// Find returns a worktree and its repository, which repoName may name.
func (s *Store) Find(tx *registry.Tx, repoName, ref string, trash bool) (r repo.Repo, w Worktree, err error) {
	if r, w, err = s.find(tx, repoName, ref, trash); err == nil && r.ID == 0 {
		r, err = repo.ByID(tx, w.RepoID)
	}
	return r, w, err
}

// find is Find, but returns the zero repository where repoName is "".
func (s *Store) find(tx *registry.Tx, repoName, ref string, trash bool) (r repo.Repo, w Worktree, err error) {
	if ref == "" {
		return r, w, fault.Validation("worktree_id", "no worktree was named").WithHint("`agit status` lists them with their ids")
	}
	if repoName != "" {
		if r, err = repo.Find(tx, repoName); err != nil {
			return r, w, err
		}
	}
	w, err = naming{r.ID, ref, s.Options.Dir, trash}.find(tx)
	if err == nil && w.Row() && w.Status.Live() && checkout.Gone(w.Path) {
		if of, err := repo.ByID(tx, w.RepoID); err == nil {
			if g, err := of.Open(); err == nil {
				w = w.placed(tx.Context(), g, s.Options.Dir)
			}
		}
	}
	return r, w, err
}

// Open finds a worktree with a folder, after mending what was left half done. A worktree of others without a row gets one, because an
// operation on it follows.
func (s *Store) Open(ctx context.Context, repoName, ref string) (r repo.Repo, w Worktree, g *git.Repo, err error) {
	f, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) (Found, error) { return s.FindToOpen(tx, repoName, ref) })
	if err != nil {
		return f.Repo, f.Worktree, nil, err
	}
	w, g, err = s.OpenFound(ctx, f)
	return f.Repo, w, g, err
}

// Found is a worktree that is to be opened.
type Found struct {
	Repo     repo.Repo
	Worktree Worktree
	left     []Worktree // of the repository, half done
}

// FindToOpen is the part of Open that reads the registry: it finds the worktree and the half done operations of its repository.
func (s *Store) FindToOpen(tx *registry.Tx, repoName, ref string) (f Found, err error) {
	err = tx.Together(
		func() (err error) { f.Repo, f.Worktree, err = s.Find(tx, repoName, ref, false); return err },
		func() (err error) { f.left, err = interrupted(tx, 0); return err },
	)
	return f.ofRepo(), err
}

// ofRepo returns it with the half done operations of its repository alone.
func (f Found) ofRepo() Found {
	f.left = slices.DeleteFunc(f.left, func(w Worktree) bool { return w.RepoID != f.Repo.ID })
	return f
}

// FoundByRef is FindToOpen for the id of a worktree that has a row.
func FoundByRef(tx *registry.Tx, ref string) (f Found, err error) {
	err = tx.Together(
		func() (err error) { f.Worktree, err = ByRef(tx, ref); return err },
		func() (err error) { f.Repo, err = repo.OfWorktree(tx, ref); return err },
		func() (err error) { f.left, err = interrupted(tx, 0); return err },
	)
	return f.ofRepo(), err
}

// FoundFor returns the worktree of an item that has a folder on this host, to be opened: the agent's own first, else the newest. Its ID is
// 0 when there is none; the half done operations of the repository are found all the same.
func FoundFor(tx *registry.Tx, r repo.Repo, itemID, agentID int64) (f Found, err error) {
	f.Repo = r
	err = tx.Together(
		func() (err error) { f.Worktree, err = ForItem(tx, r.ID, itemID, agentID); return err },
		func() (err error) { f.left, err = interrupted(tx, r.ID); return err },
	)
	return f, err
}

// OpenFound is the rest of Open.
func (s *Store) OpenFound(ctx context.Context, f Found) (w Worktree, g *git.Repo, err error) {
	r, left := f.Repo, f.left
	w = f.Worktree
	if g, err = s.mended(ctx, r, left); err != nil {
		return w, nil, err
	}
	if !w.Row() {
		if w, err = s.register(ctx, g, r, w); err != nil {
			return w, g, err
		}
	}
	if len(left) > 0 {
		fresh := w.fresh
		if w, err = s.Reload(ctx, w); registry.NoRows(err) {
			err = fault.NotFound("worktree", f.Worktree.Ref).WithHint("its making had been cut off and was taken back")
		}
		if err != nil {
			return w, g, err
		}
		w.fresh = fresh
	}
	if w = w.placed(ctx, g, s.Options.Dir); w.moved {
		if w, err = s.notePlace(ctx, g, r, w); err != nil {
			return w, g, err
		}
	}
	switch {
	case !w.Status.Live():
		err = w.Over()
	case w.intent.op != "":
		err = busy(w)
	default:
		w, err = s.followBranch(ctx, g, r, w)
	}
	return w, g, err
}

// Over returns the fault for a worktree that is done with. A folder that others made may have stayed, without a row.
func (w Worktree) Over() error {
	f := Conflictf(w, "worktree %q was %s already", w.Ref, w.Status)
	if w.Foreign() && !checkout.Gone(w.Path) {
		return f.WithHint("its folder stayed, which is named by its path: %s", text.ShellWord(w.Path))
	}
	return f.WithHint("`agit undo %s` brings it back", w.Ref)
}

// Undo takes back the row that Open made for a worktree, and its branch from Branched, when the operation failed with cause, and returns
// cause. Both stay where a landing, a review or a task refers to the row.
func (s *Store) Undo(ctx context.Context, w Worktree, cause error) error {
	if cause == nil || !w.fresh {
		return cause
	}
	ctx = context.WithoutCancel(ctx)
	err := s.DB.Write(ctx, registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) error {
		tx.Changed(registry.TopicWorktrees, w.ProjectID, w.Ref)
		return Unregister(tx, w.ID)
	})
	if err == nil && w.detached != "" {
		if _, err = s.Reload(ctx, w); registry.NoRows(err) {
			err = s.unbranch(ctx, w)
		}
	}
	return errors.Join(cause, err)
}

// Prepared returns a repository by name, after mending what was left half done in it.
func (s *Store) Prepared(ctx context.Context, name string) (_ repo.Repo, g *git.Repo, err error) {
	if err := named(name); err != nil {
		return repo.Repo{}, nil, err
	}
	f, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) (f Found, err error) {
		err = tx.Together(
			func() (err error) { f.Repo, err = repo.Find(tx, name); return err },
			func() (err error) { f.left, err = interrupted(tx, 0); return err },
		)
		return f.ofRepo(), err
	})
	if err != nil {
		return f.Repo, nil, err
	}
	g, err = s.PreparedFound(ctx, f)
	return f.Repo, g, err
}

// PreparedFound is Prepared for a repository that was read with its half done operations.
func (s *Store) PreparedFound(ctx context.Context, f Found) (*git.Repo, error) {
	return s.mended(ctx, f.Repo, f.left)
}

// named refuses the empty name of a repository.
func named(repo string) error {
	if repo == "" {
		return fault.Validation("repo", "no repository was named").WithHint("`agit repos` lists the registered ones")
	}
	return nil
}

// Repo returns a repository by name.
func (s *Store) Repo(ctx context.Context, name string) (repo.Repo, error) {
	if err := named(name); err != nil {
		return repo.Repo{}, err
	}
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (repo.Repo, error) { return repo.Find(tx, name) })
}

// Repos returns a repository by name, or all of this machine for "".
func (s *Store) Repos(ctx context.Context, name string) ([]repo.Repo, error) {
	if name != "" {
		r, err := s.Repo(ctx, name)
		return []repo.Repo{r}, err
	}
	all, err := registry.Read(ctx, s.DB, repo.All)
	return slices.DeleteFunc(all, func(r repo.Repo) bool { return r.Machine != "" }), err
}

// Reload returns a worktree as it is now.
func (s *Store) Reload(ctx context.Context, w Worktree) (Worktree, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (Worktree, error) { return ByID(tx, w.ID) })
}
