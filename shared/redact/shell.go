package redact

import (
	"slices"
	"strings"
)

// shellSigns mark passwords that a shell passes to a program as input, and passwords in the query of an address.
func shellSigns() []sign {
	var all []sign
	for _, begin := range []string{"<(echo ", "<(printf "} {
		all = append(all, sign{begin, func(t *text, at int) { t.substituted(at + len(begin)) }, rankCommand})
	}
	for _, option := range []string{"user = ", "user=", "proxy-user = ", "proxy-user="} {
		all = append(all, sign{option, func(t *text, at int) { t.curlConfig(at, len(option)) }, rankCommand})
	}
	return append(all, sign{"?key=", (*text).queryKey, rankCommand}, sign{"&key=", (*text).queryKey, rankCommand}, sign{"\nuser ", (*text).ftpLogin, rankCommand})
}

// askers are parts of commands that read a password from a file.
var askers = []string{"pass", "auth", "token", "secret", "cred", "login", "key"}

// substituted finds the password in <(echo x), whose words begin at t.s[i:].
func (t *text) substituted(i int) {
	const longest = 200
	end := min(t.find(')', i), t.line(i), i+longest)
	if t.byteAt(end) != ')' {
		return
	}
	said := t.s[i:end]
	t.count(len(said) + 80)
	from := i + strings.LastIndexAny(strings.TrimRight(said, " \t"), " \t") + 1
	to := t.trim(i, end, " \t")
	for from < to && strings.IndexByte("\"'", t.s[from]) >= 0 {
		from++
	}
	to = t.trim(from, to, "\"'")
	if strings.HasSuffix(t.s[from:to], `\n`) {
		to -= 2
	}
	value := t.judged(from, to)
	if len(value) < 6 || placeholder(value) || elsewhere(value) || jargon(value, false) || placePath(value) {
		return
	}
	m := makeupOf(value)
	asked := slices.ContainsFunc(askers, func(a string) bool { return strings.Contains(strings.ToLower(t.before(i, 80)), a) })
	if strong(value) || asked && m.digits > 0 && m.letters > 2 && !strings.ContainsAny(value, "./") {
		t.add(from, to, password, rankCommand)
	}
}

// curlConfig finds the password in a line of curl's configuration, user = joe:x, whose name of n bytes is at t.s[at:].
func (t *text) curlConfig(at, n int) {
	if at > 0 && is(t.s[at-1], word) {
		return
	}
	from := at + n
	configured := strings.IndexByte("\"'\\", t.byteAt(from)) >= 0 || strings.Contains(t.before(at, 80), "curl")
	for strings.IndexByte("\"'\\", t.byteAt(from)) >= 0 && from < len(t.s) {
		from++
	}
	end := min(t.end(written, from), from+longestJudged)
	w := upTo(t.s[from:end], "\"'\\)")
	t.count(len(w) + 80)
	user, pass, ok := strings.Cut(w, ":")
	if !ok || user == "" || !only(user, word|dotted) || len(pass) < 6 || placeholder(pass) || strings.HasPrefix(pass, "//") || strings.HasPrefix(pass, "$") {
		return
	}
	if m := makeupOf(pass); strong(pass) || configured && m.digits > 0 && m.letters > 2 && !strings.ContainsAny(pass, "./:") && !jargon(pass, false) {
		start := from + len(user) + 1
		t.add(start, start+len(pass), password, rankCommand)
	}
}

// queryKey finds a generated key in the query of an address, ?key=x&…; names of columns and of tickets occur there, too.
func (t *text) queryKey(at int) {
	from := at + len("?key=")
	end := min(t.end(written, from), from+longestAddress)
	w := strings.TrimRight(upTo(t.s[from:end], "&#\"'`\\<>()[]{},;"), ".:!?*_")
	value := t.judged(from, from+len(w))
	if len(value) >= 10 && only(value, word) && madeUp(value) && strong(value) && !placeholder(value) && !uuid(value) {
		t.add(from, from+len(w), "secret", rankCommand)
	}
}

// ftpLogin finds the password that a script hands to ftp, in lines of its own: "user joe x", or "user joe" and then "x". at is the end
// of the line before.
func (t *text) ftpLogin(at int) {
	end := t.line(at + 1)
	if end-at > 200 || !strings.Contains(strings.ToLower(t.before(at, 300)), "ftp") {
		return
	}
	t.count(300 + end - at)
	words := strings.Fields(t.s[at+1 : end])
	var from int
	switch len(words) {
	case 3:
		from = at + 1 + strings.LastIndex(t.s[at+1:end], words[2])
	case 2:
		from = end + 1
	default:
		return
	}
	to := from
	for to < len(t.s) && strings.IndexByte(" \t\r\n", t.s[to]) < 0 {
		to++
		if to-from > longestJudged {
			break
		}
	}
	if len(words) == 2 && t.line(from) != to && strings.TrimSpace(t.s[to:t.line(from)]) != "" {
		return
	}
	value := t.judged(from, to)
	m := makeupOf(value)
	if len(value) < 6 || placeholder(value) || strings.HasPrefix(value, "$") {
		return
	}
	if strong(value) || m.digits > 0 && m.letters > 2 && !strings.ContainsAny(value, "./:") && !jargon(value, false) {
		t.add(from, to, password, rankCommand)
	}
}
