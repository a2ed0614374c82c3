package conflict

import (
	"context"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/seen"
)

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
