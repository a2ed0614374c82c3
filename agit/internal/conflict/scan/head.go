package scan

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/git"
)

// commits returns the parents that a commit made now in the work tree would have: HEAD, and the commits being merged. There are none on a
// branch without a commit.
func commits(ctx context.Context, repo *git.Repo) ([]string, error) {
	head, err := repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	if head.OID == "" {
		return nil, nil
	}
	parents := []string{head.OID}
	text, err := os.ReadFile(filepath.Join(repo.GitDir, "MERGE_HEAD"))
	if err != nil {
		return parents, nil // no merge under way
	}
	for line := range strings.Lines(string(text)) {
		if oid := strings.TrimSpace(line); git.IsOID(oid) {
			parents = append(parents, oid)
		}
	}
	return parents, nil
}

// submoduleHead is the commit checked out in the submodule at path, "" when none is.
func submoduleHead(ctx context.Context, root string, path []byte) string {
	dir := filepath.Join(root, filepath.FromSlash(string(path)))
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
		return ""
	}
	sub, err := git.Find(dir)
	if err != nil || sub.WorkTree == "" {
		return ""
	}
	head, err := sub.Head(ctx)
	if err != nil {
		return ""
	}
	return head.OID
}
