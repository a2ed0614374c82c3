package git

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/durable"
)

// Git syncs packs and, since 2.36, refs, but not loose objects, reflogs, checked-out files, nor the folders with the names of all these:
// after a power cut a branch may name a commit of no bytes. A caller that promises durability syncs what these functions list
// (durable.Sync), objects before the ref that leads to them.

// lasting are the settings for every run of git. They override the user's settings that would stop it from syncing the refs it writes, the
// repository's settings that would run a program when files are listed or look into other repositories, and settings of either that would
// make it go into submodules or write texts in another encoding than they are read in.
var lasting = append([]string{"core.fsync=reference,pack,pack-metadata", "core.fsyncMethod=fsync", "submodule.recurse=false",
	"i18n.logOutputEncoding=UTF-8", "i18n.commitEncoding=UTF-8"}, harmless...)

// harmless are the settings that hold even for output that a person looks at. A replacement (git replace) would show other bytes than those
// that land.
var harmless = []string{"core.fsmonitor=false", "core.useReplaceRefs=false", "diff.ignoreSubmodules=dirty"}

// settled is the age at which every system has written a file back by itself;
// Linux and macOS take half a minute.
const settled = time.Hour

// slack is how far a sync of objects looks back beyond the last one, for file systems with coarse times and for clocks that are adjusted.
const slack = 2 * time.Second

// FreshObjects are the loose objects and packs of a repository that may not be on the disk yet, whoever wrote them: the agent's git wrote
// the objects that a merge needs of a branch, and git writes no object twice.
type FreshObjects struct {
	Paths []string // with the folders that hold their names

	stamp string    // file with the time up to which all was synced
	until time.Time // by the clock of the file system, from before objects were listed
}

// FreshObjects lists them. Call Synced on the result once they are synced.
func (r *Repo) FreshObjects() FreshObjects {
	f := FreshObjects{stamp: filepath.Join(r.CommonDir, "agit", "objects-synced")}
	before, now := touch(f.stamp)
	f.until = now
	if now.IsZero() {
		now = time.Now()
	}
	f.Paths = freshObjects(filepath.Join(r.CommonDir, "objects"), freshSince(before, now))
	return f
}

// Synced records that all of them were synced, so that the next call leaves them out. A record that is lost, or cannot be written, only
// costs time.
func (f FreshObjects) Synced() {
	if !f.until.IsZero() {
		_ = os.WriteFile(f.stamp, []byte(f.until.UTC().Format(time.RFC3339Nano)), 0o644)
	}
}

// touch makes a file, or writes it again unchanged. It returns the content and the resulting time of the file system, zero if the file
// cannot be written.
func touch(path string) (content string, at time.Time) {
	held, err := os.ReadFile(path)
	if err != nil {
		_ = durable.MkdirAll(filepath.Dir(path), 0o755)
	}
	if len(held) == 0 {
		held = []byte("never") // writing nothing would leave the time as it is
	}
	if err := os.WriteFile(path, held, 0o644); err != nil {
		return string(held), time.Time{}
	}
	info, err := os.Stat(path)
	if err != nil {
		return string(held), time.Time{}
	}
	return string(held), info.ModTime()
}

// freshSince returns the time from which on objects may not be on the disk. A stamp from the future means that the clock was set back, and
// is ignored.
func freshSince(stamp string, now time.Time) time.Time {
	since := now.Add(-settled)
	if synced, err := time.Parse(time.RFC3339Nano, stamp); err == nil && !synced.After(now) && synced.Add(-slack).After(since) {
		return synced.Add(-slack)
	}
	return since
}

func freshObjects(root string, since time.Time) (paths []string) {
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
		path := filepath.Join(dir, e.Name())
		if at, err := placed(path); err == nil && !at.Before(since) {
			paths = append(paths, path)
		}
	}
	return paths
}

// RefFiles lists the files that hold refs (full names, including deleted ones) and their reflogs, and the folders that hold the names of
// these files.
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
