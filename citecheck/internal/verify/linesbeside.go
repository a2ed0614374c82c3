package verify

import (
	"bytes"
	"context"
	"slices"

	"github.com/agit-suite/agit/citecheck/internal/verify/fuzzy"
	"github.com/agit-suite/agit/shared/textfile"
)

// linesBeside are the lines around the cited text that a citation names, one close above and one close below, squeezed; nil when not named.
type linesBeside struct {
	above, below []byte
	more         int // lines of the text after its first, without blank ones
}

func newLinesBeside(c Citation, of snippet) linesBeside {
	return linesBeside{squeezedLine(c.After), squeezedLine(c.Before), of.more()}
}

// more returns how many lines the snippet has after its first.
func (c snippet) more() int { return max(len(c.lines)-1, 0) }

func squeezedLine(text string) []byte {
	if s := textfile.Squeeze(nil, []byte(text)); len(s) > 0 {
		return s
	}
	return nil
}

func (b linesBeside) none() bool { return b.above == nil && b.below == nil }

// beyond is the distance in lines, blank lines not counted, up to which a line counts as a neighbour.
const beyond = 20

// agreement is how well the neighbours of a place match those that the citation names.
type agreement struct {
	same   int // neighbours found unedited
	weight int // of all neighbours found, edited ones in part
}

// clearly reports whether a place agrees better than another by more than chance.
func (a agreement) clearly(b agreement) bool {
	return a.same > b.same || a.same == b.same && a.weight >= b.weight+telling
}

// agree examines the neighbours of the place at line of f. The search on each side stops at the next of the places.
func (b linesBeside) agree(f *textfile.File, places []int, line int) (a agreement) {
	for _, side := range []side{{b.above, -1, 0}, {b.below, 1, b.more}} {
		if side.text != nil {
			likeness := side.likeness(f, places, line)
			if likeness == 1 {
				a.same++
			}
			a.weight += int(likeness * float64(1+min(textfile.Weight(side.text), maxWeight)))
		}
	}
	return a
}

// side is one of the two lines of linesBeside.
type side struct {
	text []byte
	step int // -1: it stands above
	skip int // lines of the text itself
}

// likeness returns the similarity of the best matching neighbour on its side of line, 0 when none is similar enough.
func (s side) likeness(f *textfile.File, places []int, line int) (best float64) {
	for _, k := range beyondOwn(f, line, s.step, s.skip) {
		squeezed := f.Head(k)
		if bytes.Equal(squeezed, s.text) || len(s.text) >= 2*telling && holds(squeezed, s.text, true, false, true) {
			return 1
		}
		if fuzzy.Bound(s.text, squeezed) >= max(best, alikeBeside) {
			if v := fuzzy.Similarity(s.text, squeezed); v >= alikeBeside {
				best = max(best, v)
			}
		}
		if slices.Contains(places, k) {
			break
		}
	}
	return best
}

// beyondOwn returns the neighbours of a text that starts at line, without the text's own further lines.
func beyondOwn(f *textfile.File, line, step, own int) []int {
	near := neighbours(f, line, step, beyond+own)
	return near[min(own, len(near)):]
}

// alikeBeside is the similarity from which a neighbour counts as the former one, edited.
const alikeBeside = 0.7

// best returns the place that clearly agrees most, else -1.
func (b linesBeside) best(f *textfile.File, places []int) int {
	if b.none() {
		return -1
	}
	best, most, second := -1, agreement{}, agreement{}
	for _, i := range places {
		a := b.agree(f, places, i)
		if best < 0 || a.same > most.same || a.same == most.same && a.weight > most.weight {
			best, most, second = i, a, most
		} else if a.same > second.same || a.same == second.same && a.weight > second.weight {
			second = a
		}
	}
	if !most.clearly(second) {
		return -1
	}
	return best
}

// tells reports whether the lines distinguish the place from the others even when they are edited a little.
func (b linesBeside) tells(f *textfile.File, places []int, line int) bool {
	here := b.agree(f, places, line)
	for _, i := range places {
		if i != line && here.weight < b.agree(f, places, i).weight+telling {
			return false
		}
	}
	return here.same > 0
}

// Beside returns the lines close to the snippet at a line that distinguish it from other places in its file with the same text: one above
// or one below, both when one does not suffice. Both are empty for a text that needs none, or that no line distinguishes.
func (c *Checker) Beside(ctx context.Context, at Citation) (after, before string, err error) {
	f, err := c.textFile(ctx, at.Path)
	if err != nil || f == nil || at.Line < 1 || at.Line > f.Len() {
		return "", "", err
	}
	after, before = newSnippet(at.Snippet).beside(f, at.Line-1)
	return after, before, nil
}

// beside chooses the lines for Beside.
func (c snippet) beside(f *textfile.File, line int) (after, before string) {
	if len(c.lines) == 0 {
		return "", ""
	}
	places, kind := c.places(f)
	if len(places) == 1 && kind == whole && c.weight() >= 2*telling {
		return "", ""
	}
	above, below := c.witness(f, places, line, -1), c.witness(f, places, line, 1)
	choices := [][2]int{{above, -1}, {-1, below}, {above, below}}
	for _, enough := range []func(linesBeside) bool{
		func(b linesBeside) bool { return b.tells(f, places, line) },
		func(b linesBeside) bool { return b.best(f, places) == line },
	} {
		for _, choice := range choices {
			after, before = textAt(f, choice[0]), textAt(f, choice[1])
			if b := (linesBeside{squeezedLine(after), squeezedLine(before), c.more()}); !b.none() && enough(b) {
				return after, before
			}
		}
	}
	return "", ""
}

func textAt(f *textfile.File, line int) string {
	if line < 0 {
		return ""
	}
	return string(bytes.TrimSpace(f.Line(line)))
}

// witness returns the nearest distinctive line on one side that no other place has on that side, else the nearest distinctive one, else -1.
func (c snippet) witness(f *textfile.File, places []int, line, step int) int {
	nearest := -1
	own := 0
	if step > 0 {
		own = c.more()
	}
	for _, k := range beyondOwn(f, line, step, own) {
		if slices.Contains(places, k) {
			return nearest
		}
		if f.Weights()[k] < telling {
			continue
		}
		if nearest < 0 {
			nearest = k
		}
		b := linesBeside{above: squeezedLine(string(f.Line(k)))}
		if step > 0 {
			b = linesBeside{below: b.above, more: own}
		}
		if len(places) > 1 && b.tells(f, places, line) {
			return k
		}
	}
	return nearest
}
