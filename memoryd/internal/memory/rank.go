package memory

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agit-suite/agit/memoryd/internal/lexicon"
)

// The ranking: BM25 over a memory's own words and, with less weight, over those noted right before and after it in the same thread
// (Robertson, Zaragoza, Taylor, "Simple BM25 extension to multiple weighted fields", 2004). The score is adjusted, within bounds, by the
// fit of its thread and then by importance, recency and confidence. BenchmarkRecallQuality shows the benefit of each part.
const (
	firstCandidates = 40 // from the index, by their own words
	withNeighbours  = 25 // those of them whose neighbours are read too

	saturation  = 1.2 // k1
	lengthPart  = 0.5 // b
	usualLength = 40  // words of a memory plus the weighted words of its neighbours

	reachBefore = 4 // neighbours before a memory that are read
	reachAfter  = 2
	reach       = reachBefore + reachAfter
	besideIt    = 2 // neighbours on each side that become candidates themselves

	nearLength = 1.3 // factor of a neighbour's length, relative to the weight of its words

	ofThread = 0.25 // of the root of the sum of squares of the thread's scores
	inThread = 30   // largest difference of ids
	bestOnly = 30   // candidates that count for their threads

	uncovered = 0.25 // lost by a memory without any word of the question
	besides   = 0.95 // factor for a memory noted within two places of a better one
	ofOther   = 0.65 // factor for a turn of a speaker whom the question is not about
	answered  = 0.85 // factor for a turn whose question the next turn answers
	ofLent    = 0.8  // of a word that a question lends, in a score; all of it in a coverage
)

// nearPart is the weight of a word one, two, three and four places before a memory, then one and two places after it.
var nearPart = [reach]float64{0.35, 0.2, 0.15, 0.15, 0.4, 0.3}

// unfit is the share that a turn loses when it lacks the kind of thing that the question asks for.
var unfit = [...]float64{lexicon.Number: 0.2, lexicon.Amount: 0.2, lexicon.Time: 0.3, lexicon.Person: 0.15, lexicon.Place: 0.3, lexicon.Reason: 0.3, lexicon.Colour: 0.3, lexicon.Name: 0.1, lexicon.Saying: 0.1, lexicon.Itself: 0.1}

// Bounds of the other factors than relevance: an ordinary memory has factor 1.
const (
	perImportance = 0.03 // for each level above or below DefaultImportance
	recencyPart   = 0.05 // lost as a memory grows old
	recencyHalf   = 90.0 // days in which half of that is lost
	certainPart   = 0.4  // lost as confidence goes to 0
)

// without disables parts of the ranking.
type without struct {
	neighbours, thread, importance, recency, confidence, expansions bool
}

// Parts are the components of a score.
type Parts struct {
	Relevance  float64            `json:"relevance"`  // of words, its own and its neighbours'
	Own        float64            `json:"own"`        // of its own words alone
	Thread     float64            `json:"thread"`     // added for a thread that fits well
	Importance float64            `json:"importance"` // factors
	Recency    float64            `json:"recency"`
	Confidence float64            `json:"confidence"`
	Coverage   float64            `json:"coverage"`          // share of the question that the memory itself contains
	Meaning    float64            `json:"meaning,omitempty"` // cosine of the two meanings, when a model is configured
	Words      map[string]float64 `json:"words"`             // contribution of each word of the question
}

// String formats the parts for people.
func (p Parts) String() string {
	s := fmt.Sprintf("words %.2f (own %.2f)", p.Relevance, p.Own)
	if p.Thread > 0 {
		s += fmt.Sprintf(" + thread %.2f", p.Thread)
	}
	s += fmt.Sprintf(" × importance %.2f × recency %.2f × confidence %.2f, covers %d %%", p.Importance, p.Recency, p.Confidence, int(p.Coverage*100))
	if p.Meaning != 0 {
		s += fmt.Sprintf("; meaning %.2f", p.Meaning)
	}
	return s
}

type candidate struct {
	*entry
	score float64
	weak  bool
	parts Parts
}

// gather adds the neighbours of the best candidates.
func (q Query) gather(r *ranker, all []*entry) ([]*entry, error) {
	for _, e := range all {
		e.base = r.relevance(e, nil)
	}
	slices.SortFunc(all, func(a, b *entry) int { return cmp.Or(cmp.Compare(b.base, a.base), cmp.Compare(a.id, b.id)) })
	if q.without.neighbours {
		return all, nil
	}
	if err := r.neighbours(all[:min(len(all), withNeighbours)]); err != nil {
		return nil, err
	}
	var beside []*entry
	for _, e := range all[:min(len(all), withNeighbours)] {
		for i, n := range e.near {
			if closeBy(i) && n != nil && !slices.Contains(all, n) && !slices.Contains(beside, n) {
				beside = append(beside, n)
			}
		}
	}
	beside, err := q.admitted(r.tx, beside)
	return append(all, beside...), err
}

// closeBy reports whether an index of entry.near is within besideIt places of the memory.
func closeBy(i int) bool { return i < besideIt || i >= reachBefore && i < reachBefore+besideIt }

