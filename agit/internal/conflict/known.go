package conflict

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
)

// Known gives the last saved result without looking at any file: who met whom
// where, as of the last whole scan.
func (s *Store) Known(ctx context.Context, repoID int64) (*Report, error) {
	var report *Report
	err := s.db.Read(ctx, func(tx *registry.Tx) error {
		r, list, err := load(tx, repoID)
		if err != nil {
			return err
		}
		report, err = known(tx, r, list)
		return err
	})
	return report, err
}

func known(tx *registry.Tx, r Repo, list []Worktree) (*Report, error) {
	report := &Report{Repo: r.Name, Depth: DepthMerge, Conflicts: []Conflict{}}
	byID := map[int64]Worktree{}
	for _, w := range list {
		byID[w.ID] = w
	}
	var at string
	err := tx.QueryRow(`SELECT COUNT(*), COALESCE(MAX(s.scanned_at), '') FROM worktree_scans s JOIN worktrees w ON w.id = s.worktree_id WHERE w.repo_id = ?`, r.ID).
		Scan(&report.ScannedWorktrees, &at)
	if err == nil && at != "" {
		report.ScannedAt, err = registry.ParseTime(at)
	}
	if err != nil {
		return nil, err
	}
	rows, err := pairs(tx, r.ID)
	if err != nil {
		return nil, err
	}
	touches := map[pairKey]touchRow{} // by worktree and path
	for id := range byID {
		all, err := registry.Collect(tx, scanTouch, `SELECT path, change, old_path, line_ranges, committed FROM file_touches WHERE worktree_id = ?`, id)
		if err != nil {
			return nil, err
		}
		for _, t := range all {
			touches[pairKey{a: id, path: t.path}] = t
			if t.oldPath != "" {
				touches[pairKey{a: id, path: t.oldPath}] = t
			}
		}
	}
	for _, row := range rows {
		a, okA := byID[row.a]
		b, okB := byID[row.b]
		if !okA || !okB {
			continue
		}
		report.addKnown(row, a, b, touches)
	}
	return report, nil
}

// addKnown puts a stored pair into the report; rows come by path.
func (r *Report) addKnown(row pairRow, a, b Worktree, touches map[pairKey]touchRow) {
	if n := len(r.Conflicts); n == 0 || r.Conflicts[n-1].File != row.path {
		r.Conflicts = append(r.Conflicts, Conflict{File: row.path, Depth: DepthFile})
	}
	c := &r.Conflicts[len(r.Conflicts)-1]
	pair := Pair{A: a.Ref, B: b.Ref, Depth: row.depth}
	kinds, lines, _ := strings.Cut(row.detail, "; ")
	if kinds != "" {
		pair.Kinds = strings.Split(kinds, ", ")
	}
	pair.Lines = parseLines(lines)
	c.Pairs = append(c.Pairs, pair)
	c.Depth = deeper(c.Depth, row.depth)
	c.addKinds(pair.Kinds)
	for _, w := range []Worktree{a, b} {
		c.addSide(w, touches[pairKey{a: w.ID, path: row.path}])
	}
}

func (c *Conflict) addSide(w Worktree, t touchRow) {
	for _, s := range c.Worktrees {
		if s.ID == w.Ref {
			return
		}
	}
	side := Side{ID: w.Ref, Branch: w.Branch, Agent: w.Agent, Change: Inherited, Committed: true}
	if t.path != "" {
		side.Change, side.Committed, side.Lines = t.change, t.committed, parseLines(t.lines)
		if t.path != c.File {
			side.Path = t.path
		}
	}
	c.Worktrees = append(c.Worktrees, side)
}
