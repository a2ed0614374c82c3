package memory

import (
	"math"
	"slices"

	"github.com/agit-suite/agit/memoryd/internal/lexicon"
)

// endsBehind is the share of the best score at which an answer ends.
const endsBehind = 0.4

// What speaks for a fact, which stands alone, and against it: weights of a logistic regression over what is known of a hit,
// fitted to questions about facts (answers_test.go), where those without an answer counted twice. It is weak when they sum up
// to less than nothing: when facts like it answer less than 37 times in a hundred. Coverage is the share of the question, by
// weight, that a memory holds itself.
const (
	factBase    = -6.0
	factWhole   = 2.43  // holds nearly the whole question
	factWords   = 1.55  // times the logarithm of how many words it holds that say what is asked, and one
	factShare   = 4.82  // times its share of the best score
	factLeads   = 1.37  // times its lead over the next best, as a share of the best score
	factOfMany  = 0.58  // times its share of the best score, where all that is known is asked for
	factUnknown = -1.67 // times the share of the question, by weight, that no memory holds
	factAlike   = -0.69 // times the logarithm of how many of the best cover as much, itself among them, where one thing is asked for
	factStrange = -3.88 // a name is asked for that no memory holds, or a number or a month that it does not
	factUnfit   = -2.5  // without the kind of thing that is asked for

	nearlyWhole = 0.9  // coverage
	sameCover   = 0.97 // share of a coverage that counts as the same
	lookedAlike = 14   // of the best
)

// mark says which of the ranked candidates are weak: what they hold of the question, and how far they stand behind and before
// others, speaks for them less than it speaks against them. What has no word but a common one asks for nothing that can be
// told, and a turn that holds no more of a question than a name does not answer it. broad and asks say whether all that is
// known is asked for, and whether a word says what is.
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

// states sums up what speaks for a fact.
func (r *ranker) states(ranked []candidate, i int, broad bool) float64 {
	c, best := ranked[i], max(ranked[0].score, math.SmallestNonzeroFloat64)
	next := ranked[0].score
	if i == 0 {
		next = ranked[min(1, len(ranked)-1)].score // one that stands alone leads by nothing
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

// unnamed reports whether a memory does not hold a name that is asked for and that some memory holds.
func (r *ranker) unnamed(e *entry, names []bool) bool {
	for g, often := range e.held {
		if names[g] && r.asked.groups[g].docs > 0 && often == 0 {
			return true
		}
	}
	return false
}

// names says which words of the question are names: they are written with a capital there, or in most of the memories that
// hold them.
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

// ending is what an answer shows of its candidates: those up to where relevance
// falls off.
func ending(ranked []candidate) []candidate {
	end := slices.IndexFunc(ranked, func(c candidate) bool { return c.score < endsBehind*ranked[0].score })
	if end < 0 {
		return ranked
	}
	return ranked[:end]
}
