package redact_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/redact"
)

// hostile are pieces of texts that were made to be slow: beginnings of secrets that continue with text which could be a secret but is not.
func hostile() map[string]string {
	m := newMaker(8)
	return map[string]string{
		"eyJ": "eyJ", "eyJ dots": "eyJabcdefgh.", "key header": "-----BEGIN RSA PRIVATE" + " KEY-----\n", "key header bare": "-----BEGIN ", "putty": "PuTTY-User-Key-File-3\n", "putty lines": "Private-Lines: 3\n", "xoxb": "xoxb-", "pat": "github_pat_", "sk": "sk-", "npm": "npm_npm_",
		"assignments": "pass=", "passwords": "password=", "quotes": `password="\"`, "escaped": `token=\"`, "names": "password ", "colons": "password:\n", "yaml": "password:\n  ", "lists": "tokens: [a, ", "objects": "secret: {", "typed": "password string ", "long name": "a_password.b", "keys": "api_key_", "tags": "<b>password</b>", "cells": "| password ", "rows": "password|x\n",
		"pairs": `{"name":"password","value":`, "plist": "<key>APIKey</key>\n", "expression": "password = f(", "strings": `password = "a" + "b" + `, "prose": "the password is the password for ", "as": "x as the password ", "phrase": "passphrase: correct horse battery staple ",
		"curl": "curl ", "curl u": "curl -u a ", "many commands": "curl mysql docker login zip -P htpasswd redis-cli ", "lines": "curl \\\n", "echo": "echo a | sudo -S ", "urls": "a://b:", "ats": "a://b:c@", "slashes": "https://a/", "dsn": "a:b@tcp(", "oracle": "jdbc:oracle:thin:a/", "hashes": "$2b$10$", "dollars": "$1$", "scram": "SCRAM-SHA-256$",
		"telegram": "123456789:AA", "azure": "Q~", "aws": "AKIA", "base64 key": "LS0tLS1CRUdJTi", "mii": "MII", "marks": redact.Mark, "brackets": "[", "jwk": `"kty":"d":"`, "cookies": "Cookie: a=b; ", "headers": "Authorization: ", "cjk": "密码密", "cyrillic": "пароль ", "spaces": "password" + strings.Repeat(" ", 50), "line ends": "password:\n\n\n", "tabs": "a\tpassword\tb\n", "commas": "a,password,b\n",
		"secrets": "API_KEY=" + m.of(alnums, 24) + "\n", "same end": "x" + m.of(alnums, 20) + "\n", "letters": "password=" + m.of(lowers, 30) + " ", "random": m.of(alnums, 400) + " ", "words": "The importer reads a page at a time. ", "digits": "0123456789", "a": "a", "high": "\xff", "nul": "\x00", "equals": "=", "quote": `"`, "backslash": `\`, "at": "@", "pem base64": m.of(base64s, 76) + "\n", "entities": "password=&quot;", "wiki": "||password", "substituted": "<(echo ", "substituted, ended": strings.Repeat("<(echo ", 25) + ")", "curl config": `user = "a:`, "query keys": "&key=a1", "ftp": "ftp\nuser a b\n", "netrc": "login a password ", "pgpass": ":5432:a:b:",
	}
}

// fillUp repeats a piece up to n bytes.
func fillUp(piece string, n int) string { return strings.Repeat(piece, n/len(piece)+1)[:n] }

// The work grows linearly with the length of a text, whatever the text is made of, and no byte is looked at more than some hundred times.
func TestWorkIsLinear(t *testing.T) {
	t.Parallel()
	const small, large = 16 << 10, 128 << 10
	for name, piece := range hostile() {
		few, many := redact.Work(fillUp(piece, small)), redact.Work(fillUp(piece, large))
		if float64(many) > 1.3*float64(few)*large/small+4096 {
			t.Errorf("%s: %d bytes are looked at in %d, and %d in %d", name, few, small, many, large)
		}
		if each := many / large; each > 150 {
			t.Errorf("%s: each byte is looked at %d times", name, each)
		}
	}
}

// BenchmarkHostile: 64 kB of each text that was made to be slow, beside as much
// prose.
func BenchmarkHostile(b *testing.B) {
	var slow []string
	for _, piece := range hostile() {
		slow = append(slow, fillUp(piece, 64<<10))
	}
	prose := fillUp("The importer reads a page at a time and keeps what it has read, so that a broken connection costs one page. ", 64<<10)
	benchtest.Beside(b, "prose", benchtest.Of(func() error {
		for _, text := range slow {
			redact.Redact(text)
		}
		return nil
	}), benchtest.Of(func() error {
		for range slow {
			redact.Redact(prose)
		}
		return nil
	}))
}

// BenchmarkRedact: taking secrets out of a text, beside one regular expression for
// one kind of secret.
func BenchmarkRedact(b *testing.B) {
	one := regexp.MustCompile(`(?i)\b(?:api_?key|secret|token|password)\s*[:=]\s*\S{8,}`)
	for name, text := range map[string]string{
		"a task": "Retry the upload with jitter. The API answers 429 in bursts; see src/upload/retry.go:120 and the notes of the last review.",
		"prose":  strings.Repeat("The importer reads a page at a time and keeps what it has read, so that a broken connection costs one page. ", 500),
		"code":   strings.Repeat("\tif key, err := token.Key(pass); err != nil { return fmt.Errorf(\"pass %q: %w\", key, err) }\n", 500),
	} {
		b.Run(name, func(b *testing.B) {
			benchtest.Beside(b, "regexp", benchtest.Of(func() error { redact.Redact(text); return nil }),
				benchtest.Of(func() error { one.ReplaceAllString(text, "[removed]"); return nil }))
		})
	}
}
