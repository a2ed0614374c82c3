package memory

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agit-suite/agit/memoryd/internal/lexicon"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/text/words"
)

// nearWord is a stored word that may be meant by another one.
type nearWord struct {
	word   string
	weight float64
}

// Bounds for finding words close to unknown ones.
const (
	mostUnknown    = 24
	longTyped      = 7 // letters of a word that may have two typing mistakes
	mostBeginnings = 40
	leastHalf      = 3  // letters of each half of a word
	longestHalves  = 24 // letters of a word that may be split
)

// near finds the stored words closest to unknown ones, in one statement for the words and one for their memories: longer words that begin
// with them, corrections of typing mistakes, their halves, and their own beginning.
func (a *asker) near(unknown []string) (map[string][]nearWord, error) {
	unknown = unknown[:min(len(unknown), mostUnknown)]
	if len(unknown) == 0 {
		return nil, nil
	}
	var looked []string
	var query strings.Builder
	var args []any
	for _, raw := range unknown {
		looked = append(looked, raw)
		looked = append(looked, rests(raw)...)
		looked = append(looked, parts(raw)...)
	}
	marks, listed := many(looked)
	query.WriteString(`SELECT rest, word FROM memory_words WHERE rest IN ` + marks)
	args = append(args, listed...)
	for _, raw := range unknown {
		// Three letters at least, or one character of a script with thousands of characters.
		if utf8.RuneCountInString(raw) < 3 && len(raw) < 3 {
			continue
		}
		query.WriteString(` UNION ALL SELECT * FROM (SELECT rest, word FROM memory_words WHERE rest > ? AND rest < ? AND rest = word ORDER BY rest LIMIT ?) firsts`)
		args = append(args, raw, raw+"\U0010ffff", mostBeginnings)
	}
	under := map[string][]string{} // stored words by their shortened forms
	_, err := registry.Collect(a.tx, func(row registry.Scanner) (struct{}, error) {
		var rest, word string
		err := row.Scan(&rest, &word)
		under[rest] = append(under[rest], word)
		a.wrote[word] = true
		return struct{}{}, err
	}, query.String(), args...)
	if err != nil {
		return nil, err
	}
	near := make(map[string][]nearWord, len(unknown))
	var stems []string
	for _, raw := range unknown {
		near[raw] = a.beginnings(raw)
		if len(lexicon.Synonyms(words.Stem(raw))) == 0 { // a known word is not mistyped
			near[raw] = append(near[raw], mistyped(raw, under)...)
		}
		for _, n := range append(near[raw], append(a.halves(raw), a.beginning(raw)...)...) {
			stems = append(stems, words.Stem(n.word))
		}
	}
	if err := a.list(stems); err != nil {
		return nil, err
	}
	for _, raw := range unknown {
		for _, others := range [][]nearWord{near[raw], a.halves(raw), a.beginning(raw)} {
			if near[raw] = slices.DeleteFunc(others, func(n nearWord) bool { return a.docs[words.Stem(n.word)] == 0 }); len(near[raw]) > 0 {
				break
			}
		}
	}
	return near, nil
}

// parts returns the beginnings and ends of a word that may be words themselves.
func parts(raw string) []string {
	if len(raw) > longestHalves {
		return nil
	}
	var out []string
	for i := leastHalf; i < len(raw); i++ {
		if !utf8.RuneStart(raw[i]) {
			continue
		}
		out = append(out, raw[:i])
		if len(raw)-i >= leastHalf {
			out = append(out, raw[i:])
		}
	}
	return out
}

// beginnings returns words that begin with the unknown word, the shortest first.
func (a *asker) beginnings(raw string) (near []nearWord) {
	for word := range a.wrote {
		if len(word) > len(raw) && strings.HasPrefix(word, raw) && (len(raw) >= 3 || utf8.RuneCountInString(raw) >= 3) {
			near = append(near, nearWord{word, forBeginning})
		}
	}
	slices.SortFunc(near, func(a, b nearWord) int { return cmp.Or(len(a.word)-len(b.word), strings.Compare(a.word, b.word)) })
	return near
}

// mistyped returns words at most one typing mistake away, two for long words; only the nearest ones count.
func mistyped(raw string, under map[string][]string) (near []nearWord) {
	far := 1
	if utf8.RuneCountInString(raw) >= longTyped {
		far = 2
	}
	around := rests(raw)
	if around == nil {
		return nil
	}
	away := map[string]int{}
	for _, rest := range append(around, raw) {
		for _, word := range under[rest] {
			if len(word) < leastTyped || word[0] != raw[0] && len(raw) < longTyped { // the first letter is rarely mistyped
				continue
			}
			if d := text.Distance(raw, word, far+1); d > 0 && d <= far {
				away[word] = d
			}
		}
	}
	for d, part := 1, forOneTypo; d <= far && len(near) == 0; d, part = d+1, forTwoTypos {
		for word, n := range away {
			if n == d {
				near = append(near, nearWord{word, part})
			}
		}
	}
	slices.SortFunc(near, func(a, b nearWord) int { return strings.Compare(a.word, b.word) })
	return near
}

// halves returns the two words that a compound consists of.
func (a *asker) halves(raw string) []nearWord {
	for i := leastHalf; i <= len(raw)-leastHalf; i++ {
		if !utf8.RuneStart(raw[i]) || words.Weak(raw[:i]) || words.Weak(raw[i:]) {
			continue
		}
		if a.wrote[raw[:i]] && a.wrote[raw[i:]] {
			return []nearWord{{raw[:i], forHalf}, {raw[i:], forHalf}}
		}
	}
	return nil
}

// beginning returns the longest stored word that a word begins with: auth for authenticating.
func (a *asker) beginning(raw string) []nearWord {
	for n := len(raw) - 1; n >= max(4, len(raw)/3); n-- {
		if utf8.RuneStart(raw[n]) && a.wrote[raw[:n]] {
			return []nearWord{{raw[:n], forHalf}}
		}
	}
	return nil
}
