package conflict

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/agit/internal/worktree/seen"
	"github.com/agit-suite/agit/shared/registry"
)

// Neighbour is another worktree of a repository in which an agent or a person works.
type Neighbour struct {
	Worktree string   `json:"worktree_id"`
	Agent    string   `json:"agent,omitempty"`
	TaskID   string   `json:"task_id,omitempty"`
	Task     string   `json:"task,omitempty"`
	Files    []string `json:"files,omitempty"` // some of the files that it changes, by the last scan; files that the text names come first
	Count    int      `json:"files_changed,omitempty"`
	Named    bool     `json:"named,omitempty"`     // it changes a file that the text names
	Conflict []string `json:"conflicts,omitempty"` // files that it and the worktree asked about have in conflict
}

// nearFiles bounds the files that are shown for each neighbour, nearRows the rows read for all.
const (
	nearFiles = 6
	nearRows  = "2000"
)

// Near returns the worktrees that are being worked in besides w, by the last scan, and the files that agents other than its own have
// announced. Worktrees that change a file named in the text come first, then the others, the newest first.
func Near(tx *registry.Tx, w worktree.Worktree, text string) (near []Neighbour, announced []Announcement, err error) {
	type touch struct {
		worktree int64
		path     string
	}
	scanTouch := func(row registry.Scanner) (t touch, err error) { return t, row.Scan(&t.worktree, &t.path) }
	var list []worktree.Worktree
	var touched, met []touch
	var left []int64
	err = tx.Together(
		func() (err error) { list, err = worktree.List(tx, worktree.Filter{RepoID: w.RepoID}); return err },
		func() (err error) {
			touched, err = registry.Collect(tx, scanTouch, `SELECT worktree_id, path FROM file_touches WHERE repo_id = ? AND worktree_id <> ? ORDER BY worktree_id, path LIMIT `+nearRows, w.RepoID, w.ID)
			return err
		},
		func() (err error) {
			met, err = registry.Collect(tx, scanTouch, `SELECT CASE WHEN a_id = ? THEN b_id ELSE a_id END, path FROM conflict_pairs WHERE repo_id = ? AND (a_id = ? OR b_id = ?) ORDER BY path LIMIT `+nearRows,
				w.ID, w.RepoID, w.ID, w.ID)
			return err
		},
		func() (err error) { // an agent's, whose task no one holds: it failed, or was given back
			left, err = registry.Collect(tx, registry.One[int64], `SELECT w.id FROM worktrees w WHERE w.repo_id = ? AND w.`+repo.LiveWorktree+`
				AND w.agent_id IS NOT NULL AND w.item_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM leases l WHERE l.item_id = w.item_id AND l.agent_id IS NOT NULL)`, w.RepoID)
			return err
		},
		func() (err error) {
			announced, err = announcements(tx, w.RepoID, `AND c.agent_id <> ?`, w.AgentID)
			return err
		},
	)
	if err != nil {
		return nil, nil, err
	}
	words := wordsOf(text)
	for _, other := range slices.Backward(list) {
		if other.ID == w.ID || other.Status != worktree.Active && other.Status != worktree.Conflict || slices.Contains(left, other.ID) || checkout.Gone(other.Path) {
			continue // no one is at work there
		}
		of := func(all []touch) (paths []string) {
			for _, t := range all {
				if t.worktree == other.ID {
					paths = append(paths, t.path)
				}
			}
			return paths
		}
		n := Neighbour{Worktree: other.Ref, Agent: other.Agent, TaskID: other.TaskID, Task: other.Task, Conflict: of(met)}
		n.changes(of(touched), words)
		near = append(near, n)
	}
	ByWeight(near)
	return near, announced, nil
}

func (n Neighbour) weight() int {
	switch {
	case len(n.Conflict) > 0:
		return 2
	case n.Named:
		return 1
	}
	return 0
}

// names reports whether a word of a text names a file: by its path, by the end of its path, or by its name if that has an extension.
func names(words []string, file string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		word = strings.TrimRight(strings.TrimPrefix(word, "./"), ".")
		if word == "" || !strings.HasSuffix(file, word) {
			return false
		}
		return len(file) == len(word) || file[len(file)-len(word)-1] == '/' && (strings.Contains(word, "/") || path.Ext(word) != "")
	})
}

// NearOthers returns the neighbours of a worktree that have no row: worktrees that others made, the main checkout, and branches of remotes
// in flight. Each has the files that the last scan found changed. Their files are not read.
func (s *Store) NearOthers(ctx context.Context, of Around, ref, text string) ([]Neighbour, error) {
	list, err := s.trees(ctx, of)
	if err != nil {
		return nil, err
	}
	return s.engine().nearOthers(ctx, of.in.repo, list, ref, wordsOf(text))
}

func (e *Engine) nearOthers(ctx context.Context, repo Repo, list []Worktree, of string, words []string) (near []Neighbour, err error) {
	last, err := e.lastReport(ctx, repo)
	if err != nil || last == nil {
		return nil, err
	}
	for _, w := range list {
		i := slices.IndexFunc(last.Touched, func(t Touched) bool { return t.Worktree.Ref == w.Ref })
		if w.ID != 0 || w.Clone != "" || i < 0 {
			continue
		}
		n := Neighbour{Worktree: w.Ref, Agent: worktree.Worktree{Agent: w.Agent, Maker: seen.Maker(w.Maker), Marks: seen.Marks{Main: w.Main}}.By()}
		var paths []string
		for _, f := range last.Touched[i].Files {
			if f.Change != Inherited {
				paths = append(paths, f.Path)
			}
		}
		if len(paths) == 0 {
			continue // nothing of its own
		}
		n.changes(paths, words)
		for _, c := range last.Conflicts {
			if slices.ContainsFunc(c.Pairs, func(p Pair) bool { return p.A == of && p.B == w.Ref || p.A == w.Ref && p.B == of }) {
				n.Conflict = append(n.Conflict, c.File)
			}
		}
		near = append(near, n)
	}
	return near, nil
}

// ByWeight sorts neighbours: those in conflict first, then those that change a named file.
func ByWeight(near []Neighbour) {
	slices.SortStableFunc(near, func(a, b Neighbour) int { return b.weight() - a.weight() })
}

// wordsOf are the words of a text that may name files.
func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n`'\"()[]{}<>,;:", r) })
}

// changes adds the files that a neighbour changes, those that words name first.
func (n *Neighbour) changes(paths, words []string) {
	var rest []string
	for _, path := range paths {
		n.Count++
		if names(words, path) {
			n.Named = true
			n.Files = append(n.Files, path)
		} else {
			rest = append(rest, path)
		}
	}
	n.Files = append(n.Files, rest...)
	n.Files = n.Files[:min(len(n.Files), nearFiles)]
}
