package memory

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// endsBehind is the share of the best score at which an answer ends.
const endsBehind = 0.4

// What speaks for a fact, which stands alone, and against it: weights of a logistic regression over what is known of a hit,
// fitted to questions about facts (answers_test.go), where questions without an answer counted twice. Coverage is the share
// of the question, by weight, that a memory holds itself.
const (
	factBase    = -5.74
	factCovers  = 3.54  // times its coverage
	factLess    = 3.53  // times its share of the best score
	factLeads   = 1.22  // times its lead over the next best, as a share of the best score
	factWords   = 1.02  // times the logarithm of how many words it holds that say what is asked, and one
	factOfMany  = 1.64  // times its share of the best score, where all that is known is asked for
	factUnknown = -1.37 // times the share of the question, by weight, that no memory holds
	factAlike   = -0.82 // times the logarithm of how many cover as much, itself among them
	factUnfit   = -0.55 // without the kind of thing that is asked for
	factStrange = -3.16 // where a name is asked for that no memory holds
	sameCover   = 0.97  // share of a coverage that counts as the same
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
	c, top := ranked[i], max(ranked[0].score, math.SmallestNonzeroFloat64)
	next := ranked[min(1, len(ranked)-1)].score
	if i > 0 {
		next = ranked[0].score
	}
	same, held := 0.0, 1.0
	for _, other := range ranked {
		if other.parts.Coverage >= c.parts.Coverage*sameCover {
			same++
		}
	}
	strange := false
	for g, often := range c.held {
		of := r.asked.groups[g]
		if often > 0 && !of.filler {
			held++
		}
		strange = strange || of.name && len(of.terms) == 0 && !tellTale()[wantTime][of.raw]
	}
	sum := factBase + factCovers*c.parts.Coverage + factLess*c.score/top + factLeads*max(c.score-next, 0)/top
	sum += factWords*math.Log(held) + factUnknown*r.asked.unknown() + factAlike*math.Log(max(same, 1))
	if broad {
		sum += factOfMany * c.score / top
	}
	for _, fact := range []struct {
		holds  bool
		weight float64
	}{{c.unfit, factUnfit}, {strange, factStrange}} {
		if fact.holds {
			sum += fact.weight
		}
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
		if names[g] = of.name; of.name || of.filler || of.docs == 0 || tellTale()[wantTime][of.raw] {
			continue
		}
		with, without := 0, 0
		for _, c := range ranked {
			if c.found[g] == 0 {
				continue
			}
			if writesName(c.says, of.raw) {
				with++
			} else {
				without++
			}
		}
		names[g] = with > without
	}
	return names
}

// writesName reports whether a text has a word with a capital, within a sentence.
func writesName(says, word string) bool {
	begins := true
	for w := range strings.FieldsSeq(says) {
		first, _ := utf8.DecodeRuneInString(w)
		if !begins && unicode.IsUpper(first) && len(w) >= len(word) && strings.EqualFold(w[:len(word)], word) {
			return true
		}
		begins = strings.ContainsAny(w[len(w)-1:], ".!?:")
	}
	return false
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
