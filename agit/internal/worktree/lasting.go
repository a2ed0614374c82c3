package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gitindex"
)

// What the registry says of an operation must be true after a power cut as well.
// So the files that git and this package wrote are synced before the row is
// completed, and a merge's objects before the branch leads to them. Each
// operation names all it touched and syncs it in one go.

// last syncs files and folders; what says for which worktree.
func last(ctx context.Context, w Worktree, paths ...[]string) error {
	var all []string
	for _, some := range paths {
		all = append(all, some...)
	}
	if err := durable.Sync(ctx, all); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fault.Operation(err, "write what belongs to worktree %q to the disk", w.Ref).
			WithHint("check that the disk is sound and has space left")
	}
	return reach("synced")
}

// lastWithObjects is last, for all objects as well that may not be on the disk yet.
func lastWithObjects(ctx context.Context, g *git.Repo, w Worktree, paths ...[]string) error {
	objects := g.FreshObjects()
	if err := last(ctx, w, append(paths, objects.Paths)...); err != nil {
		return err
	}
	objects.Synced()
	return nil
}

// lastSpawned makes a new worktree last: its files, what git keeps of it, its
// branch, the default branch it starts from, and the objects these need.
func (s *Store) lastSpawned(ctx context.Context, g *git.Repo, r repo.Repo, w Worktree) error {
	base := "refs/heads/" + s.settings(r).DefaultBranch
	tree, err := git.Find(w.Path)
	if err != nil {
		return err
	}
	return lastWithObjects(ctx, g, w, durable.Below(w.Path), []string{filepath.Dir(w.Path)},
		durable.Below(tree.GitDir), durable.Above(g.CommonDir, tree.GitDir),
		g.RefFiles("refs/heads/"+w.Branch, base))
}

// lastMerged makes a merge last: the branch, and the files that followed it.
func (m *merging) lastMerged(ctx context.Context) error {
	changes, err := diffTree(ctx, m.g, m.j.Old, m.j.New)
	if err != nil {
		return err
	}
	paths := m.g.RefFiles(m.j.Target)
	for _, t := range m.j.Trees {
		paths = append(append(paths, t.repo(m.g).RefFiles(m.j.Target)...), t.files(changes)...)
	}
	return last(ctx, m.w, paths)
}

// files are what following a merge writes in a working tree, and its folders.
func (f filesOf) files(changes []treeChange) (paths []string) {
	paths = append(paths, f.GitDir, filepath.Join(f.GitDir, "index"))
	seen := map[string]bool{}
	for _, c := range changes {
		at := filepath.Join(f.Path, filepath.FromSlash(c.path))
		paths = append(paths, at)
		for _, folder := range durable.Above(f.Path, at) {
			if seen[folder] {
				break
			}
			seen[folder] = true
			paths = append(paths, folder)
		}
	}
	return paths
}

// written lists the files of a worktree that were written since it was made:
// what git tracks by the index's times, and what status listed.
func written(p *proof, w Worktree) (paths []string) {
	if p.tree == nil {
		return nil
	}
	at := func(name string) string { return filepath.Join(w.Path, filepath.FromSlash(name)) }
	for _, e := range p.entries {
		if name, isDir := strings.CutSuffix(e.Path, "/"); !isDir {
			paths = append(paths, at(name), filepath.Dir(at(name)))
		} else if e.Kind == git.Untracked {
			paths = append(paths, durable.Below(at(name))...)
		}
	}
	for _, name := range p.precious {
		paths = append(paths, at(name), filepath.Dir(at(name)))
	}
	paths = append(paths, durable.Below(p.tree.GitDir)...)
	content, err := os.ReadFile(filepath.Join(p.tree.GitDir, "index"))
	if err != nil {
		return paths
	}
	index, err := gitindex.Parse(content, len(p.head.OID)/2)
	if err != nil {
		return append(paths, durable.Below(w.Path)...) // split or sparse: all of it
	}
	for _, e := range index.Entries {
		if writtenSince(e, w.CreatedAt) {
			paths = append(paths, at(string(e.Name)), filepath.Dir(at(string(e.Name))))
		}
	}
	return paths
}

// writtenSince reports whether a tracked file was written since its worktree was
// made; what was written by then, spawn has synced. No content hangs on the clock:
// that of a file that differs from the index is synced because status lists it.
func writtenSince(e gitindex.Entry, made time.Time) bool {
	const tick = 10 * time.Millisecond // by which a kernel's times of files may lag behind its clock
	since := made.Add(-tick)
	if e.MtimeNsec == 0 && e.CtimeNsec == 0 { // whole seconds
		since = made.Add(-2 * time.Second)
	}
	at := func(sec, nsec uint32) time.Time { return time.Unix(int64(sec), int64(nsec)) }
	return !at(e.MtimeSec, e.MtimeNsec).Before(since) || !at(e.CtimeSec, e.CtimeNsec).Before(since)
}

// lastTrashed makes a removal last: the folders between which it renamed, and the
// refs it wrote.
func lastTrashed(ctx context.Context, g *git.Repo, t Trash) error {
	return last(ctx, t.Worktree, t.folders(g), g.RefFiles(t.refs()...))
}

// lastRestored makes a restored worktree last.
func lastRestored(ctx context.Context, g *git.Repo, t Trash) error {
	path := t.Worktree.Path
	paths := []string{path, filepath.Join(path, ".git")}
	if tree, err := git.Find(path); err == nil && tree.Linked() {
		paths = append(paths, durable.Below(tree.GitDir)...)
	}
	return last(ctx, t.Worktree, paths, t.folders(g), g.RefFiles(t.refs()...))
}

// folders are those between which a removal and a restore rename.
func (t Trash) folders(g *git.Repo) []string {
	return append(durable.Above(g.CommonDir, t.entry(g)), filepath.Dir(t.Worktree.Path), filepath.Join(g.CommonDir, "worktrees"), t.Path, filepath.Dir(t.Path))
}

// refs are the names of all refs that a removal and a restore write.
func (t Trash) refs() []string {
	return []string{"refs/heads/" + t.Branch, t.Ref + "/branch", t.Ref + "/head", t.Ref + "/work"}
}
