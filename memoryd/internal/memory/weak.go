package memory

import "slices"

// What makes a hit weak, set where precision and recall of what is not weak meet
// (answers_test.go). Coverage is the share of the question, by weight, that a
// memory holds itself.
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

// mark says which of the ranked candidates are weak: those that hold little of the
// question, or less of it than others do, turns that only ask, and those of people who are not asked about. Where many hold the same part of it, the
// rest was what was asked.
func mark(ranked []candidate) {
	best := 0.0
	for _, c := range ranked {
		best = max(best, c.parts.Coverage)
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
	for i := range ranked {
		c := &ranked[i]
		c.weak = c.yields || c.other || c.parts.Coverage < weakBelow || c.parts.Coverage < weakBeside*best || c.score < least*ranked[0].score
	}
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
