package memory

import (
	"math"
	"slices"

	"github.com/agit-suite/agit/memoryd/internal/lexicon"
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
	turnStrange = -2.0  // a name is asked for that no memory holds, or what someone has
	turnAlike   = -0.38 // times the logarithm of how many of the best carry as much, itself among them

	besideTurns = 3 // places within which turns are not from elsewhere
)

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
	}{{i == 0, turnFirst}, {!asks, turnUnasked}, {c.unfit, turnUnfit}, {c.yields, turnAsks}, {c.other, turnOther}, {r.asked.strange(), turnStrange}} {
		if fact.holds {
			sum += fact.weight
		}
	}
	return sum
}

// strange reports whether a name is asked for that no memory holds, or something that someone has and no memory speaks of.
func (q question) strange() bool {
	return slices.ContainsFunc(q.groups, func(g group) bool {
		return len(g.terms) == 0 && !g.filler && (g.had || g.name && !lexicon.IsTime(g.raw))
	})
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
