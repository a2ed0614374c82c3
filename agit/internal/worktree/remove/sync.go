package remove

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gitindex"
)

// written lists the files of a worktree that were written since it was made: tracked files by the index's times, and the files that status
// listed.
func written(p *obstacle.Proof) (paths []string) {
	if p.Tree == nil {
		return nil
	}
	w := p.Worktree
	at := func(name string) string { return filepath.Join(w.Path, filepath.FromSlash(name)) }
	for _, e := range p.Changes {
		if name, isDir := strings.CutSuffix(e.Path, "/"); !isDir {
			paths = append(paths, at(name), filepath.Dir(at(name)))
		} else if e.Kind == git.Untracked {
			paths = append(paths, durable.Below(at(name))...)
		}
	}
	for _, name := range p.Precious {
		paths = append(paths, at(name), filepath.Dir(at(name)))
	}
	paths = append(paths, durable.Below(p.Tree.GitDir)...)
	content, err := os.ReadFile(filepath.Join(p.Tree.GitDir, "index"))
	if err != nil {
		return paths
	}
	index, err := gitindex.Parse(content, len(p.Head.OID)/2)
	if err != nil {
		return append(paths, durable.Below(w.Path)...) // split or sparse: all of it
	}
	for _, e := range index.Entries {
		if writtenSince(e, w.CreatedAt.Time) {
			paths = append(paths, at(string(e.Name)), filepath.Dir(at(string(e.Name))))
		}
	}
	return paths
}

// writtenSince reports whether a tracked file was written since its worktree was made; spawn has synced what was written by then. No
// content depends on the clock: a file that differs from the index is synced because status lists it.
func writtenSince(e gitindex.Entry, made time.Time) bool {
	const tick = 10 * time.Millisecond // how far a kernel's times of files may lag behind its clock
	since := made.Add(-tick)
	if e.MtimeNsec == 0 && e.CtimeNsec == 0 { // whole seconds
		since = made.Add(-2 * time.Second)
	}
	at := func(sec, nsec uint32) time.Time { return time.Unix(int64(sec), int64(nsec)) }
	return !at(e.MtimeSec, e.MtimeNsec).Before(since) || !at(e.CtimeSec, e.CtimeNsec).Before(since)
}

// syncTrashed makes a removal survive a power cut: it syncs the folders between which it renamed, and the refs it wrote.
func (s *Store) syncTrashed(ctx context.Context, g *git.Repo, t Trash) error {
	return s.Trees.Sync(ctx, t.Worktree, t.folders(g), g.RefFiles(t.refs()...))
}

// syncRestored makes a restored worktree survive a power cut.
func (s *Store) syncRestored(ctx context.Context, g *git.Repo, t Trash) error {
	path := t.Worktree.Path
	paths, refs := []string{path, filepath.Join(path, ".git")}, t.refs()
	if tree, err := git.Find(path); err == nil && tree.Linked() {
		paths = append(paths, durable.Below(tree.GitDir)...)
		if head, err := tree.Head(ctx); err == nil && head.Ref != "" {
			refs = append(refs, head.Ref)
		}
	}
	return s.Trees.Sync(ctx, t.Worktree, paths, t.folders(g), g.RefFiles(refs...))
}

// folders returns the folders between which a removal and a restore rename.
func (t Trash) folders(g *git.Repo) []string {
	return append(durable.Above(g.CommonDir, t.entry(g)), filepath.Dir(t.Worktree.Path), filepath.Join(g.CommonDir, "worktrees"), t.Path, filepath.Dir(t.Path))
}

// refs returns the names of all refs that a removal writes.
func (t Trash) refs() []string {
	return []string{"refs/heads/" + t.Branch, t.Ref + "/branch", t.Ref + "/head", t.Ref + "/work"}
}
