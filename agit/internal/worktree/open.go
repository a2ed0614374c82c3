package worktree

import (
	"context"
	"errors"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// List returns the worktrees of a repository (all when repoName is empty).
func (s *Store) List(ctx context.Context, repoName string, finished bool) (list []Worktree, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		f := Filter{Finished: finished}
		if repoName != "" {
			r, err := repo.Find(tx, repoName)
			if err != nil {
				return err
			}
			f.RepoID = r.ID
		}
		list, err = List(tx, f)
		return err
	})
	return list, err
}

// Get returns one worktree by whatever names it (see Find); repoName may be empty.
func (s *Store) Get(ctx context.Context, repoName, ref string) (w Worktree, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		_, w, err = s.Find(tx, repoName, ref, false)
		return err
	})
	return w, err
}

// Here is Get of a worktree whose folder is on this machine; that of another one is refused.
func (s *Store) Here(ctx context.Context, repoName, ref string) (w Worktree, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) (err error) {
		var r repo.Repo
		if r, w, err = s.Find(tx, repoName, ref, false); err != nil {
			return err
		}
		return r.Here()
	})
	return w, err
}

// Logged returns a worktree as its logs name it, if they are on this machine: of one without a row, the row that its folder had last.
func (s *Store) Logged(ctx context.Context, w Worktree) (Worktree, error) {
	if w.Row() {
		return s.Here(ctx, "", w.Ref)
	}
	err := s.DB.Read(ctx, func(tx *registry.Tx) error {
		last, err := LastAt(tx, w.RepoID, w.Path)
		if last.ID != 0 {
			w = last
		}
		return err
	})
	return w, err
}

// Find returns a worktree and its repository, which repoName may name.
func (s *Store) Find(tx *registry.Tx, repoName, ref string, trash bool) (r repo.Repo, w Worktree, err error) {
	if ref == "" {
		return r, w, fault.Validation("worktree_id", "no worktree was named").WithHint("`agit status` lists them with their ids")
	}
	if repoName != "" {
		if r, err = repo.Find(tx, repoName); err != nil {
			return r, w, err
		}
	}
	if w, err = (naming{r.ID, ref, s.Options.Dir, trash}).find(tx); err != nil || r.ID != 0 {
		return r, w, err
	}
	r, err = repo.ByID(tx, w.RepoID)
	return r, w, err
}

// Open finds a worktree with a folder, after mending what was left half done. A worktree of others without a row gets
// one: something is to be done with it.
func (s *Store) Open(ctx context.Context, repoName, ref string) (r repo.Repo, w Worktree, g *git.Repo, err error) {
	load := func(tx *registry.Tx) error {
		r, w, err = s.Find(tx, repoName, ref, false)
		return err
	}
	if err = s.DB.Read(ctx, load); err != nil {
		return r, w, nil, err
	}
	if g, err = s.Recovered(ctx, r); err != nil {
		return r, w, nil, err
	}
	if !w.Row() {
		if w, err = s.register(ctx, g, r, w); err != nil {
			return r, w, g, err
		}
	}
	id, fresh := w.ID, w.fresh
	if err = s.DB.Read(ctx, func(tx *registry.Tx) error { w, err = ByID(tx, id); return err }); err != nil {
		if registry.NoRows(err) {
			err = fault.NotFound("worktree", ref).WithHint("its making had been cut off and was taken back")
		}
		return r, w, g, err
	}
	w.fresh = fresh
	switch {
	case !w.Status.Live():
		err = Conflictf(w, "worktree %q was %s already", w.Ref, w.Status).WithHint("`agit cleanup --restore %s` brings it back", w.Ref)
	case w.intent.op != "":
		err = busy(w)
	default:
		w, err = s.followBranch(ctx, g, r, w)
	}
	return r, w, g, err
}

// Undo takes back the row that Open gave a worktree when nothing came of what it was opened for, and returns the cause.
func (s *Store) Undo(ctx context.Context, w Worktree, cause error) error {
	if cause == nil || !w.fresh {
		return cause
	}
	err := s.DB.Write(context.WithoutCancel(ctx), registry.Scope{Project: w.ProjectID}, func(tx *registry.Tx) error {
		tx.Changed(registry.TopicWorktrees, w.ProjectID, w.Ref)
		return Unregister(tx, w.ID)
	})
	return errors.Join(cause, err)
}

// Repo returns a repository by name.
func (s *Store) Repo(ctx context.Context, name string) (r repo.Repo, err error) {
	if name == "" {
		return r, fault.Validation("repo", "no repository was named").WithHint("`agit repos` lists the registered ones")
	}
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		r, err = repo.Find(tx, name)
		return err
	})
	return r, err
}

// Repos returns a repository by name, or all of this machine for "".
func (s *Store) Repos(ctx context.Context, name string) (repos []repo.Repo, err error) {
	if name != "" {
		r, err := s.Repo(ctx, name)
		return []repo.Repo{r}, err
	}
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		all, err := repo.All(tx)
		for _, r := range all {
			if r.Host == registry.Host() {
				repos = append(repos, r)
			}
		}
		return err
	})
	return repos, err
}

// Reload returns a worktree as it is now.
func (s *Store) Reload(ctx context.Context, w Worktree) (now Worktree, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		now, err = ByID(tx, w.ID)
		return err
	})
	return now, err
}
