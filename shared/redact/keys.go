package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A pattern is a form that takes more than a beginning to tell. It is compiled
// when a text holds its sign.
type pattern struct {
	kind string
	text string // a regular expression; its group, when it has one, is the secret
	sure func(string) bool
	rank int
	hint []string // one of these stands in a run that holds the form; none when there is nothing to go by

	once     sync.Once
	compiled *regexp.Regexp
}

// Ranks of the forms: the lower one names what overlaps.
const (
	rankKey = 1000 + iota
	rankAddress
	rankCommand
	rankAssigned
)

func (p *pattern) regexp() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.text) })
	return p.compiled
}

// maybe reports whether a run can hold the form.
func (p *pattern) maybe(run string) bool {
	if p.hint == nil {
		return !strings.ContainsAny(run, "/.") && len(run) >= 52
	}
	return slices.ContainsFunc(p.hint, func(h string) bool { return strings.Contains(run, h) })
}

// find adds what stands in s[from:to].
func (p *pattern) find(hits []hit, s string, from, to int) []hit {
	for _, m := range p.regexp().FindAllStringSubmatchIndex(s[from:to], -1) {
		a, b := m[0], m[1]
		if len(m) > 2 {
			a, b = m[2], m[3]
		}
		if value := s[from+a : from+b]; p.sure == nil || p.sure(value) {
			hits = append(hits, hit{from + a, from + b, p.kind, p.rank})
		}
	}
	return hits
}

// sign looks for the pattern where its sign stands. The pattern begins with \A.
func (p *pattern) sign(text string) sign {
	return sign{text, func(s string, at int) (hit, bool) {
		if hits := p.find(nil, s, at, len(s)); len(hits) > 0 {
			return hits[0], true
		}
		return hit{}, false
	}}
}

// keySigns are private keys, JWTs and what stands in files of keys.
func keySigns() []sign {
	key := func(kind, expression string) *pattern {
		return &pattern{kind: kind, text: `\A` + expression, rank: rankKey}
	}
	return []sign{
		key("private key", `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)`).sign("-----begin"),
		key("private key", `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----[\s\S]*?(?:---- END SSH2 ENCRYPTED PRIVATE KEY ----|\z)`).sign("---- begin"),
		key("private key", `PuTTY-User-Key-File-\d[\s\S]*?(Private-Lines: *\d+\r?\n(?:[A-Za-z0-9+/=]+(?:\r?\n|\z))+)`).sign("putty-user-key"),
		key("JWT", `eyJ[A-Za-z0-9_=-]{8,}\.eyJ[A-Za-z0-9_=-]{8,}(?:\.[A-Za-z0-9_=-]*)?`).sign("eyj"),
		key("JWT", `eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}`).sign("eyj"),
		key("private key", `"kty"[\s\S]{0,900}?"d"\s*:\s*"([A-Za-z0-9_-]{20,})"`).sign(`"kty"`),
		key("password hash", `\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}`).sign("$2b$"), key("password hash", `\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}`).sign("$2a$"),
		key("password hash", `\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}`).sign("$2y$"), key("password hash", `\$6\$[./A-Za-z0-9=$]{1,40}\$[./A-Za-z0-9]{86}`).sign("$6$"),
		key("password hash", `\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}`).sign("$apr1$"), key("password hash", `\$argon2[a-z]+\$[^\s"']{40,}`).sign("$argon2"),
		key("password hash", `\$y\$[./A-Za-z0-9]+\$[./A-Za-z0-9]+\$[./A-Za-z0-9]{40,}`).sign("$y$"),
		key("Azure key", `(?i)AccountKey=([A-Za-z0-9+/%]{30,}={0,2})`).sign("accountkey="),
		key("Azure key", `(?i)SharedAccessKey=([A-Za-z0-9+/%]{30,}={0,2})`).sign("sharedaccesskey="),
		{"?key=", keyInAddress}, {"&key=", keyInAddress},
		key("signature", `(?i)[?&]sig=([A-Za-z0-9+/%_-]{30,}={0,2})`).sign("?sig="), key("signature", `(?i)[?&]sig=([A-Za-z0-9+/%_-]{30,}={0,2})`).sign("&sig="),
		key("signature", `(?i)X-(?:Amz|Goog)-Signature=([0-9a-f]{32,})`).sign("x-amz-signature="), key("signature", `(?i)X-(?:Amz|Goog)-Signature=([0-9a-f]{32,})`).sign("x-goog-signature="),
		key("Teams webhook", `https://[a-z0-9-]+\.webhook\.office\.com/webhookb2/[A-Za-z0-9@/-]{60,}`).sign("https://"),
	}
}

// keyInAddress finds the key that an address brings along.
func keyInAddress(s string, at int) (hit, bool) {
	from := at + len("?key=")
	to := spanEnd(s, from, base64ish)
	return hit{from, to, secret, rankAssigned}, to-from >= 16 && madeUp(s[from:to])
}

// runPatterns are tokens without a sign of their own: they are looked for in runs of
// letters and digits alone.
func runPatterns() []*pattern {
	run := func(kind, expression string, sure func(string) bool, hint ...string) *pattern {
		return &pattern{kind: kind, text: `(?:^|[^A-Za-z0-9])` + expression, sure: sure, rank: rankKey, hint: hint}
	}
	return []*pattern{
		run("AWS key", `((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})(?:[^A-Za-z0-9]|$)`, various, "AKIA", "ASIA", "ABIA", "ACCA"),
		run("Twitter token", `(A{21}[A-Za-z0-9%]{20,}%[A-Za-z0-9%]{20,})`, various, "AAAAAAAAAAAAAAAAAAAAA"),
		run("Twilio key", `(SK[0-9a-f]{32})(?:[^A-Za-z0-9]|$)`, various, "SK"),
		run("Telegram token", `(\d{8,10}:AA[A-Za-z0-9_-]{30,})`, various, ":AA"),
		run("Discord token", `([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,})`, madeUp, "."),
		run("Asana token", `([0-9]/[0-9]{12,}(?:/[0-9]{12,})?:[0-9a-f]{32})`, various, "/"),
		run("Azure AD secret", `([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{30,})`, various, "Q~"),
		run("Azure DevOps token", `([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})`, various, "AZDO"),
		run("Azure DevOps token", `([a-z2-7]{52})(?:[^A-Za-z0-9]|$)`, manyDigits),
		run("Azure key", `([A-Za-z0-9]{40,}JQQJ99[A-Za-z0-9]{20,})`, various, "JQQJ99"),
		run("Mailchimp key", `([0-9a-f]{32}-us[0-9]{1,2})(?:[^A-Za-z0-9]|$)`, various, "-us"),
		run("Okta token", `(00[A-Za-z0-9_-]{40})(?:[^A-Za-z0-9_-]|$)`, mixedCase, "00"),
		run("Terraform token", `([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,})`, various, ".atlasv1."),
		run("New Relic key", `([0-9a-f]{36}NRAL)`, various, "NRAL"),
	}
}
