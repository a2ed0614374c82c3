// Package words turns texts and questions into the terms that searches of the
// suite compare: folded in case and accents, split where identifiers and paths
// are made of words, reduced to English stems, and in pairs of characters for
// scripts that write no spaces.
//
// It keeps no state but tables built when first needed, and is safe for
// concurrent use.
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Version changes whenever the terms of a text do, so that indexes made of them
// can be made again.
const Version = 2

// maxTerm is the length in bytes beyond which a word is cut: no person types it
// whole, and hashes and encoded data would swell an index.
const maxTerm = 40

// Term is one word of a text.
type Term struct {
	Text  string // the stem, which is what is compared
	Raw   string // the word, folded
	Whole bool   // an identifier or path written as one, beside the words in it
}

// Terms returns the terms of a text in order, without Empty words. Words inside an identifier come first, then the identifier as one.
func Terms(s string) []Term {
	w := walker{text: fold(s)}
	w.run()
	return w.terms
}

// fold decomposes letters and drops accents; case stays, since it shows where the words of an identifier begin.
func fold(s string) string {
	ascii := true
	for i := 0; i < len(s) && ascii; i++ {
		ascii = s[i] < utf8.RuneSelf
	}
	if ascii {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(s, " ")) {
		switch {
		case unicode.Is(unicode.Mn, r) && r < 0x3000: // a voicing mark of kana is part of the letter
		case r == 'ß':
			b.WriteString("ss")
		case r == '’' || r == 'ʼ':
			b.WriteByte('\'')
		default:
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// walker reads a folded text chunk by chunk; a chunk is the text between characters that never join words.
type walker struct {
	text  string
	terms []Term
}

func (w *walker) run() {
	start := -1
	for i, r := range w.text {
		if joins(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			if name := signed(w.text[start:i], w.text[i:]); name != "" {
				w.withSign(w.text[start:i], name)
			} else {
				w.chunk(w.text[start:i])
			}
			start = -1
		}
	}
	if start >= 0 {
		w.chunk(w.text[start:])
	}
}

// signed returns the name of the signs that end a name such as C++, C# or Google+; "" where the word continues behind them. Only after a
// single letter may a version follow: C++17.
func signed(name, rest string) string {
	for _, sign := range []struct{ written, name string }{{"++", "plusplus"}, {"+", "plus"}, {"#", "sharp"}} {
		after, ok := strings.CutPrefix(rest, sign.written)
		if !ok {
			continue
		}
		next, _ := utf8.DecodeRuneInString(after)
		version := unicode.IsDigit(next) && sign.written != "+" && len(name[strings.LastIndexAny(name, "_-./'")+1:]) == 1
		if after != "" && !version && (letter(next) || strings.ContainsRune("_+#=", next)) {
			return ""
		}
		return sign.name
	}
	return ""
}

// withSign reads a chunk whose last word ends in a sign. A single letter with a sign is a name of its own: a search for C does not mean
// C++.
func (w *walker) withSign(s, sign string) {
	before, last := "", s
	if i := strings.LastIndexAny(s, "_-./'"); i >= 0 {
		before, last = s[:i+1], s[i+1:]
	}
	switch r, _ := utf8.DecodeLastRuneInString(last); {
	case !unicode.IsLetter(r) || spaceless(r):
		w.chunk(s)
	case utf8.RuneCountInString(last) == 1:
		w.chunk(before)
		w.add(last+sign, false)
	default:
		w.chunk(s)
		w.add(last+sign, true)
	}
}

// joins reports whether r is part of a word or joins the words of a name.
func joins(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			r == '_' || r == '-' || r == '.' || r == '/' || r == '\''
	}
	return letter(r)
}

func letter(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

// chunk splits a name or path: first where punctuation joins, then where the case changes.
func (w *walker) chunk(s string) {
	pieces := 0
	var whole strings.Builder
	for len(s) > 0 {
		end := strings.IndexAny(s, "_-./'")
		piece, rest := s, ""
		if end >= 0 {
			piece, rest = s[:end], s[end+1:]
			if s[end] == '\'' { // Ann's, don't: the rest is not a word
				if next := strings.IndexAny(rest, "_-./'"); next >= 0 {
					rest = rest[next:]
				} else {
					rest = ""
				}
			}
		}
		if piece != "" {
			w.piece(piece)
			whole.WriteString(piece)
			pieces++
		}
		s = rest
	}
	if pieces > 1 && whole.Len() <= maxTerm {
		w.add(whole.String(), true)
	}
}

// piece splits letters and digits where the kind of script changes, then where the case shows words.
func (w *walker) piece(s string) {
	start := 0
	var pairs bool
	for i, r := range s {
		kind := spaceless(r)
		switch {
		case i == 0:
			pairs = kind
		case kind == pairs || !kind && !spaced(r): // a mark of sound or length belongs to the character before it
		default:
			w.oneScript(s[start:i], pairs)
			start, pairs = i, kind
		}
	}
	w.oneScript(s[start:], pairs)
}

// oneScript reads a piece of one kind of script.
func (w *walker) oneScript(s string, pairs bool) {
	if pairs {
		w.pairs(s)
		return
	}
	w.cased(s)
}

// cased splits letters and digits where the case shows words.
func (w *walker) cased(s string) {
	start, at := 0, 0 // at is where last begins
	var before, last rune
	for i, r := range s {
		if i > 0 {
			up := unicode.IsUpper(r)
			switch {
			case up && unicode.IsLower(last): // fooBar
				w.add(s[start:i], false)
				start = i
			case unicode.IsLower(r) && unicode.IsUpper(last) && unicode.IsUpper(before) && at > start && !plural(s[i:]): // HTTPServer
				w.add(s[start:at], false)
				start = at
			}
		}
		before, last, at = last, r, i
	}
	w.add(s[start:], false)
	if start > 0 {
		if len(s) <= maxTerm {
			w.add(s, true)
		}
	} else if letters, ok := withDigits(s); ok { // python3, utf8
		w.add(letters, false)
	}
}

// plural reports whether a lower-case tail is only the plural of capitals, as in URLs or PRs.
func plural(tail string) bool { return tail == "s" }

// withDigits is the word that digits follow.
func withDigits(s string) (string, bool) {
	letters := strings.TrimRight(s, "0123456789")
	return letters, len(letters) >= 3 && len(letters) < len(s)
}

func (w *walker) add(word string, whole bool) {
	raw := strings.ToLower(word)
	if len(raw) > maxTerm {
		cut := maxTerm
		for !utf8.RuneStart(raw[cut]) {
			cut--
		}
		raw = raw[:cut]
	}
	if whole || !Empty(raw) {
		w.terms = append(w.terms, Term{Text: Stem(raw), Raw: raw, Whole: whole})
	}
}

// spaceless reports whether a character belongs to a script that is written without spaces between words.
func spaceless(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// spaced reports whether a character is a letter or digit of a script written with spaces, and not a modifier or mark: those take the
// script of the character before them.
func spaced(r rune) bool {
	return r < utf8.RuneSelf || unicode.IsDigit(r) || unicode.IsLetter(r) && !unicode.Is(unicode.Lm, r)
}

// pairs returns each two neighbouring characters as a term, and the last character alone, so that a single character is found as the
// beginning of a term.
func (w *walker) pairs(s string) {
	runes := []rune(s)
	for i := range runes {
		pair := string(runes[i:min(i+2, len(runes))])
		w.terms = append(w.terms, Term{Text: strings.ToLower(pair), Raw: strings.ToLower(pair)})
	}
}
