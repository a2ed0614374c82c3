package verify

import "github.com/agit-suite/agit/shared/textfile"

// QuotedLines is how many lines of a cited range a citation quotes: its first ones.
const QuotedLines = 5

// anchorIn finds what the citation means in its file as it was when it was right. Of a
// range whose beginning is quoted, that is the whole of it: what follows the quoted
// lines is cited as they are.
func (j *job) anchorIn(old *textfile.File) (anchor, bool) {
	if j.quotesBeginning(old) {
		if a, ok := rangeAnchor(old, j.line(), j.end()); ok {
			a.ranged = true
			return a, true
		}
	}
	return anchorAt(old, j.snippet, j.line(), j.end())
}

// quotesBeginning reports whether the snippet is the first lines of the cited range of
// f, as add quotes them. A single line of a range is one that someone chose.
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

// quotesLess reports whether the cited range has lines behind those that the snippet
// quotes: only the file as it was tells whether they are as they were.
func (j *job) quotesLess() bool {
	return len(j.snippet.lines) > 1 && j.end()-j.line() >= QuotedLines
}

// within reports whether a text that was found is one that stands somewhere within
// the cited range. Its end has to be there too. Several lines begin the range as a
// rule, so that they stand where they stood or have moved.
func (j *job) within(f *textfile.File, o outcome) bool {
	if o.how != found || j.c.Line == 0 || o.line < j.line() || o.line > j.end() {
		return false
	}
	return o.line == j.line() || j.snippet.more() == 0 || blank(f, j.line(), o.line-1)
}
