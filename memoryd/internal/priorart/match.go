package priorart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/text/words"
)

// The share of the keywords that a match must have: more for other projects than at home, since their work may only look similar.
const (
	floor        = 0.1
	floorForeign = 0.2
	shortest     = 3 // characters of a keyword
)

// keyword is one meaningful word of the task.
type keyword struct {
	stem, raw string
	start     string // the beginning of every word with the stem
}

// keywordSet is the distinct keywords of a task.
type keywordSet []keyword

// keywords returns the meaningful words of a task.
func keywords(task string) (set keywordSet) {
	seen := map[string]bool{}
	for _, weak := range []bool{false, true} { // question words count only when there are no others
		for _, t := range words.Terms(task) {
			if t.Whole || seen[t.Text] || words.Weak(t.Raw) != weak || isASCII(t.Raw) && len(t.Raw) < shortest {
				continue
			}
			seen[t.Text] = true
			set = append(set, keyword{stem: t.Text, raw: t.Raw, start: start(t.Text)})
		}
		if len(set) > 0 {
			break
		}
	}
	return set
}

// start returns the beginning that all words with a stem share. An ending may change the letters before it (hope, hoping; retry, retries),
// and in the shortest words all but the first letter (die, dying).
func start(stem string) string {
	if len(stem) <= 3 {
		return stem[:1]
	}
	return stem[:3]
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] > 0x7e {
			return false
		}
	}
	return true
}

func (k keywordSet) words() []string {
	list := make([]string, len(k))
	for i, w := range k {
		list[i] = w.raw
	}
	return list
}

// relevance returns the share of the keywords that the texts contain.
func (k keywordSet) relevance(texts ...string) float64 {
	held := make([]bool, len(k))
	for _, s := range texts {
		k.mark(s, held)
	}
	n := 0
	for _, is := range held {
		if is {
			n++
		}
	}
	return math.Round(float64(n)/float64(len(k))*1000) / 1000
}

// mark notes the keywords in a text. Splitting a text into terms is the expensive part, so in plain ASCII only those names are split that
// contain the beginning of a keyword.
func (k keywordSet) mark(s string, held []bool) {
	if !isASCII(s) {
		k.markAll(s, held)
		return
	}
	lower := strings.ToLower(s)
	for i, w := range k {
		if held[i] {
			continue
		}
		for from := 0; !held[i]; {
			n := strings.Index(lower[from:], w.start)
			if n < 0 {
				break
			}
			start, end := around(s, from+n)
			held[i] = slices.ContainsFunc(words.Terms(s[start:end]), func(t words.Term) bool { return t.Text == w.stem })
			from = max(end, from+n+1)
		}
	}
	if joined := joiners.Replace(lower); len(joined) < len(lower) && k.maybe(joined, held) {
		k.markAll(s, held) // web_hook is webhook, too
	}
}

// markAll splits the whole text.
func (k keywordSet) markAll(s string, held []bool) {
	for _, t := range words.Terms(s) {
		for i, w := range k {
			held[i] = held[i] || w.stem == t.Text
		}
	}
}

// maybe reports whether a text may contain a keyword that was not found yet.
func (k keywordSet) maybe(lower string, held []bool) bool {
	for i, w := range k {
		if !held[i] && strings.Contains(lower, w.start) {
			return true
		}
	}
	return false
}

var joiners = strings.NewReplacer("_", "", "-", "", ".", "", "/", "", "'", "")

// around returns the extent of the name or path around byte n.
func around(s string, n int) (start, end int) {
	for start = n; start > 0 && joins(s[start-1]); start-- {
	}
	for end = n; end < len(s) && joins(s[end]); end++ {
	}
	return start, end
}

// joins reports whether an ASCII character can be part of a name or path.
func joins(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-./'", c) >= 0
}

// grade sets the grade, the user's else the agent's. good means that the user graded it good, bad that it is not to be repeated.
func (m *Match) grade(byAgent, byUser int) {
	m.Grade = cmp.Or(byUser, byAgent)
	m.good = byUser >= 2
	m.bad = byUser < 0 || byAgent < 0 && byUser < 2
}

// place ranks a match: relevance first; project, grade and age decide among equals.
func (m *Match) place(now time.Time, home bool) {
	m.rank = m.Relevance
	if home {
		m.rank += 0.06
	}
	m.rank += 0.06 * m.Similarity
	switch {
	case m.Grade >= 5:
		m.rank += 0.05
	case m.Grade == 2 || m.bad:
		m.rank += 0.03
	}
	days := max(now.Sub(m.Timestamp.Time).Hours()/24, 0)
	m.rank += 0.04 * math.Exp(-days/60)
	m.Age = age(now.Sub(m.Timestamp.Time))
}

func byRank(a, b Match) int {
	return cmp.Or(cmp.Compare(b.rank, a.rank), b.Timestamp.Compare(a.Timestamp.Time), strings.Compare(a.key, b.key))
}

// age formats an age in the largest unit that makes sense.
func age(d time.Duration) string {
	for _, unit := range []struct {
		name string
		long time.Duration
	}{{"year", 365 * 24 * time.Hour}, {"month", 30 * 24 * time.Hour}, {"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := int(d / unit.long); n == 1 {
			return "1 " + unit.name
		} else if n > 1 {
			return fmt.Sprintf("%d %ss", n, unit.name)
		}
	}
	return "just now"
}

// kept reports whether the match is relevant enough.
func (m Match) kept(home bool) bool {
	if home || m.Similarity > 0 {
		return m.Relevance >= floor
	}
	return m.Relevance >= floorForeign
}
