package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Embedder turns texts into vectors such that texts of similar meaning have similar vectors.
type Embedder interface {
	// Model is its name. Vectors of two models cannot be compared.
	Model() string
	// Embed returns the vector of each text, in order. It may take as long as ctx lets it.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// The limits of requests to a model, and of the use of its answers.
const (
	readAtOnce   = 64    // memories in one request
	longestRead  = 4_000 // bytes of a memory: models read some hundred words and ignore the rest
	nearestKept  = 50    // nearest memories that are joined with those found by words
	standsOut    = 2.5   // standard deviations above the mean from which similarity alone is more than weak …
	standsFirst  = 3     // … for so many of the nearest
	leastToJudge = 20    // below this number of memories, none can stand out so far
)

// meant is a question's vector, to be compared with memories.
type meant struct {
	vector vector
	space  space
	kept   *vectorCache
}

// meanings asks the model for the vectors of the questions, and for those of unread memories, up to readAtOnce. A failure is returned as a
// text in alone, since recall continues without the model.
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
		alone = fault.From(err).Message // the memories read before still count
	}
	for k, i := range of {
		all[i] = &meant{vectors[k], made, &s.kept}
	}
	return all, alone
}

// sent returns a text as a model gets it: without secrets, and bounded.
func sent(s string) string {
	clean, _ := redact.Text(s)
	return text.Cut(clean, longestRead)
}

// vectors asks the model for the vectors of texts.
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

// ReadAll lets the model read every unread memory, and all again when the model changed. read is called after each request with the number
// read so far. After an error, the memories read until then stay.
func (s *Store) ReadAll(ctx context.Context, read func(done int)) (done int, err error) {
	if s.Refused != nil {
		return 0, s.Refused
	}
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

// readOnce lets the model read up to readAtOnce memories in one request, outside of any transaction. more reports whether others may be
// left.
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
	texts := mapped(list, func(m Memory) string { return sent(strings.TrimSpace(m.Title + "\n" + m.Content)) })
	vectors, made, err := s.vectors(ctx, texts)
	if err != nil {
		return 0, false, err
	}
	err = s.DB.Write(ctx, registry.Everything, func(tx *registry.Tx) error {
		if err := moveTo(tx, made); err != nil {
			return err
		}
		for i, m := range list {
			// A memory that changed meanwhile is read again.
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

// join puts the memories found by words and those nearest in meaning into one order, by the places of a memory in both (reciprocal rank
// fusion, Cormack, Clarke and Büttcher, 2009). A memory found only by meaning is weak unless it stands out from all other memories. The
// score is then the share of the best one's, by words or by meaning, whichever is higher.
func (q Query) join(r *ranker, ranked []candidate) ([]candidate, error) {
	kept, err := spaceOf(r.tx)
	if err != nil || kept != q.meant.space {
		return ranked, err // this model has read nothing yet
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
			continue // excluded by a filter
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
	return mapped(sorted, func(j *joined) candidate { return j.candidate }), nil
}

// Waiting returns how many memories the model has not read yet, up to a thousand.
func (s *Store) Waiting(ctx context.Context) (n int, err error) {
	if s.Embedder == nil {
		return 0, nil
	}
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		ids, err := unread(tx, 1000)
		n = len(ids)
		return err
	})
	return n, err
}
