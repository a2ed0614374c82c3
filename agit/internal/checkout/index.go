package checkout

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// CopyIndex copies an index beside it, with its time: git takes entries as new
// as the index itself for unsure.
func CopyIndex(gitDir, name string) (string, error) {
	source := filepath.Join(gitDir, "index")
	target := filepath.Join(gitDir, name+".index")
	content, err := os.ReadFile(source)
	if errors.Is(err, fs.ErrNotExist) {
		return target, nil // nothing was ever staged
	}
	if err != nil {
		return "", fault.Operation(err, "read the index in %q", gitDir)
	}
	info, err := os.Stat(source)
	if err != nil {
		return "", fault.Operation(err, "read the index in %q", gitDir)
	}
	if err := os.WriteFile(target, content, 0o644); err != nil {
		return "", fault.Operation(err, "copy the index in %q", gitDir)
	}
	if err := os.Chtimes(target, time.Time{}, info.ModTime()); err != nil {
		return "", fault.Operation(err, "copy the index in %q", gitDir)
	}
	return target, nil
}

// Committer names the author of commits that people never see.
func Committer() []string {
	return []string{"GIT_AUTHOR_NAME=agit", "GIT_AUTHOR_EMAIL=agit@localhost", "GIT_COMMITTER_NAME=agit", "GIT_COMMITTER_EMAIL=agit@localhost"}
}
