package memory

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Embedder makes numbers of texts such that texts of like meaning have like numbers.
type Embedder interface {
	// Model is its name. Numbers of two models cannot be compared.
	Model() string
	// Embed returns the numbers of each text, in order. It may take as long as ctx lets it.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// What is sent to a model, and what counts of its answer.
const (
	readAtOnce   = 64    // memories in one request
	longestRead  = 4_000 // bytes of a memory: models read some hundred words and pass over the rest
	nearestKept  = 50    // memories that are joined with those that words find
	standsOut    = 2.5   // standard deviations above the others at which likeness alone is more than weak …
	standsFirst  = 3     // … for the nearest ones
	leastToJudge = 20    // memories below which none can stand out so far
)

// meant is what a question means, to be compared with memories.
type meant struct {
	vector vector
	space  space
	kept   *vectorCache
}

// meanings asks the model what the questions mean, after it has read the memories that
// it has not yet, up to readAtOnce. A failure is told in words, since recall goes on
// without.
func (s *Store) meanings(ctx context.Context, queries []Query) (all []*meant, alone string) {
	all = make([]*meant, len(queries))
	if s.Embedder == nil {
		return all, ""
	}
	var texts []string
	var of []int
	for i, q := range queries {
		if asked := strings.TrimSpace(q.Text); asked != "" {
			texts, of = append(texts, sent(asked)), append(of, i)
		}
	}
	if len(texts) == 0 {
		return all, ""
	}
	vectors, made, err := s.vectors(ctx, texts)
	if err != nil {
		return all, fault.From(err).Message
	}
	if _, _, err := s.readOnce(ctx); err != nil && fault.Is(err, fault.KindProvider) {
		alone = fault.From(err).Message // what was read before still counts
	}
	for k, i := range of {
		all[i] = &meant{vectors[k], made, &s.kept}
	}
	return all, alone
}

// sent is a text as a model gets it: without secrets, and bounded.
func sent(s string) string {
	clean, _ := redact.Text(s)
	return text.Cut(clean, longestRead)
}

// vectors asks the model for those of some texts.
func (s *Store) vectors(ctx context.Context, texts []string) (list []vector, made space, err error) {
	numbers, err := s.Embedder.Embed(ctx, texts)
	if err != nil {
		return nil, made, err
	}
	if len(numbers) != len(texts) {
		return nil, made, fault.Provider(nil, "the model answered %d vectors for %d texts", len(numbers), len(texts))
	}
	made = space{s.Embedder.Model(), len(numbers[0])}
	for _, n := range numbers {
		v, err := quantize(n)
		if err == nil && len(v) != made.dimensions {
			err = fault.Provider(nil, "the model answered vectors of %d and of %d numbers", made.dimensions, len(v))
		}
		if err != nil {
			return nil, made, err
		}
		list = append(list, v)
	}
	return list, made, nil
}

// ReadAll lets the model read every memory that it has not read yet, and all again where
// another model is asked than before. read is told after each request how many were read.
// What was read until an error stays.
func (s *Store) ReadAll(ctx context.Context, read func(done int)) (done int, err error) {
	if s.Embedder == nil {
		return 0, fault.Validation("recall.embeddings", "no model reads memories: recall.embeddings is not set").
			WithHint("`memoryd config set recall.embeddings http://127.0.0.1:11434/v1` names an endpoint, recall.embeddings_model its model")
	}
	for {
		n, more, err := s.readOnce(ctx)
		done += n
		if read != nil && n > 0 {
			read(done)
		}
		if err != nil || !more {
			return done, err
		}
	}
}

// readOnce lets the model read up to readAtOnce memories in one request, outside of any
// transaction. more reports whether others may wait.
func (s *Store) readOnce(ctx context.Context) (n int, more bool, err error) {
	var list []Memory
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		was, err := spaceOf(tx)
		if err != nil {
			return err
		}
		var ids []int64
		if was.model != "" && was.model != s.Embedder.Model() {
			ids, err = registry.Collect(tx, registry.One[int64], `SELECT id FROM memories WHERE `+live+` ORDER BY id LIMIT ?`, readAtOnce)
		} else {
			ids, err = unread(tx, readAtOnce)
		}
		if err != nil {
			return err
		}
		found, err := ByRows(tx, ids)
		for _, id := range ids {
			if m, ok := found[id]; ok {
				list = append(list, m)
			}
		}
		return err
	})
	if err != nil || len(list) == 0 {
		return 0, false, err
	}
	texts := make([]string, len(list))
	for i, m := range list {
		texts[i] = sent(strings.TrimSpace(m.Title + "\n" + m.Content))
	}
	vectors, made, err := s.vectors(ctx, texts)
	if err != nil {
		return 0, false, err
	}
	err = s.DB.Write(ctx, registry.Everything, func(tx *registry.Tx) error {
		if err := moveTo(tx, made); err != nil {
			return err
		}
		for i, m := range list {
			// One that changed meanwhile is read again.
			now, err := registry.One[string](tx.QueryRow(`SELECT content_hash FROM memories WHERE id = ? AND `+live, m.RowID))
			if registry.NoRows(err) || err == nil && now != ContentHash(m.Content) {
				continue
			}
			if err != nil {
				return err
			}
			if err := putVector(tx, m, vectors[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, false, err
	}
	return len(list), len(list) == readAtOnce, nil
}

// join puts what words found and what is nearest in meaning into one order, by the places
// that a memory has in both (reciprocal rank fusion, Cormack, Clarke and Büttcher, 2009).
// What only meaning finds is weak unless it stands out from all other memories. A score is
// then the share of the best one's, by words or by meaning, whichever is more.
func (q Query) join(r *ranker, ranked []candidate) ([]candidate, error) {
	kept, err := spaceOf(r.tx)
	if err != nil || kept != q.meant.space {
		return ranked, err // nothing was read by this model yet
	}
	near, err := q.meant.kept.compare(r.tx, q.meant.vector, max(q.ProjectID, 0), nearestKept)
	if err != nil {
		return ranked, err
	}
	type joined struct {
		candidate
		sum float64
	}
	all := make(map[int64]*joined, len(ranked)+len(near))
	for place, c := range ranked {
		all[c.id] = &joined{c, 1 / (ranksApart + float64(place))}
	}
	var ids []int64
	for _, n := range near {
		if all[n.id] == nil && r.entries[n.id] == nil {
			ids = append(ids, n.id)
		}
	}
	if _, err := r.load(ids); err != nil {
		return ranked, err
	}
	var others []*entry
	for _, n := range near {
		if e := r.entries[n.id]; e != nil && all[n.id] == nil {
			others = append(others, e)
		}
	}
	if others, err = q.admitted(r.tx, others); err != nil {
		return ranked, err
	}
	for _, e := range others {
		all[e.id] = &joined{candidate: candidate{entry: e, weak: true, parts: Parts{Importance: 1, Recency: 1, Confidence: 1}}}
	}
	best := 0.0
	if len(ranked) > 0 {
		best = ranked[0].score
	}
	for _, j := range all {
		if best > 0 {
			j.score /= best
		}
	}
	place, farthest := 0, 0.0
	for _, n := range near {
		j := all[n.id]
		if j == nil {
			continue // left out by a filter
		}
		if place == 0 {
			farthest = n.apart
		}
		if farthest > 0 {
			j.score = max(j.score, n.apart/farthest)
		}
		j.sum += 1 / (ranksApart + float64(place))
		j.parts.Meaning = rounded(n.similarity)
		if place < standsFirst && n.apart >= standsOut && len(near) >= leastToJudge {
			j.weak = false
		}
		place++
	}
	sorted := slices.SortedFunc(maps.Values(all), func(a, b *joined) int {
		return cmp.Or(cmp.Compare(b.sum, a.sum), cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	out := make([]candidate, len(sorted))
	for i, j := range sorted {
		out[i] = j.candidate
	}
	return out, nil
}

// Waiting is how many memories the model has not read yet, up to a thousand.
func (s *Store) Waiting(ctx context.Context) (n int, err error) {
	if s.Embedder == nil {
		return 0, nil
	}
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		ids, err := unread(tx, 1000)
		n = len(ids)
		return err
	})
	return n, errors.Join(err)
}
