// Package secret takes out of texts what lets its reader in somewhere: API keys
// and tokens of common providers, private keys, JWTs, passwords in URLs and in
// assignments. Everything that memoryd stores passes through it.
//
// It errs towards leaving prose alone: a generic name such as "token" only
// counts with a value that looks made by a machine. It keeps no state but
// patterns made when first needed, and is safe for concurrent use.
package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Redact replaces the secrets of s by [redacted KIND] and gives their kinds, one
// for each secret. A text without any comes back as it is.
func Redact(s string) (clean string, kinds []string) {
	if len(s) < shortest {
		return s, nil
	}
	lower := strings.ToLower(s)
	var hits []hit
	for _, p := range patterns() {
		if !slices.ContainsFunc(p.signs, func(sign string) bool { return strings.Contains(lower, sign) }) {
			continue
		}
		for _, at := range p.in(s) {
			from, to := at[0], at[1]
			if p.group > 0 {
				from, to = at[2*p.group], at[2*p.group+1]
			}
			if p.accept == nil || p.accept(s[from:to]) {
				hits = append(hits, hit{from, to, p.kind})
			}
		}
	}
	if len(hits) == 0 {
		return s, nil
	}
	return replace(s, hits)
}

// RedactAll is Redact for every text inside a value decoded from JSON, which itself
// stays as it is.
func RedactAll(value any) (clean any, kinds []string) {
	switch v := value.(type) {
	case string:
		return Redact(v)
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			var found []string
			out[i], found = RedactAll(inner)
			kinds = append(kinds, found...)
		}
		return out, kinds
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, inner := range v {
			key, found := Redact(key)
			kinds = append(kinds, found...)
			out[key], found = RedactAll(inner)
			kinds = append(kinds, found...)
		}
		return out, kinds
	}
	return value, nil
}

// Kinds puts what Redact found into a sentence's words: each kind once.
func Kinds(found []string) string {
	found = slices.Clone(found)
	slices.Sort(found)
	return strings.Join(slices.Compact(found), ", ")
}

// shortest is the length in bytes below which nothing is a secret worth the
// search.
const shortest = 8

type hit struct {
	from, to int
	kind     string
}

// replace takes the earliest and then the longest of what overlaps.
func replace(s string, hits []hit) (string, []string) {
	slices.SortStableFunc(hits, func(a, b hit) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	var b strings.Builder
	var kinds []string
	done := 0
	for _, h := range hits {
		if h.from < done {
			continue
		}
		b.WriteString(s[done:h.from])
		b.WriteString("[redacted " + h.kind + "]")
		kinds = append(kinds, h.kind)
		done = h.to
	}
	b.WriteString(s[done:])
	return b.String(), kinds
}

// pattern is one form of secrets. signs are what its text holds in lower case,
// which is quicker to look for than the pattern itself.
type pattern struct {
	kind   string
	signs  []string
	find   string // compiled when a text holds a sign
	group  int    // the part to take out; 0 is all
	accept func(string) bool

	once     sync.Once
	compiled *regexp.Regexp
}

func (p *pattern) in(s string) [][]int {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.find) })
	return p.compiled.FindAllStringSubmatchIndex(s, -1)
}

