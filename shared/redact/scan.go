package redact

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// A sign is a short text, in lower case, with which a form of secrets begins, or which stands beside it. look is called wherever the sign
// occurs; it adds the secrets it finds around t.s[at:].
type sign struct {
	text string
	look func(t *text, at int)
	rank int
}

// Ranks of the forms: the lowest names an overlap. Tokens have their place in their table as rank.
const (
	rankKey = 1000 + iota
	rankAddress
	rankCommand
	rankAssigned
)

// search reads a text once. It looks closely only where one of the signs occurs, or where a run of letters and digits is
// long enough for a token without a sign. It skips secrets that were taken out before, and the inside of a password that
// was just found, except for the names of tokens.
//
// The signs are found by their first three characters: each is folded to five bits, so that three make an index into a
// table of 32,768 places.
func search(s string) *text {
	t := &text{s: s, signs: signs()}
	t.hasJWK = strings.Contains(s, `"kty"`)
	code, run := 0, 0
	for i := 0; i < len(s); i++ {
		c := t.signs.fold[s[i]]
		code = (code<<5 | int(c&31)) & (len(t.signs.begins) - 1)
		if c&inRun == 0 {
			if i-run >= shortestRun {
				t.inRun(run, i)
			}
			run = i + 1
			if s[i] == '\n' {
				t.bol = i + 1
			}
			if s[i] == '[' && strings.HasPrefix(s[i:], Mark) {
				i = t.find(']', i) - 1
				run, code = i+1, 0
				continue
			}
		}
		if t.signs.begins[code] == 0 || i < 2 {
			continue
		}
		at := i - 2
		for _, sign := range t.signs.signs[t.signs.begins[code]] {
			if sign.rank >= rankCommand && at < t.beyond || !hasFold(s[at:], sign.text) {
				continue
			}
			t.count(len(sign.text))
			sign.look(t, at)
		}
	}
	if len(s)-run >= shortestRun {
		t.inRun(run, len(s))
	}
	t.count(len(s))
	return t
}

// inRun is set for the characters of runs.
const inRun = 1 << 5

// Lengths in bytes of the runs that may hold a token without a sign; longer runs are data.
const (
	shortestRun = 20
	longestRun  = 512
)

type table struct {
	fold   [256]byte
	begins [1 << 15]uint16 // by folded characters: an index into signs
	signs  [][]sign
}

// signs returns the table of signs, which is built when the first text is searched.
var signs = sync.OnceValue(func() *table {
	t := &table{signs: make([][]sign, 1)}
	for c := range 256 {
		t.fold[c] = folded(byte(c))
	}
	for _, add := range []func() []sign{tokenSigns, keySigns, hashSigns, addressSigns, nameSigns, commandSigns, shellSigns} {
		for _, s := range add() {
			code := 0
			for i := range 3 {
				code = code<<5 | int(t.fold[s.text[i]]&31)
			}
			if t.begins[code] == 0 {
				t.begins[code] = uint16(len(t.signs))
				t.signs = append(t.signs, nil)
			}
			at := t.begins[code]
			if slices.ContainsFunc(t.signs[at], func(o sign) bool {
				return o.rank == rankAssigned && s.rank == o.rank && strings.EqualFold(o.text, s.text)
			}) {
				continue // written with other capitals
			}
			t.signs[at] = append(t.signs[at], s)
		}
	}
	return t
})

// folded maps letters without case, digits and marks to five bits, and marks the characters of a run.
func folded(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z':
		return c - 'a' + 1 | inRun
	case c >= 'A' && c <= 'Z':
		return c - 'A' + 1 | inRun
	case c >= '0' && c <= '9':
		return 27 | inRun
	case c == '_':
		return 28 | inRun
	case c == '-':
		return 29 | inRun
	case c == '.':
		return 30 | inRun
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		return 0
	case c == '~' || c == ':' || c == '/' || c == '%':
		return 31 | inRun
	case c >= 0x80:
		return c & 31
	}
	return 31
}

// hit is one secret at s[from:to].
type hit struct {
	from, to int
	kind     string
	rank     int // among overlapping hits, the lower rank names the secret
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

// repeated is how long in bytes a secret has to be for a search elsewhere in its text; mostAlike is how many secrets with the same ending
// are searched for.
const (
	repeated  = 6
	mostAlike = 16
)

// again finds further copies of the secrets found so far, anywhere in the text and without a name: as a word, and within a word if they
// look generated. A password that is a word of a language stays in those places.
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

// plainWord reports whether a found password may occur in the text for other reasons, because it is a word, such as the name of the
// product.
func plainWord(s string, made bool) bool {
	return len(s) < 64 && !made && makeupOf(s).digits == 0 && !strings.ContainsAny(s, strongMarks+"-") && wordy(s) || isDigits(s) && len(s) < 8
}

// made reports whether a text looks generated by a machine.
func made(s string) bool {
	s = s[:min(len(s), longestJudged)]
	return madeUp(s) || strong(s)
}

// union merges overlapping hits, so that the tail of the longer one does not stay.
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
