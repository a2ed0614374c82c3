package redact

import (
	"slices"
	"strings"
)

// placeholder reports whether a value only marks the place of a secret.
func placeholder(value string) bool {
	bare := strings.Trim(value, `"'`+"`.!?:,")
	low := strings.ToLower(bare[:min(len(bare), longestStandIn)])
	marked, numbered, foreign := false, false, false
	for i := range len(value) {
		c := classes[value[i]]
		marked, numbered, foreign = marked || c&template != 0, numbered || c&digit != 0, foreign || value[i] >= 0x80
	}
	switch {
	case low == "" || strings.Contains(value, strings.TrimSpace(Mark)) || strings.HasPrefix(low, "redacted"):
		return true
	case marked && !numbered && !strong(value):
		return true
	case foreign && strings.ContainsAny(value, "…•·") && strings.Trim(low, ".…•·*x") == "" || strings.Contains(value, "..."):
		return true
	case oneOf(low, reference.of(low[0])) != "":
		return true
	case (value[0] == '@' || value[0] == '$' || value[0] == '%') && !strong(value):
		return true
	case (value[0] == '$' || value[0] == '%') && only(strings.Trim(value[1:], "%"), word) && wordy(value):
		return true
	}
	for _, shown := range standIns.of(low[0]) {
		if !strings.HasPrefix(low, shown) {
			continue
		}
		rest := bare[len(shown):]
		m := makeupOf(rest)
		if rest == "" || m.digits == 0 && (len(shown) > 3 || strings.ContainsAny(rest[:1], "-_ ")) && (len(rest) < 4 || wordy(rest)) ||
			m.letters == 0 && m.digits <= 3 && m.changes == 0 && len(rest) <= 3 {
			return true
		}
	}
	return false
}

// longestStandIn is how many bytes of a value are searched for the words below.
const longestStandIn = 24

// reference are beginnings of values that refer to a value elsewhere.
var reference = byFirst("${", "$(", "{{", "%(", "<", "***", "...", "xxx", "env.", "env:", "env(", "env!", "process.env", "import.meta", "os.", "op://", "vault:", "vault://", "arn:",
	"secretref", "secrets.", "secrets/", "config.", "cfg.", "conf.", "settings.", "self.", "this.", "req.", "params.", "args.", "opts.", "props.", "ctx.", "var.", "local.", "data.", "module.", "--", "!ref", "!vault", "!sub", "!env", "enc[", "enc(",
	"/run/secrets/", "projects/", "ref+", "ssm:", "keyring:", "file:", "gopass:", "lookup(", "sops:", "sm://", "gcp:", "awskms:", "azurekms:", "kms:", "@microsoft.keyvault", "akv:", "secret://", "keychain:")

// standIns are words that documents write in place of a secret.
var standIns = byFirst("password", "passwd", "passphrase", "passwort", "pass", "pw", "pwd", "secret", "changeme", "change_me", "change-me", "changeit", "example", "your", "my", "token", "apikey", "api_key", "api-key",
	"placeholder", "dummy", "sample", "insert", "replace", "todo", "fixme", "tbd", "none", "null", "nil", "undefined", "true", "false", "required", "optional", "string", "hidden", "masked", "enter", "postgres", "user", "username", "admin", "root", "default", "demo", "foobar", "foo", "bar", "fake", "mock", "guest", "letmein", "test", "some", "not", "redact", "here", "the", "put", "set", "get")

