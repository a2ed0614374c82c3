package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
)

// MarkFile, in the common git directory, holds the uid of the registered repository, so that a folder that was moved is recognised. A copy
// of a repository carries the mark too; it means nothing while the original exists.
const MarkFile = "agit/repo"

// Mark returns the uid in the mark of a common git directory, "" without one.
func Mark(commonDir string) string {
	content, err := os.ReadFile(filepath.Join(commonDir, filepath.FromSlash(MarkFile)))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}

// moved returns the project of the registered repository with a mark, once its folder is gone from where it was registered. It returns
// registry.ErrNoRows for every other mark.
func moved(tx *registry.Tx, mark string) (Project, error) {
	var was string
	p, err := scanWith(tx.QueryRow(`SELECT `+columns+`, origin.common_dir FROM projects
		JOIN (SELECT project_id, common_dir FROM repos WHERE uid = ? AND host = ? AND removed_at IS NULL) origin ON origin.project_id = projects.id
		WHERE projects.remote IS NULL AND projects.deleted_at IS NULL`, mark, registry.Host()), &was)
	if err != nil {
		return Project{}, err
	}
	if _, err := os.Stat(was); !errors.Is(err, fs.ErrNotExist) {
		return Project{}, registry.ErrNoRows
	}
	return p, nil
}
