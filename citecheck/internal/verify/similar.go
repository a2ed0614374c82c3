package verify

import (
	"cmp"
	"slices"

	"github.com/agit-suite/agit/citecheck/internal/verify/fuzzy"
)

const (
	// likeness is the score from which a line at the place of the cited one is suggested, farLikeness the score for lines elsewhere.
	likeness    = 0.40
	farLikeness = 0.62
	// maxCompared bounds how many lines are compared letter by letter.
	maxCompared = 400
)

// similar suggests the new line most similar to the key line of a: 0.6 times the similarity of the text and 0.4 times that of the
// surroundings.
func (p *filePair) similar(a anchor) outcome {
	key := a.key()
	first, after := p.m.Gap(key)
	text := p.old.Head(key)
	type candidate struct {
		line   int
		bound  float64
		around float64
		inside bool
		text   []byte
	}
	var candidates []candidate
	for n := range p.new.Len() {
		if p.m.From[n] >= 0 || p.new.Blank(n) {
			continue
		}
		c := candidate{line: n, inside: n >= first && n < after, text: p.new.Head(n)}
		c.bound = fuzzy.Bound(text, c.text)
		if c.bound < 0.5 && (!c.inside || c.bound < 0.3) {
			continue
		}
		c.around = p.around(key, n)
		c.bound = 0.6*c.bound + 0.4*c.around
		candidates = append(candidates, c)
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(b.bound, a.bound) })
	best := outcome{}
	for _, c := range candidates[:min(len(candidates), maxCompared)] {
		if best.how == alike && c.bound < best.score {
			break
		}
		score := 0.6*p.likeness(text, c.text, c.line) + 0.4*c.around
		if score > best.score && (score >= farLikeness || c.inside && score >= likeness) {
			best = outcome{how: alike, line: c.line, last: c.line, score: score, why: "the text there is similar"}
		}
	}
	if best.how == alike && len(a.lines) > 1 {
		w := p.whole(a, best.line)
		best.line, best.last, best.ranged = w.line, w.last, w.ranged
	}
	return best
}

// likeness compares an old line with new line n, also where the line was split in two there or became a part of a longer one.
func (p *filePair) likeness(old, new []byte, n int) float64 {
	score := fuzzy.Similarity(old, new)
	if len(new) < len(old) {
		if next := step(p.new, n, 1); next >= 0 {
			joined := append(append([]byte(nil), new...), p.new.Head(next)...)
			score = max(score, fuzzy.Similarity(old, joined))
		}
	} else if len(old) >= 2*telling && holds(new, old, false, false, false) {
		score = max(score, 0.8)
	}
	return score
}
