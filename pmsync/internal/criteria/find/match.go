package find

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/text/words"
)

// Relation is how a criterion of the new reading relates to the old one.
type Relation uint8

// The relations.
const (
	Equal Relation = iota // the same words; only case, signs or spacing differ
	Near                  // the same statement in slightly other words
	New                   // only in the new reading; Old is -1
	Gone                  // only in the old reading; New is -1
)

// Pair joins an index of the old reading with one of the new.
type Pair struct {
	Old, New int
	Relation Relation
}

// Match pairs the texts of two readings, each at most once, so that the status and evidence of a criterion stay with it. The pairs come in
// the order of the new texts, followed by the old ones without a partner. Texts are near when they share most of their words and no
// difference changes the meaning: numbers, negations, opposites.
func Match(old, current []string) []Pair {
	taken := make([]bool, len(old))
	pairs := make([]Pair, len(current))
	byKey := map[string][]int{}
	for i, t := range old {
		byKey[Key(t)] = append(byKey[Key(t)], i)
	}
	for i, t := range current {
		pairs[i] = Pair{-1, i, New}
		if same := byKey[Key(t)]; len(same) > 0 {
			pairs[i] = Pair{same[0], i, Equal}
			taken[same[0]] = true
			byKey[Key(t)] = same[1:]
		}
	}
	matchNear(old, current, taken, pairs)
	for i := range old {
		if !taken[i] {
			pairs = append(pairs, Pair{i, -1, Gone})
		}
	}
	return pairs
}

// maxCompared bounds the comparisons of texts without an equal partner.
const maxCompared = 250_000

// matchNear pairs the remaining texts, the most alike first.
func matchNear(old, current []string, taken []bool, pairs []Pair) {
	type candidate struct {
		old, new int
		alike    float64
	}
	var free []statement
	var at []int
	for i, t := range old {
		if !taken[i] {
			free, at = append(free, stateOf(t)), append(at, i)
		}
	}
	var found []candidate
	compared := 0
	for i, t := range current {
		if pairs[i].Relation == Equal || compared > maxCompared {
			continue
		}
		now := stateOf(t)
		for j := range free {
			compared++
			if alike := likeness(free[j], now); alike > 0 {
				found = append(found, candidate{at[j], i, alike})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.alike, a.alike), distance(a.old, a.new)-distance(b.old, b.new))
	})
	for _, f := range found {
		if !taken[f.old] && pairs[f.new].Relation == New {
			taken[f.old] = true
			pairs[f.new] = Pair{f.old, f.new, Near}
		}
	}
}

func distance(a, b int) int { return max(a-b, b-a) }

// statement is a text prepared for comparison.
type statement struct {
	content []string // stems of the words that carry meaning
	turns   []string // numbers, comparisons and negations, sorted
}

func stateOf(s string) statement {
	var st statement
	for word := range strings.FieldsSeq(Key(s)) {
		switch {
		case strings.ContainsFunc(word, unicode.IsDigit), strings.ContainsAny(word, "<>=%€$£"), turning.has(word):
			st.turns = append(st.turns, word)
		case !words.Empty(word) || direction.has(word):
			st.content = append(st.content, words.Stem(word))
		}
	}
	slices.Sort(st.turns)
	return st
}

// turning are words that change what is required; words such as "don" come from "don't", split at its apostrophe.
var turning = set("not no never none without cannot don doesn isn mustn shouldn won can't nicht kein keine nie ohne ne pas jamais sans nunca sin não sem non mai не нет без")

// direction are small words; two criteria that differ in one are not the same.
var direction = set("in out on off up down before after above below over under more less all any only first last")

// likeness returns how alike two statements are, from 0 (not near) to 1.
func likeness(a, b statement) float64 {
	if !slices.Equal(a.turns, b.turns) || len(a.content) == 0 || len(b.content) == 0 {
		return 0
	}
	left, right := rest(a.content, b.content)
	shared := len(a.content) - len(left)
	alike := 2 * float64(shared) / float64(len(a.content)+len(b.content))
	need := 0.75
	if len(left) > 0 && len(right) > 0 { // one word replaces another
		need = 0.8
		if opposed(left, right) {
			return 0
		}
	}
	if alike < need {
		return 0
	}
	return alike
}

// rest returns the words of each list without a partner in the other. A word that differs only by a typo is a partner.
func rest(a, b []string) (left, right []string) {
	right = slices.Clone(b)
	for _, w := range a {
		if i := slices.Index(right, w); i >= 0 {
			right = slices.Delete(right, i, i+1)
		} else {
			left = append(left, w)
		}
	}
	for i := 0; i < len(left); i++ {
		for j := range right {
			if len(left[i]) >= 5 && left[i][0] == right[j][0] && text.Distance(left[i], right[j], 2) < 2 {
				left, right = slices.Delete(left, i, i+1), slices.Delete(right, j, j+1)
				i--
				break
			}
		}
	}
	return left, right
}

// opposites lists pairs by stem, beside those formed by a prefix (enable, disable).
var opposites = [][2]string{{"show", "hide"}, {"add", "remov"}, {"add", "delet"}, {"creat", "delet"}, {"allow", "deni"}, {"allow", "block"}, {"allow", "prevent"}, {"accept", "reject"}, {"open", "close"},
	{"start", "stop"}, {"increas", "decreas"}, {"minimum", "maximum"}, {"min", "max"}, {"success", "fail"}, {"valid", "invalid"}, {"enabl", "disabl"}, {"requir", "option"}, {"public", "privat"}, {"read", "write"},
	{"in", "out"}, {"on", "off"}, {"up", "down"}, {"before", "after"}, {"abov", "below"}, {"over", "under"}, {"more", "less"}, {"first", "last"}, {"all", "ani"}, {"left", "right"}, {"top", "bottom"}, {"ascend", "descend"}, {"import", "export"}, {"online", "offlin"}}

func opposed(left, right []string) bool {
	prefixes := []string{"un", "in", "im", "dis", "non", "de", "ir", "il"}
	for _, l := range left {
		for _, r := range right {
			if slices.ContainsFunc(prefixes, func(prefix string) bool { return l == prefix+r || r == prefix+l }) ||
				len(l) > 4 && len(r) > 4 && (strings.HasPrefix(l, "dis") && strings.HasPrefix(r, "en") || strings.HasPrefix(l, "en") && strings.HasPrefix(r, "dis")) ||
				slices.Contains(opposites, [2]string{l, r}) || slices.Contains(opposites, [2]string{r, l}) {
				return true
			}
		}
	}
	return slices.ContainsFunc(slices.Concat(left, right), direction.has)
}
