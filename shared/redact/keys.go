package redact

import (
	encoding "encoding/base64"
	"strings"
)

// longestKey is how many bytes a private key in a text has at most.
const longestKey = 32 << 10

// keySigns begin private keys, JWTs and the secrets in key files.
func keySigns() []sign {
	at := func(text string, look func(t *text, at int)) sign { return sign{text, look, rankKey} }
	var all []sign
	for _, begin := range []string{"-----begin", "---- begin", "----begin", "-=-begin"} {
		all = append(all, at(begin, (*text).privateKey))
	}
	for _, part := range []string{"d", "p", "q", "dp", "dq", "qi", "k"} {
		all = append(all, at(`"`+part+`"`, func(t *text, i int) { t.jwk(i + len(part) + 2) }))
	}
	for _, p := range arounds {
		all = append(all, at(strings.ToLower(p.sign), p.find))
	}
	return append(all,
		at("private-lines", (*text).putty), at("eyj", (*text).jwt), at("ls0tls1crudjt", (*text).encodedKey), at("ls0tlsbcrudjt", (*text).encodedKey), at("eyjhdxrocyi6", (*text).encodedAuths), at("ewogicjhdxrocyi6", (*text).encodedAuths), at("ewoji", (*text).encodedAuths), at("mii", (*text).derKey),
		at("https://", (*text).webhook), at("privatekey", (*text).rawKey))
}

