// Package mergetree asks git what would happen: it turns the states of work trees
// into commits and merges them, in a throwaway object store that borrows from
// the repository's own. Attributes, merge drivers, grafts and configuration are
// the user's, since git runs in the user's work trees; only the place where new
// objects go is another.
//
// Nothing is written to the repository: no object, ref, index or file. (Git may
// refresh the time stamp of an object there that it would have written again.)
// Hunks and Merges of an ObjectStore may run at the same time; Import may not.
//
// objectstore.go has the throwaway store, which also looks for patches that a
// branch has already, ram_*.go where it lies; import.go makes commits of dirty
// states; merge.go merges them; diff.go and hunks.go compare, catfile.go reads
// objects. Package conflict decides which states are worth a merge.
package mergetree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// ObjectStore is a throwaway object store.
type ObjectStore struct {
	dir  string
	repo *git.Repo // a bare repository around the store, for commands that write refs
}

// New makes a store in folder, or in the system's temporary folder when that is empty. It borrows the objects of the repository at
// commonDir, and those of more object directories. The caller closes it.
func New(folder, commonDir string, hash scan.Hash, more ...string) (*ObjectStore, error) {
	if folder == "" {
		folder = os.TempDir()
	} else if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fault.Operation(err, "make the folder %q", folder)
	}
	tidyFolder(folder)
	dir, err := os.MkdirTemp(folder, prefix+"*")
	if err != nil {
		return nil, fault.Operation(err, "make a temporary folder").WithHint("check the space and the permissions of %q", folder)
	}
	s := &ObjectStore{dir: dir, repo: &git.Repo{GitDir: dir, CommonDir: dir, Bare: true}}
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if hash == scan.SHA256 {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
	}
	borrowed := git.Quote(filepath.Join(commonDir, "objects")) + "\n"
	for _, objects := range more {
		borrowed += git.Quote(objects) + "\n"
	}
	err = errors.Join(
		os.MkdirAll(filepath.Join(s.Objects(), "info"), 0o755),
		os.MkdirAll(filepath.Join(s.Objects(), "pack"), 0o755),
		os.Mkdir(filepath.Join(dir, "refs"), 0o755),
		os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o644),
		os.WriteFile(filepath.Join(s.Objects(), "info", "alternates"), []byte(borrowed), 0o644),
	)
	if err != nil {
		s.Close()
		return nil, fault.Operation(err, "make a temporary object store")
	}
	return s, nil
}

// prefix begins the names of the stores' folders.
const prefix = "agit-trial-"

// tidyFolder removes stores left behind by killed processes: those older than a day, longer than any scan takes.
func tidyFolder(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			os.RemoveAll(filepath.Join(folder, e.Name()))
		}
	}
}

// Objects returns the folder of new objects.
func (s *ObjectStore) Objects() string { return filepath.Join(s.dir, "objects") }

// Close removes the store.
func (s *ObjectStore) Close() error { return os.RemoveAll(s.dir) }

// env makes git put new objects into the store; a nil store is the repository's own.
func (s *ObjectStore) env() []string {
	if s == nil {
		return nil
	}
	return []string{"GIT_OBJECT_DIRECTORY=" + s.Objects()}
}

// own makes git treat the store as a repository.
func (s *ObjectStore) own(o git.Options) git.Options {
	o.Env = append(o.Env, "GIT_DIR="+s.dir)
	return o
}

// Picked reports whether target has, for every commit of tip that it lacks, a commit with the same patch.
func (s *ObjectStore) Picked(ctx context.Context, repo *git.Repo, target, tip string) (bool, error) {
	return checkout.Picked(ctx, repo, git.Options{Env: s.env()}, tip, target)
}

// Squash makes one commit, in the store, of the changes between base and tip.
func (s *ObjectStore) Squash(ctx context.Context, repo *git.Repo, base, tip string) (string, error) {
	return checkout.Squash(ctx, repo, git.Options{Env: s.env()}, base, tip)
}
