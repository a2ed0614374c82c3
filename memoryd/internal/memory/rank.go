package memory

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/agit-suite/agit/shared/registry"
)

// The ranking: BM25 over a memory's own words and, for less, over those noted
// right before and after it in the same thread (Robertson, Zaragoza, Taylor,
// "Simple BM25 extension to multiple weighted fields", 2004). How well its thread
// answers, and then importance, recency and confidence, adjust within bounds.
// BenchmarkRecallQuality shows what each part adds.
const (
	firstCandidates = 40 // taken from the index by their own words
	withNeighbours  = 25 // of these, whose neighbours are looked at too

	saturation  = 1.2 // k1
	lengthPart  = 0.5 // b
	usualLength = 40  // words of a memory and, weighed, its neighbours

	nextTo   = 0.5 // of a word one place away
	nearby   = 0.25
	ofThread = 0.2 // of the root of squares of the thread's scores
	inThread = 30  // ids apart at most
	bestOnly = 30  // candidates that speak for their threads

	weakBelow = 0.4 // share of the question, by weight, below which a hit is weak
)

// Bounds of what is no relevance: a factor of 1 is an ordinary memory.
const (
	perImportance = 0.03 // for each level above DefaultImportance, or below
	recencyPart   = 0.05 // lost as a memory grows old
	recencyHalf   = 90.0 // days in which half of it is lost
	certainPart   = 0.4  // lost as confidence goes to 0
)

// without switches parts of the ranking off.
type without struct {
	neighbours, thread, importance, recency, confidence, expansions bool
}

// Parts are what a score is made of.
type Parts struct {
	Relevance  float64            `json:"relevance"`  // of words, its own and its neighbours'
	Own        float64            `json:"own"`        // of its own words alone
	Thread     float64            `json:"thread"`     // added since its thread answers well
	Importance float64            `json:"importance"` // factors
	Recency    float64            `json:"recency"`
	Confidence float64            `json:"confidence"`
	Coverage   float64            `json:"coverage"` // share of the question that the memory itself holds
	Words      map[string]float64 `json:"words"`    // what each word of the question adds
}

// String is what people read of the parts.
func (p Parts) String() string {
	s := fmt.Sprintf("words %.2f (own %.2f)", p.Relevance, p.Own)
	if p.Thread > 0 {
		s += fmt.Sprintf(" + thread %.2f", p.Thread)
	}
	return s + fmt.Sprintf(" × importance %.2f × recency %.2f × confidence %.2f, covers %d %%", p.Importance, p.Recency, p.Confidence, int(p.Coverage*100))
}

type candidate struct {
	id    int64
	score float64
	weak  bool
	parts Parts
}

// entry is a memory as the ranking sees it.
type entry struct {
	id         int64
	project    int64
	thread     string
	found      []float64 // how often, weighed, it holds each group of the question
	length     float64
	importance int
	confidence float64
	updated    string
	expired    bool
	near       [4]*entry // one and two before, one and two after
	looked     bool      // for all of near, not only what another one saw
	base       float64
	score      float64
}

// ranker loads what is compared.
type ranker struct {
	tx      *registry.Tx
	asked   question
	entries map[int64]*entry
}

// rank orders the candidates of the index and their neighbours.
func (q Query) rank(tx *registry.Tx, asked question, first []int64) ([]candidate, error) {
	r := &ranker{tx: tx, asked: asked, entries: map[int64]*entry{}}
	var all []*entry
	add := func(e *entry) {
		if e != nil && !e.expired && !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	for i, id := range first {
		e, err := r.load(id)
		if err != nil {
			return nil, err
		}
		add(e)
		if e == nil || e.thread == "" || i >= withNeighbours || q.without.neighbours {
			continue
		}
		if err := r.neighbours(e); err != nil {
			return nil, err
		}
		for _, n := range e.near {
			ok, err := q.admits(tx, n)
			if err != nil {
				return nil, err
			}
			if ok {
				add(n)
			}
		}
	}
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
		e.score = (e.base + p.Thread) * p.Importance * p.Recency * p.Confidence
	}
	slices.SortFunc(all, byScore)
	ranked := make([]candidate, len(all))
	for i, e := range all {
		p := out[e]
		if q.Explain {
			p.Words = r.words(e)
		}
		p.Thread, p.Importance, p.Recency, p.Confidence, p.Coverage = rounded(p.Thread), rounded(p.Importance), rounded(p.Recency), rounded(p.Confidence), rounded(p.Coverage)
		ranked[i] = candidate{id: e.id, score: e.score / (asked.total * (saturation + 1)), weak: p.Coverage < weakBelow, parts: p}
	}
	return ranked, nil
}

// parts are what the score of an entry is made of.
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
	return p
}

