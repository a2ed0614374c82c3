package memory

import (
	"math"
	"slices"
)

// What makes a hit weak that is not a turn of a conversation, set where precision
// and recall of what is not weak meet (answers_test.go). Coverage is the share of
// the question, by weight, that a memory holds itself.
const (
	weakBelow   = 0.5  // coverage
	weakBeside  = 0.92 // share of the best coverage: another one holds a word more
	weakBehind  = 0.6  // share of the best score
	wellCovered = 0.8  // coverage from which many equal hits are what was asked for
	mostAlike   = 4    // hits that cover the same part of a question and so do not answer it
	asGood      = 0.98 // share of the best score at which a hit is as good as the best
	sameCover   = 0.97 // share of the best coverage that counts as the same
	endsBehind  = 0.4  // share of the best score at which an answer ends
)

// What speaks for a turn of a conversation, and against it: weights of a logistic
// regression over what is known of a hit, fitted to questions about conversations.
// It is weak when they sum up to less than nothing: when turns like it answer less
// than about 45 times in a hundred.
const (
	turnBase    = -3.56
	turnCovers  = 0.87  // times its coverage
	turnCarries = 2.04  // times its share of the most that a turn and those before it hold of the question
	turnLeads   = 2.65  // times its coverage and its lead over the best hit from elsewhere, as a share of the best score
	turnFirst   = 0.97  // the best hit
	turnOfMany  = 1.47  // times its share of the best score, where all that is known is asked for
	turnUnasked = -1.53 // where no word says what is asked for
	turnUnfit   = -1.44 // without the kind of thing that is asked for
	turnAsks    = -1.51 // it yields to the turn that answers it
	turnOther   = -2.62 // of someone who is not asked about
	turnUnknown = -1.49 // times the share of the question, by weight, that no memory holds
	turnAlike   = -0.38 // times the logarithm of how many of the best carry as much, itself among them

	lookedAlike = 14 // of the best
	besideTurns = 3  // places within which turns are not from elsewhere
)

// mark says which of the ranked candidates are weak: those that hold little of the
// question, or less of it than others do. Where many hold the same part of it, the
// rest was what was asked; what has no word but a common one asks for nothing that
// can be told. Of turns it says which are hardly right, or hold no more of the
// question than a name. broad and asks say whether all that is known is asked for,
// and whether a word says what is.
func (r *ranker) mark(ranked []candidate, broad, asks bool) {
	best, most := 0.0, 0.0
	for _, c := range ranked {
		best, most = max(best, c.parts.Coverage), max(most, c.carried)
	}
	same := 0
	for _, c := range ranked {
		if c.parts.Coverage >= best*sameCover {
			same++
		}
	}
	least := weakBehind
	if best < wellCovered && same >= mostAlike {
		least = asGood
	}
	vague := r.asked.vague() && !broad
	for i := range ranked {
		c := &ranked[i]
		if c.weak = vague; vague {
			continue
		}
		if c.turn {
			c.weak = r.onlyNames(c.entry) || r.speaks(ranked, i, most, broad, asks) < 0
			continue
		}
		c.weak = c.yields || r.unnamed(c.entry) || c.parts.Coverage < weakBelow || c.parts.Coverage < weakBeside*best || c.score < least*ranked[0].score
	}
}

// unnamed reports whether a memory does not hold a name that is asked for and that
// some memory holds.
func (r *ranker) unnamed(e *entry) bool {
	for g, often := range e.held {
		if r.asked.groups[g].name && r.asked.groups[g].docs > 0 && often == 0 {
			return true
		}
	}
	return false
}

// speaks sums up what speaks for a turn. most is what any candidate carries.
func (r *ranker) speaks(ranked []candidate, i int, most float64, broad, asks bool) float64 {
	c, top := ranked[i], max(ranked[0].score, math.SmallestNonzeroFloat64)
	sum := turnBase + turnCovers*c.parts.Coverage + turnCarries*c.carried/max(most, math.SmallestNonzeroFloat64)
	sum += turnLeads * c.parts.Coverage * max(c.score-elsewhere(ranked, c), 0) / top
	sum += turnUnknown*r.asked.unknown() + turnAlike*math.Log(equals(ranked, c))
	if broad {
		sum += turnOfMany * c.score / top
	}
	for _, fact := range []struct {
		holds  bool
		weight float64
	}{{i == 0, turnFirst}, {!asks, turnUnasked}, {c.unfit, turnUnfit}, {c.yields, turnAsks}, {c.other, turnOther}} {
		if fact.holds {
			sum += fact.weight
		}
	}
	return sum
}

// equals is how many of the best candidates carry about as much of the question as one does, at least 1.
func equals(ranked []candidate, c candidate) float64 {
	n := 0
	for _, other := range ranked[:min(len(ranked), lookedAlike)] {
		if other.carried >= c.carried*sameCover {
			n++
		}
	}
	return float64(max(n, 1))
}

// elsewhere is the score of the best candidate that does not stand beside a turn.
func elsewhere(ranked []candidate, c candidate) float64 {
	for _, other := range ranked {
		if other.id != c.id && (other.thread != c.thread || max(other.id-c.id, c.id-other.id) > besideTurns) {
			return other.score
		}
	}
	return 0
}

// ending is what an answer shows of its candidates: those up to where relevance
// falls off.
func ending(ranked []candidate) []candidate {
	end := slices.IndexFunc(ranked, func(c candidate) bool { return c.score < endsBehind*ranked[0].score })
	if end < 0 {
		return ranked
	}
	return ranked[:end]
}
