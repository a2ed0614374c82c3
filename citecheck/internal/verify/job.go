package verify

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/agit-suite/agit/shared/textfile"
)

// job is one citation on its way up the ladder.
type job struct {
	c       Citation
	path    string // cleaned
	snippet snippet
	beside  linesBeside
	around  func() textfile.Surroundings // the stored surroundings, parsed on first use: most jobs are settled without
	commit  string                       // where the line was right, a full name that is there; "" when not known
	why     string                       // the obstacle so far
	result  Result
	done    bool
	absent  bool // there is no file at path
	// anchored means that the snippet was found at commit; text is then for searching.
	anchored bool
	text     []byte    // the snippet's heaviest line as it is written
	traced   bool      // commit is only where the file last existed
	doubt    *doubtful // the result of a comparison that history must confirm
	dead     bool      // in history the line was deleted
	tried    bool      // history was searched for the text at the line, or there is none
	inLine   bool      // the text is at the line, and at others
	guessed  bool      // the text there is commented out, and may have been so before
	waiting  bool      // the text alone gives a verdict, but history may know better
	keeps    bool      // its surroundings are requested
	asked    bool      // git was asked for the commit that wrote the citation
	stands   string    // the current text at the cited line of the file at path, as a clause
}

func newJob(prefix string, c Citation) *job {
	j := &job{c: c, result: Result{Citation: c}}
	// The files of a search are read concurrently, and each reader calls this function.
	j.around = sync.OnceValue(func() textfile.Surroundings { return textfile.ParseSurroundings(c.Surroundings) })
	cleaned, why, ok := clean(prefix, c.Path)
	switch {
	case strings.TrimSpace(c.Path) == "":
		return j.finish(Unverifiable, "the citation names no file")
	case !ok:
		return j.finish(Outside, "%s", why)
	case c.Line < 0 || c.EndLine < 0 || c.EndLine > 0 && c.EndLine < c.Line:
		return j.finish(Gone, "there is no such range of lines")
	}
	j.path, j.snippet = cleaned, newSnippet(c.Snippet)
	j.beside = newLinesBeside(c, j.snippet)
	if len(j.snippet.lines) > 0 {
		j.text = heaviestLine(c.Snippet)
	}
	return j
}

func heaviestLine(snippet string) (text []byte) {
	for line := range strings.Lines(snippet) {
		line := bytes.TrimSpace([]byte(line))
		if text == nil || textfile.Weight(line) > textfile.Weight(text) {
			text = line
		}
	}
	return text
}

func (j *job) finish(v Verdict, why string, args ...any) *job {
	j.done = true
	j.result.Verdict, j.result.Reason = v, fmt.Sprintf(why, args...)
	return j
}

// line and end are the citation's lines from 0; line is -1 when it has none.
func (j *job) line() int { return j.c.Line - 1 }
func (j *job) end() int  { return max(j.c.EndLine, j.c.Line) - 1 }

// offset returns how far into the cited range the snippet starts.
func (j *job) offset(a anchor) int {
	if d := a.lines[0] - j.line(); j.c.EndLine > 0 && d > 0 && a.lines[0] <= j.end() {
		return d
	}
	return 0
}

// settle turns the outcome for the snippet in f at path into a result. Similar text is only kept as a suggestion, and lost changes nothing,
// since later rungs may find more.
func (j *job) settle(o outcome, f *textfile.File, path string, offset int) {
	switch o.how {
	case found:
		j.place(o, f, path, offset)
		j.result.Score, j.done = 1, true
		switch {
		case path != j.path:
			j.result.Verdict, j.result.Reason = Moved, fmt.Sprintf("the same text is now in %s", path)
			if j.absent {
				j.result.Reason = fmt.Sprintf("the file is gone; the same text is in %s", path)
			}
		case j.c.Line > 0 && o.rivals && j.result.FoundLine == j.c.Line:
			j.result.Verdict, j.result.Low = Valid, true
			if j.result.Reason = o.why; o.why == "" {
				j.result.Reason = "the text is there, but at other lines too, and nothing says which was meant"
			}
		case j.c.Line == 0 || j.result.FoundLine == j.c.Line:
			j.result.Verdict, j.result.Reason = Valid, "the text is there"
		default:
			j.result.Verdict, j.result.Reason = Moved, fmt.Sprintf("the same text is now at line %d", j.result.FoundLine)
		}
		if j.result.Verdict == Valid {
			j.keepAround(f)
		}
	case several:
		j.clear()
		if o.why == "" && len(o.lines) == 1 {
			o.why = "nothing says that it is the cited one"
		} else if o.why == "" {
			o.why = "nothing says which is meant"
		}
		j.finish(Ambiguous, "the text is at %s, and %s", linesNamed(o.lines), o.why)
		j.candidates(f, path, o.lines)
	case alike:
		if j.result.Verdict == Changed && j.result.Score >= o.score {
			return
		}
		j.place(o, f, path, offset)
		j.result.Verdict, j.result.Score, j.result.Reason = Changed, o.score, o.why
	}
}

