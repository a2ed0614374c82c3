package redact

import (
	"math/bits"
	"strings"
)

// text is a text under search. It remembers where runs and lines end, so that a text which repeats the beginning of a secret a thousand
// times is not read to its end a thousand times: the work grows linearly with the length of the text. Every read of more than a few bytes
// goes through it and is counted.
type text struct {
	s    string
	hits []hit
	work int // bytes that were looked at

	runs  [alphabets]span // by the bit of the alphabet
	marks [256]span       // by character: where it stands next

	sought   span             // where the next end of a key may stand
	commands map[*command]int // where each was looked for last
	table    span             // the rows of the table that was read last
	holding  span             // no name of a member that holds a value stands in it
	bol      int              // where the line begins that is under search
	header   int              // the header of cookies that was read last ends there
	beyond   int              // secrets before it are known
	hasJWK   bool             // a "kty" stands somewhere
	signs    *table
}

// span is a part of a text.
type span struct{ from, to int }

// add adds the secret t.s[from:to], unless it lies within the last one added.
func (t *text) add(from, to int, kind string, rank int) {
	if n := len(t.hits); n > 0 && from >= t.hits[n-1].from && to <= t.hits[n-1].to && rank >= t.hits[n-1].rank {
		return
	}
	t.hits = append(t.hits, hit{from, to, kind, rank})
	if rank >= rankCommand {
		t.beyond = max(t.beyond, to)
	}
}

// count adds n to the number of bytes that were looked at.
func (t *text) count(n int) { t.work += n }

// end returns where the run of an alphabet that holds s[at:] ends.
func (t *text) end(a alphabet, at int) int {
	memo := &t.runs[bits.TrailingZeros32(uint32(a))]
	if at >= memo.from && at < memo.to {
		return memo.to
	}
	to := at
	for to < len(t.s) && is(t.s[to], a) {
		to++
	}
	t.count(to - at + 1)
	*memo = span{at, to}
	return to
}

// begin returns where the run of an alphabet that ends before s[at:] begins, at most most bytes back.
func (t *text) begin(a alphabet, at, most int) int {
	from := at
	for from > 0 && at-from < most && is(t.s[from-1], a) {
		from--
	}
	t.count(at - from + 1)
	return from
}

// find returns the next index of a character at or behind s[at:], or the text's end.
func (t *text) find(c byte, at int) int {
	memo := &t.marks[c]
	if at >= memo.from && at <= memo.to && memo.to > 0 {
		return memo.to
	}
	to := len(t.s)
	if at < to {
		if i := strings.IndexByte(t.s[at:], c); i >= 0 {
			to = at + i
		}
	}
	t.count((to-at)/16 + 1) // sixteen at a time
	*memo = span{at, to}
	return to
}

// trim returns where t.s[from:to] ends without some marks at its end.
func (t *text) trim(from, to int, marks string) int {
	return from + len(strings.TrimRight(t.s[from:to], marks))
}

// line returns where the line that holds s[at:] ends.
func (t *text) line(at int) int { return t.find('\n', at) }

// window returns at most n bytes of s[at:].
func (t *text) window(at, n int) string {
	if at >= len(t.s) {
		return ""
	}
	return t.s[at:min(len(t.s), at+n)]
}

// before returns the text before s[at:], at most n bytes of it.
func (t *text) before(at, n int) string { return t.s[max(0, at-n):at] }

// byteAt returns the character at s[i], or 0 behind the end.
func (t *text) byteAt(i int) byte {
	if i < 0 || i >= len(t.s) {
		return 0
	}
	return t.s[i]
}
