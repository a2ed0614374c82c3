package index

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
)

const (
	// common is how many places may hold a word of a question with several words. A word in more places distinguishes little, and takes
	// long.
	common = 3000
	// counted is how many places of a lineage count, the best first, each for fade of the one before it. A talk about the question is worth
	// more than one sentence, and length alone is worth nothing.
	counted = 5
	fade    = 0.5
	// reread is how many lineages are searched for the words that their places hold together.
	reread = 20
)

// weights are the words of a question, with how distinctive each is.
type weights struct {
	words []string
	of    []float64 // by word: its inverse document frequency, 0 for a word that no place holds
	sum   float64
	match string // the FTS5 query for the places that are ranked
}

// weigh counts the places of each word. The weight of a word that n of N places hold is ln(1 + (N − n + ½) / (n + ½)), as in BM25.
func (x *Index) weigh(ctx context.Context, words []string) (w weights, err error) {
	w.words, w.of = words, make([]float64, len(words))
	var all int
	if err := x.file.Get(ctx, `SELECT COALESCE(max(id), 0) FROM entries`, nil, &all); err != nil {
		return w, err
	}
	var rare []string
	for i, word := range words {
		var n int
		if err := x.file.Get(ctx, `SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)`, []any{word, common}, &n); err != nil {
			return w, err
		}
		if n == 0 {
			continue
		}
		w.of[i] = math.Log(1 + (float64(max(all, n)-n)+0.5)/(float64(n)+0.5))
		w.sum += w.of[i]
		if n < common {
			rare = append(rare, word)
		}
	}
	if w.match = strings.Join(rare, " OR "); len(rare) == 0 {
		w.match = strings.Join(words, " AND ")
	}
	return w, nil
}

// held returns the share of the weight of the question's words that texts hold together, 0 to 1.
func (w weights) held(texts []string) float64 {
	if w.sum == 0 {
		return 0
	}
	var sum float64
	for i, word := range w.words {
		if w.of[i] > 0 && slices.ContainsFunc(texts, func(text string) bool { return stands(text, word) }) {
			sum += w.of[i]
		}
	}
	return sum / w.sum
}

// candidate is a lineage with its best place.
type candidate struct {
	Hit
	texts []string // of the places that count
	score float64
}

// best returns the lineages whose places match best. Each place of a lineage counts less than the one before, and a lineage whose places
// together hold more of the question counts up to twice.
func (x *Index) best(ctx context.Context, q Query, w weights) ([]Hit, error) {
	var all []*candidate
	of := map[int64]*candidate{}
	query, args := places(q, w.match)
	err := x.file.Each(ctx, func(scan func(...any) error) error {
		h, rank, err := place(scan)
		if err != nil {
			return err
		}
		c := of[h.lineage]
		if c == nil {
			c = &candidate{Hit: h}
			of[h.lineage] = c
			all = append(all, c)
		} else {
			c.Hits++
		}
		if n := len(c.texts); n < counted {
			c.texts = append(c.texts, h.Text)
			c.score -= rank * math.Pow(fade, float64(n))
		}
		return nil
	}, query, args...)
	if err != nil {
		return nil, err
	}
	higher := func(a, b *candidate) int { return cmp.Compare(b.score, a.score) }
	slices.SortStableFunc(all, higher)
	for _, c := range all[:min(len(all), reread)] {
		for i, text := range c.texts {
			c.texts[i] = spaced(text)
		}
		c.score *= 1 + w.held(c.texts)
	}
	slices.SortStableFunc(all, higher)
	found := make([]Hit, 0, min(len(all), q.Limit))
	for _, c := range all[:min(len(all), q.Limit)] {
		c.Held, c.Words = held(c.Text, w.words)
		c.Text = around(c.Text, w.match)
		found = append(found, c.Hit)
	}
	return found, x.titles(ctx, found)
}