// byScore puts the best first, and of the same score the latest changed.
func byScore(a, b *entry) int {
	switch {
	case a.score != b.score:
		return int(math.Copysign(1, b.score-a.score))
	case a.updated != b.updated && a.updated > b.updated:
		return -1
	case a.updated != b.updated:
		return 1
	}
	return int(b.id - a.id)
}

// admits reports whether a neighbour passes the filters, which the index has
// only asked of the candidates themselves.
func (q Query) admits(tx *registry.Tx, e *entry) (bool, error) {
	if e == nil || e.importance < q.MinImportance {
		return false, nil
	}
	if q.Type == "" && len(q.Tags) == 0 && len(q.Items) == 0 {
		return true, nil
	}
	m, err := ByRow(tx, e.id)
	if err != nil {
		return false, err
	}
	some := func(wanted, has []string) bool {
		return len(wanted) == 0 || slices.ContainsFunc(wanted, func(w string) bool { return sameIn(has, w) })
	}
	return (q.Type == "" || m.Type == q.Type) && some(q.Tags, m.Tags) && some(q.Items, m.Items), nil
}

func sameIn(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return sameNames([]string{n}, []string{name}) })
}

// load reads a memory's terms and what adjusts its score; nil when it is gone.
func (r *ranker) load(id int64) (*entry, error) {
	if e, known := r.entries[id]; known {
		return e, nil
	}
	e := &entry{id: id}
	var terms []byte
	var expires registry.Null[string]
	err := r.tx.QueryRow(`SELECT m.project_id, m.thread, m.importance, m.confidence, m.updated_at, m.expires_at, t.length, t.terms
		FROM memory_terms t CROSS JOIN memories m ON m.id = t.memory_id WHERE t.memory_id = ?`, id).
		Scan(&e.project, &e.thread, &e.importance, &e.confidence, &e.updated, &expires, &e.length, &terms)
	if registry.NoRows(err) {
		r.entries[id] = nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e.expired = expires.Valid && expires.V <= r.tx.Stamp()
	e.found = make([]float64, len(r.asked.groups))
	for ; len(terms) >= 5; terms = terms[5:] {
		for _, u := range r.asked.terms[binary.LittleEndian.Uint32(terms)] {
			e.found[u.group] += u.weight * float64(terms[4]) / 10
		}
	}
	r.entries[id] = e
	return e, nil
}

// neighbours finds what was noted right before and after a memory in its thread,
// and links these among each other as far as they are seen from here.
func (r *ranker) neighbours(e *entry) error {
	if e.looked {
		return nil
	}
	e.looked = true
	run := []*entry{e}
	for i, query := range []string{
		`SELECT id FROM memories WHERE project_id = ? AND thread = ? AND id < ? AND thread <> '' AND ` + live + ` ORDER BY id DESC LIMIT 3`,
		`SELECT id FROM memories WHERE project_id = ? AND thread = ? AND id > ? AND thread <> '' AND ` + live + ` ORDER BY id LIMIT 3`,
	} {
		ids, err := registry.Collect(r.tx, registry.One[int64], query, e.project, e.thread, e.id)
		if err != nil {
			return err
		}
		for _, id := range ids {
			n, err := r.load(id)
			if err != nil {
				return err
			}
			if n == nil {
				continue
			}
			if i == 0 {
				run = append([]*entry{n}, run...)
			} else {
				run = append(run, n)
			}
		}
	}
	for at, n := range run {
		for i, j := range [4]int{at - 1, at - 2, at + 1, at + 2} {
			if j >= 0 && j < len(run) {
				n.near[i] = run[j]
			}
		}
	}
	return nil
}

// relevance is BM25 of the words of a memory and, weighed, of its neighbours.
func (r *ranker) relevance(e *entry, near []*entry) float64 {
	sum := 0.0
	for g := range r.asked.groups {
		sum += r.ofGroup(e, near, g)
	}
	return sum
}

func (r *ranker) ofGroup(e *entry, near []*entry, g int) float64 {
	often, length := e.found[g], e.length
	for i, n := range near {
		if n == nil {
			continue
		}
		part := nextTo
		if i%2 == 1 {
			part = nearby
		}
		often += part * min(n.found[g], 1) // what a neighbour repeats says no more of this one
		length += part * min(n.length, usualLength)
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

// coverage is the share of the question, by weight, that the memory holds itself.
func (r *ranker) coverage(e *entry) float64 {
	if r.asked.total == 0 {
		return 0
	}
	held := 0.0
	for g, often := range e.found {
		held += r.asked.groups[g].weight * min(often, 1)
	}
	return held / r.asked.total
}

// together is how well those of a memory's thread that were noted around it
// answer.
func together(e *entry, best []*entry) float64 {
	sum := 0.0
	for _, other := range best {
		if other.thread == e.thread && other.project == e.project && max(other.id-e.id, e.id-other.id) <= inThread {
			sum += other.base * other.base
		}
	}
	return math.Sqrt(sum)
}
