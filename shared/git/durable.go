package git

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Git syncs packs and, since 2.36, refs, but neither loose objects, nor reflogs,
// nor the files it checks out, nor the folders in which all of these get their
// names: after a power cut a branch may name a commit of no bytes. Whoever
// promises that something is there syncs what these functions name
// (durable.Sync), objects before the ref that leads to them.

// lasting are the settings for every git that is run: a user's own must not keep
// it from syncing the refs it writes.
var lasting = []string{"core.fsync=reference,pack,pack-metadata", "core.fsyncMethod=fsync"}

// settled is the age at which every system has written a file back by itself;
// Linux and macOS take half a minute.
const settled = time.Hour

// FreshObjects lists the loose objects and packs, with their folders, that may
// not be on the disk yet, whoever wrote them: what a merge needs of a branch was
// written by the agent's git, and git writes no object twice.
func (r *Repo) FreshObjects() (paths []string) {
	root := filepath.Join(r.CommonDir, "objects")
	since := time.Now().Add(-settled)
	folders, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	for _, folder := range folders {
		if name := folder.Name(); len(name) == 2 || name == "pack" {
			dir := filepath.Join(root, name)
			if info, err := folder.Info(); err != nil || info.ModTime().Before(since) {
				continue // nothing was added to it
			}
			paths = append(paths, dir)
			paths = append(paths, fresh(dir, since)...)
		}
	}
	if len(paths) > 0 {
		paths = append(paths, root)
	}
	return paths
}

func fresh(dir string, since time.Time) (paths []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || strings.HasPrefix(e.Name(), "tmp_") {
			continue
		}
		if info, err := e.Info(); err == nil && !info.ModTime().Before(since) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}

// RefFiles lists what keeps refs (full names, also deleted ones) and their
// reflogs: files, and the folders that hold their names.
func (r *Repo) RefFiles(refs ...string) (paths []string) {
	if r.otherRefFormat() {
		_ = filepath.WalkDir(filepath.Join(r.CommonDir, "reftable"), func(path string, _ fs.DirEntry, _ error) error {
			paths = append(paths, path)
			return nil
		})
		return paths
	}
	seen := map[string]bool{}
	add := func(path string) {
		for ; !seen[path]; path = filepath.Dir(path) {
			seen[path] = true
			paths = append(paths, path)
			if path == r.CommonDir || path == r.GitDir || path == filepath.Dir(path) {
				return
			}
		}
	}
	for _, ref := range refs {
		local := filepath.FromSlash(ref)
		add(filepath.Join(r.CommonDir, local))
		add(filepath.Join(r.CommonDir, "logs", local))
	}
	add(filepath.Join(r.CommonDir, "packed-refs"))
	add(filepath.Join(r.GitDir, "HEAD"))
	add(filepath.Join(r.GitDir, "logs", "HEAD"))
	return paths
}
