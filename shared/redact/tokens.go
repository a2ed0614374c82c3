package redact

import "strings"

// A token is a form of secret that is recognised by its beginning.
type token struct {
	kind    string
	prefix  string
	letters alphabet // of what follows the prefix
	least   int      // characters after the prefix, at least
	loose   bool     // the prefix is short or a word: no letter or digit may stand before it, and what follows must look made
}

// longestLoose is how many bytes a token with a short prefix has at most: a longer run is data.
const longestLoose = 1024

// tokenSigns makes a sign of each form.
func tokenSigns() []sign {
	signs := make([]sign, 0, len(tokens))
	for rank := range tokens {
		one := &tokens[rank]
		signs = append(signs, sign{strings.ToLower(one.prefix), func(t *text, at int) { one.find(t, at, rank) }, rank})
	}
	return signs
}

// find adds the token that stands at t.s[at:].
func (k *token) find(t *text, at, rank int) {
	body := at + len(k.prefix)
	if t.s[at:body] != k.prefix || k.loose && at > 0 && is(t.s[at-1], word) {
		return
	}
	end := t.trim(body, t.end(k.letters, body), ".,:") // without the punctuation of the sentence
	if end-body < k.least || k.loose && end-body > longestLoose {
		return
	}
	if n := len(t.hits); n > 0 && at >= t.hits[n-1].from && end <= t.hits[n-1].to && rank >= t.hits[n-1].rank {
		return
	}
	value := t.judged(body, end)
	if different(value) < 4 || k.loose && !madeUp(value) {
		return
	}
	t.add(at, end, k.kind, rank)
}
