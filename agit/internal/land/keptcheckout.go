package land

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/process"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// keptName is the beginning of a folder's name among the worktrees: that of the checkout in which landings are judged.
const keptName = ".gate"

// keptFolder returns that folder's name. Repositories that share a folder for their worktrees each have their own.
func keptFolder(r repo.Repo, dir string) string {
	if rel, err := filepath.Rel(r.Path, dir); err == nil && filepath.IsLocal(rel) {
		return keptName
	}
	return keptName + "-" + r.UID
}

// lockKept takes the lock of the kept checkout, if it is free.
func lockKept(g *git.Repo) (lock *flock.Flock, free bool, err error) {
	if lock, err = checkout.LockFile(g, "gate.lock"); err != nil {
		return nil, false, err
	}
	free, err = lock.TryLock()
	return lock, err == nil && free, nil
}

// discardHalfKept takes back a kept checkout whose making or change was cut off: it lacks the copy of its index, without which it is not
// used again. A killed `git worktree add` may leave an entry with which git fails in the whole repository.
func discardHalfKept(g *git.Repo, r repo.Repo, dir string) error {
	name := keptFolder(r, dir)
	at := filepath.Join(dir, name)
	entries := checkout.Entries(g, at)
	if checkout.Gone(at) && len(entries) == 0 || worktree.RefuseLink(r, dir) != nil { // a link may lead to what is not ours
		return nil
	}
	lock, free, err := lockKept(g)
	if err != nil {
		return err
	}
	defer lock.Close()
	whole := len(entries) == 1 && !checkout.Gone(filepath.Join(entries[0], keptIndex()+".index"))
	if !free || whole {
		return nil
	}
	return checkout.Discard(g, name, at)
}

// keptIndex returns the name of the copy of its index from before a gate ran. The copy is valid for one boot of the machine: after a power
// cut, files may lack content although their times look right.
func keptIndex() string {
	return "agit-kept-" + strings.ReplaceAll(process.MarkOf(1), "/", "-")
}

// IsKept reports whether a name in the folder of worktrees is that of the kept checkout.
func IsKept(name string) bool { return name == keptName || strings.HasPrefix(name, keptName+"-") }

// withKeptCheckout is withCheckout in a checkout that stays, so that git writes only the files that differ from those judged before. It is
// still like a new one: without other commits' files, untracked files and ignored files. While another landing uses it, or where a checkout
// holds more than files, a new one is made.
func (m *merging) withKeptCheckout(ctx context.Context, commit string, note func(*registry.Tx) error, fn func(dir string, scratch *git.Repo) error) error {
	dir := worktree.FolderOf(m.r, m.set)
	if err := worktree.RefuseLink(m.r, dir); err != nil {
		return err
	}
	lock, free, err := lockKept(m.g)
	if err != nil {
		return err
	}
	if !free || m.plainFiles() != nil {
		lock.Close()
		return m.withCheckout(ctx, commit, note, fn)
	}
	defer lock.Close()
	name := keptFolder(m.r, dir)
	at := filepath.Join(dir, name)
	if err := checkout.Hide(ctx, m.g, dir); err != nil {
		return err
	}
	m.j.Scratch = ""
	if err := m.noteDown(ctx, note); err != nil {
		return err
	}
	scratch, err := m.reuse(ctx, at, commit)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := checkout.Discard(m.g, name, at); err != nil {
			return err
		}
		if scratch, err = m.makeKept(ctx, at, commit); err != nil {
			return errors.Join(err, checkout.Discard(m.g, name, at))
		}
	}
	m.kept = scratch
	defer func() {
		if !keeps(at, scratch) {
			_ = checkout.Discard(m.g, name, at)
		}
	}()
	if _, err := checkout.CopyIndex(scratch.GitDir, keptIndex()); err != nil {
		return err
	}
	if err := m.Trees.Reach("merge:scratch"); err != nil {
		return err
	}
	return fn(at, scratch)
}

// noReflog keeps git from logging where the checkout was, and from running the user's hooks, which are for people.
var noReflog = git.Options{Config: []string{"core.logAllRefUpdates=false", "core.hooksPath=" + os.DevNull}}

// makeKept makes the checkout. It syncs git's entry for it, since every git reads that; the files need not survive a power cut.
func (m *merging) makeKept(ctx context.Context, at, commit string) (*git.Repo, error) {
	scratch, err := addWhole(ctx, m.g, at, commit)
	if err != nil {
		return nil, err
	}
	entry := scratch.GitDir
	return scratch, m.Trees.Sync(ctx, m.w, []string{filepath.Join(at, ".git"), at, filepath.Join(entry, "HEAD"), filepath.Join(entry, "gitdir"),
		filepath.Join(entry, "commondir"), filepath.Join(entry, "index"), entry, filepath.Dir(entry), filepath.Dir(filepath.Dir(entry))})
}

// keptFiles returns the files of a landing's checkout and log that must be on the disk before the branch moves.
func (m *merging) keptFiles() (paths []string) {
	if m.kept != nil {
		for _, name := range []string{"HEAD", "index"} {
			paths = append(paths, filepath.Join(m.kept.GitDir, name))
		}
	}
	if m.log != "" {
		folder := filepath.Dir(m.log)
		paths = append(paths, m.log, folder, filepath.Dir(folder), filepath.Dir(filepath.Dir(folder)))
	}
	return paths
}

// keeps reports whether a checkout may stay. It may not with submodules, because files that a gate puts there would stay too, nor when a
// gate left a branch checked out, which no other worktree could check out then.
func keeps(at string, scratch *git.Repo) bool {
	_, err := os.Lstat(filepath.Join(at, ".gitmodules"))
	head, headErr := os.ReadFile(filepath.Join(scratch.GitDir, "HEAD"))
	return err != nil && headErr == nil && git.IsOID(strings.TrimSpace(string(head)))
}

// errNotPlain means that checkouts of a repository hold more than the files of a commit.
var errNotPlain = fault.Operation(nil, "the repository has settings for each worktree")

func (m *merging) plainFiles() error {
	config, err := m.g.Config()
	if err != nil {
		return err
	}
	for _, key := range []string{"extensions.worktreeConfig", "core.sparseCheckout"} {
		if on, _ := config.Bool(key); on {
			return errNotPlain
		}
	}
	return nil
}

// reuse brings the existing checkout to a commit. On any error a new one must be made.
func (m *merging) reuse(ctx context.Context, at, commit string) (*git.Repo, error) {
	scratch, err := git.Find(at)
	if err != nil {
		return nil, err
	}
	if !scratch.Linked() || scratch.WorkTree != at || scratch.CommonDir != m.g.CommonDir || checkout.Underway(scratch.GitDir) != "" {
		return nil, errNotPlain
	}
	// This is the index from before the last gate: by its times git finds every file written since, and it has no flags that hide a file.
	if err := os.Rename(filepath.Join(scratch.GitDir, keptIndex()+".index"), filepath.Join(scratch.GitDir, "index")); err != nil {
		return nil, err
	}
	if _, err := scratch.Output(ctx, noReflog, "checkout", "--quiet", "--force", "--detach", commit, "--"); err != nil {
		return nil, err
	}
	_, err = scratch.Run(ctx, "clean", "-ffdxq")
	return scratch, err
}
