package verify_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/verify/fuzzy"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/textfile"
)

// The oracle follows lines through a history commit by commit, by git's own diff of each step, while the checker makes one jump with a map
// of its own. In such a small step the fate of a line is rarely in doubt.

type fate string

const (
	stayed  fate = "same line"
	shifted fate = "shifted"
	moved   fate = "moved in file"
	away    fate = "moved to another file"
	renamed fate = "file renamed"
	edited  fate = "edited"
	dead    fate = "deleted"
)

// tracked is a line on its way through history.
type tracked struct {
	path       string
	line       int // from 1
	text       string
	startPath  string
	startLine  int
	startText  string
	fate       fate
	doubtful   bool // equal candidates were left in some step
	diedAt     string
	before     string // the text at its last edit
	similarity float64
}

// step is the effect of one commit on one file.
type step struct {
	oldPath, newPath string
	hunks            []change
}

type change struct {
	oldStart, oldLines, newStart, newLines int
	old, new                               []string
}

// replay calls do for each commit from (not including) from up to to, along
// first parents.
func replay(dir, from, to string, do func(commit string, steps []step)) error {
	cmd := exec.Command("git", "log", "--first-parent", "-m", "--reverse", "-p", "-U0", "-M40%", "-l3000", "--no-color", "--no-ext-diff",
		"--no-textconv", "--format=commit %H", "--src-prefix=a/", "--dst-prefix=b/", from+".."+to)
	cmd.Dir = dir
	cmd.Env = git.Environment()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r := bufio.NewReaderSize(out, 1<<20)
	var steps []step
	commit := ""
	flush := func() {
		if commit != "" {
			do(commit, steps)
		}
		steps = nil
	}
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			break
		}
		line = strings.TrimSuffix(line, "\n")
		var s *step
		if len(steps) > 0 {
			s = &steps[len(steps)-1]
		}
		switch {
		case strings.HasPrefix(line, "commit ") && len(line) == 47:
			flush()
			commit = line[7:]
		case strings.HasPrefix(line, "diff --git "):
			steps = append(steps, step{})
			half := len(line[11:]) / 2
			if a, b := line[11:11+half], line[11+half+1:]; strings.TrimPrefix(a, "a/") == strings.TrimPrefix(b, "b/") {
				steps[len(steps)-1] = step{oldPath: a[2:], newPath: b[2:]}
			}
		case s == nil:
		case strings.HasPrefix(line, "rename from "):
			s.oldPath = line[12:]
		case strings.HasPrefix(line, "rename to "):
			s.newPath = line[10:]
		case strings.HasPrefix(line, "deleted file"):
			s.newPath = ""
		case strings.HasPrefix(line, "new file"):
			s.oldPath = ""
		case strings.HasPrefix(line, "--- a/"):
			s.oldPath = strings.TrimSuffix(line[6:], "\t")
		case strings.HasPrefix(line, "+++ b/"):
			s.newPath = strings.TrimSuffix(line[6:], "\t")
		case strings.HasPrefix(line, "@@ "):
			c, err := readChange(r, line)
			if err != nil {
				return err
			}
			s.hunks = append(s.hunks, c)
		}
	}
	flush()
	return cmd.Wait()
}

func readChange(r *bufio.Reader, head string) (c change, err error) {
	field := strings.Fields(head)
	part := func(s string) (start, count int) {
		a, b, ok := strings.Cut(s[1:], ",")
		start, _ = strconv.Atoi(a)
		count = 1
		if ok {
			count, _ = strconv.Atoi(b)
		}
		return start, count
	}
	c.oldStart, c.oldLines = part(field[1])
	c.newStart, c.newLines = part(field[2])
	for len(c.old) < c.oldLines || len(c.new) < c.newLines {
		line, err := r.ReadString('\n')
		if err != nil {
			return c, fmt.Errorf("cut short in %s: %w", head, err)
		}
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "-") {
			c.old = append(c.old, line[1:])
		} else if strings.HasPrefix(line, "+") {
			c.new = append(c.new, line[1:])
		}
	}
	return c, nil
}

func squeezed(s string) string { return string(textfile.Squeeze(nil, []byte(s))) }