// placePath reports whether a value is a path, an address or a dotted name, such as docs/2024/keys.md: short words with marks between them.
func placePath(value string) bool {
	if !strings.ContainsAny(value, `/.-_\`) || strings.ContainsAny(value, "+=") {
		return false
	}
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(`/.-_:\`, r) }) {
		if len(part) > 20 || makeupOf(part).changes > 1 || len(part) > 4 && !isDigits(part) && !wordy(strings.TrimRight(part, "0123456789")) {
			return false
		}
	}
	return true
}

// elsewhere reports whether a value is an address, a path, a time or a number with
// its unit rather than a secret.
func elsewhere(value string) bool {
	path := strings.TrimLeft(value, "~.")
	return strings.Contains(value, "://") && !strings.HasPrefix(value, "://") ||
		len(value) > 3 && is(value[0], letter) && value[1] == ':' && (value[2] == '\\' || value[2] == '/') ||
		strings.HasPrefix(path, "/") && len(path) > 1 && (path != value || strings.Count(path, "/") > 1) && placePath(path[1:]) ||
		strings.Contains(value, "/") && placePath(value) ||
		moment(value)
}

// moment reports whether a value is a date, a time, a version, an address of a
// network or an amount.
func moment(value string) bool {
	m := makeupOf(value)
	switch {
	case m.digits == 0 || m.letters > 12:
		return false
	case m.letters == 0:
		return m.marks > 0 && strings.Trim(value, "0123456789.:-/,+%") == ""
	case m.digits >= 8 && m.letters <= 3 && strings.ContainsAny(value, "-:") && strings.Trim(value, "0123456789.:-/+TZtzUC") == "":
		return true
	}
	number := strings.TrimLeft(value, "0123456789.,")
	if number != value && slices.Contains(units, strings.ToLower(number)) {
		return true
	}
	return version(value)
}

// units follow numbers.
var units = strings.Fields("ms s sec secs seconds m min mins minutes h hours d days w weeks y b kb mb gb tb kib mib gib bytes bits bit px em rem chars characters x k th st nd rd eur usd digits letters")

// version reports whether a value is a version: v1.2.3-beta.4.
func version(value string) bool {
	rest := strings.TrimLeft(value, "vV^~=<>")
	if rest == "" || !is(rest[0], digit) || !strings.Contains(rest, ".") || strings.Trim(rest, "0123456789.") == rest {
		return false
	}
	for part := range strings.FieldsFuncSeq(rest, func(r rune) bool { return strings.ContainsRune(".-+_", r) }) {
		if !isDigits(part) && (len(part) > 6 || makeupOf(part).changes > 1) {
			return false
		}
	}
	return true
}

// codeSigns occur in expressions and patterns.
var codeSigns = []string{"::", "=>", "->", "[a-z", "[A-Z", "[0-9", `\\d{`, `\\d+`, `\\w+`, "(?"}

// code reports whether a value is an expression rather than text: a call, a member, a
// variable, a pattern.
func code(value string) bool {
	if i := strings.IndexByte(value, '('); i > 0 && only(value[:i], word) && (i+1 == len(value) || value[i+1] == ')') {
		return true
	}
	if i := strings.IndexAny(value, "(["); i > 0 && identifier(value[:i]) {
		return true
	}
	if slices.ContainsFunc(codeSigns, func(sign string) bool { return strings.Contains(value, sign) }) {
		return true
	}
	value = strings.TrimRight(value, "=")
	if i := strings.IndexAny(value, "|&?="); i > 0 && i+1 < len(value) && (value[i+1] == value[i] || identifier(value[:i]) && identifier(value[i+1:])) {
		return true
	}
	return member(value)
}

// member reports whether a value is user1.password: names with dots, of which the
// last is a word.
func member(value string) bool {
	value = strings.TrimLeft(strings.TrimRight(value, "!;"), "&*!")
	if !strings.Contains(value, ".") {
		return false
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(value, "?.", "."), ".") {
		if !identifier(part) {
			return false
		}
	}
	return true
}

// identifier reports whether a value is an identifier of a program, made of words; a number may follow a word of four letters or more.
func identifier(value string) bool {
	value = strings.TrimRight(value, "])")
	if value == "" || is(value[0], digit) || !only(strings.ReplaceAll(value, "[", "_"), word) || strings.Contains(value, "-") {
		return false
	}
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == '_' || r == '[' }) {
		bare := strings.TrimRight(part, "0123456789")
		switch {
		case isDigits(part) && len(part) < 4:
		case !only(bare, letter) || len(part)-len(bare) > 3 || !wordy(bare):
			return technical()[strings.ToLower(part)]
		case len(bare) < len(part) && len(bare) < 4 && !prose()[strings.ToLower(bare)]:
			return false
		}
	}
	return true
}

// jargon reports whether a value describes how passwords are kept or what is to be done, rather than being one: sha256-hashed,
// migrate-to-argon2id, Password2FA. In quotes, where values stand, each of its words has to be known.
func jargon(value string, quoted bool) bool {
	parts := wordsOf(value)
	if len(parts) == 0 {
		return false
	}
	known := 0
	for _, part := range parts {
		low := strings.ToLower(part)
		bare := strings.TrimRight(low, "0123456789")
		number := len(low) - len(bare)
		switch {
		case technical()[low] || prose()[low] || isDigits(low) && len(low) <= 4:
			known++
		case prose()[bare] && number <= 4 || low[0] == 'v' && isDigits(low[1:]) && len(low) < 4:
			known++
		case quoted || len(parts) == 1 || number > 3 || !only(bare, letter) || number > 0 && len(bare) < 4:
			return false
		case !cased(part) || len(bare) < 4 && part != low || !likeWords(bare):
			return false
		}
	}
	return known > 0 || len(parts) > 1 && len(parts) < 12
}

// cased reports whether a word is cased normally: in lower case, in capitals, or with one capital at its beginning.
func cased(word string) bool {
	rest := word[1:]
	return strings.ToLower(rest) == rest || strings.ToUpper(word) == word && len(word) < 6
}

// wordsOf splits a value at marks and at capitals that begin a word: Password2FA has Password and 2FA.
func wordsOf(value string) (parts []string) {
	from := 0
	cut := func(to int) {
		if to > from {
			parts = append(parts, value[from:to])
		}
	}
	for i := range len(value) {
		c := value[i]
		switch {
		case !is(c, alphanum):
			if strings.IndexByte(strongMarks, c) >= 0 && c != '?' && c != '!' {
				return nil
			}
			cut(i)
			from = i + 1
		case i > from && isUpper(c) && (isLower(value[i-1]) || is(value[i-1], digit) && !isDigits(value[from:i])) || i > from && is(c, digit) && isLower(value[i-1]) && i+1 < len(value) && isUpper(value[i+1]):
			cut(i)
			from = i
		}
	}
	cut(len(value))
	return parts
}
