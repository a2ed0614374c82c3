package memory

import (
	"math"
	"slices"

	"github.com/agit-suite/agit/memoryd/internal/lexicon"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text/words"
)

// Bounds of a question. A longer one is a text, whose rarest words are enough.
const (
	mostGroups = 24
	mostAsked  = 256 // words that are looked up
	mostNear   = 6   // words that replace an unknown one
	manyHold   = 6   // with so many memories, a single word does not identify one
)

// The weight of a word that is searched instead of the question's.
const (
	forSynonym   = 0.4
	forBeginning = 0.8 // config for configuration
	forOneTypo   = 0.8
	forTwoTypos  = 0.5
	forHalf      = 0.5 // file for filesystem
	forJoined    = 0.8 // roadtrip for road trip, and the other way round
)

// The weight of a filler word relative to a word about the question's subject.
const (
	ofFiller     = 0.4  // in a coverage
	fillerWeight = 0.95 // in a score
)

// question is a parsed question.
type question struct {
	groups  []group
	total   float64             // weight of all groups
	certain float64             // weight of all groups in a coverage
	typed   map[string][]string // unknown words → the words taken for them
	lost    []string            // unknown words without a similar one
	held    map[string][]int64  // term → memories that contain it
	terms   map[uint32][]use    // term number → the groups it counts for
}

// group is one word of the question with the words that may replace it.
type group struct {
	raw     string
	terms   []weighed
	docs    int     // upper bound of the memories with any of them
	weight  float64 // inverse document frequency
	certain float64 // weight in a coverage: low for filler words
	spoken  bool    // the name of someone who speaks
	name    bool    // written with a capital within a sentence
	had     bool    // what someone has who is asked about: "sister" of "Mia's sister"
	number  bool    // written in digits alone, as in a version
	filler  bool    // it fits any question
}

type weighed struct {
	term   string
	weight float64
	docs   int
}

type use struct {
	group  int
	weight float64
}

// store is the searched part of the index: words of other projects neither affect its weights nor count as replacements.
type store struct {
	total int64 // approximate number of its memories
	scope scope // empty for the whole index
}

// asker parses a question against the words of the index.
type asker struct {
	tx    *registry.Tx
	scope scope // of the store
	docs  map[string]int
	held  map[string][]int64 // memories with a term, of the listed terms
	wrote map[string]bool    // words that memories contain literally, of those looked up
	total float64            // approximate number of memories in the store
	plain bool               // without synonyms and expansions, to measure their benefit
}

func newAsker(tx *registry.Tx, in store) *asker {
	return &asker{tx: tx, scope: in.scope, docs: map[string]int{}, held: map[string][]int64{}, wrote: map[string]bool{}, total: float64(in.total)}
}

// ask parses a question in three statements at most.
func ask(tx *registry.Tx, s string, in store, plain bool) (question, error) {
	a := newAsker(tx, in)
	a.plain = plain
	q := question{held: a.held, typed: map[string][]string{}, terms: map[uint32][]use{}}
	asked := essential(words.Terms(s))
	var lookUp []string
	for _, t := range asked {
		lookUp = append(lookUp, t.Text)
		if plain {
			continue
		}
		lookUp = append(lookUp, lexicon.Synonyms(t.Text)...)
		for _, joined := range t.joined {
			lookUp = append(lookUp, words.Stem(joined))
			lookUp = append(lookUp, lexicon.Synonyms(words.Stem(joined))...)
		}
	}
	if err := a.list(lookUp); err != nil {
		return q, err
	}
	var unknown []string
	for _, t := range asked {
		if a.docs[t.Text] == 0 && !t.Whole && !lexicon.Filler(t.Term) {
			unknown = append(unknown, t.Raw)
		}
	}
	var near map[string][]nearWord
	if !plain {
		var err error
		if near, err = a.near(unknown); err != nil {
			return q, err
		}
	}
	names, had := lexicon.Names(s), lexicon.Possessions(s)
	for _, t := range asked {
		g := a.group(&q, t.Term, near[t.Raw])
		if g == nil {
			continue
		}
		for _, joined := range t.joined {
			if plain {
				break
			}
			a.take(g, words.Stem(joined), forJoined)
			for _, other := range lexicon.Synonyms(words.Stem(joined)) {
				a.take(g, other, forSynonym)
			}
		}
		g.weight = math.Log(1 + (a.total-float64(g.docs)+0.5)/(float64(g.docs)+0.5))
		g.certain = a.certain(g.docs)
		g.name, g.had, g.number = names[t.Raw], had[t.Raw], lexicon.IsNumber(t.Raw)
		if g.filler = lexicon.Filler(t.Term); g.filler {
			g.weight *= fillerWeight
			g.certain *= ofFiller
			if g.docs == 0 {
				g.certain = 0
			}
		}
		q.groups = append(q.groups, *g)
	}
	if len(q.groups) > mostGroups {
		slices.SortStableFunc(q.groups, func(a, b group) int { return a.docs - b.docs })
		known := slices.DeleteFunc(q.groups, func(g group) bool { return g.docs == 0 })
		q.groups = known[:min(len(known), mostGroups)]
	}
	for i, g := range q.groups {
		q.total += g.weight
		q.certain += g.certain
		for _, w := range g.terms {
			n := number(w.term)
			q.terms[n] = append(q.terms[n], use{i, w.weight})
		}
	}
	return q, nil
}

