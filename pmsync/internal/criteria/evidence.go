package criteria

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// look looks for the files, screenshots and commits of evidence in a folder, and
// says what it found. Tests are names that only their own runner knows.
func (e *Evidence) look(ctx context.Context, folder string) (found []string, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fault.Operation(err, "open %q to look for evidence", folder)
	}
	defer root.Close()
	for _, name := range append(append([]string{}, e.Files...), e.Screenshots...) {
		path, _, _ := strings.Cut(name, ":") // a line may follow
		if filepath.IsAbs(path) {
			if inside, err := filepath.Rel(folder, path); err == nil {
				path = inside
			}
		}
		if _, err := root.Stat(filepath.FromSlash(path)); err != nil {
			return nil, missing("file", name, folder)
		}
		found = append(found, name)
	}
	if len(e.Commits) == 0 {
		return found, nil
	}
	repo, err := git.Find(folder)
	if err != nil {
		return nil, fault.Validation("evidence", "commits cannot be looked for: %q is not in a git repository", folder).WithHint("run it in the project's folder, or leave the check out")
	}
	for _, commit := range e.Commits {
		if _, err := repo.Output(ctx, git.Options{}, "rev-parse", "--verify", "--quiet", "--end-of-options", commit+"^{commit}"); err != nil {
			return nil, missing("commit", commit, folder)
		}
		found = append(found, commit)
	}
	return found, nil
}

func missing(kind, name, folder string) error {
	return fault.Validation("evidence", "the %s %q of the evidence does not exist in %q; nothing was changed", kind, name, folder).
		WithHint("name one that exists, or leave the check out")
}
