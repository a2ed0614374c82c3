package redact

import "strings"

// A hash is a form in which passwords are kept: anyone who has it can try passwords at leisure.
type hash struct {
	sign  string
	parts int // dollar signs behind the sign, at least
	least int // characters behind the sign, at least
}

var hashForms = []hash{
	{"$1$", 1, 22}, {"$2a$", 1, 55}, {"$2b$", 1, 55}, {"$2x$", 1, 55}, {"$2y$", 1, 55}, {"$2$", 1, 55}, {"$5$", 1, 43}, {"$6$", 1, 80}, {"$7$", 1, 43}, {"$y$", 1, 43}, {"$gy$", 1, 43}, {"$sha1$", 2, 28}, {"$md5", 1, 22}, {"$apr1$", 1, 22},
	{"$argon2id$", 2, 40}, {"$argon2i$", 2, 40}, {"$argon2d$", 2, 40}, {"$scrypt$", 2, 40}, {"$s0$", 1, 40}, {"$pbkdf2", 2, 30}, {"$bcrypt-sha256$", 2, 40}, {"$p5k2$", 1, 30}, {"$P$B", 0, 30}, {"$P$9", 0, 30}, {"$H$9", 0, 30}, {"$S$D", 0, 50}, {"$S$C", 0, 50}, {"$8$", 1, 40}, {"$9$", 0, 20}, {"$14$", 1, 30}, {"$krb5", 1, 40}, {"$DCC2$", 0, 32}, {"$NT$", 0, 32}, {"$3$$", 0, 32}, {"$sshng$", 2, 60}, {"$ansible$", 2, 60}, {"$office$", 2, 60}, {"$keepass$", 2, 60}, {"$zip2$", 2, 40}, {"$bitlocker$", 2, 60},
	{"pbkdf2_sha256$", 2, 40}, {"pbkdf2_sha1$", 2, 30}, {"pbkdf2_sha512$", 2, 60}, {"pbkdf2:sha256", 2, 60}, {"pbkdf2:sha512", 2, 60}, {"pbkdf2:sha1", 2, 40}, {"scrypt:", 2, 60}, {"bcrypt_sha256$", 2, 55}, {"bcrypt$", 2, 55}, {"argon2$argon2", 3, 40}, {"scrypt$", 2, 40}, {"sha1$", 1, 40}, {"md5$", 1, 32}, {"sha256$", 1, 64}, {"sha512$", 1, 60},
	{"SCRAM-SHA-256$", 1, 60}, {"SCRAM-SHA-1$", 1, 40}, {"SCRAM-SHA-512$", 1, 60},
	{"{SSHA}", 0, 28}, {"{SHA}", 0, 27}, {"{SMD5}", 0, 24}, {"{MD5}", 0, 22}, {"{SSHA256}", 0, 40}, {"{SSHA384}", 0, 40}, {"{SSHA512}", 0, 80}, {"{SHA256}", 0, 40}, {"{SHA512}", 0, 80}, {"{CRYPT}", 0, 20}, {"{PBKDF2", 1, 40}, {"{ARGON2", 1, 40}, {"{bcrypt}", 0, 50}, {"{BLF-CRYPT}", 0, 50}, {"{SHA512-CRYPT}", 0, 80}, {"{SHA256-CRYPT}", 0, 40}, {"{scrypt}", 1, 40}, {"{noop}", 0, 8}, {"{PLAIN}", 0, 8}, {"{CLEARTEXT}", 0, 8}, {"{pbkdf2}", 0, 40},
}

// passwordHash is the kind of the hashes found here.
const passwordHash = "password hash"

// hashSigns are the forms of hashes.
func hashSigns() []sign {
	all := make([]sign, 0, len(hashForms)+4)
	for _, h := range hashForms {
		all = append(all, sign{strings.ToLower(h.sign), h.find, rankKey})
	}
	return append(all, sign{":::", ntlm, rankKey}, sign{"md5", postgresHash, rankKey}, sign{"0x0100", sqlServerHash, rankKey}, sign{"0x0200", sqlServerHash, rankKey}, sign{"by password '*", mysqlHash, rankKey}, sign{"as '*", mysqlHash, rankKey})
}

// find adds the hash whose sign stands at t.s[at:].
func (h hash) find(t *text, at int) {
	body := at + len(h.sign)
	if t.s[at:body] != h.sign || at > 0 && h.sign[0] != '$' && h.sign[0] != '{' && is(t.s[at-1], alphanum) {
		return
	}
	end := t.trim(body, t.end(hashed, body), ".,:")
	if h.sign[0] == '$' {
		if i := strings.IndexByte(t.judged(body, end), ':'); i >= 0 && !strings.HasPrefix(h.sign, "$md5") && !strings.HasPrefix(h.sign, "$krb") { // of /etc/shadow
			end = body + i
		}
	}
	value := t.judged(body, end)
	if end-body < h.least || strings.Count(value, "$")+strings.Count(value, "=") < min(h.parts, 1) || different(value) < 8 {
		return
	}
	if h.sign == "sha256$" || h.sign == "md5$" || h.sign == "sha1$" || h.sign == "sha512$" {
		if _, digest, ok := strings.Cut(value, "$"); !ok || !only(digest, hexadecimal|base64) || len(digest) < 27 {
			return
		}
	}
	t.add(at, end, passwordHash, rankKey)
}

// ntlm finds the hashes of a line of a dump of Windows: joe:500:lm:nt:::.
func ntlm(t *text, at int) {
	nt := t.begin(hexadecimal, at, 33)
	if at-nt != 32 || t.byteAt(nt-1) != ':' {
		return
	}
	lm := t.begin(hexadecimal, nt-1, 33)
	if nt-1-lm != 32 {
		return
	}
	t.add(lm, at, passwordHash, rankKey)
}

// postgresHash finds md5 and 32 hexadecimal digits, as PostgreSQL keeps passwords.
func postgresHash(t *text, at int) {
	end := t.end(hexadecimal, at+3)
	if t.s[at:at+3] == "md5" && end-at == 35 && (at == 0 || t.s[at-1] == '\'' || t.s[at-1] == '"') && various(t.s[at+3:end]) {
		t.add(at, end, passwordHash, rankKey)
	}
}

// sqlServerHash finds 0x0100 or 0x0200 with a salt and a hash.
func sqlServerHash(t *text, at int) {
	if end := t.end(hexadecimal, at+2); end-at >= 50 && end-at <= 150 && various(t.judged(at+6, end)) {
		t.add(at, end, passwordHash, rankKey)
	}
}

// mysqlHash finds * and 40 digits in quotes, as MySQL keeps passwords.
func mysqlHash(t *text, at int) {
	star := t.find('*', at)
	if end := t.end(hexadecimal, star+1); end-star-1 == 40 && various(t.s[star+1:end]) {
		t.add(star, end, passwordHash, rankKey)
	}
}
