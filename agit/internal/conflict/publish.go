package conflict

import (
	"cmp"
	"context"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// publish saves a report for readers that do not scan. Nothing is written when nothing changed. Pairs are saved from whole scans only: a
// narrower scan would remove pairs that it did not look for.
func (s *Store) publish(ctx context.Context, r Repo, list []Worktree, report *Report, o Options) error {
	whole := o.Worktree == "" && report.Depth == DepthMerge
	todo, err := registry.Read(ctx, s.DB, func(tx *registry.Tx) (*publication, error) { return plan(tx, r, list, report, whole) })
	if err != nil || len(todo.scans) == 0 && len(todo.gone) == 0 && !todo.changed {
		return err
	}
	return s.DB.Write(ctx, registry.Scope{Project: r.ProjectID}, func(tx *registry.Tx) error {
		todo, err := plan(tx, r, list, report, whole)
		if err != nil {
			return err
		}
		return todo.write(tx)
	})
}

// publication is the difference between a report and the registry.
type publication struct {
	repo     Repo
	report   *Report
	scans    []int             // indexes into report.Touched
	gone     []int64           // worktrees with rows that are no longer active
	put      []pairRow         // pairs to insert or replace
	drop     []pairKey         // pairs that are over
	defaults map[int64]string  // conflicts with the default branch to store, by worktree
	changed  bool              // the conflicts differ
	lines    map[string]string // line ranges by worktree and path
}

type pairKey struct {
	a, b int64
	path string
}

type pairRow struct {
	pairKey
	depth  Depth
	detail string
}

func plan(tx *registry.Tx, r Repo, list []Worktree, report *Report, whole bool) (*publication, error) {
	p := &publication{repo: r, report: report, defaults: map[int64]string{}, lines: map[string]string{}}
	known, defaults := map[int64]string{}, map[int64]string{}
	var stored []pairRow
	err := tx.Together(func() (err error) {
		_, err = registry.Collect(tx, func(row registry.Scanner) (id int64, err error) {
			var digest, conflicts string
			err = row.Scan(&id, &digest, &conflicts)
			known[id], defaults[id] = digest, conflicts
			return id, err
		}, `SELECT s.worktree_id, s.stat_digest, s.default_conflicts FROM worktree_scans s JOIN worktrees w ON w.id = s.worktree_id WHERE w.repo_id = ?`, r.ID)
		return err
	}, func() (err error) {
		if whole {
			stored, err = registry.Collect(tx, func(row registry.Scanner) (p pairRow, err error) {
				err = row.Scan(&p.a, &p.b, &p.path, &p.depth, &p.detail)
				return p, err
			}, `SELECT a_id, b_id, path, depth, detail FROM conflict_pairs WHERE repo_id = ? ORDER BY path, a_id, b_id`, r.ID)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for id := range known {
		if !slices.ContainsFunc(list, func(w Worktree) bool { return w.ID == id }) {
			p.gone = append(p.gone, id)
		}
	}
	for i, t := range report.Touched {
		if t.Worktree.ID == 0 {
			continue // a worktree without a row
		}
		if known[t.Worktree.ID] != hex.EncodeToString(t.Digest[:]) {
			p.scans = append(p.scans, i)
		}
	}
	if whole {
		p.planPairs(stored, list)
		p.planDefaults(list, defaults)
	}
	return p, nil
}

// planPairs compares the pairs found with the stored ones.
func (p *publication) planPairs(stored []pairRow, list []Worktree) {
	old := map[pairKey]pairRow{}
	for _, row := range stored {
		old[row.pairKey] = row
	}
	ids := map[string]int64{}
	for _, w := range list {
		ids[w.Ref] = w.ID
	}
	seen := map[pairKey]Depth{} // a pair may be part of several conflicts
	for _, c := range p.report.Conflicts {
		for _, pair := range c.Pairs {
			if ids[pair.A] == 0 || ids[pair.B] == 0 {
				continue // one of the worktrees has no row
			}
			row := pairRow{pairKey{ids[pair.A], ids[pair.B], c.File}, pair.Depth, detail(pair.Kinds, pair.Lines)}
			if c.Depth == DepthUses {
				row.detail = strings.Join(c.Kinds, ", ") + "; " + strings.Join(c.Why(), "; ")
			}
			if at, ok := seen[row.pairKey]; ok && at.AtLeast(row.depth) {
				continue
			}
			seen[row.pairKey] = row.depth
			p.put = slices.DeleteFunc(p.put, func(other pairRow) bool { return other.pairKey == row.pairKey })
			if before, ok := old[row.pairKey]; !ok || before != row {
				p.put = append(p.put, row)
			}
		}
	}
	unread := map[int64]bool{} // what was found of these before still holds for all that is known
	for _, skipped := range p.report.unread(list) {
		unread[ids[skipped.ID]] = true
	}
	for key := range old {
		if _, still := seen[key]; !still && !unread[key.a] && !unread[key.b] {
			p.drop = append(p.drop, key)
		}
	}
	p.changed = len(p.put)+len(p.drop) > 0
}

// planDefaults compares the conflicts with the default branch that were found with the stored ones.
func (p *publication) planDefaults(list []Worktree, stored map[int64]string) {
	now := map[string][]string{}
	for _, c := range p.report.Conflicts {
		if c.DefaultBranch != "" && c.WillNotMerge() {
			ref := c.Worktrees[0].ID
			now[ref] = append(now[ref], c.File+"; "+detail(c.Kinds, c.Lines))
		}
	}
	for _, w := range list {
		if w.ID == 0 {
			continue
		}
		text := strings.Join(now[w.Ref], "\n")
		if before := stored[w.ID]; before != text {
			p.defaults[w.ID] = text
		}
	}
	p.changed = p.changed || len(p.defaults) > 0
}

// detail stores kinds and lines: "contents, add/add; 3-4,7".
func detail(kinds []string, lines []Lines) string {
	return strings.Join(kinds, ", ") + "; " + FormatLines(lines)
}

func (p *publication) write(tx *registry.Tx) error {
	for _, c := range p.report.Conflicts {
		for _, side := range c.Worktrees {
			p.lines[side.ID+"\x00"+cmp.Or(side.Path, c.File)] = FormatLines(side.Lines)
		}
	}
	for _, id := range p.gone {
		for _, table := range []string{"worktree_scans", "file_touches"} {
			if err := tx.Do(`DELETE FROM `+table+` WHERE worktree_id = ?`, id); err != nil {
				return err
			}
		}
	}
	for _, i := range p.scans {
		if err := p.writeScan(tx, p.report.Touched[i]); err != nil {
			return err
		}
	}
	for _, key := range p.drop {
		if err := tx.Do(`DELETE FROM conflict_pairs WHERE a_id = ? AND b_id = ? AND path = ?`, key.a, key.b, key.path); err != nil {
			return err
		}
	}
	for _, row := range p.put {
		if err := tx.Do(`INSERT INTO conflict_pairs (repo_id, a_id, b_id, depth, path, detail, found_at) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (a_id, b_id, path) DO UPDATE SET depth = excluded.depth, detail = excluded.detail,
			  found_at = CASE WHEN conflict_pairs.depth = excluded.depth THEN conflict_pairs.found_at ELSE excluded.found_at END`,
			p.repo.ID, row.a, row.b, string(row.depth), row.path, row.detail, tx.Stamp()); err != nil {
			return err
		}
	}
	for id, text := range p.defaults { // a skipped worktree has no row
		if err := tx.Do(`UPDATE worktree_scans SET default_conflicts = ? WHERE worktree_id = ?`, text, id); err != nil {
			return err
		}
	}
	if p.changed {
		tx.Changed(registry.TopicConflicts, p.repo.ProjectID, p.repo.Name)
	}
	return nil
}

// writeScan replaces the stored scan of one worktree. It keeps the rows of files that are still touched in the same way.
func (p *publication) writeScan(tx *registry.Tx, t Touched) error {
	id := t.Worktree.ID
	err := tx.Do(`INSERT INTO worktree_scans (worktree_id, head_oid, base_oid, stat_digest, tree_oid, scanned_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (worktree_id) DO UPDATE SET head_oid = excluded.head_oid, base_oid = excluded.base_oid,
		  stat_digest = excluded.stat_digest, tree_oid = excluded.tree_oid, scanned_at = excluded.scanned_at`,
		id, t.Head, t.Base, hex.EncodeToString(t.Digest[:]), "", tx.Stamp())
	if err != nil {
		return err
	}
	stored, err := registry.Collect(tx, func(row registry.Scanner) (t touchRow, err error) {
		err = row.Scan(&t.path, &t.change, &t.oldPath, &t.lines, &t.committed)
		return t, err
	}, `SELECT path, change, COALESCE(old_path, ''), line_ranges, committed FROM file_touches WHERE worktree_id = ?`, id)
	if err != nil {
		return err
	}
	old := map[string]touchRow{}
	for _, row := range stored {
		old[row.path] = row
	}
	for _, f := range t.Files {
		row := touchRow{f.Path, f.Change, f.OldPath, p.lines[t.Worktree.Ref+"\x00"+f.Path], f.Committed}
		before, known := old[f.Path]
		delete(old, f.Path)
		if known && before == row {
			continue
		}
		err := tx.Do(`INSERT INTO file_touches (repo_id, worktree_id, path, change, old_path, line_ranges, committed, detected_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (worktree_id, path) DO UPDATE SET change = excluded.change, old_path = excluded.old_path,
			  line_ranges = excluded.line_ranges, committed = excluded.committed, detected_at = excluded.detected_at`,
			p.repo.ID, id, row.path, string(row.change), registry.NullIfZero(row.oldPath), row.lines, row.committed, tx.Stamp())
		if err != nil {
			return err
		}
	}
	for path := range old {
		if err := tx.Do(`DELETE FROM file_touches WHERE worktree_id = ? AND path = ?`, id, path); err != nil {
			return err
		}
	}
	return nil
}

type touchRow struct {
	path      string
	change    Change
	oldPath   string
	lines     string
	committed bool
}

// FoundKey names two worktrees that meet in a file, by their refs in the order in which they were made.
type FoundKey struct{ A, B, File string }

// FoundAt returns for each stored pair of a repository the time since when it has met at its present depth.
func FoundAt(tx *registry.Tx, repoID int64) (map[FoundKey]time.Time, error) {
	times := map[FoundKey]time.Time{}
	_, err := registry.Collect(tx, func(row registry.Scanner) (none struct{}, err error) {
		var key FoundKey
		var at timestamp.Time
		err = row.Scan(&key.A, &key.B, &key.File, &at)
		times[key] = at.Time
		return none, err
	}, `SELECT a.ref, b.ref, p.path, p.found_at FROM conflict_pairs p JOIN worktrees a ON a.id = p.a_id JOIN worktrees b ON b.id = p.b_id WHERE p.repo_id = ?`, repoID)
	return times, err
}
