package verify

import (
	"github.com/agit-suite/agit/shared/textfile"
)

// outcome is the result of following a snippet in one file. Lines count from 0.
type outcome struct {
	how   outcomeKind
	line  int     // where the snippet starts now, for found and alike
	last  int     // where it ends
	score float64 // for alike
	lines []int   // the places of several
	why   string
	// rivals means that other places or another reading of the snippet are possible.
	rivals bool
	ranged bool // all lines of the cited range were compared
	// sure means that the surroundings stored with the citation decided.
	sure bool
}

// outcomeKind is the kind of an outcome, worst first.
type outcomeKind int

const (
	lost    outcomeKind = iota
	alike               // a suggestion
	several             // equal places, none better than the others
	found               // the same text
)

// anchor is a snippet at its place in the old file.
type anchor struct {
	snippet snippet
	lines   []int // the snippet's lines in the old file, blank ones left out
	whole   bool  // the snippet is all of these lines, not a part of one
	ranged  bool  // it is the whole cited range, whose beginning the citation quotes
}

// anchorAt finds the snippet in old, where it was recorded at line (from 0): at that line, else at its only place, else at the only place
// nearby.
func anchorAt(old *textfile.File, c snippet, line, end int) (anchor, bool) {
	if len(c.lines) == 0 {
		return rangeAnchor(old, line, end)
	}
	for i := line; i <= max(line, end); i++ {
		if kind := c.at(old, i); kind != none {
			return c.anchor(old, i, kind), true
		}
	}
	if s, ok := c.shortened(); ok {
		if a, ok := anchorAt(old, s, line, end); ok {
			return a, true
		}
	}
	places, kind := c.places(old)
	if len(places) == 1 {
		return c.anchor(old, places[0], kind), true
	}
	near := -1
	for _, i := range places {
		if i >= line-misnumbered && i <= line+misnumbered {
			if near >= 0 {
				return anchor{}, false
			}
			near = i
		}
	}
	if near < 0 {
		return anchor{}, false
	}
	return c.anchor(old, near, kind), true
}

// misnumbered is by how many lines a citation may be wrong from the start, since people and models miscount.
const misnumbered = 2

func (c snippet) anchor(old *textfile.File, line int, kind fit) anchor {
	a := anchor{snippet: c, whole: kind == whole}
	for i := line; len(a.lines) < len(c.lines); i++ {
		if !old.Blank(i) {
			a.lines = append(a.lines, i)
		}
	}
	return a
}

// rangeAnchor makes an anchor of the text at the lines themselves.
func rangeAnchor(old *textfile.File, line, end int) (anchor, bool) {
	if line < 0 || max(line, end) >= old.Len() {
		return anchor{}, false
	}
	var lines []int
	for i := line; i <= max(line, end); i++ {
		if !old.Blank(i) {
			lines = append(lines, i)
		}
	}
	if len(lines) == 0 {
		return anchor{}, false // a blank line says nothing
	}
	return anchor{snippet: snippetOf(old, lines), lines: lines, whole: true}, true
}

// key returns the anchor's heaviest line, which stands for the others.
func (a anchor) key() int { return a.lines[a.snippet.heaviest()] }

// follow returns the place of the anchored snippet of p.old in p.new, and whether it is beyond doubt.
func (p *filePair) follow(a anchor) (o outcome, sure bool) {
	key := a.key()
	if n := p.m.To[key]; n >= 0 {
		if o = p.whole(a, n); p.certain(key, n) {
			return o, o.how == found
		}
		if !p.trusted(key, n) {
			o.how, o.score = alike, 0.6+0.4*p.around(key, n)
			o.why = "the same text is there, but nothing around it is left to tell it from others"
		}
		return o, false
	}
	if !a.whole {
		if o := p.kept(a); o.how == found {
			return o, false
		}
	}
	if o := p.elsewhere(a); o.how != lost {
		return o, false
	}
	return p.similar(a), false
}

// certain reports whether no other line could be meant: the neighbours on both sides moved with it, and no equal line has as many of them.
func (p *filePair) certain(o, n int) bool {
	if p.share() < mostly {
		return false // so much was rewritten that similarity proves little
	}
	before, after := p.side(o, n, -1), p.side(o, n, 1)
	run := before + after
	if min(before, after) < telling || lineWeight(p.old, o)+run < distinctive {
		return false
	}
	for i, h := range p.old.Hashes() {
		if h == p.old.Hashes()[o] && i != o && p.run(i, n) > run-telling {
			return false
		}
	}
	for i, h := range p.new.Hashes() {
		if h == p.old.Hashes()[o] && i != n && p.run(o, i) > run-telling {
			return false
		}
	}
	return true
}

// mostly is the share of a file that must be left for a single comparison to be trusted.
const mostly = 0.6

