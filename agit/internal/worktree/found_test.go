package worktree_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// A Found brings along the operations that are half done in its repository, also where a task has no worktree: using it mends that.
func TestFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		find func(*registry.Tx, repo.Repo, worktree.Worktree) (worktree.Found, error)
		use  func(*worktreetest.Fixture, worktree.Found, worktree.Worktree) error
	}{
		"by its id": {
			func(tx *registry.Tx, _ repo.Repo, w worktree.Worktree) (worktree.Found, error) {
				return worktree.FoundByRef(tx, w.Ref)
			},
			func(f *worktreetest.Fixture, found worktree.Found, w worktree.Worktree) error {
				got, _, err := f.Worktrees.OpenFound(f.T.Context(), found)
				if got.Ref != w.Ref {
					f.T.Errorf("%s was opened", got.Ref)
				}
				return err
			},
		},
		"for a task without one": {
			func(tx *registry.Tx, r repo.Repo, _ worktree.Worktree) (worktree.Found, error) {
				return worktree.FoundFor(tx, r, 1<<40, 1)
			},
			func(f *worktreetest.Fixture, found worktree.Found, _ worktree.Worktree) error {
				if found.Worktree.ID != 0 {
					f.T.Errorf("%s was found", found.Worktree.Ref)
				}
				_, err := f.Worktrees.PreparedFound(f.T.Context(), found)
				return err
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			w, broken := f.Spawn(spawn.Request{Task: "x"}), f.Spawn(spawn.Request{Task: "y"})
			f.Exec(`UPDATE worktrees SET intent = 'merge', intent_host = ?, intent_pid = ?, intent_boot = 'before', intent_at = ?, intent_journal = ? WHERE id = ?`,
				registry.Host(), 1<<40, worktreetest.Stamp(-time.Hour), `{"before":"active"}`, broken.ID)
			var found worktree.Found
			worktreetest.Must(t, f.DB.Read(t.Context(), func(tx *registry.Tx) (err error) {
				found, err = c.find(tx, f.Repo, w)
				return err
			}))
			if found.Repo.ID != f.Repo.ID {
				t.Errorf("repository %+v", found.Repo)
			}
			worktreetest.Must(t, c.use(f, found, w))
			if now := f.Get(broken); now.Operation() != "" {
				t.Errorf("the other worktree is still in a %q", now.Operation())
			}
		})
	}
}

// A second row for a folder is refused.
func TestInsertTwice(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Spawn(spawn.Request{Task: "x"})
	err := f.DB.Write(t.Context(), registry.Scope{Project: f.Repo.ProjectID}, func(tx *registry.Tx) error {
		_, err := worktree.Insert(tx, f.Repo, worktree.Worktree{Ref: "w-2", Path: w.Path, Branch: "other", Base: w.Base, Status: worktree.Active})
		return err
	})
	if !fault.Is(err, fault.KindConflict) || len(f.Rows()) != 1 {
		t.Errorf("%v, %+v", err, f.Rows())
	}
}

// A folder in the trash names the worktree that it was, as long as that can be restored.
func TestFoundInTheTrash(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	w := f.Get(f.Spawn(spawn.Request{Task: "x"}))
	f.Tree(w).Write("deep/x.go", "package x\n")
	removed, err := f.Removals.Remove(t.Context(), remove.Request{Worktree: w.Ref, AbandonWork: true})
	worktreetest.Must(t, err)
	for _, folder := range []string{"tree", "tree/deep"} {
		if got, err := f.Worktrees.Get(t.Context(), "", filepath.Join(removed.Trash, folder)); err != nil || got.Ref != w.Ref {
			t.Errorf("%s: %s, %v", folder, got.Ref, err)
		}
	}
	f.Exec(`UPDATE trash SET status = 'purged'`)
	if got, err := f.Worktrees.Get(t.Context(), "", filepath.Join(removed.Trash, "tree")); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("once it is purged: %s, %v", got.Ref, err)
	}
}
