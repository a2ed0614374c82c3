package worktreecheck_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/doctor/worktreecheck"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// Each disagreement is found by its kind, and over once it was mended; looking changes nothing.
func TestCheckAndFix(t *testing.T) {
	trashed := func(f *worktreetest.Fixture, w worktree.Worktree) remove.Trash {
		_, err := f.Removals.Remove(context.Background(), remove.Request{Worktree: w.Ref, AbandonWork: true})
		worktreetest.Must(f.T, err)
		all, err := f.Removals.Trash(context.Background(), "app")
		worktreetest.Must(f.T, err)
		return all[0]
	}
	for kind, harm := range map[worktreecheck.FindingKind]func(f *worktreetest.Fixture, w worktree.Worktree){
		worktreecheck.FolderMissing: func(f *worktreetest.Fixture, w worktree.Worktree) { worktreetest.Must(f.T, os.RemoveAll(w.Path)) },
		worktreecheck.FolderMoved: func(f *worktreetest.Fixture, w worktree.Worktree) {
			f.Main.Git("worktree", "move", w.Path, w.Path+"-elsewhere")
		},
		worktreecheck.FolderBroken: func(f *worktreetest.Fixture, w worktree.Worktree) {
			worktreetest.Must(f.T, os.Remove(filepath.Join(w.Path, ".git")))
		},
		worktreecheck.Interrupted: func(f *worktreetest.Fixture, w worktree.Worktree) {
			f.Write(func(tx *registry.Tx) error {
				return worktree.SetIntent(tx, w, worktree.OpMerge, w.Status, map[string]string{"before": "active"})
			})
		},
		worktreecheck.NotHidden: func(f *worktreetest.Fixture, _ worktree.Worktree) {
			worktreetest.Must(f.T, os.Remove(filepath.Join(f.Repo.CommonDir, "info", "exclude")))
		},
		worktreecheck.TrashMissing: func(f *worktreetest.Fixture, w worktree.Worktree) {
			worktreetest.Must(f.T, os.RemoveAll(trashed(f, w).Path))
		},
		worktreecheck.TrashExpired: func(f *worktreetest.Fixture, w worktree.Worktree) {
			trashed(f, w)
			f.Exec(`UPDATE trash SET expires_at = ?`, worktreetest.Stamp(-time.Hour))
		},
	} {
		t.Run(string(kind), func(t *testing.T) {
			f := worktreetest.New(t)
			w := f.Worked("x")
			f.Sound()
			harm(f, w)
			for range 2 {
				found, err := f.Audits.Check(t.Context(), "app")
				if err != nil || len(found) != 1 || found[0].Kind != kind || found[0].Text == "" || !found[0].Fixable() || found[0].Remedy == "" {
					t.Fatalf("%+v %v", found, err)
				}
			}
			f.FixAll()
			f.Sound()
		})
	}
}

// Locks that stop git are reported once they are old, wherever they are. Those of refs are removed by a fix, those of an index,
// which an editor may hold, by a person.
func TestLocks(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Worked("x")
	entry := checkout.Entries(f.Main.Repo(), w.Path)[0]
	refs := filepath.Join(f.Repo.CommonDir, "refs")
	for _, c := range []struct {
		lock, worktree string
		fixed          bool
		young, old     time.Duration
	}{
		{filepath.Join(f.Repo.CommonDir, "index.lock"), "", false, 9 * time.Minute, 11 * time.Minute},
		{filepath.Join(entry, "index.lock"), w.Ref, false, 9 * time.Minute, 11 * time.Minute},
		{filepath.Join(entry, "HEAD.lock"), w.Ref, true, 0, 11 * time.Second},
		{filepath.Join(f.Repo.CommonDir, "packed-refs.lock"), "", true, 0, 11 * time.Second},
		{filepath.Join(refs, "heads", "main.lock"), "", true, 0, 11 * time.Second},
		{filepath.Join(refs, "heads", "a", "branch.lock"), "", true, 0, 11 * time.Second},
		{filepath.Join(refs, "heads", filepath.FromSlash(w.Branch)) + ".lock", w.Ref, true, 0, 11 * time.Second},
	} {
		locks := func(age time.Duration) []worktreecheck.Finding {
			t.Helper()
			worktreetest.Must(t, os.MkdirAll(filepath.Dir(c.lock), 0o755))
			worktreetest.Must(t, os.WriteFile(c.lock, nil, 0o644))
			worktreetest.Must(t, os.Chtimes(c.lock, time.Time{}, time.Now().Add(-age)))
			found, err := f.Audits.Check(t.Context(), "app")
			worktreetest.Must(t, err)
			return found
		}
		if found := locks(c.young); c.young > 0 && len(found) != 0 {
			t.Errorf("%s is reported when it is young: %+v", c.lock, found)
		}
		found := locks(c.old)
		if len(found) != 1 || found[0].Kind != worktreecheck.Locked || found[0].Worktree != c.worktree || found[0].Fixable() != c.fixed || !strings.Contains(found[0].Text, c.lock) {
			t.Fatalf("%s: %+v", c.lock, found)
		}
		if c.fixed {
			f.FixAll()
			if _, err := os.Lstat(c.lock); err == nil {
				t.Errorf("%s is left", c.lock)
			}
		}
		_ = os.Remove(c.lock)
	}
	// A git that packs many refs holds the lock for longer, and writes beside it.
	lock := filepath.Join(f.Repo.CommonDir, "packed-refs.lock")
	worktreetest.Must(t, os.WriteFile(lock, nil, 0o644))
	worktreetest.Must(t, os.Chtimes(lock, time.Time{}, time.Now().Add(-time.Minute)))
	worktreetest.Must(t, os.WriteFile(filepath.Join(f.Repo.CommonDir, "packed-refs.new"), nil, 0o644))
	if found, err := f.Audits.Check(t.Context(), "app"); err != nil || len(found) != 0 {
		t.Errorf("the lock of a git at work: %+v %v", found, err)
	}
}

