package memory

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// Several wordings of one question find what a single one misses, and a memory that most of them find is rarely wrong.
const (
	mostAlso   = 4   // other wordings
	ranksApart = 3.0 // the constant of reciprocal rank fusion: the larger, the less the first places count
	ofEach     = 60  // candidates compared for each wording
)

// checkAlso drops blank wordings and checks the others against the limits.
func (q *Query) checkAlso() error {
	also := make([]string, 0, len(q.Also))
	for _, w := range q.Also {
		if strings.TrimSpace(w) != "" {
			also = append(also, w)
		}
		if len(w) > MaxQuestion {
			return fault.Validation("also", "a wording is %d bytes long, the limit is %d", len(w), MaxQuestion).WithHint("ask in fewer words")
		}
	}
	if len(also) > mostAlso {
		return fault.Validation("also", "at most %d other wordings are allowed, not %d", mostAlso, len(also)).WithHint("choose those that differ most")
	}
	if len(also) > 0 && strings.TrimSpace(q.Text) == "" {
		return fault.Validation("also", "other wordings are given without a question").WithHint("give the question too")
	}
	q.Also = also
	return nil
}

// fuse asks in every wording and orders the hits by their places in all wordings. A memory is weak unless two wordings call it more than
// weak. With only two wordings, one is enough for the first memory. The returned question is that of q itself.
func (q Query) fuse(tx *registry.Tx, k kept, a *Answer) ([]candidate, question, error) {
	type fused struct {
		candidate
		sum   float64
		votes int
	}
	each := q
	each.Limit, each.Offset = max(ofEach, q.Limit+q.Offset), 0
	found := map[int64]*fused{}
	var as question
	for i, wording := range append([]string{q.Text}, q.Also...) {
		each.Text = wording
		if i > 0 {
			each.meant = nil // it belongs to the original wording
		}
		var one Answer
		ranked, asked, err := each.search(tx, k, &one)
		if err != nil {
			return nil, as, err
		}
		if i == 0 {
			as, a.Read, a.Unknown = asked, one.Read, one.Unknown
		}
		for place, c := range ranked {
			f := found[c.id]
			if f == nil {
				f = &fused{candidate: c}
				found[c.id] = f
			} else if f.weak && !c.weak || f.weak == c.weak && c.score > f.score {
				f.candidate = c // the hit that is not weak has its surroundings loaded
			}
			f.sum += 1 / (ranksApart + float64(place))
			if !c.weak {
				f.votes++
			}
		}
	}
	all := slices.SortedFunc(maps.Values(found), func(a, b *fused) int {
		return cmp.Or(cmp.Compare(b.sum, a.sum), cmp.Compare(a.id, b.id))
	})
	ranked := make([]candidate, len(all))
	for i, f := range all {
		ranked[i] = f.candidate
		ranked[i].score = f.sum * ranksApart / float64(1+len(q.Also)) // 1 means first in every wording
		ranked[i].weak = f.votes < 2 && (f.votes < 1 || i > 0 || len(q.Also) > 1)
	}
	return ranked, as, nil
}
