// Package change finds what a change adds, for checks of new code only: the lines of the work tree that a base lacks, and the commits
// since that base.
package change

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// since is the number of commits that count as the change when HEAD is on main itself, as in a clone made by CI.
const since = 20

// Change is what was added since a base to a clone.
type Change struct {
	Dir  string // the top folder of the clone
	Base string // a commit
	// Published means that the change is already on main, so a check can no longer keep it out.
	Published bool
}

// Of returns the change of the clone around dir. The base is the merge base with the given one; otherwise with origin/main; otherwise,
// when HEAD is on origin/main or that is missing, the commit 20 commits before HEAD. Base is "" when HEAD has no earlier commit, as in
// a shallow clone. Those 20 commits are Published. A missing base is an error.
func Of(ctx context.Context, dir, given string) (c Change, err error) {
	if c.Dir, err = git(ctx, dir, "rev-parse", "--show-toplevel"); err != nil {
		return c, err
	}
	if given != "" {
		c.Base, err = git(ctx, c.Dir, "merge-base", "HEAD", given)
		return c, err
	}
	head, err := git(ctx, c.Dir, "rev-parse", "HEAD")
	if err != nil {
		return c, err
	}
	if left, err := git(ctx, c.Dir, "merge-base", "HEAD", "origin/main"); err == nil && left != head {
		c.Base = left
		return c, nil
	}
	list, err := git(ctx, c.Dir, "rev-list", "--first-parent", "--max-count", strconv.Itoa(since+1), "HEAD")
	if err != nil {
		return c, err
	}
	commits := strings.Fields(list)
	if first := commits[len(commits)-1]; first != head {
		c.Base, c.Published = first, true
	}
	return c, nil
}

// Lines are numbers of lines of a file, from 1.
type Lines map[int]bool

// Added returns the added or changed lines, committed or not, by file path relative to Dir. Moved lines are left out: six or more
// consecutive lines that the change removes elsewhere. All lines of an untracked file are added; ignored files are left out.
func (c Change) Added(ctx context.Context) (map[string]Lines, error) { return c.added(ctx, false) }

// AddedCode is Added without the Go lines of which only the comment changed.
func (c Change) AddedCode(ctx context.Context) (map[string]Lines, error) { return c.added(ctx, true) }

func (c Change) added(ctx context.Context, code bool) (map[string]Lines, error) {
	diff, err := git(ctx, c.Dir, "diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames", "--diff-filter=d", "--src-prefix=a/", "--dst-prefix=b/", c.Base)
	if err != nil {
		return nil, err
	}
	added, err := parse(diff, code)
	if err != nil {
		return nil, err
	}
	untracked, err := git(ctx, c.Dir, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	for file := range strings.SplitSeq(strings.TrimSuffix(untracked, "\x00"), "\x00") {
		if file == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(c.Dir, file))
		if err != nil {
			return nil, err
		}
		added[file] = run(1, bytes.Count(text, []byte("\n"))+1)
	}
	return added, nil
}

// movedTogether is the number of consecutive lines from which on they count as moved.
const movedTogether = 6

// parse reads the added lines of a diff without context. A path that git quotes, for control characters or non-ASCII ones, is left out.
// With code set, it leaves out a line whose code, the part before " // ", its hunk also removes.
func parse(diff string, code bool) (map[string]Lines, error) {
	added := map[string]Lines{}
	into := Lines{} // of no file yet
	type block struct {
		into  Lines
		start int
		lines []string
		gone  map[string]bool // code of the hunk's removed lines
	}
	var blocks []*block
	removed := map[string]bool{}
	last := &block{into: into, gone: map[string]bool{}}
	left := 0 // remaining lines of the hunk
	for line := range strings.Lines(diff) {
		switch {
		case left > 0 && line[0] == '-':
			left--
			removed[strings.TrimSpace(line[1:])] = true
			last.gone[codeOf(line[1:])] = true
		case left > 0 && line[0] == '+':
			left--
			last.lines = append(last.lines, strings.TrimSpace(line[1:]))
		case strings.HasPrefix(line, "+++ "):
			into = Lines{}
			if file, ok := strings.CutPrefix(strings.TrimRight(line, "\t\n"), "+++ b/"); ok {
				added[file] = into
			}
		case strings.HasPrefix(line, "@@ "):
			_, rest, _ := strings.Cut(line, "-")
			from, rest, _ := strings.Cut(rest, " +")
			to, _, _ := strings.Cut(rest, " ")
			_, gone, err := span(from)
			if err != nil {
				return nil, err
			}
			start, n, err := span(to)
			if err != nil {
				return nil, err
			}
			left = gone + n
			last = &block{into: into, start: start, gone: map[string]bool{}}
			blocks = append(blocks, last)
		}
	}
	for _, b := range blocks {
		for i := 0; i < len(b.lines); {
			end := i
			for end < len(b.lines) && removed[b.lines[end]] {
				end++
			}
			if end-i >= movedTogether {
				i = end
				continue
			}
			for end = max(end, i+1); i < end; i++ {
				if !code || !b.gone[codeOf(b.lines[i])] {
					b.into[b.start+i] = true
				}
			}
		}
	}
	return added, nil
}

// codeOf is a line without the comment at its end.
func codeOf(line string) string {
	code, _, _ := strings.Cut(line, " // ")
	return strings.TrimSpace(code)
}

// span parses the start and the number of lines of a hunk: 12,3, or 12 for one line.
func span(text string) (start, n int, err error) {
	first, count, several := strings.Cut(text, ",")
	if start, err = strconv.Atoi(first); err != nil {
		return 0, 0, fmt.Errorf("read the lines of a diff: %w", err)
	}
	if n = 1; several {
		n, err = strconv.Atoi(count)
	}
	if err != nil || start < 0 || n < 0 || n > 10_000_000 {
		return 0, 0, fmt.Errorf("a hunk of the diff has the lines %q", text)
	}
	return start, n, nil
}

func run(start, n int) Lines {
	lines := Lines{}
	for i := range n {
		lines[start+i] = true
	}
	return lines
}

// Subjects returns the subjects of the commits since the base, newest first, without those of merges.
func (c Change) Subjects(ctx context.Context) ([]string, error) {
	out, err := git(ctx, c.Dir, "log", "--no-merges", "--format=%h %s", c.Base+"..HEAD")
	if err != nil || out == "" {
		return nil, err
	}
	return strings.Split(out, "\n"), nil
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
