package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A name is a core with the text around it: DB_PASSWORD_2.
type name struct {
	core
	from, to int    // of all of it
	text     string // all of it
	constant bool   // it is written like an environment variable
}

// longestName is how many bytes of a name before its core are read.
const longestName = 64

// nameSigns are the names that sound secret.
func nameSigns() []sign {
	var all []sign
	add := func(c core) {
		all = append(all, sign{c.word, func(t *text, at int) {
			if n, ok := c.read(t, at); ok {
				n.look(t)
			}
		}, rankAssigned})
	}
	for _, c := range cores {
		add(c)
	}
	for kind, words := range spoken() {
		for _, w := range words {
			if len(w) < 3 {
				continue
			}
			add(core{w, kind, alone})
			if first, size := utf8.DecodeRuneInString(w); first >= utf8.RuneSelf {
				for _, big := range []string{string(unicode.ToUpper(first)) + w[size:], strings.ToUpper(w)} {
					if big != w {
						add(core{big, kind, alone})
					}
				}
			}
		}
	}
	for _, w := range pwCores {
		skip := 0
		if w[0] != 'p' {
			skip = 1
		}
		all = append(all, sign{w, func(t *text, at int) {
			if n, ok := (core{"pw", password, apart}).read(t, at+skip); ok {
				n.look(t)
			}
		}, rankAssigned})
	}
	return all
}

// read finds the name around the core at t.s[at:].
func (c core) read(t *text, at int) (n name, ok bool) {
	s := t.s
	n = name{core: c, from: t.begin(dotted, at, longestName), to: at + len(c.word)}
	if c.word[0] >= 0x80 || c.glue == alone {
		n.from = at
		if c.glue == alone && at > 0 && is(s[at-1], alphanum) && c.word[0] < 0x80 && c.word[0] != '"' {
			return n, false
		}
	}
	for n.from < at && s[n.from] == '.' {
		n.from++
	}
	switch c.glue {
	case apart:
		ok = c.begins(s, n.from, at)
	case keyed:
		ok = c.qualified(s, &n, at)
	default:
		ok = true
	}
	if !ok {
		return n, false
	}
	n.to += tail(s[n.to:])
	if n.to < len(s) && (is(s[n.to], word) && !joins(s[n.to:]) || isLetterAt(s, n.to) && !joins(s[n.to:])) {
		return n, false // another word
	}
	n.text = s[n.from:n.to]
	if n.text == "-p"+c.word {
		return n, false // an option with its value
	}
	n.constant = len(n.text) > 3 && strings.ToUpper(n.text) == n.text
	if n.to-n.from == len(c.word) {
		return n, true
	}
	low := underscored.Replace(strings.ToLower(n.text))
	for _, part := range notSecret {
		if strings.Contains(low, part) {
			return n, part == "key_id" && strings.Contains(low, "secret_key_id")
		}
	}
	return n, true
}

// underscored replaces the marks inside a name by _.
var underscored = strings.NewReplacer("-", "_", ".", "_", " ", "_")

// joins reports whether s begins with an operator that needs no blank before it.
func joins(s string) bool { return strings.HasPrefix(s, "--") || letterOperators.match(s) != "" }

// begins reports whether a short core at s[at:] is a word of its own in its name.
func (c core) begins(s string, from, at int) bool {
	if at == from || !is(s[at-1], alphanum) {
		return c.word != "pass" || !strings.HasPrefix(s[at:], "PASS: Test") && !strings.HasSuffix(s[:at], "--- ")
	}
	if is(s[at-1], digit) {
		return true
	}
	before := s[from:at]
	if i := strings.LastIndexAny(before, "_-."); i >= 0 {
		before = before[i+1:]
	}
	switch {
	case isUpper(s[at]) && isLower(s[at-1]):
		return true // dbPass
	case isUpper(s[at]) && isUpper(s[at-1]) && strings.ToUpper(before) == before:
		return !slices.ContainsFunc(overShort, func(w string) bool { return strings.HasSuffix(before, w) }) && (len(c.word) >= 4 || len(before) >= 2)
	}
	return slices.Contains(glued, strings.ToLower(before))
}

// qualified reports whether the word before the key at s[at:] makes it secret. If a blank stands between the two, it takes the word into
// the name.
func (c core) qualified(s string, n *name, at int) bool {
	if at == 0 {
		return false
	}
	end := at
	gap := 0
	if strings.IndexByte("_- .", s[at-1]) >= 0 {
		end, gap = at-1, 1
	} else if !is(s[at-1], alphanum) || isUpper(s[at-1]) && !isUpper(s[at]) {
		return false
	}
	from := end
	for from > 0 && end-from < 20 && is(s[from-1], alphanum) && !(from < end && isUpper(s[from]) && isLower(s[from-1])) {
		from--
	}
	low := strings.ToLower(s[from:end])
	all := s[n.from : at+3]
	constant := strings.ToUpper(all) == all && strings.ContainsAny(all, "_") && at > n.from
	switch {
	case qualifiers()[low] || len(low) > 1 && qualifiers()[strings.TrimRight(low, "0123456789")]:
	case gap == 0 && slices.ContainsFunc(endings, func(q string) bool { return strings.HasSuffix(low, q) }):
	case constant && gap == 1 && s[at-1] != ' ':
	default:
		return false
	}
	switch low {
	case "wifi", "wpa", "network", "wlan":
		n.kind = password // people type it
	}
	if gap == 1 && s[at-1] == ' ' {
		n.from = from
		if low == "access" && hasFold(s[max(0, from-7):], "secret ") {
			n.from = from - 7
		}
	}
	return true
}

// endings are words that make a key secret also at the end of another.
var endings = []string{"api", "access", "private", "secret", "auth", "encryption", "signing", "master", "account", "license", "shared", "subscription", "app", "service", "session"}

// mostTails bounds how many words and digits are read behind a core.
const mostTails = 8

// tail returns the length of the text that may follow a core in its name.
func tail(s string) int {
	end := 0
	if len(s) > 2 && s[0] == ' ' && is(s[1], digit) && (s[2] == ':' || s[2] == ' ' && is(s[1], digit)) { // Unseal Key 1:
		return 2
	}
	if hasFold(s, "word") || hasFold(s, "phrase") { // of pass
		return 0
	}
	if end < len(s) && lower(s[end]) == 's' && !(len(s) > 1 && is(s[1], letter) && !isUpper(s[1])) {
		end++
	}
	for n := 0; n < mostTails && end < len(s); n++ {
		rest := s[end:]
		if is(rest[0], digit) {
			end++
			continue
		}
		trimmed := strings.TrimLeft(rest[:min(len(rest), 3)], "_-")
		marks := min(len(rest), 3) - len(trimmed)
		rest = rest[marks:]
		if rest == "" || marks == 0 && !isUpper(rest[0]) {
			break
		}
		found := 0
		for _, w := range tails.of(lower(rest[0])) {
			if hasFold(rest, w) && len(w) > found && (len(rest) == len(w) || !is(rest[len(w)], letter) || isUpper(rest[len(w)]) && !isUpper(rest[len(w)-1])) {
				found = len(w)
			}
		}
		if found == 0 {
			break
		}
		end += marks + found
	}
	return end
}
