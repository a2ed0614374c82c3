package checkout

import (
	"errors"
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
	_ = os.Remove(filepath.Join(g.CommonDir, "worktrees")) // git keeps no empty one
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
	_ = os.Remove(filepath.Dir(path)) // only when it was the first
	return nil
}

func discardEntry(g *git.Repo, entry string) error {
	dir := filepath.Join(g.CommonDir, "agit", "undone")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	aside := filepath.Join(dir, filepath.Base(entry))
	if err := removeAll(aside); err != nil { // of an earlier try
		return err
	}
	if err := os.Rename(entry, aside); err != nil {
		return err
	}
	if err := removeAll(aside); err != nil {
		return err
	}
	_ = os.Remove(dir)
	return nil
}

// removeAll removes a folder that a process may be writing into: a file made
// after its folder was listed is met by the next try.
func removeAll(dir string) (err error) {
	const tries = 10
	for range tries {
		if err = os.RemoveAll(dir); !errors.Is(err, syscall.ENOTEMPTY) {
			return err
		}
	}
	return err
}
