package git

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
)

// After a power cut or on a failing disk, files that were not synced can be names without content. The functions below look for them and
// change nothing.

// DamagedObjects lists the files of loose objects that are empty or whose header git cannot read: a power cut leaves zeros. The rest of
// each file is not read.
func (r *Repo) DamagedObjects(ctx context.Context) (paths []string, err error) {
	root := filepath.Join(r.CommonDir, "objects")
	var names bytes.Buffer
	folders, _ := os.ReadDir(root)
	for _, folder := range folders {
		if len(folder.Name()) != 2 {
			continue
		}
		entries, _ := os.ReadDir(filepath.Join(root, folder.Name()))
		for _, e := range entries {
			oid := folder.Name() + e.Name()
			if info, err := e.Info(); err != nil || !info.Mode().IsRegular() || !IsOID(oid) {
				continue
			} else if info.Size() == 0 {
				paths = append(paths, filepath.Join(root, folder.Name(), e.Name()))
			} else {
				names.WriteString(oid + "\n")
			}
		}
	}
	if names.Len() == 0 {
		return paths, nil
	}
	out, err := r.Output(ctx, Options{Stdin: &names}, "cat-file", "--batch-check", "--buffer")
	for line := range strings.Lines(string(out)) {
		if oid, missing := strings.CutSuffix(strings.TrimSpace(line), " missing"); missing && IsOID(oid) {
			if path := filepath.Join(root, oid[:2], oid[2:]); exists(path) { // or packed meanwhile
				paths = append(paths, path)
			}
		}
	}
	return paths, err
}

// EmptyPointers lists git's entries of worktrees whose commondir is an empty file, as a killed `git worktree add` leaves it. With one of
// them git fails to list, add and pack in the whole repository. CompletePointer mends one.
func (r *Repo) EmptyPointers() (entries []string) {
	root := filepath.Join(r.CommonDir, "worktrees")
	folders, _ := os.ReadDir(root)
	for _, folder := range folders {
		if info, err := os.Lstat(filepath.Join(root, folder.Name(), "commondir")); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			entries = append(entries, filepath.Join(root, folder.Name()))
		}
	}
	return entries
}

// CompletePointer writes what git itself writes into the commondir of an entry, if the entry is still there. A git that is about to write
// it is not disturbed.
func CompletePointer(entry string) error {
	err := durable.WriteFile(filepath.Join(entry, "commondir"), []byte("../..\n"), 0o644)
	if err != nil && exists(entry) {
		return fault.Operation(err, "complete git's entry %q", entry)
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// DamagedRefs lists the loose refs, by full name, that do not name an object.
func (r *Repo) DamagedRefs() (names []string) {
	if r.otherRefFormat() {
		return nil
	}
	_ = filepath.WalkDir(filepath.Join(r.CommonDir, "refs"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || strings.HasSuffix(path, ".lock") {
			return nil
		}
		if text, err := os.ReadFile(path); err == nil && !namesObject(string(text)) {
			if name, err := filepath.Rel(r.CommonDir, path); err == nil {
				names = append(names, filepath.ToSlash(name))
			}
		}
		return nil
	})
	return names
}

// namesObject reports whether a ref's file holds an object's name or another ref's.
func namesObject(text string) bool {
	text = strings.TrimSpace(text)
	return IsOID(text) || strings.HasPrefix(text, "ref:")
}

// DamagedLogs lists the reflogs, of refs and of worktrees, that hold zero bytes.
func (r *Repo) DamagedLogs() (paths []string) {
	for _, root := range []string{filepath.Join(r.CommonDir, "logs"), filepath.Join(r.CommonDir, "worktrees")} {
		_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || !strings.Contains(path, string(filepath.Separator)+"logs"+string(filepath.Separator)) {
				return nil
			}
			if text, err := os.ReadFile(path); err == nil && bytes.IndexByte(text, 0) >= 0 {
				paths = append(paths, path)
			}
			return nil
		})
	}
	return paths
}

// LastLogged returns the object that a ref named last according to its reflog, or "" when the reflog does not show it.
func (r *Repo) LastLogged(ref string) (oid string) {
	return lastLogged(filepath.Join(r.CommonDir, "logs", filepath.FromSlash(ref)))
}

// LastHead returns where HEAD of this worktree pointed last according to its reflog, or "" when the reflog does not show it.
func (r *Repo) LastHead() string { return lastLogged(filepath.Join(r.GitDir, "logs", "HEAD")) }

func lastLogged(file string) (oid string) {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && IsOID(fields[1]) && strings.Trim(fields[1], "0") != "" {
			oid = fields[1]
		}
	}
	return oid
}

// recent is how many commits behind its tips Whole looks at: only the last writes can be lost.
const recent = "200"

// Whole proves that git finds every object of the last commits that lead to the
// given ones; the error is git's.
func (r *Repo) Whole(ctx context.Context, commits []string) error {
	if len(commits) == 0 {
		return nil
	}
	_, err := r.Output(ctx, Options{Stdin: strings.NewReader(strings.Join(commits, "\n") + "\n")},
		"rev-list", "--objects", "--quiet", "--missing=allow-promisor", "--max-count="+recent, "--stdin")
	return err
}
