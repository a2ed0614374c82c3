package memory

import (
	"math"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text/words"
)

// Bounds of a question. Longer ones are texts, whose rarest words say enough.
const (
	mostGroups = 24
	mostNear   = 6 // words that stand in for one that nobody wrote
)

// How much another word counts for the one that was asked for.
const (
	forSynonym   = 0.4
	forBeginning = 0.8 // config for configuration
	forOneTypo   = 0.8
	forTwoTypos  = 0.5
	forHalf      = 0.5 // file for filesystem
)

// question is what a text asks for.
type question struct {
	groups []group
	total  float64             // weight of all groups
	typed  map[string][]string // words nobody wrote → those taken for them
	lost   []string            // words nobody wrote and nothing resembles
	terms  map[uint32][]use    // term number → the groups it counts for
}

// group is one word of the question with those that may stand for it.
type group struct {
	raw    string
	terms  []weighed
	docs   int     // memories that hold any of them, at most
	weight float64 // inverse document frequency
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

// asker reads a question against the words of the index.
type asker struct {
	tx    *registry.Tx
	docs  map[string]int
	total float64 // memories in the index, about
	plain bool    // without synonyms and expansions, to measure what they add
}

func ask(tx *registry.Tx, s string, plain bool) (question, error) {
	a := &asker{tx: tx, docs: map[string]int{}, plain: plain}
	// The highest id counts those that are gone too, which weighs all words alike.
	if err := tx.QueryRow(`SELECT COALESCE(MAX(id), 0) FROM memories`).Scan(&a.total); err != nil {
		return question{}, err
	}
	q := question{typed: map[string][]string{}, terms: map[uint32][]use{}}
	asked := essential(words.Terms(s))
	for i, t := range asked {
		g, err := a.group(&q, t)
		if err != nil {
			return q, err
		}
		if g == nil {
			continue
		}
		if i > 0 && !a.plain && !t.Whole && !asked[i-1].Whole { // file system
			if err := a.joined(asked[i-1].Raw+t.Raw, g); err != nil {
				return q, err
			}
		}
		g.weight = math.Log(1 + (a.total-float64(g.docs)+0.5)/(float64(g.docs)+0.5))
		q.groups = append(q.groups, *g)
	}
	if len(q.groups) > mostGroups {
		slices.SortStableFunc(q.groups, func(a, b group) int { return a.docs - b.docs })
		known := slices.DeleteFunc(q.groups, func(g group) bool { return g.docs == 0 })
		q.groups = known[:min(len(known), mostGroups)]
	}
	for i, g := range q.groups {
		q.total += g.weight
		for _, w := range g.terms {
			n := number(w.term)
			q.terms[n] = append(q.terms[n], use{i, w.weight})
		}
	}
	return q, nil
}

// essential drops repeated words, and those that only ask as long as others are
// left.
func essential(terms []words.Term) []words.Term {
	seen := map[string]bool{}
	var all, strong []words.Term
	for _, t := range terms {
		if seen[t.Text] {
			continue
		}
		seen[t.Text] = true
		all = append(all, t)
		if !words.Weak(t.Raw) {
			strong = append(strong, t)
		}
	}
	if len(strong) == 0 {
		strong = all
	}
	return strong[:min(len(strong), 256)]
}

// group finds what stands for one word; nil for an identifier as a whole that
// nobody wrote, since its parts are asked for too.
func (a *asker) group(q *question, t words.Term) (*group, error) {
	g := &group{raw: t.Raw}
	if err := a.take(g, t.Text, 1); err != nil {
		return nil, err
	}
	if a.plain {
		return g, nil
	}
	if g.docs == 0 && t.Whole {
		return nil, nil
	}
	known := g.docs > 0
	for _, other := range synonymsOf(t.Text) {
		if err := a.take(g, other, forSynonym); err != nil {
			return nil, err
		}
	}
	if !known {
		near, err := a.near(g, t.Raw)
		if err != nil {
			return nil, err
		}
		switch {
		case len(near) > 0:
			q.typed[t.Raw] = near
		case g.docs == 0:
			q.lost = append(q.lost, t.Raw)
		}
	}
	return g, nil
}

// take adds a term to a group when memories hold it.
func (a *asker) take(g *group, term string, weight float64) error {
	docs, err := a.held(term)
	if err != nil || docs == 0 || slices.ContainsFunc(g.terms, func(w weighed) bool { return w.term == term }) {
		return err
	}
	g.terms = append(g.terms, weighed{term, weight, docs})
	if weight == 1 || len(g.terms) == 1 {
		g.docs = max(g.docs, docs) // a synonym does not make a word common
	}
	return nil
}

// held is how many memories hold a term.
func (a *asker) held(term string) (int, error) {
	if n, known := a.docs[term]; known {
		return n, nil
	}
	n, err := registry.One[int](a.tx.QueryRow(`SELECT doc FROM memory_vocabulary WHERE term = ?`, term))
	if registry.NoRows(err) {
		n, err = 0, nil
	}
	a.docs[term] = n
	return n, err
}

// postings bounds how many entries of the index a question has scored there: its
// rarest words choose the candidates, all of them decide between these.
const postings = 6_000

// match is the question for the text index within a scope; "" when no memory
// holds any of its words. Every word is quoted and consists of letters and digits
// alone.
func (q question) match(scope []string) string {
	var all []weighed
	for _, g := range q.groups {
		all = append(all, g.terms...)
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return a.docs - b.docs })
	var b strings.Builder
	sum := 0
	seen := map[string]bool{}
	for i, w := range all {
		if seen[w.term] {
			continue
		}
		if sum += w.docs; sum > postings && i >= 2 {
			break
		}
		if len(seen) > 0 {
			b.WriteString(" OR ")
		}
		seen[w.term] = true
		b.WriteString(quoted(w.term))
	}
	if b.Len() == 0 {
		return ""
	}
	return strings.Join(append(scope, "{name content} : ("+b.String()+")"), " AND ")
}

func quoted(term string) string { return `"` + strings.ReplaceAll(term, `"`, `""`) + `"` }