// order ranks the gathered memories.
func (q Query) order(r *ranker, all []*entry) []candidate {
	kind := lexicon.Wanted(q.Text)
	r.speakers()
	lend(all, lexicon.Interrogative(q.Text))
	r.fitting(all, kind, lexicon.Counted(q.Text))
	for _, e := range all {
		e.base = r.relevance(e, e.near[:])
		e.score = e.base
	}
	slices.SortFunc(all, byScore)
	out := make(map[*entry]Parts, len(all))
	best := all[:min(bestOnly, len(all))]
	for _, e := range all {
		out[e] = q.parts(r, e, best)
	}
	for _, e := range all {
		p := out[e]
		e.score = (e.base + p.Thread) * (1 - uncovered*(1-p.Coverage)) * p.Importance * p.Recency * p.Confidence
		if e.other {
			e.score *= ofOther
		}
		if e.unfit {
			e.score *= 1 - unfit[kind]
		}
	}
	slices.SortFunc(all, byScore)
	shade(all)
	ranked := make([]candidate, len(all))
	for i, e := range all {
		p := out[e]
		if q.Explain {
			p.Words = r.words(e)
		}
		for _, part := range []*float64{&p.Thread, &p.Importance, &p.Recency, &p.Confidence, &p.Coverage} {
			*part = rounded(*part)
		}
		ranked[i] = candidate{entry: e, score: e.score / (r.asked.total * (saturation + 1)), parts: p}
	}
	r.mark(ranked, lexicon.Broad(q.Text), lexicon.Interrogative(q.Text) != "")
	return ranked
}

// shade lowers the score of memories noted right beside a better hit, since a reader of that one finds them, and of turns whose question
// another turn answers.
func shade(all []*entry) {
	for i, e := range all {
		for k, n := range e.near {
			if closeBy(k) && n != nil && slices.Contains(all[:min(i, bestOnly)], n) {
				e.score *= besides
				break
			}
		}
	}
	for _, e := range all {
		if e.yields {
			e.score *= answered
		}
	}
	slices.SortFunc(all, byScore)
}

// parts returns the components of an entry's score.
func (q Query) parts(r *ranker, e *entry, best []*entry) Parts {
	p := Parts{Relevance: rounded(e.base), Own: rounded(r.relevance(e, nil)), Importance: 1, Recency: 1, Confidence: 1}
	if e.thread != "" && !q.without.thread {
		p.Thread = ofThread * together(e, best)
	}
	if !q.without.importance {
		p.Importance = 1 + perImportance*float64(e.importance-DefaultImportance)
	}
	if !q.without.recency {
		p.Recency = 1 - recencyPart*(1-math.Exp2(-age(r.tx.Now(), e.updated)/recencyHalf))
	}
	if !q.without.confidence {
		p.Confidence = 1 - certainPart*(1-e.confidence)
	}
	p.Coverage = r.coverage(e)
	e.carried = r.carried(e)
	return p
}

// byScore puts the best first; among equal scores, the latest changed.
func byScore(a, b *entry) int {
	return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(b.updated, a.updated), cmp.Compare(b.id, a.id))
}

// relevance returns the BM25 score of the words of a memory and, weighted, of its neighbours.
func (r *ranker) relevance(e *entry, near []*entry) float64 {
	sum := 0.0
	for g := range r.asked.groups {
		sum += r.ofGroup(e, near, g)
	}
	return sum
}

func (r *ranker) ofGroup(e *entry, near []*entry, g int) float64 {
	often, length := e.found[g], e.length
	if near != nil {
		often = max(often, ofLent*e.held[g])
	}
	for i, n := range near {
		if n == nil {
			continue
		}
		part := nearPart[i]
		often += part * min(n.found[g], 1) // a word that a neighbour repeats is not further evidence
		length += nearLength * part * min(n.length, usualLength)
	}
	if often == 0 {
		return 0
	}
	return r.asked.groups[g].weight * often * (saturation + 1) / (often + saturation*(1-lengthPart+lengthPart*length/usualLength))
}

func (r *ranker) words(e *entry) map[string]float64 {
	out := map[string]float64{}
	for g := range r.asked.groups {
		if part := r.ofGroup(e, e.near[:], g); part > 0 {
			out[r.asked.groups[g].raw] = rounded(part)
		}
	}
	return out
}

// coverage returns the share of the question, by weight, in the memory itself or in the question that it answers.
func (r *ranker) coverage(e *entry) float64 {
	if r.asked.certain == 0 {
		return 0
	}
	held := 0.0
	for g, often := range e.held {
		held += r.asked.groups[g].certain * min(often, 1)
	}
	return held / r.asked.certain
}

// together returns how well the nearby memories of a memory's thread answer.
func together(e *entry, best []*entry) float64 {
	sum := 0.0
	for _, other := range best {
		if other.thread == e.thread && other.project == e.project && max(other.id-e.id, e.id-other.id) <= inThread {
			sum += other.base * other.base
		}
	}
	return math.Sqrt(sum)
}
