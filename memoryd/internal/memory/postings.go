package memory

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
)

// postings bounds how many index entries are read for one word of a question, and how many candidates are taken: its rarest words choose
// the candidates, all its words rank them.
const postings = 2_000

// mostPostings is postings as a limit in a statement.
const mostPostings = "2000"

// list reads the memories with each of some terms, and their number. Each term is looked up once, without scoring, which would take longer
// than all the rest. For a term in more than postings memories only the first are read, and the number is approximate.
func (a *asker) list(terms []string) error {
	fresh := unseen(a.held, terms)
	if len(fresh) == 0 {
		return nil
	}
	_, args := many(fresh)
	clear(args[len(fresh):]) // NULL matches nothing
	_, err := registry.Collect(a.tx, func(row registry.Scanner) (none struct{}, err error) {
		var term string
		var ids registry.Null[string]
		if err := row.Scan(&term, &ids); err != nil {
			return none, err
		}
		held, err := numbers(ids.V)
		a.held[term], a.docs[term] = held, len(held)
		if len(held) == postings {
			a.docs[term] = max(postings, int(postings*a.total/float64(max(held[postings-1], 1))))
		}
		return none, err
	}, indexOf(a.tx).holders(a.scope, len(args)), args...)
	return err
}

// unseen returns the terms that are not among those seen, each once, and adds them.
func unseen[V any](seen map[string]V, terms []string) (fresh []string) {
	for _, term := range terms {
		if _, known := seen[term]; !known {
			var none V
			seen[term] = none
			fresh = append(fresh, term)
		}
	}
	return fresh
}

// numbers parses ids that are joined by commas.
func numbers(s string) ([]int64, error) {
	if s == "" {
		return nil, nil
	}
	list := make([]int64, 0, strings.Count(s, ",")+1)
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// rarest returns the terms that choose candidates: the rarest first, as many as occur in postings memories together, but at least two.
func (q question) rarest() (terms []string) {
	var all []weighed
	for _, g := range q.groups {
		all = append(all, g.terms...)
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return a.docs - b.docs })
	sum := 0
	for i, w := range all {
		if sum += w.docs; sum > postings && i >= 2 {
			break
		}
		if !slices.Contains(terms, w.term) {
			terms = append(terms, w.term)
		}
	}
	return terms
}

// choose returns the memories with most of the question by weight: limit of them, plus up to as many that tie with the last. within, unless
// nil, limits the choice.
func (q question) choose(within []int64, limit int) []int64 {
	type sum struct {
		id    int64
		total float64
		of    int // the last group counted, from 1
	}
	var sums []sum
	at := map[int64]int{}
	var allowed map[int64]bool
	if within != nil {
		allowed = make(map[int64]bool, len(within))
		for _, id := range within {
			allowed[id] = true
		}
	}
	for _, term := range q.rarest() {
		for _, id := range q.held[term] {
			if _, known := at[id]; !known && (within == nil || allowed[id]) {
				at[id] = len(sums)
				sums = append(sums, sum{id: id})
			}
		}
	}
	for i, g := range q.groups {
		terms := slices.Clone(g.terms)
		slices.SortStableFunc(terms, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
		for _, w := range terms { // of a group, the heaviest term in a memory counts
			for _, id := range q.held[w.term] {
				if n, known := at[id]; known && sums[n].of != i+1 {
					sums[n].total, sums[n].of = sums[n].total+w.weight*g.weight, i+1
				}
			}
		}
	}
	slices.SortFunc(sums, func(a, b sum) int { return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(b.id, a.id)) })
	end := min(len(sums), limit)
	for end < min(len(sums), 2*limit) && sums[end].total == sums[limit-1].total {
		end++
	}
	ids := make([]int64, end)
	for i := range ids {
		ids[i] = sums[i].id
	}
	return ids
}
