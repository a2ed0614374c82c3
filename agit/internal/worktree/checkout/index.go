package checkout

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
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

// IndexLock is git's own lock on the index of a working tree, held by an operation of ours: as long as it exists, no git stages or commits.
// It outlives a kill and a power cut, and names its owner.
type IndexLock struct{ gitDir, text string }

// MergeLock is the lock that the merge of a worktree holds on the index of a git folder.
func MergeLock(gitDir, ref string) IndexLock {
	return IndexLock{gitDir, "agit merge of " + ref + "\n"}
}

// RemovalLock is the lock that the removal of a worktree holds.
func RemovalLock(gitDir, ref string) IndexLock {
	return IndexLock{gitDir, "agit removal of " + ref + "\n"}
}

func (l IndexLock) file() string { return filepath.Join(l.gitDir, "index.lock") }

// lockTime is how long an operation waits for a git command that is at work in
// the same folder.
const lockTime = 2 * time.Second

// Take waits for the lock of the working tree at path, for the worktree ref. The lock appears under its name with its text in it, so that a
// process killed at that moment never leaves a lock without an owner.
func (l IndexLock) Take(ctx context.Context, ref, path string) error {
	written := l.file() + "." + ref
	err := os.WriteFile(written, []byte(l.text), 0o644)
	if err == nil {
		err = durable.SyncFile(written)
	}
	defer os.Remove(written)
	if err != nil {
		return fault.Operation(err, "lock the index of %q", path)
	}
	for deadline := time.Now().Add(lockTime); ; {
		err := os.Link(written, l.file())
		if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without links
			err = l.create()
		}
		if err == nil {
			if err := durable.SyncFolder(l.gitDir); err != nil {
				_ = os.Remove(l.file())
				return fault.Operation(err, "lock the index of %q", path)
			}
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return fault.Operation(err, "lock the index of %q", path)
		}
		if err := pause(ctx, deadline); err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return fault.Conflict("worktree", ref, "another git command is at work in %q (%s exists)", path, l.file()).WithHint("try again when it is done").Retry()
		}
	}
}

// create takes the lock on a file system without links.
func (l IndexLock) create() error {
	file, err := os.OpenFile(l.file(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err = file.WriteString(l.text); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(l.file())
	}
	return err
}

// Held reports whether the lock exists and is ours.
func (l IndexLock) Held() bool {
	content, err := os.ReadFile(l.file())
	return err == nil && string(content) == l.text
}

// Release lets go of the lock when it is ours.
func (l IndexLock) Release() error {
	if !l.Held() {
		return nil
	}
	if err := os.Remove(l.file()); err != nil {
		return fault.Operation(err, "unlock the index in %q", l.gitDir)
	}
	return nil
}

// BusyIndex returns the lock file of a git command that is at work in a working
// tree, after waiting for it to end; "" when there is none.
func BusyIndex(ctx context.Context, tree *git.Repo) (lock string, err error) {
	lock = filepath.Join(tree.GitDir, "index.lock")
	for deadline := time.Now().Add(lockTime); ; {
		if _, err := os.Lstat(lock); err != nil {
			return "", nil
		}
		if err := pause(ctx, deadline); err != nil || time.Now().After(deadline) {
			return lock, err
		}
	}
}

// pause waits a moment, at most until just after a deadline.
func pause(ctx context.Context, deadline time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(min(20*time.Millisecond, time.Until(deadline)+time.Millisecond)):
		return nil
	}
}

// HiddenEdits returns the paths, of those asked for, whose local edits `git status` skips because their index entries are flagged
// (skip-worktree, assume-unchanged). A missing file is outside a sparse checkout.
func HiddenEdits(ctx context.Context, tree *git.Repo, asked func(path string) bool) (edited []string, err error) {
	out, err := tree.Output(ctx, git.Options{}, "ls-files", "-v", "-z", "--stage")
	if err != nil {
		return nil, err
	}
	for path, oid := range flagged(git.Records(out)) {
		if !asked(path) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(tree.WorkTree, filepath.FromSlash(path))); durable.Missing(err) {
			continue
		}
		now, err := tree.Output(ctx, git.Options{Dir: tree.WorkTree}, "hash-object", "--", path)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil || strings.TrimSpace(string(now)) != oid {
			edited = append(edited, path)
		}
	}
	slices.Sort(edited)
	return edited, nil
}

// flagged reads the output of `git ls-files -v -z --stage`, "tag mode object stage TAB path". It returns the objects of the files, by path,
// whose tag is S (skip-worktree) or in lower case (assume-unchanged).
func flagged(records []string) map[string]string {
	found := map[string]string{}
	for _, record := range records {
		meta, path, ok := strings.Cut(record, "\t")
		part := strings.Fields(meta)
		if !ok || len(part) != 4 || len(part[0]) != 1 || !strings.HasPrefix(part[1], "100") {
			continue
		}
		if tag := part[0][0]; tag == 'S' || 'a' <= tag && tag <= 'z' {
			found[path] = part[2]
		}
	}
	return found
}
