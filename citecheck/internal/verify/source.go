package verify

import (
	"context"
	"maps"
	"slices"

	"github.com/agit-suite/agit/citecheck/internal/verify/fuzzy"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/textfile"
)

// LastTouched returns, for each place (of a memory), the commit that wrote its citation: the last one that touched its line, or an older
// one when later commits only edited other text in it. It is "" when the line is not committed, without git, or when a shallow clone does
// not go back far enough.
func (c *Checker) LastTouched(ctx context.Context, places []Source) ([]string, error) {
	oids := make([]string, len(places))
	if c.repo == nil || c.head == "" {
		return oids, nil
	}
	byPath := map[string][]int{}
	for i, place := range places {
		if p, _, ok := clean(c.prefix, place.Path); ok && place.Line > 0 {
			byPath[p] = append(byPath[p], i)
		}
	}
	once, err := c.addedOnce(ctx, setOf(slices.Collect(maps.Keys(byPath))))
	if err := tolerate(ctx, err); err != nil {
		return nil, err
	}
	return oids, atOnce(ctx, c.workers, byPath, func(ctx context.Context, p string, which []int) error {
		var lines []int
		for _, i := range which {
			oids[i], lines = once[p], append(lines, places[i].Line)
		}
		if once[p] != "" {
			return nil
		}
		rev := ""
		if c.repo.Bare {
			rev = c.Commit()
		}
		blamed, err := c.blame(ctx, rev, p, lines)
		if err != nil {
			return ctx.Err() // untracked, or shorter than before: not known
		}
		for _, i := range which {
			b, err := c.written(ctx, blamed[places[i].Line], places[i].Holds)
			if err != nil {
				return err
			}
			if b.OID != "" && b.Committed() && !(b.Boundary && c.shallow()) {
				oids[i] = b.OID
			}
		}
		return nil
	})
}

// blame returns who last touched lines of a file, by line number.
func (c *Checker) blame(ctx context.Context, rev, p string, lines []int) (map[int]git.BlamedLine, error) {
	slices.Sort(lines)
	list, err := parsed(ctx, c, git.ParseBlame, git.BlameArgs(rev, p, slices.Compact(lines))...)
	byLine := make(map[int]git.BlamedLine, len(list))
	for _, b := range list {
		byLine[b.Line] = b
	}
	return byLine, err
}

// maxEdits bounds how many edits of one line of a memory are traced back.
const maxEdits = 20

// written traces a line back through edits that did not change its citation.
func (c *Checker) written(ctx context.Context, b git.BlamedLine, holds func([]byte) bool) (git.BlamedLine, error) {
	for range maxEdits {
		if holds == nil || b.Previous == "" {
			return b, nil
		}
		line, err := c.before(ctx, b, holds)
		if err := tolerate(ctx, err); err != nil || line == 0 {
			return b, err
		}
		older, err := c.blame(ctx, b.Previous, b.PreviousPath, []int{line})
		if err != nil || older[line].OID == "" {
			return b, ctx.Err()
		}
		b = older[line]
	}
	return b, nil
}

// before returns the line, in the version before b's commit, that the commit turned into b's line and that also contains the citation; 0
// when there is none.
func (c *Checker) before(ctx context.Context, b git.BlamedLine, holds func([]byte) bool) (int, error) {
	old, err := c.oldFile(ctx, b.Previous, b.PreviousPath)
	if err != nil || old == nil {
		return 0, err
	}
	var new *textfile.File
	if b.Committed() {
		new, err = c.oldFile(ctx, b.OID, b.Path)
	} else if c.at == WorkingTree {
		new, err = c.file(ctx, b.Path)
	}
	if err != nil || new == nil || b.Origin > new.Len() {
		return 0, err
	}
	p := newFilePair(old, new)
	best, score := 0, 0.0
	for o := range old.Len() {
		if p.m.To[o] >= 0 || !holds(old.Line(o)) {
			continue
		}
		if s := fuzzy.Similarity(old.Head(o), new.Head(b.Origin-1)); s > score {
			best, score = o+1, s
		}
	}
	return best, nil
}
