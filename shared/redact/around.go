package redact

import "strings"

// An around is a token whose sign is in its middle, or that needs a check of the text on both sides.
type around struct {
	kind   string
	sign   string
	before alphabet
	least  int // characters before the sign, at least
	most   int // the largest number; 0 when the sign comes first
	after  alphabet
	behind int  // characters behind it, at least
	exact  bool // and no more
	part   bool // the sign identifies the secret but is not part of it
}

var arounds = []around{
	{"AWS key", "AKIA", 0, 0, 0, capital, 16, true, false}, {"AWS key", "ASIA", 0, 0, 0, capital, 16, true, false}, {"AWS key", "ABIA", 0, 0, 0, capital, 16, true, false}, {"AWS key", "ACCA", 0, 0, 0, capital, 16, true, false},
	{"Telegram token", ":AA", digit, 8, 10, word, 30, false, false},
	{"Azure DevOps token", "AZDO", alphanum, 76, 76, alphanum, 4, true, false},
	{"Azure key", "JQQJ99", alphanum, 40, 80, alphanum, 20, false, false},
	{"Azure key", "AAAAAC", alphanum, 34, 50, alphanum, 4, false, false}, {"Azure key", "+ASt", alphanum, 30, 80, base64, 8, false, false}, {"Azure key", "AzCa", alphanum, 40, 42, alphanum, 6, false, false}, {"Azure key", "AzSe", alphanum, 40, 42, alphanum, 6, false, false},
	{"Mailchimp key", "-us", hexadecimal, 32, 32, digit, 1, true, false},
	{"Terraform token", ".atlasv1.", alphanum, 14, 14, base64, 40, false, false},
	{"New Relic key", "NRAL", hexadecimal, 36, 36, alphanum, 0, true, false},
	{"1Password key", "A3-", 0, 0, 0, word, 34, false, false},
	{"Azure key", "accountkey=", 0, 0, 0, wide, 30, false, true}, {"Azure key", "sharedaccesskey=", 0, 0, 0, wide, 30, false, true}, {"Azure key", "sharedaccesssignature=", 0, 0, 0, wide, 30, false, true},
	{"signature", "?sig=", 0, 0, 0, wide, 30, false, true}, {"signature", "&sig=", 0, 0, 0, wide, 30, false, true}, {"signature", ";sig=", 0, 0, 0, wide, 30, false, true},
	{"signature", "x-amz-signature=", 0, 0, 0, hexadecimal, 32, false, true}, {"signature", "x-goog-signature=", 0, 0, 0, hexadecimal, 32, false, true}, {"signature", "x-oss-signature=", 0, 0, 0, hexadecimal, 32, false, true},
	{"AWS session token", "x-amz-security-token=", 0, 0, 0, wide, 60, false, true},
	{"signature", "?signature=", 0, 0, 0, wide, 27, false, true}, {"signature", "&signature=", 0, 0, 0, wide, 27, false, true}, {"signature", ", signature=", 0, 0, 0, wide, 32, false, true}, {"signature", "signature: sha256=", 0, 0, 0, hexadecimal, 64, false, true},
	{secret, "?key=", 0, 0, 0, base64, 16, false, true}, {secret, "&key=", 0, 0, 0, base64, 16, false, true}, {secret, "?token=", 0, 0, 0, wide, 16, false, true}, {secret, "&token=", 0, 0, 0, wide, 16, false, true},
	{secret, "?code=", 0, 0, 0, wide, 24, false, true}, {secret, "&code=", 0, 0, 0, wide, 24, false, true}, {secret, "?appid=", 0, 0, 0, hexadecimal, 32, false, true}, {secret, "&appid=", 0, 0, 0, hexadecimal, 32, false, true},
	{secret, "?auth=", 0, 0, 0, wide, 20, false, true}, {secret, "&auth=", 0, 0, 0, wide, 20, false, true}, {secret, "?hapikey=", 0, 0, 0, word, 30, false, true},
	{"one-time secret", "?secret=", 0, 0, 0, capital, 16, false, true}, {"one-time secret", "&secret=", 0, 0, 0, capital, 16, false, true},
	{"SIP password", "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:", 0, 0, 0, base64, 40, false, true},
	{"age key", "AGE-SECRET-KEY-1", 0, 0, 0, capital, 58, false, false}, {"age key", "AGE-SECRET-KEY-PQ-1", 0, 0, 0, capital, 58, false, false},
	{"minisign key", "RWRTY0Iy", 0, 0, 0, base64, 100, false, false}, {"minisign key", "RWQAAEIy", 0, 0, 0, base64, 100, false, false},
	{"private key", "xprv9", 0, 0, 0, alphanum, 100, false, false}, {"private key", "nsec1", 0, 0, 0, alphanum, 58, false, false}, {"private key", "suiprivkey1", 0, 0, 0, alphanum, 58, false, false},
	{"NATS seed", "SUA", 0, 0, 0, capital, 55, true, false}, {"NATS seed", "SAA", 0, 0, 0, capital, 55, true, false}, {"NATS seed", "SOA", 0, 0, 0, capital, 55, true, false},
}