// privateKey finds the PEM, PGP or SSH2 key that begins at t.s[at:]: its lines up to its end, or up to a line that cannot belong to it.
func (t *text) privateKey(at int) {
	head := t.window(at, 90)
	i := strings.Index(head, "PRIVATE KEY")
	if i < 0 || strings.ContainsAny(head[:i], "\n") || !only(strings.NewReplacer("-", "", " ", "", "=", "").Replace(head[:i]), capital) {
		return
	}
	t.count(len(head))
	i += at
	limit := min(len(t.s), at+longestKey)
	end := t.mark("PRIVATE KEY", i+11)
	if end < limit {
		line := t.s[max(i, end-40):end]
		if k := strings.LastIndex(line, "END"); k >= 0 && strings.Trim(line[k+3:], " ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" {
			end += len("PRIVATE KEY")
			end += len(t.s[end:min(len(t.s), end+12)]) - len(strings.TrimPrefix(strings.TrimPrefix(t.window(end, 12), " BLOCK"), ""))
			for end < len(t.s) && (t.s[end] == '-' || t.s[end] == '=') {
				end++
			}
			t.add(at, end, "private key", rankKey)
			t.beyond = max(t.beyond, end)
			return
		}
	}
	t.add(at, t.keyBody(i+11, min(limit, end)), "private key", rankKey)
}

// mark returns the next index of a text at or behind t.s[at:], or the end.
func (t *text) mark(sought string, at int) int {
	if at >= t.sought.from && at <= t.sought.to && t.sought.to > 0 {
		return t.sought.to
	}
	to := len(t.s)
	if i := strings.Index(t.s[min(at, len(t.s)):], sought); i >= 0 {
		to = at + i
	}
	t.count((to-at)/16 + 1)
	t.sought = span{at, to}
	return to
}

// keyBody returns where the lines of a key without an end line end.
func (t *text) keyBody(i, limit int) int {
	for i < len(t.s) && t.s[i] != '\n' && t.s[i] != '\\' && i < limit && strings.IndexByte(" -BLOCK", t.s[i]) >= 0 {
		i++
	}
	end := i
	for i < limit {
		stop := min(t.end(keyed64, i), limit)
		t.count(stop - i)
		if stop == i {
			if strings.IndexByte(" \t\r\n\\\",'>|", t.s[i]) < 0 {
				break
			}
			if t.s[i] == '\\' && i+1 < limit && strings.IndexByte("nr", t.s[i+1]) >= 0 {
				i++
			}
			i++
			continue
		}
		if stop-i < 16 && !(stop < len(t.s) && t.s[stop] == ':') && wordy(t.s[i:stop]) && t.s[stop-1] != '=' {
			break
		}
		if stop < len(t.s) && t.s[stop] == ':' { // a header of the key
			stop = min(t.line(stop), limit)
		}
		i, end = stop, stop
	}
	return end
}

// putty finds the private lines of a key of PuTTY.
func (t *text) putty(at int) {
	i := t.line(at)
	if i >= len(t.s) || !strings.Contains(t.s[at:min(i, at+30)], ":") {
		return
	}
	end := i
	for i < len(t.s) {
		from := i + 1
		stop := t.end(base64, from)
		if stop-from < 8 || stop < len(t.s) && t.s[stop] != '\n' && t.s[stop] != '\r' {
			break
		}
		i, end = t.line(stop), stop
	}
	if end > t.line(at) {
		t.add(at, end, "private key", rankKey)
	}
}

// jwk finds the private number of a JSON Web Key; i is behind its name.
func (t *text) jwk(i int) {
	if !t.hasJWK {
		return
	}
	i = t.space(i)
	if t.byteAt(i) != ':' {
		return
	}
	i = t.space(i + 1)
	if t.byteAt(i) != '"' {
		return
	}
	if end := t.end(base64, i+1); end-i > 20 && t.byteAt(end) == '"' {
		t.add(i+1, end, "private key", rankKey)
	}
}

// jwt finds a JSON Web Token, signed or encrypted.
func (t *text) jwt(at int) {
	if t.s[at:at+3] != "eyJ" {
		return
	}
	end := t.end(base64, at)
	if end-at < 11 {
		return
	}
	parts := 1
	for ; parts < 5 && t.byteAt(end) == '.'; parts++ {
		last := t.end(base64, end+1)
		if parts == 1 && !strings.HasPrefix(t.window(end+1, 3), "eyJ") && last-end > 1 && t.byteAt(last) != '.' {
			return
		}
		end = last
	}
	end = t.trim(at, end, ".")
	if parts >= 2 && end-at >= 24 {
		t.add(at, end, "JWT", rankKey)
		t.beyond = max(t.beyond, end)
	}
}

// encodedKey finds a private key in base64, over several lines too.
func (t *text) encodedKey(at int) {
	head := t.window(at, 64)
	head = head[:len(head)/4*4]
	clear, err := encoding.StdEncoding.DecodeString(head)
	t.count(len(head))
	if k := t.end(base64, at) - at; err != nil && k >= 40 && k < 64 {
		clear, err = encoding.RawStdEncoding.DecodeString(strings.TrimRight(head[:k/4*4], "="))
	}
	if err != nil && len(clear) < 20 || !strings.Contains(string(clear), "PRIVATE") {
		return
	}
	t.add(at, t.wrapped(at), "private key", rankKey)
}

// wrapped returns where the base64 that begins at t.s[at:] ends, over lines of the same form.
func (t *text) wrapped(at int) int {
	end := t.end(base64, at)
	for width := end - at; width >= 40 && width <= 128; {
		i := t.end(indent, end)
		if t.byteAt(i) == '\r' {
			i++
		}
		if t.byteAt(i) != '\n' {
			break
		}
		from := t.end(indent, i+1)
		next := t.end(base64, from)
		if next-from > width || next-from < 2 || next-from < width && t.byteAt(next) != '\n' && next < len(t.s) {
			break
		}
		end = next
		if next-from < width {
			break
		}
	}
	return end
}

// encodedAuths finds base64 credentials for image registries.
func (t *text) encodedAuths(at int) {
	head := t.window(at, 28)
	clear, _ := encoding.StdEncoding.DecodeString(head[:len(head)/4*4])
	if s := string(clear); strings.Contains(s, `"auths"`) || strings.Contains(s, `"auth"`) {
		if end := t.wrapped(at); end-at >= 40 {
			t.add(at, end, secret, rankKey)
		}
	}
}

// derKey finds a private key in DER and base64 that stands without its lines of PEM.
func (t *text) derKey(at int) {
	if at > 0 && is(t.s[at-1], base64) {
		return
	}
	head := t.window(at, 48)
	if len(head) < 48 || head[:3] != "MII" {
		return
	}
	clear, err := encoding.StdEncoding.DecodeString(head)
	t.count(len(head))
	if err != nil {
		return
	}
	// SEQUENCE of version 0 and a number (PKCS#1) or an algorithm (PKCS#8, RFC 5958)
	body := string(clear[4:])
	if strings.HasPrefix(body, "\x02\x01\x00\x02\x82") || strings.HasPrefix(body, "\x02\x01\x00\x30\x0d\x06\x09\x2a\x86\x48") {
		if end := t.wrapped(at); end-at > 200 {
			t.add(at, end, "private key", rankKey)
		}
	}
}

// rawKey finds a private key of hexadecimal digits behind its name: privateKey: 0x….
func (t *text) rawKey(at int) {
	i, _, _ := t.closers(at + len("privatekey"))
	i = t.blanks(i)
	if c := t.byteAt(i); c != ':' && c != '=' {
		return
	}
	i = t.opening(i + 1)
	if from, _ := t.quoteAt(i); from > 0 {
		i = from
	}
	if strings.HasPrefix(t.s[i:], "0x") {
		if end := t.end(hexadecimal, i+2); end-i-2 == 64 {
			t.add(i, end, "private key", rankKey)
		}
	}
}
