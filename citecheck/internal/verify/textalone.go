package verify

import (
	"bytes"
	"slices"

	"github.com/agit-suite/agit/citecheck/internal/verify/fuzzy"
	"github.com/agit-suite/agit/shared/textfile"
)

// locate judges a snippet by the text of f alone, when the file at the time of the citation is not known. The neighbours that the citation
// names decide first. line and end count from 0; line is -1 when the citation has none.
func locate(f *textfile.File, c snippet, b linesBeside, around textfile.Surroundings, line, end int) outcome {
	places, kind := c.places(f)
	if len(places) == 0 {
		if s, ok := c.shortened(); ok {
			if o := locate(f, s, b, around, line, end); o.how != lost {
				return o
			}
		}
		return resemble(f, c, around, line)
	}
	if line >= 0 && !around.Empty() && (len(places) > 1 || c.weight() == 0) {
		switch st := surrounded(f, around, places, c.more()); {
		case st.adrift && st.line != line:
			return outcome{how: several, lines: st.rivals, why: "what stood beside the cited one is beside none of them"}
		case st.adrift:
			return outcome{how: found, line: line, last: line, score: 1, sure: true, rivals: true}
		case st.line >= 0:
			return outcome{how: found, line: st.line, last: st.line, score: 1, sure: true}
		case st.removed:
			return outcome{how: several, lines: places, sure: true, why: "what stood around the cited one stands there without it"}
		case !slices.Contains(st.rivals, line) || !untouched(f, around, line, f.Last(line, c.more())):
			return outcome{how: several, lines: st.rivals}
		}
	}
	if n := b.best(f, places); n >= 0 && line >= 0 {
		return outcome{how: found, line: n, last: n, score: 1}
	}
	if line >= 0 {
		for i := line; i <= max(line, end); i++ {
			here := c.at(f, i)
			if here == none {
				continue
			}
			o := outcome{how: found, line: i, last: i, score: 1, rivals: len(places) > 1}
			if here == kind {
				if here == part && commentedOut(f.Head(i), c.lines[0]) {
					o.rivals, o.why = true, "the text is there, but in a comment, and nothing says whether it was"
				}
				return o
			}
			// The whole text is elsewhere, and only a longer line here.
			return outcome{how: several, lines: append([]int{i}, places...)}
		}
	} else {
		return outcome{how: found, line: places[0], last: places[0], score: 1}
	}
	switch {
	case len(places) > 1:
		return outcome{how: several, lines: places}
	case kind == whole || c.weight() >= telling:
		return outcome{how: found, line: places[0], last: places[0], score: 1, rivals: kind == part}
	}
	return outcome{how: alike, line: places[0], last: places[0], score: 0.6,
		why: "the same text is there, but it says too little to be told from others"}
}

// twins returns the lines that an outcome cannot distinguish: the text is at the cited line and at others, and neither history nor
// neighbours show which one was meant. The number alone does not, since an equal line may have moved there.
func (j *job) twins(f *textfile.File, o outcome) []int {
	if o.how != found || o.sure || !o.rivals || o.why != "" || j.c.Line == 0 || !j.around().Empty() || o.line != j.line() {
		return nil
	}
	if places, kind := j.snippet.places(f); kind == whole {
		return places
	}
	return nil
}

// commentedOut reports whether a squeezed line is the text behind a comment sign: the cited code may be code no longer.
func commentedOut(line, text []byte) bool {
	before, ok := bytes.CutSuffix(line, text)
	return ok && slices.Contains(commentSigns, string(before))
}

var commentSigns = []string{"//", "#", "--", ";", ";;", "%", "/*", "*", "<!--", "REM", "///", "##"}

// resemble suggests the line of f most similar to the snippet. When the surroundings are not known, closeness to the old place counts
// instead.
func resemble(f *textfile.File, c snippet, around textfile.Surroundings, line int) outcome {
	text, least := c.lines[c.heaviest()], 0.6
	if !around.Empty() {
		least = likeness
	}
	best := outcome{}
	for i := range f.Len() {
		if f.Blank(i) {
			continue
		}
		near := 0.5
		if !around.Empty() {
			near = 1 // at most
		} else if line >= 0 {
			near = 1 / (1 + float64(max(i-line, line-i))/25)
		}
		squeezed := f.Head(i)
		bound := fuzzy.Bound(text, squeezed)
		inside := len(squeezed) > len(text) && len(text) >= 2*telling
		if !inside && (bound < least || 0.6*bound+0.4*near <= best.score) {
			continue
		}
		like := fuzzy.Similarity(text, squeezed)
		if inside && like < 0.9 && len(squeezed) <= fuzzy.MaxLength {
			like = max(like, 0.95*fuzzy.Part(text, squeezed))
		}
		if like < least {
			continue
		}
		score := 0.6*like + 0.4*near
		if !around.Empty() {
			near = min(1, float64(fits(f, around, i, f.Last(i, c.more())))/plenty)
			if score = 0.6*like + 0.4*max(near, 0); score < farLikeness {
				continue
			}
		}
		if score > best.score {
			best = outcome{how: alike, line: i, last: i, score: score, why: "the text there is similar"}
		}
	}
	return best
}
