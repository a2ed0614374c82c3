package memory

import (
	"math"
	"slices"

	"github.com/agit-suite/agit/memoryd/internal/lexicon"
)

// The evidence for and against a turn of a conversation: weights of a logistic regression over the properties of a hit, fitted to questions
// about conversations. A turn is weak when the sum is negative, which means that fewer than about 45 in a hundred turns like it are
// answers.
const (
	turnBase    = -3.56
	turnCovers  = 0.87  // times its coverage
	turnCarries = 2.04  // times what it and the turns before it contain of the question, as a share of the maximum
	turnLeads   = 2.65  // times its coverage and its lead over the best hit from elsewhere, as a share of the best score
	turnFirst   = 0.97  // it is the best hit
	turnOfMany  = 1.47  // times its share of the best score, for a broad question
	turnUnasked = -1.53 // the question has no question word
	turnUnfit   = -1.44 // it lacks the kind of thing that the question asks for
	turnAsks    = -1.51 // it yields to the turn that answers it
	turnOther   = -2.62 // of a speaker whom the question is not about
	turnUnknown = -1.49 // times the share of the question, by weight, that no memory contains
	turnStrange = -2.0  // the question has a name, or a possession, that no memory contains
	turnAlike   = -0.38 // times the logarithm of how many of the best carry as much, including itself

	besideTurns = 3 // distance up to which turns belong to one passage
)

// speaks sums the evidence for a turn. most is the largest carried share of all candidates.
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
	}{{i == 0, turnFirst}, {!asks, turnUnasked}, {c.unfit, turnUnfit}, {c.yields, turnAsks}, {c.other, turnOther}, {r.asked.strange(), turnStrange}} {
		if fact.holds {
			sum += fact.weight
		}
	}
	return sum
}

// strange reports whether the question has a name, or a possession, that no memory contains.
func (q question) strange() bool {
	return slices.ContainsFunc(q.groups, func(g group) bool {
		return len(g.terms) == 0 && !g.filler && (g.had || g.name && !lexicon.IsTime(g.raw))
	})
}

// equals returns how many of the best candidates carry about as much of the question as c, at least 1.
func equals(ranked []candidate, c candidate) float64 {
	n := 0
	for _, other := range ranked[:min(len(ranked), lookedAlike)] {
		if other.carried >= c.carried*sameCover {
			n++
		}
	}
	return float64(max(n, 1))
}

// elsewhere returns the score of the best candidate that is not close to a turn.
func elsewhere(ranked []candidate, c candidate) float64 {
	for _, other := range ranked {
		if other.id != c.id && (other.thread != c.thread || max(other.id-c.id, c.id-other.id) > besideTurns) {
			return other.score
		}
	}
	return 0
}
