package redact

import (
	"strings"
	"unicode"
)

// A key is a word that says that a value beside it is secret.
type key struct {
	word string
	kind string
}

const (
	password = "password"
	secret   = "secret"
	cookie   = "cookie"
	granted  = "authorization"
)

var keys = []key{
	{"password", password}, {"passwd", password}, {"passphrase", password}, {"passcode", password}, {"pwd", password}, {"pass", password},
	{"passwort", password}, {"kennwort", password}, {"mot de passe", password}, {"contraseña", password}, {"contrasena", password}, {"wachtwoord", password}, {"mdp", password},
	{"senha", password}, {"пароль", password}, {"lösenord", password}, {"hasło", password}, {"heslo", password}, {"密码", password}, {"パスワード", password},
	{"secret", secret}, {"token", secret}, {"credential", secret}, {"bearer", granted}, {"authorization", granted}, {"cookie", cookie},
	{"apikey", secret}, {"api_key", secret}, {"api-key", secret}, {"api key", secret}, {"accesskey", secret}, {"access_key", secret}, {"access-key", secret}, {"access key", secret},
	{"privatekey", secret}, {"private_key", secret}, {"private-key", secret}, {"secretkey", secret}, {"authkey", secret}, {"auth_key", secret}, {"auth-key", secret},
	{"encryptionkey", secret}, {"encryption_key", secret}, {"encryption-key", secret}, {"signingkey", secret}, {"signing_key", secret}, {"masterkey", secret}, {"master_key", secret},
	{"accountkey", secret}, {"account_key", secret}, {"subscription-key", secret}, {"subscription_key", secret}, {"licensekey", secret}, {"license_key", secret}, {"servicekey", secret},
	{"service_key", secret}, {"sharedkey", secret}, {"shared_key", secret}, {"integrationkey", secret}, {"integration_key", secret}, {"deploy_key", secret}, {"app_key", secret}, {"appkey", secret},
	{"storage_key", secret}, {"admin_key", secret}, {"_key", secret}, {`"auth"`, secret}, {"_auth", secret}, {"presharedkey", secret}, {"psk", secret},
}

// assignmentSigns are the names that sound secret.
func assignmentSigns() []sign {
	signs := make([]sign, 0, len(keys))
	for _, k := range keys {
		signs = append(signs, sign{k.word, k.assigned})
	}
	return signs
}

// assignment is what stands around a name that sounds secret.
type assignment struct {
	name   string // all of it: DB_PASSWORD_2
	quoted bool   // the value stands in quotes
	tight  bool   // name=value without spaces
	word   bool   // "is", a command's option, or nothing but a quote between the two
	bare   bool   // nothing at all between the two
	from   int    // the value
	to     int
}

// assigned looks for a value behind the name that holds the key at s[at:].
func (k key) assigned(s string, at int) (hit, bool) {
	a, ok := k.read(s, at)
	if !ok {
		return hit{}, false
	}
	value := s[a.from:a.to]
	kind := k.kind
	switch k.kind {
	case password:
		if ok = a.password(value); !ok {
			if end, found := a.phrase(s, k); found {
				return hit{a.from, end, kind, rankAssigned}, true
			}
		}
	case cookie:
		ok = sessionCookie(value)
	case granted:
		ok = madeUp(value) || len(value) >= 16 && various(value) && !wordy(value)
	default:
		ok = a.secret(k, value)
	}
	if ok && len(value) == 40 && strings.Contains(strings.ToLower(a.name), "aws") {
		kind = "AWS key"
	}
	return hit{a.from, a.end(s), kind, rankAssigned}, ok
}

