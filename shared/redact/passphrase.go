package redact

import "strings"

// A passphrase is some plain words without a digit or a mark, as in passphrase = correct-horse-battery-staple. Only the name before it
// shows that it is a passphrase. Prose about passwords has as many words; one small word, or one about the subject, is enough to leave a
// text alone.

// longestPhrase bounds in bytes a passphrase.
const longestPhrase = 200

// passphrase reports whether a passphrase begins at a literal, and where it ends.
func (n *name) passphrase(t *text, l literal) (end int, ok bool) {
	if n.word == "pass" {
		return 0, false
	}
	named := strings.HasSuffix(n.word, "phrase") || n.word == "seed phrase" || n.word == "mnemonic"
	least := 4
	value, separator := t.judged(l.from, l.to), "-"
	switch {
	case !strings.ContainsAny(value, " ") && strings.Contains(value, "-"):
		if named {
			least = 3
		}
		end = l.to
	case l.quoted && strings.Contains(value, " "):
		separator, end = " ", l.to
	case !l.quoted && t.byteAt(l.to) == ' ' && named:
		stop := min(t.line(l.from), l.from+longestPhrase)
		separator, end = " ", l.from+len(strings.TrimRight(t.s[l.from:stop], " .,;:!?)\r"))
	default:
		return 0, false
	}
	if end-l.from > longestPhrase {
		return 0, false
	}
	t.count(end - l.from)
	words := strings.Split(t.s[l.from:end], separator)
	most := 10
	if named {
		most = 24
	}
	if len(words) < least || len(words) > most {
		return 0, false
	}
	for _, word := range words {
		if len(word) < 3 || len(word) > 10 || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" || prose()[word] && len(words) < 12 {
			return 0, false
		}
	}
	return end, true
}
