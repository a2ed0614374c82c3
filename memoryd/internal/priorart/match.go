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

// What a match must share of the keywords: elsewhere more than at home, since
// what another project did may only look alike.
const (
	floor        = 0.1
	floorForeign = 0.2
	shortest     = 3 // characters of a keyword
)

// keyword is one thing that the task speaks of.
type keyword struct {
	stem, raw string
	start     string // of every word with the stem
}

// keywordSet are the keywords of a task, each once.
type keywordSet []keyword

// keywords takes the words of a task that say something.
func keywords(task string) (set keywordSet) {
	seen := map[string]bool{}
	for _, weak := range []bool{false, true} { // words that only ask count when there are no others
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

// start is how every word with a stem begins: an ending may change what is before
// it (hope, hoping; retry, retries), and in the shortest words all but the first
// letter (die, dying).
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

func (k keywordSet) none() bool { return len(k) == 0 }

func (k keywordSet) words() []string {
	list := make([]string, len(k))
	for i, w := range k {
		list[i] = w.raw
	}
	return list
}

// relevance is the share of the keywords that the texts hold.
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

// mark notes the keywords that a text holds. Taking a text apart costs more than
// everything else: of plain ASCII only the names are that hold the beginning of a
// keyword; the rest is for the words package to say.
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

// markAll takes the whole text apart.
func (k keywordSet) markAll(s string, held []bool) {
	for _, t := range words.Terms(s) {
		for i, w := range k {
			held[i] = held[i] || w.stem == t.Text
		}
	}
}

// maybe reports whether a text may hold a keyword that was not found yet.
func (k keywordSet) maybe(lower string, held []bool) bool {
	for i, w := range k {
		if !held[i] && strings.Contains(lower, w.start) {
			return true
		}
	}
	return false
}

var joiners = strings.NewReplacer("_", "", "-", "", ".", "", "/", "", "'", "")

// around is the name or path that the byte at n is part of.
func around(s string, n int) (start, end int) {
	for start = n; start > 0 && joins(s[start-1]); start-- {
	}
	for end = n; end < len(s) && joins(s[end]); end++ {
	}
	return start, end
}

// joins reports the ASCII that names and paths are made of.
func joins(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-./'", c) >= 0
}

// grade is the user's, else the agent's; good is what the user found good, bad
// what is not to be repeated.
func (m *Match) grade(byAgent, byUser int) {
	m.Grade = cmp.Or(byUser, byAgent)
	m.good = byUser >= 2
	m.bad = byUser < 0 || byAgent < 0 && byUser < 2
}

// place ranks a match: relevance leads, and where it is from, how it was graded and
// how old it is decide between the equally relevant.
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

// age says how old something is, in the largest unit that makes sense.
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

// kept drops what says too little.
func (m Match) kept(home bool) bool {
	if home || m.Similarity > 0 {
		return m.Relevance >= floor
	}
	return m.Relevance >= floorForeign
}