// linesNamed lists lines, which count from 0, for a sentence.
func linesNamed(lines []int) string {
	named := make([]string, len(lines))
	for i, n := range lines {
		named[i] = strconv.Itoa(n + 1)
	}
	if len(named) == 1 {
		return "line " + named[0]
	}
	return "lines " + severalNamed(named)
}

// severalNamed lists places for a sentence, the first ones of many.
func severalNamed(places []string) string {
	last := len(places) - 1
	switch {
	case last == 0:
		return places[0]
	case last > maxNamed:
		return fmt.Sprintf("%s and %d more", strings.Join(places[:maxNamed], ", "), len(places)-maxNamed)
	}
	return strings.Join(places[:last], ", ") + " and " + places[last]
}

// maxNamed is how many places a sentence names.
const maxNamed = 3

// settleAnew is settle for a rung that overrides the earlier ones.
func (j *job) settleAnew(o outcome, f *textfile.File, path string, offset int) {
	j.clear()
	j.settle(o, f, path, offset)
}

// renamedTo notes for a job settled at another path that its file was renamed to it.
func (j *job) renamedTo(path string) {
	if j.done && path != j.path {
		j.result.Verdict, j.result.Reason = Renamed, fmt.Sprintf("the file is now %s", path)
	}
}

func (j *job) clear() {
	j.result = Result{Citation: j.c}
}

func (j *job) place(o outcome, f *textfile.File, path string, offset int) {
	j.result.FoundPath, j.result.FoundLine, j.result.FoundEnd = path, max(o.line-offset, 0)+1, 0
	if j.c.EndLine > 0 {
		if j.result.FoundEnd = j.result.FoundLine + j.c.EndLine - j.c.Line; offset == 0 && o.last > o.line && (len(j.snippet.lines) == 0 || o.ranged) {
			j.result.FoundEnd = o.last + 1
		}
		j.result.FoundEnd = min(j.result.FoundEnd, f.Len())
	}
	j.result.FoundText = clip(f.Line(o.line))
	j.result.Candidates = nil
}

func (j *job) candidates(f *textfile.File, path string, lines []int) {
	for _, i := range lines {
		if len(j.result.Candidates) == maxCandidates {
			return
		}
		j.result.Candidates = append(j.result.Candidates, Place{Path: path, Line: i + 1, Text: clip(f.Line(i))})
	}
}

// clip trims a line and cuts it to maxText bytes.
func clip(line []byte) string {
	line = bytes.TrimSpace(line)
	if len(line) > maxText {
		line = line[:maxText]
	}
	return strings.ToValidUTF8(string(line), "")
}

// QuotedLines is how many lines of a cited range are quoted, from its first on.
const QuotedLines = 5

// anchorIn finds the citation's text in its file as it was when the citation was right. When the beginning of a range is quoted, the anchor
// is the whole range, including the lines behind the quoted ones.
func (j *job) anchorIn(old *textfile.File) (anchor, bool) {
	if j.quotesBeginning(old) {
		if a, ok := rangeAnchor(old, j.line(), j.end()); ok {
			a.ranged = true
			return a, true
		}
	}
	return anchorAt(old, j.snippet, j.line(), j.end())
}

// quotesBeginning reports whether the snippet is the first lines of the cited range of f, as add quotes them. A single line was chosen by a
// person, wherever it stands in the range.
func (j *job) quotesBeginning(f *textfile.File) bool {
	if len(j.snippet.lines) < 2 || j.line() < 0 || j.end() <= j.line() || j.end() >= f.Len() {
		return false
	}
	first, lines := -1, 0
	for i := j.line(); i <= min(j.end(), j.line()+QuotedLines-1); i++ {
		if f.Blank(i) {
			continue
		}
		if lines++; first < 0 {
			first = i
		}
	}
	return lines == len(j.snippet.lines) && j.snippet.at(f, first) == whole
}

// quotesLess reports whether the cited range has lines behind the quoted ones. Only the old file shows whether those have changed.
func (j *job) quotesLess() bool {
	return len(j.snippet.lines) > 1 && j.end()-j.line() >= QuotedLines
}

// within reports whether a found text starts within the cited range. Text of several lines must start at the range's first line that is not
// blank, since it usually begins the range; otherwise it has moved.
func (j *job) within(f *textfile.File, o outcome) bool {
	if o.how != found || j.c.Line == 0 || o.line < j.line() || o.line > j.end() {
		return false
	}
	return o.line == j.line() || j.snippet.more() == 0 || blank(f, j.line(), o.line-1)
}