// askedWord is a word of a question.
type askedWord struct {
	words.Term
	joined []string // joined with the word before it, and with the one after it
}

// essential drops repeated words, and question words as long as others are left.
func essential(terms []words.Term) []askedWord {
	seen := map[string]bool{}
	var all, strong []askedWord
	for i, t := range terms {
		if seen[t.Text] {
			continue
		}
		seen[t.Text] = true
		w := askedWord{Term: t}
		if !t.Whole { // the parts of a name are searched as a whole anyway
			if i > 0 && !terms[i-1].Whole && !words.Weak(terms[i-1].Raw) {
				w.joined = append(w.joined, terms[i-1].Raw+t.Raw)
			}
			if i+1 < len(terms) && !terms[i+1].Whole {
				w.joined = append(w.joined, t.Raw+terms[i+1].Raw)
			}
		}
		all = append(all, w)
		if !words.Weak(t.Raw) {
			strong = append(strong, w)
		}
	}
	if len(strong) == 0 {
		strong = all
	}
	return strong[:min(len(strong), mostAsked)]
}

// group returns the group of one word; nil for a whole identifier that no memory contains, since its parts are searched too.
func (a *asker) group(q *question, t words.Term, near []nearWord) *group {
	g := &group{raw: t.Raw}
	a.take(g, t.Text, 1)
	if a.plain {
		return g
	}
	if g.docs == 0 && t.Whole {
		return nil
	}
	known := g.docs > 0
	if !lexicon.Filler(t) {
		for _, other := range lexicon.Synonyms(t.Text) {
			a.take(g, other, forSynonym)
		}
	}
	if known {
		return g
	}
	var taken []string
	for _, n := range near {
		if before := len(g.terms); len(taken) < mostNear {
			if a.take(g, words.Stem(n.word), n.weight); len(g.terms) > before {
				taken = append(taken, n.word)
			}
		}
	}
	switch {
	case len(taken) > 0:
		q.typed[t.Raw] = taken
	case g.docs == 0 && !lexicon.Filler(t):
		q.lost = append(q.lost, t.Raw)
	}
	return g
}

// leastKept is the least size assumed for a store when the known share of a question is computed: in a store of three memories, every word
// would be in a third.
const leastKept = 50

// certain returns the weight in a coverage of a word in that many memories. A word in none has the weight of the rarest.
func (a *asker) certain(docs int) float64 {
	total, held := max(a.total, leastKept), max(float64(docs), 1)
	return math.Log(1 + (total-held+0.5)/(held+0.5))
}

// take adds a term to a group when memories contain it.
func (a *asker) take(g *group, term string, weight float64) {
	docs := a.docs[term]
	if docs == 0 || slices.ContainsFunc(g.terms, func(w weighed) bool { return w.term == term }) {
		return
	}
	g.terms = append(g.terms, weighed{term, weight, docs})
	if weight == 1 || len(g.terms) == 1 {
		g.docs = max(g.docs, docs) // a synonym does not make a word common
	}
}

// count reads how many memories contain each of some terms.
func (a *asker) count(terms []string) error {
	if len(a.scope) > 0 { // the vocabulary counts all projects
		return a.list(terms)
	}
	fresh := unseen(a.docs, terms)
	if len(fresh) == 0 {
		return nil
	}
	marks, args := many(fresh)
	_, err := registry.Collect(a.tx, func(row registry.Scanner) (struct{}, error) {
		var term string
		var docs int
		err := row.Scan(&term, &docs)
		a.docs[term] = docs
		return struct{}{}, err
	}, indexOf(a.tx).documents(marks), args...)
	return err
}

// words returns the words of the question as written.
func (q question) words() map[string]bool {
	all := make(map[string]bool, len(q.groups))
	for _, g := range q.groups {
		all[g.raw] = true
	}
	return all
}

// unknown returns the share of the question, by weight, that no memory contains.
func (q question) unknown() float64 {
	lost, all := 0.0, 0.0
	for _, g := range q.groups {
		if all += g.certain; len(g.terms) == 0 {
			lost += g.certain
		}
	}
	if all == 0 {
		return 0
	}
	return lost / all
}

// speak marks the words that name a speaker.
func (q *question) speak(speakers map[string]bool) {
	for who := range speakers {
		for _, t := range words.Terms(who) {
			for i := range q.groups {
				q.groups[i].spoken = q.groups[i].spoken || q.groups[i].raw == t.Raw
			}
		}
	}
}

// vague reports whether a question has at most one word besides aimless verbs, and many memories contain it: then the intended memory
// cannot be determined.
func (q question) vague() bool {
	carrying, held := 0, manyHold
	for _, g := range q.groups {
		if !lexicon.Aimless(g.raw) {
			carrying, held = carrying+1, g.docs
		}
	}
	return carrying <= 1 && len(q.groups) > 1 && held >= manyHold
}
