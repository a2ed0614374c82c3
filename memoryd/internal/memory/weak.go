package memory

import (
	"math"
	"slices"

	"github.com/agit-suite/agit/memoryd/internal/lexicon"
)

// endsBehind is the share of the best score below which an answer ends.
const endsBehind = 0.4

// The evidence for and against a fact, which stands alone: weights of a logistic regression over the properties of a hit, fitted to
// questions about facts (answers_test.go), where those without an answer counted twice. A fact is weak when the sum is negative, which
// means that fewer than 37 in a hundred facts like it are answers. Coverage is the share of the question, by weight, that a memory itself
// contains.
const (
	factBase    = -6.0
	factWhole   = 2.43  // contains nearly the whole question
	factWords   = 1.55  // times the logarithm of one plus the number of its meaningful words of the question
	factShare   = 4.82  // times its share of the best score
	factLeads   = 1.37  // times its lead over the next best, as a share of the best score
	factOfMany  = 0.58  // times its share of the best score, for a broad question
	factUnknown = -1.67 // times the share of the question, by weight, that no memory contains
	factAlike   = -0.69 // times the logarithm of how many of the best cover as much, including itself, unless the question is broad
	factStrange = -3.88 // the question has a name that no memory contains, or a number or month that this one does not
	factUnfit   = -2.5  // it lacks the kind of thing that the question asks for

	nearlyWhole = 0.9  // coverage
	sameCover   = 0.97 // share of a coverage that counts as the same
	lookedAlike = 14   // how many of the best are compared
)

// mark marks the weak candidates: those for which the evidence, from the words of the question and the distance to other candidates, is
// negative. For a vague question all are weak, and a turn with only names from the question does not answer it. broad means that the
// question asks for everything known, asks that it has a question word.
func (r *ranker) mark(ranked []candidate, broad, asks bool) {
	most := 0.0
	for _, c := range ranked {
		most = max(most, c.carried)
	}
	vague := r.asked.vague() && !broad
	names := r.names(ranked)
	for i := range ranked {
		c := &ranked[i]
		switch {
		case vague:
			c.weak = true
		case c.turn:
			c.weak = r.onlyNames(c.entry) || r.speaks(ranked, i, most, broad, asks) < 0
		default:
			c.weak = c.yields || r.unnamed(c.entry, names) || r.states(ranked, i, broad) < 0
		}
	}
}

// states sums the evidence for a fact.
func (r *ranker) states(ranked []candidate, i int, broad bool) float64 {
	c, best := ranked[i], max(ranked[0].score, math.SmallestNonzeroFloat64)
	next := ranked[0].score
	if i == 0 {
		next = ranked[min(1, len(ranked)-1)].score // a single candidate has no lead
	}
	alike, words, strange := 0.0, 1.0, false
	for _, other := range ranked[:min(len(ranked), lookedAlike)] {
		if other.parts.Coverage >= c.parts.Coverage*sameCover {
			alike++
		}
	}
	for g, often := range c.held {
		of := r.asked.groups[g]
		if often > 0 && !of.filler {
			words++
		}
		isName := of.name && !lexicon.IsTime(of.raw)
		strange = strange || (of.number || lexicon.IsMonth(of.raw)) && often == 0 || isName && len(of.terms) == 0
	}
	sum := factBase + factShare*c.score/best + factLeads*max(c.score-next, 0)/best
	sum += factWords*math.Log(words) + factUnknown*r.asked.unknown()
	if c.parts.Coverage > nearlyWhole {
		sum += factWhole
	}
	if broad {
		sum += factOfMany * c.score / best
	} else {
		sum += factAlike * math.Log(max(alike, 1))
	}
	if strange {
		sum += factStrange
	}
	if c.unfit {
		sum += factUnfit
	}
	return sum
}

// unnamed reports whether a memory lacks a name from the question that some memory contains.
func (r *ranker) unnamed(e *entry, names []bool) bool {
	for g, often := range e.held {
		if names[g] && r.asked.groups[g].docs > 0 && often == 0 {
			return true
		}
	}
	return false
}

// names reports which words of the question are names: they are capitalised in the question, or in most of the memories that contain them.
func (r *ranker) names(ranked []candidate) []bool {
	names := make([]bool, len(r.asked.groups))
	for g, of := range r.asked.groups {
		time := lexicon.IsTime(of.raw) // days and months have capitals too
		if names[g] = of.name && !time; of.name || of.filler || of.docs == 0 || time {
			continue
		}
		with, without := 0, 0
		for _, c := range ranked {
			if c.found[g] == 0 {
				continue
			}
			if lexicon.WritesName(c.says, of.raw) {
				with++
			} else {
				without++
			}
		}
		names[g] = with > without
	}
	return names
}

// ending returns the candidates that an answer shows: those up to the point where relevance falls off.
func ending(ranked []candidate) []candidate {
	end := slices.IndexFunc(ranked, func(c candidate) bool { return c.score < endsBehind*ranked[0].score })
	if end < 0 {
		return ranked
	}
	return ranked[:end]
}

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
