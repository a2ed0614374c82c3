package redact

import (
	"strings"
	"unicode/utf8"
)

// Bounds of a sentence about a password.
const (
	mostLinking  = 9
	longestWords = 90
)

// phrase finds a value to which the sentence after the name leads: the password for staging was changed to x. Only values that look
// generated count.
func (n *name) phrase(t *text, i int, blank bool) bool {
	if !blank || n.kind != password && n.kind != secret {
		return false
	}
	w := upTo(t.window(i, longestWords), "\n")
	ready := false
	at, unknown := 0, 0
	for range mostLinking {
		for at < len(w) && strings.IndexByte(" ,()", w[at]) >= 0 {
			at++
		}
		end := at
		for end < len(w) && (is(w[end], letter) || w[end] >= utf8.RuneSelf || w[end] == '\'') {
			end++
		}
		t.count(end - at + 1)
		word := strings.ToLower(w[at:end])
		follows := byte(0)
		if end < len(w) {
			follows = w[end]
		}
		known := linking()[word] || last()[word]
		if end > at && known && (follows == ' ' || follows == ',' || follows == ')' || follows == ':' || follows == 0) {
			ready = last()[word]
			at = end
			if follows == ':' {
				ready, at = true, end+1
			}
			continue
		}
		if end-at > 2 && follows == ' ' && unknown < 2 && only(word, letter) && !ready {
			unknown++
			at = end
			continue
		}
		if !ready && follows == ':' && end > at && end+1 < len(w) && w[end+1] == ' ' {
			at, ready = end+1, true
			continue
		}
		break
	}
	if !ready || at >= len(w) {
		return false
	}
	return n.literalAt(t, t.opening(i+at), evidence{kind: spread})
}

// behindAs finds a value before the name: use x as password, x is the root password.
func (n *name) behindAs(t *text) bool {
	w := t.before(n.from, 60)
	at := len(w)
	if strings.HasSuffix(w, " (") && t.byteAt(n.to) == ')' { // x (password)
		return n.before(t, w, at-1)
	}
	for range 5 { // words between, backwards
		for at > 0 && w[at-1] == ' ' {
			at--
		}
		from := at
		for from > 0 && w[from-1] > ' ' {
			from--
		}
		t.count(at - from + 1)
		if from == at || from == 0 || w[from-1] != ' ' {
			return false
		}
		b := strings.ToLower(w[from:at])
		at = from
		if joints[b] {
			return n.before(t, w, at)
		}
		if !linking()[b] && !prose()[b] {
			return false
		}
	}
	return false
}

// joints are the words between a value and its name.
var joints = map[string]bool{"as": true, "is": true, "als": true, "ist": true, "comme": true, "est": true, "como": true, "es": true, "come": true, "è": true, "é": true, "=": true, "are": true, "sind": true}

// before judges the last word of w[:at], which stands before the name.
func (n *name) before(t *text, w string, at int) bool {
	said := strings.TrimRight(w[:at], " ")
	from := strings.LastIndexAny(said, " \t(\n") + 1
	value := strings.Trim(said[from:], "\"'`*.,:")
	if value == "" || strings.ContainsAny(value, "\"'`=:/") {
		return false
	}
	start := n.from - len(w) + from + strings.Index(said[from:], value)
	l := literal{start, start + len(value), start + len(value), false}
	if n.kind == login {
		return n.judgedSecond(t, l)
	}
	return n.hidden(t, l, evidence{kind: spread})
}
