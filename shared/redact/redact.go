// Package redact takes secrets out of texts: tokens and keys of common providers, private keys, JWTs, passwords in URLs,
// in commands and in assignments to names that sound secret. Every text that the suite stores, exports, shows to an agent
// or turns into a name passes through it.
//
// It errs towards leaving prose and code alone: a value with only a telling name beside it counts when it looks generated
// or like a password.
//
// One pass over a text finds where a secret may begin (see scan). Only those places are looked at more closely, so that a
// task's text costs microseconds and a program that redacts nothing pays nothing. It is safe for concurrent use.
package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Redact replaces the secrets of s by [redacted KIND] and returns their kinds, one for each secret. A secret that was found once is taken
// out everywhere in s. A text without secrets is returned unchanged, and redacting twice has the same result as redacting once.
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

// rounds bounds how often a text is searched again: taking a secret out can join the texts on both sides of it.
const rounds = 4

// Clean is Redact for callers that do not report what was found.
func Clean(s string) string {
	clean, _ := Redact(s)
	return clean
}

// Kinds returns the kinds that Redact found as part of a sentence, each kind once.
func Kinds(found []string) string {
	found = slices.Clone(found)
	slices.Sort(found)
	return strings.Join(slices.Compact(found), ", ")
}

const (
	shortest = 8 // below this many bytes no text holds a secret worth the search
)

// Mark is the beginning of the text in place of a secret; its kind and a bracket follow.
const Mark = "[redacted "

// Marked returns the text in place of a secret of some kind.
func Marked(kind string) string { return Mark + kind + "]" }

// replace puts a mark where each hit is.
func replace(s string, hits []hit) (string, []string) {
	var b strings.Builder
	kinds := make([]string, 0, len(hits))
	done := 0
	for _, h := range hits {
		b.WriteString(s[done:h.from])
		b.WriteString(Marked(h.kind))
		kinds = append(kinds, h.kind)
		done = h.to
	}
	b.WriteString(s[done:])
	return b.String(), kinds
}

// Lines is Redact for a text that has to keep its lines, such as a file or a quotation of one: a secret of several lines is taken out of
// each line.
func Lines(s string) string { return LinesAfter("", s) }

// LinesAfter is Lines for a part of a stream. It also reads before, the part that was written already, so that a name in one part and its
// value in the next are seen together.
func LinesAfter(before, s string) string {
	hits := find(before + s)
	var b strings.Builder
	done := 0
	for _, h := range hits {
		h.from, h.to = max(h.from-len(before), 0), h.to-len(before)
		if h.to <= 0 {
			continue
		}
		b.WriteString(s[done:h.from])
		for line := range strings.Lines(s[h.from:h.to]) {
			text := strings.TrimRight(line, "\r\n")
			if text != "" {
				b.WriteString(Marked(h.kind))
			}
			b.WriteString(line[len(text):])
		}
		done = h.to
	}
	b.WriteString(s[done:])
	return b.String()
}

// found is a secret of a text: where its mark begins in the redacted text, and the words that the mark stands for.
type found struct {
	at     int
	secret string
}

var markForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(regexp.QuoteMeta(Mark) + `[^\]\n]*\]`) })

// Restore returns a text that was written over the redacted form of original, with original's secrets in place of their marks. A line of
// the redacted form becomes the line of original. In another line a mark is replaced when all marks like it stand for one secret. ok is
// false when what a mark stands for is not known.
func Restore(s, original string) (restored string, ok bool) {
	clean, secrets := marked(original)
	whole, words := map[string]string{}, map[string]string{}
	at := 0
	for line := range strings.Lines(clean) {
		put(whole, strings.TrimSpace(line), strings.TrimSpace(expand(line, at, secrets, words)))
		at += len(line)
	}
	ok = true
	var b strings.Builder
	for line := range strings.Lines(s) {
		bare := strings.TrimSpace(line)
		if old := whole[bare]; old != "" {
			b.WriteString(strings.Replace(line, bare, old, 1))
			continue
		}
		b.WriteString(markForm().ReplaceAllStringFunc(line, func(mark string) string {
			ok = ok && words[mark] != ""
			return words[mark]
		}))
	}
	return b.String(), ok
}

// put sets what a key stands for, "" when it stands for several things.
func put(all map[string]string, key, value string) {
	if old, there := all[key]; there && old != value {
		value = ""
	}
	all[key] = value
}

// expand returns a line that begins at a place of the redacted text with the secrets in place of their marks, and notes in words what each
// mark stands for. A mark that the original text has itself stands for itself.
func expand(line string, at int, secrets []found, words map[string]string) string {
	var b strings.Builder
	done := 0
	for _, span := range markForm().FindAllStringIndex(line, -1) {
		mark := line[span[0]:span[1]]
		secret := mark
		for _, f := range secrets {
			if f.at == at+span[0] {
				secret = f.secret
			}
		}
		put(words, mark, secret)
		b.WriteString(line[done:span[0]] + secret)
		done = span[1]
	}
	return b.String() + line[done:]
}

// marked is Redact with the secrets, in their order.
func marked(s string) (clean string, secrets []found) {
	clean = s
	for range rounds {
		hits := find(clean)
		if len(hits) == 0 {
			break
		}
		var b strings.Builder
		var next []found
		done := 0
		for _, h := range append(hits, hit{from: len(clean), to: len(clean)}) {
			for ; len(secrets) > 0 && secrets[0].at < h.from; secrets = secrets[1:] {
				next = append(next, found{b.Len() + secrets[0].at - done, secrets[0].secret})
			}
			b.WriteString(clean[done:h.from])
			if done = h.to; h.from == h.to {
				break
			}
			inner := 0
			for inner < len(secrets) && secrets[inner].at < h.to {
				inner++
			}
			next = append(next, found{b.Len(), expand(clean[h.from:h.to], h.from, secrets[:inner], map[string]string{})})
			secrets = secrets[inner:]
			b.WriteString(Marked(h.kind))
		}
		clean, secrets = b.String(), next
	}
	return clean, secrets
}
