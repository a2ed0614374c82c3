package conflict

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gitindex"
)

// state is one worktree as it is now, against its merge base.
type state struct {
	worktree Worktree
	repo     *git.Repo
	tree     *scan.Tree
	rememberedState
	tip      bool // not a worktree: the changes of the default branch since a base
	reused   bool // nothing changed since the cache was written
	imported bool // its objects are in this run's store
}

// rememberedState is the part of a state that the cache keeps.
type rememberedState struct {
	Snap    *scan.Snapshot
	Target  string            // tip of the default branch it was compared with
	Base    string            // merge base with that; "" before the first commit
	Entries map[string]*entry // by path; these differ between base, HEAD and now
	Renamed bool              // renames were looked for
	Commit  string            // a commit of the state; "" when not made yet
}

// entry is a path of a state.
type entry struct {
	Path      string
	Base      scan.Blob // in the merge base
	Head      scan.Blob // in HEAD
	Now       scan.Blob
	OnDisk    bool   // Now is in no object store yet
	Converted bool   // OnDisk, and git stores other bytes than are on disk
	From      string // its name in the base, when it was renamed
	To        string // its new name, when it was renamed away
}

// touched reports whether the worktree's version differs from its base.
func (e *entry) touched() bool { return e != nil && e.Base != e.Now }

// change is what happened to the file.
func (e *entry) change() Change {
	switch {
	case e.From != "" || e.To != "":
		return Renamed
	case e.Base.Mode == 0:
		return Added
	case e.Now.Mode == 0:
		return Deleted
	case !sameType(e.Base.Mode, e.Now.Mode):
		return TypeChange
	case e.Base.OID == e.Now.OID:
		return ModeChange
	}
	return Modified
}

// touches returns the entries that differ from the base, by path.
func (m *rememberedState) touches() []*entry {
	var all []*entry
	for _, e := range m.Entries {
		if e.touched() {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b *entry) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// uncommitted counts the files that differ from HEAD; a renamed one counts once.
func (m *rememberedState) uncommitted() (n int) {
	for _, e := range m.Entries {
		if to := m.Entries[e.To]; e.Head != e.Now && (to == nil || to.Head == to.Now) {
			n++
		}
	}
	return n
}

// mayRename reports whether files were both added and deleted, so that some may have moved.
func (m *rememberedState) mayRename() bool {
	came, went := false, false
	for _, e := range m.Entries {
		came = came || e.Base.Mode == 0 && e.Now.Mode != 0
		went = went || e.Base.Mode != 0 && e.Now.Mode == 0
	}
	return came && went
}

// combine merges the changes of commits, index and work tree. Each list is relative to the one before it.
func (s *state) combine(committed, staged []mergetree.Diff) {
	s.Entries = map[string]*entry{}
	for _, d := range committed {
		s.Entries[d.Path] = &entry{Path: d.Path, Base: d.From, Head: d.To, Now: d.To}
	}
	at := func(path string, before scan.Blob) *entry {
		e := s.Entries[path]
		if e == nil {
			e = &entry{Path: path, Base: before, Head: before, Now: before}
			s.Entries[path] = e
		}
		return e
	}
	for _, d := range staged {
		e := at(d.Path, d.From)
		if !d.Unmerged { // the work tree has the result of an unmerged file
			e.Now = d.To
		}
	}
	for _, c := range s.Snap.Work {
		e := at(c.Path, c.From)
		e.Now, e.OnDisk, e.Converted = c.To, c.To.Mode != 0 && c.To.Mode != gitindex.ModeGitlink, c.Converted
	}
	for path, e := range s.Entries {
		if e.Base == e.Now && e.Head == e.Now {
			delete(s.Entries, path)
		}
	}
}

// head is the commit that is checked out, "" before the first one.
func (s *state) head() string {
	if len(s.Snap.Commits) == 0 {
		return ""
	}
	return s.Snap.Commits[0]
}

// dirty reports whether a commit of the state would differ from HEAD.
func (s *state) dirty() bool {
	if len(s.Snap.Commits) != 1 {
		return true
	}
	return s.uncommitted() > 0
}

// toCommit describes the state for the importer.
func (s *state) toCommit() mergetree.Commit {
	c := mergetree.Commit{Parents: s.Snap.Commits}
	opaque := !s.mayRename() // renames are found by content
	for _, e := range s.Entries {
		if e.Head == e.Now {
			continue
		}
		f := mergetree.File{Path: e.Path, To: e.Now, Opaque: opaque && e.Base.Mode == 0}
		if e.OnDisk && !e.Converted {
			f.Disk = s.disk(e.Path)
		}
		c.Files = append(c.Files, f)
	}
	slices.SortFunc(c.Files, func(a, b mergetree.File) int { return strings.Compare(a.Path, b.Path) })
	return c
}

func (s *state) disk(path string) string {
	return filepath.Join(s.repo.WorkTree, filepath.FromSlash(path))
}

// clean has git store the content that goes through filters. That content is in no store that outlives a run.
func (s *state) clean(ctx context.Context, store *mergetree.ObjectStore) error {
	var paths []string
	for _, e := range s.Entries {
		if e.OnDisk && e.Converted {
			paths = append(paths, e.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	slices.Sort(paths)
	blobs, err := s.tree.Clean(ctx, store.Objects(), paths)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if e := s.Entries[path]; blobs[path] != e.Now {
			e.Now = blobs[path]
			s.unsettle()
		}
	}
	return nil
}

// moved takes over the new content of files that changed since they were scanned.
func (s *state) moved(moved map[string]string) {
	for _, e := range s.Entries {
		became, ok := moved[e.Now.OID]
		if !ok || !e.OnDisk || e.Converted {
			continue
		}
		if e.Now.OID = became; became == "" {
			e.Now = scan.Blob{}
		}
		s.unsettle()
	}
}

// unsettle makes the next run scan the worktree again.
func (s *state) unsettle() {
	again := *s.Snap
	again.Settled = false
	s.Snap = &again
	s.reused = false
}

// applyRenames records the renames that git finds between base and state.
func (s *state) applyRenames(diffs []mergetree.Diff) {
	for _, d := range diffs {
		if d.OldPath == "" {
			continue
		}
		from, to := s.Entries[d.OldPath], s.Entries[d.Path]
		if from == nil || to == nil || from.Now.Mode != 0 {
			continue
		}
		to.From, from.To = d.OldPath, d.Path
	}
	s.Renamed = true
}

func sameType(a, b uint32) bool { return gitindex.Type(a) == gitindex.Type(b) }
