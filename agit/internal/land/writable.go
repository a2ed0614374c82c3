package land

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// canBeWritten refuses a merge whose files could not be written once the branch is moved, when there is no way back: because a folder is
// not writable, or because a filter does not run here. It touches no file.
func (f workingTree) canBeWritten(ctx context.Context, m *merging, tree *git.Repo) error {
	if shut := shutFolders(f.Path, m.changes, writableFolder); len(shut) > 0 {
		return &Blocked{shown{m.refusal("its files cannot be written in %q, in %s that may not be written: %s", f.Path,
			text.Count(len(shut), "folder", "folders"), text.Few(shut)).WithHint("`ls -ld` shows whose they are; make them writable, then try again")}}
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
			return &Blocked{shown{m.refusal("git cannot write %q in %q: %s", path, f.Path, cause(err)).
				WithHint("its filter (filter.*.smudge in git's configuration) must run here: check that its program is on PATH, then try again")}}
		}
	}
	return nil
}

// cause returns git's words about a failure.
func cause(err error) string {
	if failed, is := errors.AsType[*git.Error](err); is && failed.Cause() != "" {
		return failed.Cause()
	}
	return fault.From(err).Message
}

// writableFolder returns why no file can be made in a folder. A file in its place makes way for the folder.
func writableFolder(path string) error {
	if info, err := os.Lstat(path); err == nil && !info.IsDir() {
		return fs.ErrNotExist
	}
	return durable.Writable(path)
}

// shutFolders returns the folders, relative to top, that are not writable and in which changes would make or remove files.
func shutFolders(top string, changes []git.RawChange, writable func(string) error) (shut []string) {
	if real, err := filepath.EvalSymlinks(top); err == nil { // a link to it is not in the way
		top = real
	}
	seen := map[string]bool{}
	for _, c := range changes {
		for rel := filepath.Dir(filepath.FromSlash(c.Path)); ; rel = filepath.Dir(rel) {
			err := error(nil)
			if !seen[rel] {
				err = writable(filepath.Join(top, rel))
			}
			if durable.Missing(err) && rel != "." {
				continue // it will be made in the folder above
			}
			if err != nil && !durable.Missing(err) {
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
	for _, c := range changes {
		if c.Status != 'D' && strings.HasPrefix(c.Mode, "100") {
			paths = append(paths, c.Path)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	if paths, err = attributed(ctx, tree, git.Options{}, paths, "filter"); err != nil {
		return nil, git.Fault(err, "look for filters of %q", tree.WorkTree)
	}
	return paths, nil
}

// attributed returns those of some paths that have a value of one of the attributes.
func attributed(ctx context.Context, g *git.Repo, o git.Options, paths []string, attributes ...string) ([]string, error) {
	o.Stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	out, err := g.Output(ctx, o, append([]string{"check-attr", "-z", "--stdin"}, attributes...)...)
	return parseFilters(git.Records(out)), err
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

// spareRoom is the space that a disk must have left besides the files of a merge, for git's own files and the registry's.
const spareRoom = 1 << 20

// roomFor refuses a merge whose files would not fit on the disk: once the branch is moved there is no way back.
func (f workingTree) roomFor(ctx context.Context, m *merging) error {
	free, known := durable.Free(f.Path)
	if !known {
		return nil
	}
	var names bytes.Buffer
	for _, c := range m.changes {
		if c.Status != 'D' && c.Mode != gitlink {
			names.WriteString(c.OID + "\n")
		}
	}
	out, err := m.g.Output(ctx, git.Options{Stdin: &names}, "cat-file", "--batch-check=%(objectsize)")
	if err != nil {
		return git.Fault(err, "measure the merge of %q", m.w.Ref)
	}
	return m.refuseRoom(f.Path, roomNeeded(string(out)), free)
}

// roomNeeded returns the space in bytes for the files whose sizes `git cat-file` prints. It leaves out missing ones: a partial clone fetches
// them when it writes them.
func roomNeeded(sizes string) (need uint64) {
	need = spareRoom
	for _, size := range strings.Fields(sizes) {
		if n, err := strconv.ParseUint(size, 10, 63); err == nil {
			need += n
		}
	}
	return need
}

// refuseRoom refuses to write files that need more bytes in a folder than its disk has free.
func (m *merging) refuseRoom(folder string, need, free uint64) error {
	if need <= free {
		return nil
	}
	return fault.Operation(nil, "worktree %q was not %s: its files need up to %d MB in %q and the disk has %d MB left", m.w.Ref, m.deed, need>>20, folder, free>>20).
		WithHint("free some space, then try again").About("worktree", m.w.Ref).Retry()
}