// share returns the share of the old file's lines, without blank ones, that are in the new one.
func (p *filePair) share() float64 {
	if p.shared == 0 {
		total, kept := 0, 0
		for i, n := range p.m.To {
			if !p.old.Blank(i) {
				total++
				if n >= 0 {
					kept++
				}
			}
		}
		p.shared = float64(kept+1) / float64(total+1)
	}
	return p.shared
}

// trusted reports whether the line map is reliable for a line: one that stands alone among changed ones may be equal by accident, more
// likely so the lower its weight.
func (p *filePair) trusted(o, n int) bool {
	return lineWeight(p.old, o) >= maxWeight || p.run(o, n) >= telling
}

// telling is the weight from which a text is distinctive at all.
const telling = 6

// whole compares the rest of the snippet once its key line is found at new line n.
func (p *filePair) whole(a anchor, n int) outcome {
	start, end, same := n, n, 1
	k := a.snippet.heaviest()
	at := n
	for i := k - 1; i >= 0; i-- {
		at = step(p.new, at, -1)
		if at < 0 || p.old.Hashes()[a.lines[i]] != p.new.Hashes()[at] {
			break
		}
		start, same = at, same+1
	}
	at = n
	for i := k + 1; i < len(a.lines); i++ {
		at = step(p.new, at, 1)
		if at < 0 || p.old.Hashes()[a.lines[i]] != p.new.Hashes()[at] {
			break
		}
		end, same = at, same+1
	}
	if same == len(a.lines) {
		return outcome{how: found, line: start, last: end, score: 1, ranged: a.ranged}
	}
	start, end = p.extent(a, n, start, end)
	kept := 0
	for _, i := range a.lines {
		if p.m.To[i] >= start && p.m.To[i] <= end {
			kept++
		}
	}
	return outcome{how: alike, line: start, last: end, ranged: a.ranged, score: float64(max(kept, same)) / float64(len(a.lines)),
		why: "a part of the lines was changed"}
}

// extent returns the current first and last line of a changed range, according to the line map. start to end, around new line n, is the
// piece already found.
func (p *filePair) extent(a anchor, n, start, end int) (int, int) {
	if first := p.m.To[a.lines[0]]; first >= 0 && first <= n {
		start = first
	}
	if last := p.m.To[a.lines[len(a.lines)-1]]; last >= n {
		end = last
	}
	return start, end
}

// step is the next line of f that is not blank, or -1.
func step(f *textfile.File, i, by int) int {
	for i += by; i >= 0 && i < f.Len(); i += by {
		if !f.Blank(i) {
			return i
		}
	}
	return -1
}

// kept finds a snippet that is still part of a line whose other parts changed: first at the line's old place, then among all new lines.
func (p *filePair) kept(a anchor) outcome {
	if len(a.lines) != 1 {
		return outcome{}
	}
	first, after := p.m.Gap(a.key())
	var here, all []int
	for _, n := range a.snippet.holders(p.new) {
		if p.m.From[n] < 0 && a.snippet.at(p.new, n) != none {
			all = append(all, n)
			if n >= first && n < after {
				here = append(here, n)
			}
		}
	}
	weight := a.snippet.weight()
	switch {
	case len(here) == 1 && weight >= telling:
		return outcome{how: found, line: here[0], last: here[0], score: 1}
	case len(here) == 0 && len(all) == 1 && weight >= 2*telling:
		return outcome{how: found, line: all[0], last: all[0], score: 1}
	}
	return outcome{}
}

// elsewhere finds the lines of a in another part of the file: an equal line
// that is new there. Lines that were there before belong to other old lines.
func (p *filePair) elsewhere(a anchor) outcome {
	key := a.key()
	hash := p.old.Hashes()[key]
	var places []int
	for n, h := range p.new.Hashes() {
		if h == hash && p.m.From[n] < 0 {
			places = append(places, n)
		}
	}
	return p.decide(a, places)
}

// decide chooses among equal lines by their surroundings.
func (p *filePair) decide(a anchor, places []int) outcome {
	if len(places) == 0 {
		return outcome{}
	}
	key := a.key()
	best, bestRun, second := -1, -1, -1
	for _, n := range places {
		switch run := p.run(key, n); {
		case run > bestRun:
			best, bestRun, second = n, run, bestRun
		case run > second:
			second = run
		}
	}
	o := p.whole(a, best)
	weight := a.snippet.weight()
	for i, h := range p.old.Hashes() {
		if h == p.old.Hashes()[key] && i != key && p.m.To[i] < 0 {
			second = max(second, p.run(i, best)) // it may also have come from there
		}
	}
	switch {
	case bestRun >= telling && bestRun >= second+telling && weight+bestRun >= convincing,
		second < 0 && weight >= distinctive:
		return o
	case len(places) > 1 && weight >= convincing:
		return outcome{how: several, lines: places}
	}
	o.how, o.score = alike, 0.6+0.4*p.around(key, best)
	o.why = "the same text is there, but nothing around it says that it is the same line"
	return o
}

// convincing is the weight from which text that appeared elsewhere counts as the cited text rather than as similar text.
const convincing = 16