// advance takes a line through one commit.
func (t *tracked) advance(commit string, steps []step) {
	if t.fate == dead {
		return
	}
	for i := range steps {
		s := &steps[i]
		if s.oldPath != t.path {
			continue
		}
		delta := 0
		for k := range s.hunks {
			c := &s.hunks[k]
			if c.oldLines > 0 && t.line >= c.oldStart && t.line < c.oldStart+c.oldLines {
				t.within(commit, steps, s, c)
				return
			}
			if last := c.oldStart + max(c.oldLines-1, 0); last < t.line {
				delta += c.newLines - c.oldLines
			}
		}
		if s.newPath == "" { // an empty or binary file
			t.fate, t.diedAt = dead, commit
			return
		}
		if s.newPath != t.path {
			t.became(renamed)
			t.path = s.newPath
		}
		if delta != 0 {
			t.line += delta
			t.became(shifted)
		}
		return
	}
}

func (t *tracked) became(f fate) {
	rank := []fate{stayed, shifted, moved, renamed, away, edited, dead}
	at := func(f fate) int {
		for i, r := range rank {
			if r == f {
				return i
			}
		}
		return -1
	}
	if at(f) > at(t.fate) {
		t.fate = f
	}
}

// within decides the fate of a line inside a changed range.
func (t *tracked) within(commit string, steps []step, s *step, c *change) {
	index := t.line - c.oldStart
	text := squeezed(t.text)
	// The same text in the range, at the same ordinal as before.
	nth, count, total := 0, 0, 0
	for i, line := range c.old {
		if squeezed(line) == text {
			if i < index {
				nth++
			}
			total++
		}
	}
	hit := -1
	for i, line := range c.new {
		if squeezed(line) == text {
			if count == nth {
				hit = i
			}
			count++
		}
	}
	if hit >= 0 {
		if count != total {
			t.doubtful = true
		}
		t.go_(s, c, hit, shifted)
		return
	}
	if t.elsewhere(steps, c, index, text) {
		return
	}
	// The most similar line of the range.
	best, score := -1, 0.0
	for i, line := range c.new {
		v := fuzzy.Similarity([]byte(text), []byte(squeezed(line)))
		if v > score {
			best, score = i, v
		}
	}
	if best >= 0 && (score >= 0.6 || score >= 0.4 && c.oldLines == c.newLines && best == index) {
		t.before, t.similarity = t.text, score
		t.text = c.new[best]
		t.go_(s, c, best, edited)
		return
	}
	t.fate, t.diedAt = dead, commit
}

func (t *tracked) go_(s *step, c *change, index int, f fate) {
	if s.newPath != t.path {
		t.became(renamed)
		t.path = s.newPath
	}
	if t.line != c.newStart+index {
		t.became(f)
	}
	if f == edited {
		t.became(edited)
	}
	t.line = c.newStart + index
}

// elsewhere looks for the line among all lines that the commit added: with a neighbour that moved along, or alone and long.
func (t *tracked) elsewhere(steps []step, c *change, index int, text string) bool {
	type spot struct {
		s     *step
		line  int
		score int
	}
	var best, second spot
	weight := textfile.Weight([]byte(text))
	for i := range steps {
		for k := range steps[i].hunks {
			h := &steps[i].hunks[k]
			for n, line := range h.new {
				if squeezed(line) != text {
					continue
				}
				score := weight
				for _, by := range []int{-1, 1} {
					for d := 1; d <= 6; d++ {
						o, m := index+d*by, n+d*by
						if o < 0 || m < 0 || o >= len(c.old) || m >= len(h.new) || squeezed(c.old[o]) != squeezed(h.new[m]) {
							break
						}
						score += 1 + textfile.Weight([]byte(c.old[o]))
					}
				}
				if score > best.score {
					best, second = spot{&steps[i], h.newStart + n, score}, best
				} else if score > second.score {
					second = spot{&steps[i], 0, score}
				}
			}
		}
	}
	if best.s == nil || best.score < 20 || best.score < weight+8 && weight < 30 {
		return false
	}
	if best.score-second.score < 8 {
		t.doubtful = true
	}
	if best.s.newPath != t.path {
		t.became(away)
	} else {
		t.became(moved)
	}
	t.path, t.line = best.s.newPath, best.line
	return true
}

// source reports whether people cite lines of such files.
func source(path string) bool {
	at := strings.LastIndexByte(path, '.')
	if at < 0 || strings.Contains(path, "vendor/") || strings.Contains(path, "node_modules/") {
		return false
	}
	switch path[at:] {
	case ".go", ".py", ".js", ".ts", ".tsx", ".jsx", ".java", ".rb", ".rs", ".c", ".h", ".cc", ".cpp", ".cs", ".kt", ".php", ".sh", ".sql", ".swift", ".scala", ".mjs":
		return true
	}
	return false
}

func gitOutput(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = git.Environment()
	out, err := cmd.Output()
	return string(bytes.TrimRight(out, "\n")), err
}