// find adds the token whose sign stands at t.s[at:].
func (p *around) find(t *text, at int) {
	s := t.s
	body := at + len(p.sign)
	named := p.part
	if !named && s[at:body] != p.sign {
		return
	}
	from := at
	if p.most > 0 {
		from = t.begin(p.before, at, p.most+1)
		if n := at - from; n < p.least || n > p.most {
			return
		}
		if p.kind != "Telegram token" && from > 0 && is(s[from-1], alphanum) || p.kind == "Telegram token" && from > 0 && is(s[from-1], alphanum) && !strings.HasSuffix(t.before(from, 3), "bot") {
			return
		}
	} else if !named && from > 0 && is(s[from-1], alphanum) {
		return
	}
	end := t.trim(body, t.end(p.after, body), ".,:")
	if n := end - body; n < p.behind || p.exact && (n > p.behind+1 || p.behind > 1 && n != p.behind || end < len(s) && is(s[end], alphanum)) {
		return
	}
	if named {
		from = body
	}
	value := t.judged(from, end)
	if !various(value) || named && (placeholder(value) || p.after != hexadecimal && p.after != capital && !madeUp(value)) {
		return
	}
	t.add(from, end, p.kind, rankKey)
}

// inRun looks for tokens without a sign in t.s[from:to], a run of token characters.
func (t *text) inRun(from, to int) {
	if to-from > longestRun {
		return
	}
	run := t.s[from:to]
	t.count(2 * len(run))
	for i := 0; i < len(run); {
		if !is(run[i], alphanum) {
			i++
			continue
		}
		end := i + leading(run[i:], alphanum)
		t.inPart(run, from, i, end)
		i = end
	}
	if i := strings.Index(run, "Q~"); i >= 4 && is(run[i-1], digit) {
		start := i - 4
		end := i + 2
		for end < len(run) && (is(run[end], dotted) || run[end] == '~') {
			end++
		}
		if end-i-2 >= 30 && various(run[start:end]) && only(run[start:i], dotted) {
			t.add(from+start, from+end, "Azure AD secret", rankKey)
		}
	}
}

// inPart looks at run[i:end], letters and digits with a mark on both sides.
func (t *text) inPart(run string, base, i, end int) {
	part := run[i:end]
	hit := func(a, b int, kind string) { t.add(base+a, base+b, kind, rankKey) }
	follows := byte(0)
	if end < len(run) {
		follows = run[end]
	}
	switch n := len(part); {
	case n == 34 && (strings.HasPrefix(part, "SK") || strings.HasPrefix(part, "AC")) && only(part[2:], hexadecimal) && various(part):
		if part[0] == 'S' {
			hit(i, end, "Twilio key")
		}
	case n == 52 && only(part, base32):
		if m := makeupOf(part); m.digits >= 4 && m.changes >= 6 && various(part) {
			hit(i, end, "Azure DevOps token")
		}
	case strings.HasPrefix(part, "00") && (i == 0 || run[i-1] != '_' && run[i-1] != '-'):
		stop := i + leading(run[i:], word)
		if value := run[i:stop]; len(value) == 42 && strings.ToLower(value) != value && strings.ToUpper(value) != value && madeUp(value) {
			hit(i, stop, "Okta token")
		}
	case n >= 42 && strings.HasPrefix(part, "AAAAAAAAAAAAAAAAAAAAA") && follows == '%':
		stop := i
		for stop < len(run) && (is(run[stop], alphanum) || run[stop] == '%') {
			stop++
		}
		if stop-end > 20 && various(run[i:stop]) {
			hit(i, stop, "Twitter token")
		}
	case n == 1 && is(part[0], digit) && follows == '/':
		t.asana(run, base, i)
	}
	if strings.IndexByte("MNO", part[0]) >= 0 && (i == 0 || !is(run[i-1], word)) {
		t.discord(run, base, i)
	}
}

// asana looks for 1/1234567890123:hex at run[i:].
func (t *text) asana(run string, base, i int) {
	at := i + 2
	for range 2 {
		end := at + leading(run[at:], digit)
		if end-at < 12 || end >= len(run) {
			return
		}
		if run[end] == ':' {
			stop := end + 1 + leading(run[end+1:], hexadecimal)
			if stop-end-1 == 32 && various(run[end+1:stop]) {
				t.add(base+i, base+stop, "Asana token", rankKey)
			}
			return
		}
		if run[end] != '/' {
			return
		}
		at = end + 1
	}
}

// discord looks for a token of a bot, three parts with dots, at run[i:].
func (t *text) discord(run string, base, i int) {
	at := i
	for k, bounds := range [3][2]int{{24, 28}, {6, 7}, {27, 60}} {
		end := at + leading(run[at:], word)
		if end-at < bounds[0] || end-at > bounds[1] || k < 2 && (end >= len(run) || run[end] != '.') {
			return
		}
		if k == 2 && madeUp(run[i:end]) {
			t.add(base+i, base+end, "Discord token", rankKey)
		}
		at = end + 1
	}
}
