package checkout

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// CopyIndex copies an index beside it, and returns the path of the copy, which is
// missing where nothing was ever staged.
func CopyIndex(gitDir, name string) (string, error) {
	target := filepath.Join(gitDir, name+".index")
	return target, CopyIndexTo(gitDir, target)
}

// CopyIndexTo copies the index of a git folder to a path and keeps its time, because git does not trust entries as new as the index itself.
func CopyIndexTo(gitDir, target string) error {
	source := filepath.Join(gitDir, "index")
	content, err := os.ReadFile(source)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was ever staged
	}
	if err != nil {
		return fault.Operation(err, "read the index in %q", gitDir)
	}
	info, err := os.Stat(source)
	if err != nil {
		return fault.Operation(err, "read the index in %q", gitDir)
	}
	if err = os.WriteFile(target, content, 0o644); err == nil {
		err = os.Chtimes(target, time.Time{}, info.ModTime())
	}
	if err != nil {
		return fault.Operation(err, "copy the index in %q", gitDir)
	}
	return nil
}

// Committer names the author of commits that people never see.
func Committer() []string {
	return []string{"GIT_AUTHOR_NAME=agit", "GIT_AUTHOR_EMAIL=agit@localhost", "GIT_COMMITTER_NAME=agit", "GIT_COMMITTER_EMAIL=agit@localhost"}
}
