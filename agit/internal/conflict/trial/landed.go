package trial

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/shared/git"
)

// Picked says whether target has, for every commit of tip that it lacks, one
// with the same patch.
func (s *Store) Picked(ctx context.Context, repo *git.Repo, target, tip string) (bool, error) {
	out, err := repo.Output(ctx, git.Options{Env: s.env()}, "cherry", target, tip)
	if err != nil {
		return false, git.Fault(err, "compare %s with %s", tip, target)
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "+") {
			return false, nil
		}
	}
	return len(out) > 0, nil
}

// Squash makes one commit, in the store, of what lies between base and tip.
func (s *Store) Squash(ctx context.Context, repo *git.Repo, base, tip string) (string, error) {
	o := git.Options{Env: append(s.env(),
		"GIT_AUTHOR_NAME=agit", "GIT_AUTHOR_EMAIL=agit@localhost", "GIT_COMMITTER_NAME=agit", "GIT_COMMITTER_EMAIL=agit@localhost")}
	out, err := repo.Output(ctx, o, "commit-tree", tip+"^{tree}", "-p", base, "-m", "all of it")
	if err != nil {
		return "", git.Fault(err, "make one commit of %s", tip)
	}
	return strings.TrimSpace(string(out)), nil
}
