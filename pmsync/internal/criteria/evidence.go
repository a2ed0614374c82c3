package criteria

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// ParseEvidence reads evidence as tools take it: notes, and lists of files, tests, commits and screenshots. A single text may stand for a
// list of one.
func ParseEvidence(given map[string]any) (e Evidence, err error) {
	lists := map[string]*[]string{"files": &e.Files, "tests": &e.Tests, "commits": &e.Commits, "screenshots": &e.Screenshots}
	for name, value := range given {
		list, known := lists[name]
		text, isText := value.(string)
		switch {
		case name == "notes" && isText:
			e.Notes = text
		case !known:
			return e, fault.Validation("evidence", "evidence has no %q", name).WithHint("give lists of files, tests, commits and screenshots, and notes")
		case isText:
			*list = []string{text}
		default:
			all, isList := value.([]any)
			if !isList {
				return e, fault.Validation("evidence", "%s of the evidence is not a list", name).WithHint("give a list of texts")
			}
			for _, one := range all {
				text, isText := one.(string)
				if !isText {
					return e, fault.Validation("evidence", "%s of the evidence holds something other than texts", name).WithHint("give a list of texts")
				}
				*list = append(*list, text)
			}
		}
	}
	return e, nil
}

// look checks that the files, screenshots and commits of evidence exist in a folder, and returns those it found; a missing one is a fault.
// It replaces each commit by its hash, since HEAD or a branch names another commit tomorrow. Tests are not checked: only their own runner
// knows their names.
func (e *Evidence) look(ctx context.Context, folder string) (found []string, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fault.Operation(err, "open %q to look for evidence", folder)
	}
	defer root.Close()
	for _, name := range append(append([]string{}, e.Files...), e.Screenshots...) {
		path, _, _ := strings.Cut(name, ":") // a line number may follow
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
	for i, commit := range e.Commits {
		hash, err := repo.Output(ctx, git.Options{}, "rev-parse", "--verify", "--quiet", "--end-of-options", commit+"^{commit}")
		if err != nil {
			return nil, missing("commit", commit, folder)
		}
		e.Commits[i] = strings.TrimSpace(string(hash))
		found = append(found, commit)
	}
	return found, nil
}

func missing(kind, name, folder string) error {
	return fault.Validation("evidence", "the %s %q of the evidence does not exist in %q; nothing was changed", kind, name, folder).
		WithHint("name an existing one, or leave the check out")
}
