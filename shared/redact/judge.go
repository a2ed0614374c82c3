package redact

import (
	"strings"
	"sync"
)

// various reports whether a value has as many different characters as chance
// brings: xxxxxxxx and 00000000 stand for a secret, they are none.
func various(value string) bool { return different(value) >= min(8, len(value)/2+1) }

// different counts the characters of a value, each once.
func different(value string) (n int) {
	var seen [256]bool
	for i := range len(value) {
		if !seen[value[i]] {
			seen[value[i]] = true
			n++
		}
	}
	return n
}

// madeUp reports whether a value looks made by a machine: letters and digits
// change places inside its words, or its letters belong to no language.
func madeUp(value string) bool {
	letters, digits, changes := makeup(value)
	switch {
	case letters < 2 || !various(value):
		return false
	case digits >= 2 && changes >= max(3, len(value)/10):
		return true
	}
	return len(value) >= 16 && letters >= 10 && !wordy(value)
}

// makeup counts letters and digits, and how often one follows the other without
// anything between.
func makeup(value string) (letters, digits, changes int) {
	last := 0 // 1 a letter, 2 a digit
	for i := range len(value) {
		class := 0
		switch c := value[i]; {
		case c >= '0' && c <= '9':
			class = 2
			digits++
		case isAlnum(c):
			class = 1
			letters++
		}
		if class != 0 && last != 0 && class != last {
			changes++
		}
		last = class
	}
	return letters, digits, changes
}

func manyDigits(value string) bool {
	_, digits, changes := makeup(value)
	return digits >= 4 && changes >= 6 && various(value)
}

func mixedCase(value string) bool {
	return strings.ToLower(value) != value && strings.ToUpper(value) != value && madeUp(value)
}

// pairs are those of letters that are frequent in the languages of programs and
// their authors. Words are mostly made of them, random letters rarely.
const pairs = "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur " +
	"ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su " +
	"id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da yo cr " +
	"cl du ga qu ue ff ba ey ls va um pp ua up lu go ht ru ug ds lt pi rc rr eg au ck ew mu br bi pt ak pu ui rg ib tl ny ki rk ys ob mm fu ph og ms ye ud mb ip ub oi rl gu dr hr cc tw ft wn nu af hu nn eo vo rv nf xp gn sm fl iz ok nl my gl aw ju oa eq sy sl ps jo lf nv je nk kn gs dy hy ze ks xt bs ik dd py xi tc db"

// wordy reports whether a value's letters look like words.
func wordy(value string) bool {
	known, all, pair := 0, 0, pair()
	for i := 1; i < len(value); i++ {
		a, b := value[i-1], value[i]
		if !isLetter(a) || !isLetter(b) || isLower(a) && !isLower(b) {
			continue
		}
		all++
		if pair[lower(a)][lower(b)] {
			known++
		}
	}
	return all < 4 && !interleaved(value) || all >= 4 && known*100 >= all*70
}

// interleaved reports whether upper and lower case change too often for words.
func interleaved(value string) bool {
	changes := 0
	for i := 1; i < len(value); i++ {
		if isLetter(value[i-1]) && isLetter(value[i]) && isLower(value[i-1]) != isLower(value[i]) {
			changes++
		}
	}
	return changes >= 4
}

// pair is pairs as a table, which only the first use fills.
var pair = sync.OnceValue(func() *[128][128]bool {
	var t [128][128]bool
	for p := range strings.FieldsSeq(pairs) {
		t[p[0]][p[1]] = true
	}
	return &t
})

func isLower(c byte) bool  { return c >= 'a' && c <= 'z' }
func isLetter(c byte) bool { return isLower(c) || c >= 'A' && c <= 'Z' }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// placeholder reports whether a value only shows where a secret goes.
func placeholder(value string) bool {
	low := strings.ToLower(strings.Trim(value, `"'`+"`.!?:,"))
	if low == "" || strings.HasPrefix(low, strings.TrimSpace(Mark)) || strings.HasPrefix(low, "redacted") {
		return true
	}
	if strings.ContainsAny(value, "${}<>*%") && !strings.ContainsAny(value, "0123456789") {
		return true
	}
	for _, start := range []string{"${", "$(", "{{", "%(", "<", "***", "...", "xxx", "env.", "env:", "env(", "process.env", "os.", "op://", "vault:", "arn:", "secretref", "secrets.", "config.", "settings.", "self.", "this.", "req.", "params.", "--", "@", "/run/secrets/"} {
		if strings.HasPrefix(low, start) {
			return true
		}
	}
	for _, shown := range []string{"password", "passwd", "passphrase", "pass", "pw", "pwd", "secret", "changeme", "change_me", "change-me", "example", "your", "my", "token", "apikey", "api_key", "api-key",
		"placeholder", "dummy", "sample", "insert", "replace", "todo", "fixme", "none", "null", "nil", "undefined", "true", "false", "required", "optional", "string", "hidden", "masked", "enter", "postgres", "user", "username", "admin", "root", "default", "demo", "foobar", "fake"} {
		if rest, ok := strings.CutPrefix(low, shown); ok {
			letters, digits, changes := makeup(rest)
			if rest == "" || digits == 0 && (len(shown) > 3 || strings.ContainsAny(rest[:1], "-_ ")) && wordyOrShort(rest) || letters == 0 && digits <= 3 && changes == 0 && len(rest) <= 3 {
				return true
			}
		}
	}
	return false
}

func wordyOrShort(value string) bool { return len(value) < 4 || wordy(value) }

// placePath reports whether a value is a path, an address or a dotted name, such
// as docs/2024/keys.md: short words with marks between them.
func placePath(value string) bool {
	if !strings.ContainsAny(value, "/.-_") || strings.ContainsAny(value, "+=") {
		return false
	}
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("/.-_:", r) }) {
		if _, _, changes := makeup(part); len(part) > 20 || changes > 1 || len(part) > 4 && !isDigits(part) && !wordy(strings.TrimRight(part, "0123456789")) {
			return false
		}
	}
	return true
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }
