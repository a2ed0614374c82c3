package verify

import (
	"cmp"
	"context"
	"slices"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/textfile"
)

// writtenFile is a file that a change wrote, into which lines that left another file in the same change may have moved. before is the
// file's text before, nil when it is new.
type writtenFile struct {
	path string
	load func(context.Context) (f, before *textfile.File, err error)
	// from is the old name when git sees a rename.
	from string
	new  bool
}

// followOut finds the targets of traces that left their files in the commit, or in uncommitted changes (""): the file's new name, else
// lines that the same change added to other files.
func (c *Checker) followOut(ctx context.Context, commit string, traces []*trace) error {
	end(traces, died)
	arrivals, err := c.writtenFiles(ctx, commit)
	if err != nil {
		return err
	}
	if commit == "" {
		if err := c.pairRenamed(ctx, traces, arrivals); err != nil {
			return err
		}
	}
	var rest []*trace
	for _, t := range traces {
		k := slices.IndexFunc(arrivals, func(a *writtenFile) bool { return a.from == t.path })
		if k >= 0 && t.last != nil {
			f, _, err := arrivals[k].load(ctx)
			if err != nil {
				return err
			}
			if f != nil && t.step(newFilePair(t.last, f)) {
				t.path, t.end = arrivals[k].path, going
				continue
			}
		}
		rest = append(rest, t)
	}
	if err := findAdded(ctx, rest, arrivals); err != nil {
		return err
	}
	if commit == "" {
		end(unended(traces), arrived)
	}
	return nil
}

// maxChanges bounds the files of a commit that are searched for a line.
const maxChanges = 400

// writtenFiles lists the files that a commit, or uncommitted changes, wrote.
func (c *Checker) writtenFiles(ctx context.Context, commit string) (list []*writtenFile, err error) {
	if commit == "" {
		return c.uncommitted(ctx)
	}
	changes, err := parsed(ctx, c, git.ParseRawChanges, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-commit-id", renameShare,
		"--ignore-submodules=all", commit+"^1", commit, "--")
	if err != nil {
		return nil, err
	}
	for _, change := range changes {
		if change.Mode == git.ModeLink || change.Mode == git.ModeSubmodule || git.ZeroName(change.OID) {
			continue
		}
		a := &writtenFile{path: change.Path, new: git.ZeroName(change.OldOID)}
		if change.Status == 'R' {
			a.from = change.OldPath
		}
		a.load = func(ctx context.Context) (f, before *textfile.File, err error) {
			if f, err = c.blobFile(ctx, change.OID); err == nil && !a.new {
				before, err = c.blobFile(ctx, change.OldOID)
			}
			return f, before, err
		}
		list = append(list, a)
	}
	return list, nil
}

// uncommitted lists the files of the state looked at that differ from the
// commit that it is based on.
func (c *Checker) uncommitted(ctx context.Context) (list []*writtenFile, err error) {
	base := c.Commit()
	changed, err := c.differing(ctx, base, true)
	if err != nil {
		return nil, err
	}
	for p := range changed {
		object, err := c.objects.Read(ctx, base+":"+p, 0)
		if err != nil {
			return nil, err
		}
		a := &writtenFile{path: p, new: object.Found != git.Found}
		a.load = func(ctx context.Context) (f, before *textfile.File, err error) {
			if f, err = c.file(ctx, p); f != nil && !a.new {
				before, err = c.oldFile(ctx, base, p)
			}
			return f, before, err
		}
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b *writtenFile) int { return cmp.Compare(a.path, b.path) })
	return list, nil
}

// pairRenamed finds new files with most of the content of a deleted file: renames that git does not know of yet.
func (c *Checker) pairRenamed(ctx context.Context, traces []*trace, arrivals []*writtenFile) error {
	tried := map[string]bool{}
	for _, t := range traces {
		if tried[t.path] || t.last == nil || len(arrivals) > maxChanges {
			continue
		}
		tried[t.path] = true
		_, got, err := c.read(ctx, t.path)
		if err != nil {
			return err
		}
		if got.is != absent {
			continue
		}
		var best *writtenFile
		share := 0.5
		for _, a := range arrivals {
			if !a.new || a.from != "" {
				continue
			}
			f, _, err := a.load(ctx)
			if err != nil {
				return err
			}
			if f == nil {
				continue
			}
			if s := newFilePair(t.last, f).share(); s > share {
				best, share = a, s
			}
		}
		if best != nil {
			best.from = t.path
		}
	}
	return nil
}

// addedPlace is the best place for a trace among the written files.
type addedPlace struct {
	path   string
	line   int
	run    int // the weight of the neighbours that moved with it
	second int // the same of the next best place
}

// findAdded looks for the lines among those that were added to other files.
func findAdded(ctx context.Context, traces []*trace, arrivals []*writtenFile) error {
	wanted := map[uint64][]*trace{}
	for _, t := range traces {
		if t.last != nil {
			h := t.last.Hashes()[t.line]
			wanted[h] = append(wanted[h], t)
		}
	}
	if len(wanted) == 0 || len(arrivals) > maxChanges {
		return nil
	}
	best := map[*trace]*addedPlace{}
	for _, a := range arrivals {
		f, before, err := a.load(ctx)
		if err != nil {
			return err
		}
		if f == nil || !slices.ContainsFunc(f.Hashes(), func(h uint64) bool { return wanted[h] != nil }) {
			continue
		}
		var from []int
		if before != nil {
			from = newFilePair(before, f).m.From
		}
		for n, hash := range f.Hashes() {
			if before != nil && from[n] >= 0 {
				continue
			}
			for _, t := range wanted[hash] {
				if a.from == t.path {
					continue // it was not found there
				}
				run := apart(t.last, f).run(t.line, n)
				switch b := best[t]; {
				case b == nil:
					best[t] = &addedPlace{a.path, n, run, -1}
				case run > b.run:
					best[t] = &addedPlace{a.path, n, run, b.run}
				default:
					b.second = max(b.second, run)
				}
			}
		}
	}
	for t, l := range best {
		if l.run < distinctive || l.second >= 0 && l.run < l.second+telling {
			continue
		}
		t.turned = t.turned || l.path != t.path
		t.path, t.line, t.end = l.path, l.line, going
	}
	return nil
}
