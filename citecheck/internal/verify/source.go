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

// worthLogging is the number of files from which git is asked for their common history first, instead of blaming each.
const worthLogging = 8

// addedOnce returns the commits of those files that one commit added and nothing has touched since, including the working tree: that commit
// wrote all their lines. Most memories are such files, and each blame would cost a git process and a walk through history.
func (c *Checker) addedOnce(ctx context.Context, paths map[string]bool) (map[string]string, error) {
	if len(paths) < worthLogging || c.at != WorkingTree || c.repo.Bare || c.shallow() {
		return nil, nil
	}
	if err := c.compareFiles(ctx, c.head, paths); err != nil {
		return nil, err
	}
	var ask []string
	for p := range paths {
		if c.unchanged(c.head, p) {
			ask = append(ask, p)
		}
	}
	if len(ask) == 0 { // without a path, git would take every path
		return nil, nil
	}
	list, err := c.everyVersion(ctx, append([]string{c.head, "--"}, ask...))
	if err != nil {
		return nil, err
	}
	once, often := map[string]string{}, map[string]bool{}
	for _, v := range list {
		if often[v.Path] || once[v.Path] != "" || !git.ZeroName(v.Old) {
			delete(once, v.Path)
			often[v.Path] = true
			continue
		}
		once[v.Path] = v.Commit
	}
	return c.withoutOrigin(ctx, once)
}

// withoutOrigin drops the files whose commit also removed files: they may be renamed files with older lines.
func (c *Checker) withoutOrigin(ctx context.Context, once map[string]string) (map[string]string, error) {
	args := []string{"--no-walk=unsorted", "--diff-filter=D"}
	for _, commit := range once {
		if !slices.Contains(args, commit) {
			args = append(args, commit)
		}
	}
	if len(once) == 0 {
		return nil, nil
	}
	removed, err := c.everyVersion(ctx, append(args, "--"))
	if err != nil {
		return nil, err
	}
	for _, v := range removed {
		for p, commit := range once {
			if commit == v.Commit {
				delete(once, p)
			}
		}
	}
	return once, nil
}

// everyVersion reads a log that follows all parents.
func (c *Checker) everyVersion(ctx context.Context, args []string) ([]git.FileVersion, error) {
	all := slices.DeleteFunc(git.VersionArgs(), func(arg string) bool { return arg == "--first-parent" || arg == "-m" })
	return parsed(ctx, c, git.ParseVersions, append(all, args...)...)
}
