package checkout

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// Discard removes the folder and git's entry of a worktree that was never
// handed out. Both are renamed first, so that they vanish at once: a git that
// outlived its killed agit may still write there.
func Discard(g *git.Repo, ref, path string) error {
	for _, entry := range Entries(g, path) {
		if err := discardEntry(g, entry); err != nil {
			return fault.Operation(err, "take back git's entry for %q", path)
		}
	}
	_ = os.Remove(filepath.Join(g.CommonDir, "worktrees")) // git does not keep it when it is empty
	if Gone(path) {
		return nil
	}
	aside := filepath.Join(filepath.Dir(path), ".undone-"+ref)
	if err := os.Rename(path, aside); err != nil {
		return fault.Operation(err, "take back folder %q", path)
	}
	if err := removeAll(aside); err != nil {
		return fault.Operation(err, "take back folder %q", aside)
	}
	_ = os.Remove(filepath.Dir(path)) // fails unless it is empty, as after the first worktree
	return nil
}

// discardEntry moves an entry aside and removes it there, so that git never sees a part of one. The folder aside is shared; the process
// that finds it empty removes it.
func discardEntry(g *git.Repo, entry string) error {
	dir := filepath.Join(g.CommonDir, "agit", "undone")
	aside := filepath.Join(dir, filepath.Base(entry))
	const tries = 100 // a try fails when another process removes the folder just then
	for try := 1; ; try++ {
		switch err := os.MkdirAll(dir, 0o755); {
		case errors.Is(err, fs.ErrExist) && try < tries: // it existed, and then no longer
			continue
		case err != nil:
			return err
		}
		if err := removeAll(aside); err != nil { // of an earlier try
			return err
		}
		err := os.Rename(entry, aside)
		if err == nil || errors.Is(err, fs.ErrNotExist) && Gone(entry) {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || try == tries {
			return err
		}
	}
	if err := removeAll(aside); err != nil {
		return err
	}
	_ = os.Remove(dir)
	return nil
}

// removeAll removes a folder that a process may still write into: the next try removes a file made after its folder was listed.
func removeAll(dir string) (err error) {
	const tries = 10
	for range tries {
		if err = os.RemoveAll(dir); !errors.Is(err, syscall.ENOTEMPTY) {
			return err
		}
	}
	return err
}
