package redact

import (
	"regexp"
	"strings"
	"sync"
)

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