// patterns are made when the first text is looked at: programs that store nothing
// do not pay for them. Forms are those the providers document.
var patterns = sync.OnceValue(func() []*pattern {
	token := func(kind, expression string, signs ...string) *pattern {
		return &pattern{kind: kind, signs: signs, find: `(?:^|[^A-Za-z0-9_-])(` + expression + `)`, group: 1}
	}
	return []*pattern{
		{kind: "private key", signs: []string{"private key"},
			find: `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)`},
		{kind: "private key", signs: []string{"age-secret-key-1"}, find: `AGE-SECRET-KEY-1[0-9A-Z]{58}`},
		{kind: "URL password", signs: []string{"://"}, group: 1,
			find: `[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>]*:([^\s/@"'<>]{1,256})@`, accept: notPlaceholder},
		{kind: "JWT", signs: []string{"eyj"}, find: `eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`},
		token("AWS key", `(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b`, "akia", "asia", "abia", "acca"),
		{kind: "AWS key", signs: []string{"secret"}, group: 1,
			find: `(?i)aws[\w .-]{0,24}secret[\w .-]{0,24}["']?\s*[:=]{1,2}>?\s*["']?([A-Za-z0-9/+=]{40})\b`},
		token("GitHub token", `gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255}`, "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
		token("GitLab token", `gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas)-[A-Za-z0-9_.-]{20,}`, "gl"),
		token("Slack token", `xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}`, "xox", "xapp-"),
		token("Slack webhook", `https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_+-]{20,}`, "hooks.slack.com"),
		token("Anthropic key", `sk-ant-[A-Za-z0-9_-]{20,}`, "sk-ant-"),
		token("OpenAI key", `sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,}`, "sk-"),
		token("Stripe key", `[srp]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{20,}`, "k_live_", "k_test_", "whsec_"),
		token("Google key", `AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,}`, "aiza", "gocspx-", "ya29."),
		token("npm token", `npm_[A-Za-z0-9]{36}`, "npm_"),
		token("PyPI token", `pypi-[A-Za-z0-9_-]{40,}`, "pypi-"),
		token("SendGrid key", `SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`, "sg."),
		token("Twilio key", `SK[0-9a-f]{32}\b`, "sk"),
		token("Mailgun key", `key-[0-9a-f]{32}\b`, "key-"),
		token("Telegram token", `\d{8,10}:AA[A-Za-z0-9_-]{32,}`, ":aa"),
		token("Discord token", `[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}`, "."),
		token("DigitalOcean token", `do[opr]_v1_[0-9a-f]{64}`, "_v1_"),
		token("Linear key", `lin_(?:api|oauth)_[A-Za-z0-9]{20,}`, "lin_"),
		token("Atlassian token", `ATATT3[A-Za-z0-9_=-]{40,}`, "atatt3"),
		token("Hugging Face token", `hf_[A-Za-z0-9]{30,}`, "hf_"),
		token("Shopify token", `shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}`, "shp"),
		token("Databricks token", `dapi[0-9a-f]{32}`, "dapi"),
		token("Vault token", `hv[sbr]\.[A-Za-z0-9_-]{24,}`, "hvs.", "hvb.", "hvr."),
		token("Docker token", `dckr_pat_[A-Za-z0-9_-]{20,}`, "dckr_pat_"),
		token("Asana token", `[0-9]/[0-9]{12,}(?:/[0-9]{12,})?:[0-9a-f]{32}`, ":"),
		token("Doppler token", `dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9_.-]{20,}`, "dp."),
		{kind: "Azure key", signs: []string{"accountkey=", "sharedaccesskey=", "sig="}, group: 1,
			find: `(?i)(?:AccountKey|SharedAccessKey|[?&]sig)=([A-Za-z0-9+/%]{30,}={0,2})`},
		{kind: "authorization", signs: []string{"authorization", "bearer ", "basic "}, group: 1,
			find: `(?i)(?:authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token)?|\bbearer|\bbasic)\s+([A-Za-z0-9._~+/=-]{16,})`, accept: madeUp},
		{kind: "password", signs: []string{"pass", "pwd"}, group: 1,
			find: `(?i)\b[\w.-]{0,40}(?:password|passwd|passphrase|pwd)["']?\s*(?:[:=]{1,2}>?|\bis\b)\s*["'` + "`" + `]?([^\s"'` + "`" + `,;<>(){}\[\]]{6,200})`, accept: looksLikePassword},
		{kind: "secret", signs: []string{"key", "token", "secret", "credential"}, group: 1,
			find: `(?i)\b[\w.-]{0,40}(?:api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|encryption[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|client[_-]?secret|token|secret|credentials?)["']?\s*(?:[:=]{1,2}>?|\bis\b)\s*["'` + "`" + `]?([A-Za-z0-9_.~+/=-]{16,400})`, accept: madeUp},
	}
})

// notPlaceholder refuses what only shows where a secret goes.
func notPlaceholder(value string) bool {
	lower := strings.ToLower(value)
	if strings.ContainsAny(value, "${}<>*%") && !strings.ContainsAny(value, "0123456789") {
		return false
	}
	for _, shown := range []string{"[redacted", "xxxx", "password", "passwd", "pass", "secret", "changeme", "example", "your", "token", "pw", "..."} {
		if lower == shown || len(shown) > 3 && strings.HasPrefix(lower, shown) && !strings.ContainsAny(lower, "0123456789") {
			return false
		}
	}
	return true
}

// madeUp reports whether a value looks made by a machine: letters and digits,
// and as many different ones as chance gives.
func madeUp(value string) bool {
	var letters, digits int
	var seen [128]bool
	different := 0
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letters++
		}
		if c < 128 && !seen[c] {
			seen[c] = true
			different++
		}
	}
	return letters >= 3 && digits >= 2 && different >= 8 && !strings.Contains(value, "://") && !placePath(value)
}

// placePath reports whether a value is a path or a dotted name, such as
// config.v2.token or docs/2024/keys.md.
func placePath(value string) bool {
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return r == '/' || r == '.' || r == '-' || r == '_' }) {
		if len(part) > 14 {
			return false
		}
	}
	return strings.ContainsAny(value, "/._-")
}

// looksLikePassword wants a digit or a mark that words of prose do not have
// inside them.
func looksLikePassword(value string) bool {
	value = strings.TrimRight(value, ".!?:")
	if len(value) < 6 || !notPlaceholder(value) {
		return false
	}
	digits := strings.ContainsAny(value, "0123456789")
	marks := strings.ContainsAny(value[1:len(value)-1], "!#^&~+|\\?")
	letters := strings.ContainsFunc(value, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
	return (digits && letters || marks) && !strings.Contains(value, "/") && !strings.HasPrefix(value, "os.") && !strings.HasPrefix(value, "--")
}
