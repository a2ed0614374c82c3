// Package redact takes out of texts what lets its reader in somewhere: tokens
// and keys of common providers, private keys, JWTs, passwords in URLs, in
// commands and in assignments to names that sound secret. Every text that the
// suite stores, exports, shows to an agent or turns into a name passes through it.
//
// It errs towards leaving prose and code alone: what only has a telling name
// beside it counts when its value looks made by a machine or like a password.
//
// One pass over a text finds where a secret may begin (see scan); only there is
// anything looked at more closely, so that a task's text costs microseconds and a
// program that redacts nothing pays nothing. It is safe for concurrent use.
package redact

import (
	"slices"
	"strings"
)

// Redact replaces the secrets of s by [redacted KIND] and returns their kinds, one
// for each secret. What was found once is taken out wherever else it stands. A
// text without any comes back as it is, and redacting twice is redacting once.
func Redact(s string) (clean string, kinds []string) {
	clean = s
	for range rounds {
		hits := find(clean)
		if len(hits) == 0 {
			break
		}
		var found []string
		clean, found = replace(clean, hits)
		kinds = append(kinds, found...)
	}
	return clean, kinds
}

// rounds bounds how often a text is looked at again: what is taken out can bring
// together what stood on both sides of it.
const rounds = 4

// Clean is Redact for callers that do not say what was found.
func Clean(s string) string {
	clean, _ := Redact(s)
	return clean
}

// Kinds puts what Redact found into a sentence's words: each kind once.
func Kinds(found []string) string {
	found = slices.Clone(found)
	slices.Sort(found)
	return strings.Join(slices.Compact(found), ", ")
}

const (
	shortest = 8 // bytes below which no text holds a secret worth the search
	repeated = 6 // bytes from which a secret is looked for elsewhere in its text
)

// Mark is what stands where a secret was, with its kind and a bracket after it.
const Mark = "[redacted "

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
	hits := scan(s)
	if len(hits) == 0 {
		return nil
	}
	return union(append(hits, again(s, hits)...))
}

// again finds the secrets that were found, wherever else they stand with no name beside them.
func again(s string, hits []hit) (more []hit) {
	seen := map[string]bool{}
	for _, h := range hits {
		secret := s[h.from:h.to]
		if len(secret) < repeated || seen[secret] {
			continue
		}
		seen[secret] = true
		for at := 0; ; {
			i := strings.Index(s[at:], secret)
			if i < 0 {
				break
			}
			more = append(more, hit{at + i, at + i + len(secret), h.kind, h.rank})
			at += i + len(secret)
		}
	}
	return more
}

// union merges what overlaps: the tail of the longer one must not stay behind.
func union(hits []hit) []hit {
	slices.SortStableFunc(hits, func(a, b hit) int { return a.from - b.from })
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

func replace(s string, hits []hit) (string, []string) {
	var b strings.Builder
	kinds := make([]string, 0, len(hits))
	done := 0
	for _, h := range hits {
		b.WriteString(s[done:h.from])
		b.WriteString(Mark + h.kind + "]")
		kinds = append(kinds, h.kind)
		done = h.to
	}
	b.WriteString(s[done:])
	return b.String(), kinds
}
