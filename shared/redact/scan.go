package redact

import (
	"strings"
	"sync"
)

// A sign is a short text with which a form of secrets begins, or which stands
// beside it, in lower case. look is asked wherever the sign stands; it adds what
// it finds around s[at:].
type sign struct {
	text string
	look func(s string, at int) (hit, bool)
}

// scan goes once over a text and looks closely only where one of the signs
// stands, or where a run of letters and digits is long enough for a token that
// has no sign.
//
// The signs are found by their first three characters: each is folded to five
// bits, so that three make an index into a table of 32,768 places.
func scan(s string) (hits []hit) {
	t := table()
	code, run := 0, 0
	for i := 0; i < len(s); i++ {
		c := t.fold[s[i]]
		code = (code<<5 | int(c&31)) & (len(t.begins) - 1)
		if c&inRun == 0 {
			if i-run >= shortestRun {
				hits = t.inRun(hits, s, run, i)
			}
			run = i + 1
		}
		if t.begins[code] == 0 || i < 2 {
			continue
		}
		for _, sign := range t.signs[t.begins[code]] {
			at := i - 2
			if len(s)-at < len(sign.text) || !strings.EqualFold(s[at:at+len(sign.text)], sign.text) {
				continue
			}
			if h, ok := sign.look(s, at); ok {
				hits = append(hits, h)
			}
		}
	}
	if len(s)-run >= shortestRun {
		hits = t.inRun(hits, s, run, len(s))
	}
	return hits
}

// inRun is set for the characters of runs.
const inRun = 1 << 5

// Lengths in bytes of the runs that may hold a token without a sign; longer ones
// are data.
const (
	shortestRun = 20
	longestRun  = 512
)

type signTable struct {
	fold   [256]byte
	begins [1 << 15]uint16 // by folded characters: an index into signs
	signs  [][]sign
	runs   []*pattern
}

// inRun looks at s[from:to], a run of characters that tokens are made of.
func (t *signTable) inRun(hits []hit, s string, from, to int) []hit {
	if to-from > longestRun {
		return hits
	}
	for _, p := range t.runs {
		if p.maybe(s[from:to]) {
			hits = p.find(hits, s, from, to)
		}
	}
	return hits
}

// table is made when the first text is looked at.
var table = sync.OnceValue(func() *signTable {
	t := &signTable{signs: make([][]sign, 1), runs: runPatterns()}
	for c := range 256 {
		t.fold[c] = folded(byte(c))
	}
	for _, add := range []func() []sign{tokenSigns, keySigns, addressSigns, assignmentSigns, commandSigns} {
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
			t.signs[at] = append(t.signs[at], s)
		}
	}
	return t
})

// folded puts letters without case, digits and marks into five bits, and says
// whether the character is one of a run.
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
	}
	return 31
}
