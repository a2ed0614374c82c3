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

// Locks that stop git are told once they are old, wherever they are, and left to a person.
func TestLocks(t *testing.T) {
	f := worktreetest.New(t)
	w := f.Worked("x")
	entry := checkout.Entries(f.Main.Repo(), w.Path)[0]
	for lock, ref := range map[string]string{
		filepath.Join(f.Repo.CommonDir, "index.lock"): "", filepath.Join(f.Repo.CommonDir, "packed-refs.lock"): "",
		filepath.Join(f.Repo.CommonDir, "refs", "heads", "main.lock"): "", filepath.Join(entry, "index.lock"): w.Ref, filepath.Join(entry, "HEAD.lock"): w.Ref,
		filepath.Join(f.Repo.CommonDir, "refs", "heads", filepath.FromSlash(w.Branch)) + ".lock": w.Ref,
	} {
		for age, want := range map[time.Duration]int{time.Minute: 0, 3 * time.Hour: 1} {
			worktreetest.Must(t, os.WriteFile(lock, nil, 0o644))
			worktreetest.Must(t, os.Chtimes(lock, time.Time{}, time.Now().Add(-age)))
			found, err := f.Audits.Check(t.Context(), "app")
			if err != nil || len(found) != want {
				t.Fatalf("%s, %s old: %+v %v", lock, age, found, err)
			}
			if want > 0 && (found[0].Kind != worktreecheck.Locked || found[0].Worktree != ref || found[0].Fixable() || !strings.Contains(found[0].Text, lock) || !strings.Contains(found[0].Text, "3h ago")) {
				t.Errorf("%+v", found[0])
			}
		}
		worktreetest.Must(t, os.Remove(lock))
	}
}

// A repository whose folder is gone is told, and does not keep the others from being looked at.
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
