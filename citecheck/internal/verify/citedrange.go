package verify

import "github.com/agit-suite/agit/shared/textfile"

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