// A repository whose folder is gone is reported, and does not keep the others from being checked.
func TestMissingRepository(t *testing.T) {
	f := worktreetest.New(t)
	other := gittest.New(t)
	other.Commit("first")
	_, err := (&repo.Store{DB: f.DB}).Add(t.Context(), repo.New{Path: other.Dir, Name: "other"})
	worktreetest.Must(t, err)
	worktreetest.Must(t, os.RemoveAll(other.Dir))
	worktreetest.Must(t, os.RemoveAll(f.Spawn(spawn.Request{Task: "x"}).Path))
	found, err := f.Audits.Check(t.Context(), "")
	if err != nil || len(found) != 2 || found[0].Kind != worktreecheck.FolderMissing || found[1].Kind != worktreecheck.RepoMissing || found[1].Fixable() {
		t.Errorf("%+v %v", found, err)
	}
}

func TestUnknownFoldersAndWorktrees(t *testing.T) {
	f := worktreetest.New(t)
	f.Spawn(spawn.Request{Task: "x"})
	f.Main.Git("worktree", "add", "--quiet", "-b", "by-hand", f.Main.Path(".worktrees/by hand"))
	f.Main.At(f.Main.Path(".worktrees/by hand")).Write("new", "n")
	f.Main.Write(".worktrees/stray/file", "whose?")
	found, err := f.Audits.Check(context.Background(), "app")
	if err != nil || len(found) != 2 {
		t.Fatalf("%+v %v", found, err)
	}
	for _, finding := range found {
		worktreetest.Must(t, finding.Fix(context.Background()))
	}
	f.Sound()
	byHand, err := f.Worktrees.Get(context.Background(), "app", "by-hand")
	if err != nil || byHand.Status != worktree.Active {
		t.Error(byHand, err)
	}
	trash, err := f.Removals.Trash(context.Background(), "app")
	if err != nil || len(trash) != 1 {
		t.Fatal(trash, err)
	}
	if _, err := f.Removals.Restore(context.Background(), "", trash[0].Worktree.Ref); err != nil || f.Main.Read(".worktrees/stray/file") != "whose?" {
		t.Error(err)
	}
}

// A worktree whose entry git cannot read, since another user made it, stays where it is.
func TestWorktreeOfAnotherUser(t *testing.T) {
	f := worktreetest.New(t)
	f.Spawn(spawn.Request{Task: "x"})
	theirs := f.Main.Path(".worktrees/theirs")
	f.Main.Git("worktree", "add", "--quiet", "-b", "theirs", theirs)
	entry := filepath.Join(f.Repo.CommonDir, "worktrees", "theirs")
	worktreetest.Must(t, os.Remove(filepath.Join(entry, "gitdir"))) // like one that may not be read, also for root
	found, err := f.Audits.Check(t.Context(), "app")
	if err != nil || len(found) != 1 || found[0].Kind != worktreecheck.Unreadable || found[0].Fixable() || !strings.Contains(found[0].Text, theirs) {
		t.Errorf("%+v %v", found, err)
	}
	worktreetest.Must(t, os.RemoveAll(entry))
	if found, err = f.Audits.Check(t.Context(), "app"); err != nil || len(found) != 1 || found[0].Kind != worktreecheck.UnknownFolder {
		t.Errorf("without an entry: %+v %v", found, err)
	}
}