// read finds name, operator and value around the key.
func (k key) read(s string, at int) (a assignment, ok bool) {
	start := at
	for start > 0 && at-start < 40 && (isWord(s[start-1]) || s[start-1] == '.') {
		start--
	}
	end := at + len(k.word)
	if k.word == "pass" && (start == at && s[at] == 'P' || start != at && strings.IndexByte("_-.", s[at-1]) < 0) {
		return a, false // bypass, PASS: a test
	}
	end += len(suffix(s[end:]))
	if end < len(s) && isWord(s[end]) || end < len(s) && s[end] >= 0x80 {
		return a, false // another word
	}
	a.name = s[start:end]
	if notSecret(a.name) {
		return a, false
	}
	i, ok := a.operator(s, start, end, k)
	if !ok {
		return a, false
	}
	return a, a.value(s, i, k)
}

// suffix is what may follow a secret's name: its plural, number or stage.
func suffix(s string) string {
	end := 0
	if end < len(s) && lower(s[end]) == 's' {
		end++
	}
	for end < len(s) && s[end] != '.' {
		rest := s[end:]
		if rest[0] >= '0' && rest[0] <= '9' {
			end++
			continue
		}
		trimmed := strings.TrimLeft(rest, "_-")
		found := ""
		for _, word := range []string{"base64", "base", "production", "prod", "development", "dev", "staging", "stage", "test", "live", "main", "primary", "secondary", "old", "new", "value", "0", "1", "2", "3"} {
			if len(trimmed) >= len(word) && strings.EqualFold(trimmed[:len(word)], word) {
				found = word
				break
			}
		}
		if found == "" || len(rest) == len(trimmed) {
			break
		}
		end += len(rest) - len(trimmed) + len(found)
	}
	return s[:end]
}

