package memory

import (
	"slices"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/text/words"
)

// near adds the words that come nearest to one that nobody wrote: mistyped ones,
// those it begins, its own beginning, its halves. It gives the words.
func (a *asker) near(g *group, raw string) ([]string, error) {
	var found []string
	take := func(word string, weight float64) error {
		before := len(g.terms)
		if len(found) >= mostNear {
			return nil
		}
		if err := a.take(g, words.Stem(word), weight); err != nil {
			return err
		}
		if len(g.terms) > before {
			found = append(found, word)
		}
		return nil
	}
	for _, look := range []func(string, func(string, float64) error) error{a.beginnings, a.mistyped} {
		if err := look(raw, take); err != nil {
			return nil, err
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	if err := a.halves(raw, take); err != nil {
		return nil, err
	}
	if len(found) > 0 {
		return found, nil
	}
	// authenticating for auth
	for n := len(raw) - 1; n >= max(4, len(raw)/3) && len(found) == 0; n-- {
		if !utf8.RuneStart(raw[n]) {
			continue
		}
		known, err := a.wrote(raw[:n])
		if err != nil {
			return nil, err
		}
		if known {
			if err := take(raw[:n], forHalf); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// beginnings are words that begin with what was asked: three letters at least,
// or one character of a script that has thousands.
func (a *asker) beginnings(raw string, take func(string, float64) error) error {
	if utf8.RuneCountInString(raw) < 3 && len(raw) < 3 {
		return nil
	}
	list, err := registry.Collect(a.tx, registry.One[string],
		`SELECT word FROM memory_words WHERE rest >= ? AND rest < ? AND rest = word ORDER BY rest LIMIT 40`, raw, raw+"\U0010ffff")
	if err != nil {
		return err
	}
	slices.SortStableFunc(list, func(a, b string) int { return len(a) - len(b) })
	for _, word := range list {
		if err := take(word, forBeginning); err != nil {
			return err
		}
	}
	return nil
}

// mistyped are words at most one typing mistake away, two for long words.
func (a *asker) mistyped(raw string, take func(string, float64) error) error {
	far := 1
	if utf8.RuneCountInString(raw) >= 7 {
		far = 2
	}
	away := map[string]int{}
	around := rests(raw)
	if around == nil {
		return nil
	}
	for _, rest := range append(around, raw) {
		list, err := registry.Collect(a.tx, registry.One[string], `SELECT word FROM memory_words WHERE rest = ? LIMIT 60`, rest)
		if err != nil {
			return err
		}
		for _, word := range list {
			if d := text.Distance(raw, word, far+1); d <= far {
				away[word] = d
			}
		}
	}
	for d := 1; d <= far; d++ {
		var list []string
		for word, n := range away {
			if n == d {
				list = append(list, word)
			}
		}
		slices.Sort(list)
		for _, word := range list {
			weight := forOneTypo
			if d == 2 {
				weight = forTwoTypos
			}
			if err := take(word, weight); err != nil {
				return err
			}
		}
		if len(list) > 0 {
			return nil // nothing farther is meant
		}
	}
	return nil
}

// halves are the two words that one is written of.
func (a *asker) halves(raw string, take func(string, float64) error) error {
	for i := 3; i <= len(raw)-3; i++ {
		if !utf8.RuneStart(raw[i]) || words.Weak(raw[:i]) || words.Weak(raw[i:]) {
			continue
		}
		first, err := a.wrote(raw[:i])
		if err != nil || !first {
			if err != nil {
				return err
			}
			continue
		}
		second, err := a.wrote(raw[i:])
		if err != nil {
			return err
		}
		if second {
			if err := take(raw[:i], forHalf); err != nil {
				return err
			}
			return take(raw[i:], forHalf)
		}
	}
	return nil
}

// joined adds two neighbouring words written as one.
func (a *asker) joined(raw string, g *group) error {
	known, err := a.wrote(raw)
	if err != nil || !known {
		return err
	}
	return a.take(g, words.Stem(raw), forBeginning)
}

// wrote reports whether a memory holds a word.
func (a *asker) wrote(raw string) (bool, error) {
	n, err := registry.One[int](a.tx.QueryRow(`SELECT COUNT(*) FROM memory_words WHERE rest = ? AND word = ?`, raw, raw))
	return n > 0, err
}
