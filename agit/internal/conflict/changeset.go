package conflict

import (
	"iter"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/agit/internal/conflict/scan"
)

// changeset is a set of changed paths, prepared so that two of them can be compared quickly. Each state has a changeset of its own, against
// its base. When two states have another base in common, a second changeset holds the difference between that base and the state's own; all
// states of one base share it.
type changeset struct {
	files map[string]change
	added map[string]bool // files that were not there before
	// Folders, without the root, that a file came to or went from.
	addedIn, deletedIn map[string]bool
}

type change struct{ from, to scan.Blob }

func newChangeset() *changeset {
	return &changeset{files: map[string]change{}, added: map[string]bool{}, addedIn: map[string]bool{}, deletedIn: map[string]bool{}}
}

func (l *changeset) add(path string, c change) {
	if c.from == c.to {
		return
	}
	l.files[path] = c
	var in map[string]bool
	switch {
	case c.from.Mode == 0:
		l.added[path] = true
		in = l.addedIn
	case c.to.Mode == 0:
		in = l.deletedIn
	default:
		return
	}
	for dir := range folders(path) {
		if in[dir] {
			return
		}
		in[dir] = true
	}
}

// folders yields the folders that path is in, without the root, the nearest first.
func folders(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			slash := strings.LastIndexByte(path, '/')
			if slash < 0 {
				return
			}
			if path = path[:slash]; !yield(path) {
				return
			}
		}
	}
}

func changesetOf(entries map[string]*entry) *changeset {
	l := newChangeset()
	for path, e := range entries {
		l.add(path, change{e.Base, e.Now})
	}
	return l
}

func changesetOfDiffs(diffs []mergetree.Diff) *changeset {
	l := newChangeset()
	for _, d := range diffs {
		l.add(d.Path, change{d.From, d.To})
	}
	return l
}

// entries returns the paths as entries of a state.
func (l *changeset) entries() map[string]*entry {
	all := make(map[string]*entry, len(l.files))
	for path, c := range l.files {
		all[path] = &entry{Path: path, Base: c.from, Head: c.to, Now: c.to}
	}
	return all
}

// meets reports whether merging states with these changesets could conflict at all. It
// may report too much, but never misses a conflict: git conflicts only where
//   - both sides change a path,
//   - one side has a file where the other has a folder,
//   - one side moved a folder away and the other put something new into it.
func (l *changeset) meets(o *changeset) bool {
	return common(l.files, o.files) ||
		common(l.added, o.addedIn) || common(o.added, l.addedIn) ||
		len(l.added) > 0 && common(l.deletedIn, o.addedIn) ||
		len(o.added) > 0 && common(o.deletedIn, l.addedIn)
}

// including returns a list that holds v, at the end where it is new.
func including[T comparable](list []T, v T) []T {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}

// common reports whether the maps share a key.
func common[A, B any](a map[string]A, b map[string]B) bool {
	if len(a) > len(b) {
		return common(b, a)
	}
	for key := range a {
		if _, ok := b[key]; ok {
			return true
		}
	}
	return false
}

// view is a state as seen from a commit: the state's own changeset on top of the one between that commit and its base. The latter is nil
// when the two are the same commit.
type view struct {
	own, between *changeset
}

// at returns how the state changes path, against the commit it is seen from.
func (v view) at(path string) (c change, changed bool) {
	own, inOwn := v.own.files[path]
	if v.between == nil {
		return own, inOwn
	}
	below, inBelow := v.between.files[path]
	switch {
	case inOwn && inBelow:
		c = change{below.from, own.to}
	case inOwn:
		c = own
	case inBelow:
		c = below
	}
	return c, c.from != c.to
}

// changesets returns the changesets that exist.
func (v view) changesets() []*changeset {
	if v.between == nil {
		return []*changeset{v.own}
	}
	return []*changeset{v.own, v.between}
}

// meets is changeset.meets over both changesets. A side may have its added and its deleted files in different changesets, so the folder
// rule looks for additions in all of them.
func (v view) meets(o view, memo map[[2]*changeset]bool) bool {
	for _, a := range v.changesets() {
		for _, b := range o.changesets() {
			key := [2]*changeset{a, b}
			met, ok := memo[key]
			if !ok {
				met = a.meets(b)
				memo[key] = met
			}
			if met {
				return true
			}
		}
	}
	return v.movedInto(o) || o.movedInto(v)
}

// movedInto reports whether v may have moved a folder that o put something into.
func (v view) movedInto(o view) bool {
	if v.between == nil && o.between == nil {
		return false // changeset.meets covers this
	}
	if !slices.ContainsFunc(v.changesets(), func(l *changeset) bool { return len(l.added) > 0 }) {
		return false
	}
	for _, a := range v.changesets() {
		for _, b := range o.changesets() {
			if common(a.deletedIn, b.addedIn) {
				return true
			}
		}
	}
	return false
}