// notSecret reports names that only sound so.
func notSecret(name string) bool {
	name = strings.Map(func(r rune) rune {
		if r == '-' || r == '.' {
			return '_'
		}
		return unicode.ToLower(r)
	}, name)
	for _, part := range []string{"public_key", "primary_key", "foreign_key", "cache_key", "sort_key", "partition_key", "idempotency_key", "page_token", "pagetoken", "next_token", "nexttoken",
		"continuation", "cancellation", "cancel_token", "csrf_cookie", "row_key", "object_key", "translation_key", "unique_key", "registry_key", "index_key", "no_password", "host_key", "lookup_key"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// operator finds what joins name and value, and returns where the value begins.
func (a *assignment) operator(s string, start, i int, k key) (int, bool) {
	spaces := func() (n int) {
		for i < len(s) && n < 12 && (s[i] == ' ' || s[i] == '\t') {
			i++
			n++
		}
		return n
	}
	if k.word != `"auth"` {
		for i < len(s) && strings.IndexByte("\"'`]*\\", s[i]) >= 0 { // of a quoted name, a key in brackets, bold text
			i++
		}
	}
	named := i > nameEnd(s, start) && s[i-1] != '*'
	before := spaces()
	i += aside(s[i:], before)
	rest := s[i:]
	for _, op := range []string{":=", "=>", "==", "->", "=", ":", ">", "：", "is: ", "is ", "was ", "ist ", "lautet ", "est ", "es ", "是", "value="} {
		if len(rest) < len(op) || !strings.EqualFold(rest[:len(op)], op) {
			continue
		}
		a.word = isLetter(op[0]) && op != "value="
		if isLetter(op[0]) && before == 0 {
			return 0, false
		}
		i += len(op)
		after := spaces()
		a.tight = !a.word && before == 0 && after == 0
		return i, true
	}
	if call(rest, named) { // f("DB_PASSWORD", "…"), setPassword("…")
		a.tight = true
		return i + 1 + len(rest[1:]) - len(strings.TrimLeft(rest[1:], " ")), true
	}
	option := strings.HasPrefix(a.name, "--") || strings.EqualFold(a.name, "-"+k.word)
	if before > 0 && (option || k.kind == granted || k.kind == password && i < len(s) && s[i] == '\'') {
		a.word, a.tight = true, option
		return i, true
	}
	a.word, a.bare = true, true
	return i, before == 1 && k.word != "pass" && k.word != "credential"
}

// nameEnd is where the name that begins at start ends.
func nameEnd(s string, start int) int {
	for start < len(s) && (isWord(s[start]) || s[start] == '.') {
		start++
	}
	return start
}

// aside is the length of what may stand between a name and its operator in prose:
// "(staging)", "for the server".
func aside(s string, before int) int {
	if before == 0 || !strings.HasPrefix(s, "(") && !strings.HasPrefix(s, "for ") && !strings.HasPrefix(s, "of ") && !strings.HasPrefix(s, "on ") {
		return 0
	}
	for i := range min(len(s), 40) {
		switch c := s[i]; {
		case c == ':' || c == '=':
			return i
		case c != ' ' && c != '(' && c != ')' && !isWord(c):
			return 0
		}
	}
	return 0
}

// call reports whether a value in quotes is the next argument, or the only one.
func call(rest string, named bool) bool {
	if rest == "" || rest[0] != '(' && !(rest[0] == ',' && named) {
		return false
	}
	next := strings.TrimLeft(rest[1:], " ")
	return next != "" && (next[0] == '"' || next[0] == '\'')
}

// value finds where the value that begins at s[i:] ends.
func (a *assignment) value(s string, i int, k key) bool {
	for bold := false; i < len(s) && (strings.IndexByte("\"'`\\*", s[i]) >= 0 || bold && s[i] == ' '); i++ { // quotes, escaped ones, bold text
		bold = bold || s[i] == '*'
		a.quoted = a.quoted || s[i] != '*' && s[i] != ' '
	}
	if k.kind == granted || k.kind == secret {
		i += len(authScheme(s[i:]))
	}
	a.from = i
	a.to = i
	for a.to < len(s) && a.to-i < longestValue {
		c := s[a.to]
		if c == '\n' || c == '\r' || c == '"' || c == '`' || c == '\'' && (a.quoted || k.kind != password) || k.kind != cookie && a.stop(s, c) {
			break
		}
		a.to++
	}
	if a.to < len(s) && s[a.to] == '(' && !a.quoted {
		return false // a call
	}
	if !a.quoted || a.word {
		for a.to > a.from && strings.IndexByte(".,:!?*)", s[a.to-1]) >= 0 {
			a.to--
		}
	}
	return a.to > a.from
}

// longestValue bounds in bytes how long a value may be.
const longestValue = 4096

// longestQuoted bounds in bytes what is looked through for the end of quotes.
const longestQuoted = 200

// end is where a value ends that was found to be a secret: of one in quotes that
// hold several words, all of them.
func (a *assignment) end(s string) int {
	if !a.quoted || a.to >= len(s) || strings.IndexByte(" \t,", s[a.to]) < 0 || strings.IndexByte("\"'`", s[a.from-1]) < 0 {
		return a.to
	}
	line, _, _ := strings.Cut(s[a.to:min(len(s), a.to+longestQuoted)], "\n")
	if closing := strings.IndexByte(line, s[a.from-1]); closing >= 0 {
		return a.to + closing
	}
	return a.to
}

// stop reports whether c ends a value outside of its quotes' end.
func (a *assignment) stop(s string, c byte) bool {
	switch c {
	case ' ', '\t':
		return true
	case ';', '<', '>', '{', '}', '(':
		return !a.quoted || c == ';'
	case '&':
		return !a.quoted && strings.ContainsAny(s[:a.from], "?&")
	case ',':
		return !a.quoted && strings.ContainsAny(firstOf(s[a.to+1:], ", \n"), "=:") // one at the end is cut off later
	case '\\':
		return a.to+1 < len(s) && strings.IndexByte(`"'nrt`, s[a.to+1]) >= 0
	case '[', ']':
		return !a.quoted && a.to == a.from || !a.quoted && c == ']' && a.to+1 == len(s)
	}
	return false
}

// authScheme is the word before what lets in, with its space.
func authScheme(s string) string {
	for _, scheme := range []string{"bearer ", "basic ", "token ", "apikey ", "api-key ", "ssws ", "negotiate ", "digest ", "key ", "bot "} {
		if len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return s[:len(scheme)]
		}
	}
	return ""
}

// constant reports whether a name is one of the environment: DB_PASSWORD.
func (a *assignment) constant() bool { return len(a.name) > 3 && strings.ToUpper(a.name) == a.name }

// password wants a digit or a mark that words of prose and code do not have
// inside them, or a variable of the environment with a value that is no
// placeholder.
func (a *assignment) password(value string) bool {
	if len(value) < 6 || placeholder(value) || strings.Contains(value, "://") || !various(value) && !(isDigits(value) && different(value) > 3) {
		return false
	}
	path := strings.HasPrefix(value, "/") || strings.HasPrefix(value, "./") || strings.HasPrefix(value, "~/")
	if path && placePath(strings.TrimLeft(value, "~./")) || strings.Contains(value, "/") && placePath(value) {
		return false
	}
	letters, digits, changes := makeup(value)
	if a.bare {
		return letters > 0 && changes >= 3 && len(value) >= 8 && !strings.ContainsAny(value, "-/_.")
	}
	marks := strings.ContainsAny(value[1:len(value)-1], "!#^&~+|\\?@%$*=")
	switch {
	case a.constant() && a.tight:
		return len(value) >= 8 || digits > 0 || marks
	case digits > 0 && letters > 0:
		code := !a.quoted && !a.tight && !a.word && (strings.ContainsAny(value, "_.[") || len(value) < 7)
		return !code || changes >= 3
	case marks:
		return letters > 0 && !code(value) || digits > 0
	}
	return digits >= 8 && letters == 0 && (a.tight || digits == len(value) && !strings.EqualFold(a.name, "pass"))
}

// code reports whether a value is an expression rather than text.
func code(value string) bool {
	return strings.ContainsAny(value, "|&?") || strings.Contains(strings.TrimRight(value, "="), "==")
}

// secret wants a value that looks made by a machine.
func (a *assignment) secret(k key, value string) bool {
	if placeholder(value) || strings.Contains(value, "://") || placePath(value) && !uuid(value) {
		return false
	}
	_, digits, changes := makeup(value)
	switch {
	case a.bare:
		return len(value) >= 24 && madeUp(value) && strings.Trim(value, wide) == ""
	case k.word == "secret" && a.constant() && a.tight && len(value) >= 8 && len(value) < 16:
		return digits > 0 || !strings.ContainsAny(value, "-_./:")
	case k.word == "secret" && a.constant() && a.tight && len(value) >= 16 && strings.Trim(value, alphanum) == "":
		return true
	case k.word == "_key" && !a.constant():
		return false
	case k.word == `"auth"` || k.word == "_auth":
		return len(value) >= 12 && various(value) && strings.Trim(value, base64ish) == "" && (a.quoted || a.tight) && (madeUp(value) || !wordy(value))
	case strings.Trim(value, wide+"!@#$^&*") != "":
		return false
	case len(value) >= 16:
		return madeUp(value)
	}
	return len(value) >= 8 && (a.constant() || a.quoted) && digits >= 2 && changes >= 3 && various(value)
}

func uuid(value string) bool {
	return len(value) == 36 && value[8] == '-' && value[13] == '-' && strings.Trim(value, hexadecimal+"-") == ""
}

// sessionCookie reports whether a Cookie header lets someone in.
func sessionCookie(header string) bool {
	for pair := range strings.SplitSeq(header, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if placeholder(value) || len(value) < 8 {
			continue
		}
		name = strings.ToLower(name)
		for _, telling := range []string{"sess", "sid", "auth", "token", "jwt", "sso", "login", "remember"} {
			if strings.Contains(name, telling) && (madeUp(value) || strings.ContainsAny(value, "0123456789")) {
				return true
			}
		}
		if len(value) >= 20 && madeUp(value) {
			return true
		}
	}
	return false
}
