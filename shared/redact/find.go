package redact

import (
	"cmp"
	"slices"
	"strings"
)

// hit is one secret at s[from:to].
type hit struct {
	from, to int
	kind     string
	rank     int // the lower one names what overlaps
}

// find returns the secrets of s in order, without overlaps.
func find(s string) []hit {
	if len(s) < shortest {
		return nil
	}
	t := search(s)
	if len(t.hits) == 0 {
		return nil
	}
	t.again()
	return union(t.hits)
}

// repeated is how many bytes a secret has at least that is looked for elsewhere in its
// text, and mostAlike how many of those with the same end are.
const (
	repeated  = 6
	mostAlike = 16
)

// again finds the secrets that were found, wherever else they stand with no name beside
// them: as a word, and inside of one where they look made. A password that is a word
// of a language is left where it is one.
func (t *text) again() {
	s := t.s
	byEnd := map[string][]hit{} // by their last bytes
	seen := map[string]bool{}   // and whether each looks made
	var ends [256]bool
	for _, h := range t.hits {
		found := s[h.from:h.to]
		if len(found) < repeated {
			continue
		}
		if _, known := seen[found]; known {
			continue
		}
		if seen[found] = made(found); h.rank >= rankAddress && plainWord(found, seen[found]) {
			continue
		}
		end := found[len(found)-repeated:]
		if len(byEnd[end]) < mostAlike {
			byEnd[end] = append(byEnd[end], h)
			ends[end[repeated-1]] = true
		}
	}
	t.count(2 * len(s))
	for i := repeated; i <= len(s) && len(byEnd) > 0; i++ {
		if !ends[s[i-1]] {
			continue
		}
		for _, h := range byEnd[s[i-repeated:i]] {
			n := h.to - h.from
			if i < n || i == h.to || s[i-n:i] != s[h.from:h.to] {
				continue
			}
			t.count(n)
			if !seen[s[h.from:h.to]] && (i < len(s) && is(s[i], word) || i > n && is(s[i-n-1], word)) {
				continue
			}
			t.hits = append(t.hits, hit{i - n, i, h.kind, h.rank})
		}
	}
}

// plainWord reports whether a found password is one that its text may hold for other
// reasons: a word, such as the name of the product.
func plainWord(s string, made bool) bool {
	return len(s) < 64 && !made && makeupOf(s).digits == 0 && !strings.ContainsAny(s, strongMarks+"-") && wordy(s) || isDigits(s) && len(s) < 8
}

// made reports whether what was found looks made by a machine.
func made(s string) bool {
	s = s[:min(len(s), longestJudged)]
	return madeUp(s) || strong(s)
}

// union merges what overlaps: the tail of the longer one must not stay behind.
func union(hits []hit) []hit {
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(a.from-b.from, a.rank-b.rank) })
	merged := hits[:1]
	for _, h := range hits[1:] {
		last := &merged[len(merged)-1]
		if h.from >= last.to {
			merged = append(merged, h)
			continue
		}
		last.to = max(last.to, h.to)
		if h.rank < last.rank {
			last.kind, last.rank = h.kind, h.rank
		}
	}
	return merged
}
