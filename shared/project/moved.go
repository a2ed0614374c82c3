package project

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
)

// MarkFile, in the common git directory, holds the uid of the registered repository, so that a folder that was moved is recognised. A copy
// of a repository has the mark too; it means nothing while the original, with the mark, is in its place.
const MarkFile = "agit/repo"

// Mark returns the uid in the mark of a common git directory, "" without one.
func Mark(commonDir string) string {
	content, err := os.ReadFile(filepath.Join(commonDir, filepath.FromSlash(MarkFile)))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}

// marked returns the project of the registered repository with the mark of an identity, when that repository is in the identity's folder, or
// is not where it was registered any more. A project takes another remote along only if it is of no other repository or folder. It returns
// registry.ErrNoRows for every other mark.
func marked(tx *registry.Tx, id Identity) (Project, error) {
	var place, commonDir string
	p, err := scanWith(tx.QueryRow(`SELECT `+columns+`, origin.path, origin.common_dir FROM projects
		JOIN (SELECT project_id, path, common_dir FROM repos WHERE uid = ? AND host = ? AND removed_at IS NULL) origin ON origin.project_id = projects.id
		WHERE projects.deleted_at IS NULL AND (? = ''
			OR NOT EXISTS (SELECT 1 FROM repos WHERE repos.project_id = projects.id AND repos.uid <> ? AND repos.removed_at IS NULL)
			AND NOT EXISTS (SELECT 1 FROM project_folders f WHERE f.project_id = projects.id AND (f.host <> ? OR f.path <> ? AND f.path <> origin.path)))`,
		id.Mark, registry.Host(), id.Remote, id.Mark, registry.Host(), id.Folder), &place, &commonDir)
	if err != nil {
		return Project{}, err
	}
	if place != id.Folder && Mark(commonDir) == id.Mark {
		return Project{}, registry.ErrNoRows
	}
	return p, nil
}
