package redact

import "strings"

// addressSigns are URLs that hold a password or a token before their host.
func addressSigns() []sign { return []sign{{"://", address}} }

// address finds the secret of the URL whose :// stands at s[at:].
func address(s string, at int) (hit, bool) {
	from := at + len("://")
	if at == 0 || !isAlnum(s[at-1]) {
		return hit{}, false
	}
	end := from + len(firstOf(s[from:min(len(s), from+longestAddress)], " \t\r\n\"'<>`|\\"))
	if next := strings.Index(s[from:end], "://"); next >= 0 { // another address follows
		end = from + next
		if i := strings.LastIndexAny(s[from:end], ",;"); i >= 0 {
			end = from + i
		}
	}
	user := s[from:end]
	host := hostAt(user)
	if host < 0 {
		return hit{}, false
	}
	user = user[:host]
	name, password, has := strings.Cut(user, ":")
	switch {
	case strings.ContainsAny(name, "/?#"):
		return hit{}, false
	case !has || password == "" || password == "x-oauth-basic":
		if len(name) >= 16 && madeUp(name) {
			return hit{from, from + len(name), "URL password", rankAddress}, true
		}
		return hit{}, false
	case port(password) || placeholder(password):
		return hit{}, false
	}
	start := from + len(name) + 1
	if len(name) >= 16 && madeUp(name) {
		start = from
	}
	return hit{start, from + len(user), "URL password", rankAddress}, true
}

// longestAddress bounds in bytes how far an address is read.
const longestAddress = 1024

// hostAt is where the @ before the host stands, or -1. A password may hold @ and
// /, which a path may hold too: a host is what ends, or goes on with a port or
// a path.
func hostAt(authority string) int {
	slash := strings.IndexAny(authority, "/?#")
	if slash < 0 {
		slash = len(authority)
	}
	best := strings.LastIndexByte(authority[:slash], '@')
	for i := len(authority) - 1; i > max(best, slash); i-- {
		if authority[i] == '@' && (best < 0 || likeHost(authority[i+1:])) {
			return i
		}
	}
	return best
}

// likeHost reports whether s begins with a host that is known by a dot, a port or
// its name.
func likeHost(s string) bool {
	host := firstOf(s, "/?#@")
	name, number, has := strings.Cut(host, ":")
	if name == "" || strings.Trim(name, word+".") != "" {
		return false
	}
	return has && port(number) || name == "localhost" || strings.Contains(name, ".")
}

// port reports whether a password is a host's port, and a path perhaps.
func port(s string) bool {
	digits := spanEnd(s, 0, "0123456789")
	return digits > 0 && digits <= 5 && (digits == len(s) || s[digits] == '/')
}

// firstOf is s up to the first of the characters.
func firstOf(s, characters string) string {
	if i := strings.IndexAny(s, characters); i >= 0 {
		return s[:i]
	}
	return s
}
