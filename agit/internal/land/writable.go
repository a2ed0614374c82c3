package land

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// canBeWritten refuses a merge whose files could not be written once the branch is moved, when there is no way back: because a folder is
// not writable, or because a filter does not run here. It touches no file.
func (f workingTree) canBeWritten(ctx context.Context, m *merging, tree *git.Repo) error {
	if shut := shutFolders(f.Path, m.changes, durable.Writable); len(shut) > 0 {
		return m.refusal("its files cannot be written in %q, in %s that may not be written: %s", f.Path,
			text.Count(len(shut), "folder", "folders"), text.Few(shut)).WithHint("`ls -ld` shows whose they are; make them writable, then try again")
	}
	filtered, err := filteredPaths(ctx, tree, m.changes)
	if err != nil {
		return err
	}
	for _, path := range filtered {
		if _, err := tree.Output(ctx, git.Options{Stdout: io.Discard}, "cat-file", "--filters", m.j.New+":"+path); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return m.refusal("git cannot write %q in %q: %s", path, f.Path, cause(err)).
				WithHint("its filter (filter.*.smudge in git's configuration) must run here: check that its program is on PATH, then try again")
		}
	}
	return nil
}

// cause returns git's words about a failure.
func cause(err error) string {
	var failed *git.Error
	if errors.As(err, &failed) && failed.Cause() != "" {
		return failed.Cause()
	}
	return fault.From(err).Message
}

// shutFolders returns the folders, relative to top, that are not writable and in which changes would make or remove files.
func shutFolders(top string, changes []git.RawChange, writable func(string) error) (shut []string) {
	seen := map[string]bool{}
	for _, c := range changes {
		for rel := filepath.Dir(filepath.FromSlash(c.Path)); ; rel = filepath.Dir(rel) {
			err := error(nil)
			if !seen[rel] {
				err = writable(filepath.Join(top, rel))
			}
			if errors.Is(err, fs.ErrNotExist) && rel != "." {
				continue // it will be made in the folder above
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				shut = append(shut, filepath.ToSlash(rel))
			}
			seen[rel] = true
			break
		}
	}
	return shut
}

// filteredPaths are the changed files that a filter writes.
func filteredPaths(ctx context.Context, tree *git.Repo, changes []git.RawChange) (paths []string, err error) {
	var names strings.Builder
	for _, c := range changes {
		if c.Status != 'D' && strings.HasPrefix(c.Mode, "100") {
			names.WriteString(c.Path + "\x00")
		}
	}
	if names.Len() == 0 {
		return nil, nil
	}
	out, err := tree.Output(ctx, git.Options{Stdin: strings.NewReader(names.String())}, "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return nil, git.Fault(err, "look for filters of %q", tree.WorkTree)
	}
	return parseFilters(git.Records(out)), nil
}

// parseFilters reads the output of `git check-attr -z`: path, attribute, value, repeated.
func parseFilters(records []string) (paths []string) {
	for i := 0; i+2 < len(records); i += 3 {
		switch records[i+2] {
		case "unspecified", "unset", "set", "":
		default:
			paths = append(paths, records[i])
		}
	}
	return paths
}
