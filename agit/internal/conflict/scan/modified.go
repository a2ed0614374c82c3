package scan

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gitindex"
)

// work decides which suspects really differ from the index, by content. It returns them with the content of all files that it read.
func (t *Tree) work(ctx context.Context, seen *seen, list listing, last *Snapshot, objects func() (string, error)) (changes []Change, read map[string]content, err error) {
	if read, err = t.readSuspects(ctx, seen, list, last); err != nil {
		return nil, nil, err
	}
	filtered, err := t.filtered(ctx, seen.index, list, read, objects)
	if err != nil {
		return nil, nil, err
	}
	for _, i := range seen.suspects {
		e := &seen.index.Entries[i]
		if t.skip(e) {
			continue
		}
		c := Change{Path: string(e.Name)}
		if e.Stage == 0 && !e.IntentToAdd {
			c.From = entryBlob(e)
		}
		t.fill(&c, e, seen, i, read, filtered)
		if c.To != c.From || e.Stage != 0 {
			changes = append(changes, c)
		}
	}
	for _, path := range list.files {
		c := Change{Path: path}
		t.fill(&c, nil, seen, -1, read, filtered)
		if c.To.Mode != 0 {
			changes = append(changes, c)
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, read, nil
}

// readSuspects reads the files that may differ, except those unchanged since the last snapshot, and returns them by path.
func (t *Tree) readSuspects(ctx context.Context, seen *seen, list listing, last *Snapshot) (map[string]content, error) {
	known := map[string]*Change{}
	if last != nil {
		for i := range last.Work {
			known[last.Work[i].Path] = &last.Work[i]
		}
	}
	read := map[string]content{}
	look := func(path string, st Stat) (err error) {
		if c := known[path]; c != nil && !c.Converted && c.Stat.exists() && c.Stat == st {
			read[path] = content{oid: c.To.OID, stat: st}
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		c, err := readContent(filepath.Join(t.Repo.WorkTree, filepath.FromSlash(path)), t.settings.Hash)
		if err == nil {
			read[path] = c
		} else if !errors.Is(err, fs.ErrNotExist) {
			return fault.Operation(err, "read %q in %q", path, t.Repo.WorkTree)
		}
		return nil
	}
	for _, i := range seen.suspects {
		e, st := &seen.index.Entries[i], seen.stats[i]
		if t.skip(e) || e.Mode == gitindex.ModeGitlink && st.Mode == modeFolder {
			continue
		}
		if st.exists() && st.Mode != modeFolder {
			if err := look(string(e.Name), st); err != nil {
				return nil, err
			}
		}
	}
	for _, path := range list.files {
		st := statPath(filepath.Join(t.Repo.WorkTree, filepath.FromSlash(path)))
		if err := look(path, st); err != nil {
			return nil, err
		}
	}
	return read, nil
}

// skip reports whether the user told git not to look at the file.
func (t *Tree) skip(e *gitindex.Entry) bool {
	return e.SkipWorktree && e.Stage == 0 && !t.settings.Sparse
}

// fill sets the file's new state in c. e is its index entry, nil when untracked.
func (t *Tree) fill(c *Change, e *gitindex.Entry, seen *seen, i int, read map[string]content, filtered map[string]Blob) {
	if e != nil && e.Mode == gitindex.ModeGitlink && seen.stats[i].Mode == modeFolder {
		c.To = Blob{Mode: gitindex.ModeGitlink, OID: seen.head(e.Name)}
		return
	}
	if blob, ok := filtered[c.Path]; ok {
		c.To, c.Converted, c.Stat = blob, true, read[c.Path].stat
		return
	}
	got, ok := read[c.Path]
	if !ok {
		return // deleted, or replaced by a folder
	}
	staged := uint32(0)
	if e != nil {
		staged = e.Mode
	}
	c.To = Blob{Mode: recorded(got.stat.Mode, staged, t.settings.FileMode, t.settings.Symlinks), OID: got.oid}
	c.Stat = got.stat
}

// recorded returns the mode that git would record for a file: from the mode on disk, the staged one (0 for none), and whether the disk has
// executable bits and symbolic links.
func recorded(found, staged uint32, bits, links bool) uint32 {
	isFile := func(mode uint32) bool { return gitindex.Type(mode) == gitindex.Type(gitindex.ModeFile) }
	switch {
	case !isFile(found):
		return found
	case staged == gitindex.ModeSymlink && !links:
		return staged
	case bits:
		return found
	case isFile(staged):
		return staged
	}
	return gitindex.ModeFile
}

// filtered has git store the files whose bytes it would change.
func (t *Tree) filtered(ctx context.Context, ix *gitindex.Index, list listing, read map[string]content, objects func() (string, error)) (map[string]Blob, error) {
	var extra []string
	for _, w := range list.watch {
		extra = append(extra, w.path)
	}
	through, err := t.converted(ctx, ix, append(extra, list.files...), read)
	if err != nil || len(through) == 0 {
		return nil, err
	}
	store, err := objects()
	if err != nil {
		return nil, err
	}
	return t.Clean(ctx, store, slices.Sorted(maps.Keys(through)))
}
