package redact

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// An alphabet is a set of characters that secrets are made of, with one bit in classes.
type alphabet uint32

const (
	digit alphabet = 1 << iota
	hexadecimal
	base32 // of a to z and 2 to 7
	capital
	letter
	alphanum
	word    // with _ and -
	dotted  // with a dot
	base64  // with + / = _ and -
	wide    // with . ~ % , and :
	written // all that is visible and not a quote
	graphic // all that is visible
	backslash
	template  // marks of templates and variables
	pathed    // of paths
	hashed    // of hashes of passwords
	keyed64   // + / = and -, of keys
	indent    // blanks and tabs
	alphabets = iota
)

// classes are the alphabets that each character belongs to.
var classes = func() (c [256]alphabet) {
	const lowers = "abcdefghijklmnopqrstuvwxyz"
	letters := lowers + strings.ToUpper(lowers)
	add := func(a alphabet, characters string) {
		for i := range len(characters) {
			c[characters[i]] |= a
		}
	}
	add(digit, "0123456789")
	add(hexadecimal, "0123456789abcdefABCDEF")
	add(base32, lowers+"234567")
	add(capital, strings.ToUpper(lowers)+"0123456789")
	add(letter, letters)
	add(alphanum|word|dotted|base64|wide, letters+"0123456789")
	add(word|dotted|base64|wide, "_-")
	add(dotted, ".")
	add(base64, "/")
	add(base64|wide, "+/=")
	add(wide, ".~%,:")
	add(pathed, letters+"0123456789_-./")
	add(template, "${}<>*%")
	add(backslash, `\`)
	add(hashed, letters+"0123456789+/=.$,:-_#*@")
	add(keyed64, letters+"0123456789+/=-")
	add(indent, " \t")
	for i := '!'; i <= '~'; i++ {
		add(graphic, string(i))
		if !strings.ContainsRune("\"'`", i) {
			add(written, string(i))
		}
	}
	return c
}()

func is(c byte, a alphabet) bool { return classes[c]&a != 0 }

// leading returns how many characters of an alphabet a text begins with.
func leading(s string, a alphabet) (n int) {
	for n < len(s) && is(s[n], a) {
		n++
	}
	return n
}

// only reports whether a text consists of characters of one alphabet.
func only(s string, a alphabet) bool { return leading(s, a) == len(s) }

// upTo returns a text before the first of some marks, or all of it.
func upTo(s, marks string) string {
	if i := strings.IndexAny(s, marks); i >= 0 {
		return s[:i]
	}
	return s
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func lower(c byte) byte {
	if isUpper(c) {
		return c + 'a' - 'A'
	}
	return c
}

// hasFold reports whether s begins with prefix, whatever the case of both.
func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// oneOf returns the entry that s begins with, whatever its case, or "".
func oneOf(s string, entries []string) string {
	for _, e := range entries {
		if hasFold(s, e) {
			return e
		}
	}
	return ""
}

// firsts holds texts by their first character.
type firsts func() map[byte][]string

// byFirst returns a table that is built on first use.
func byFirst(entries ...string) firsts {
	return sync.OnceValue(func() map[byte][]string {
		m := map[byte][]string{}
		for _, e := range entries {
			m[e[0]] = append(m[e[0]], e)
		}
		return m
	})
}

func (f firsts) of(c byte) []string { return f()[c] }

// match returns the entry that s begins with, whatever its case, or "".
func (f firsts) match(s string) string {
	if s == "" {
		return ""
	}
	return oneOf(s, f.of(lower(s[0])))
}

// isLetterAt reports whether a letter that is not of ASCII begins at s[i:].
func isLetterAt(s string, i int) bool {
	if i >= len(s) || s[i] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsLetter(r)
}
