package sheet

import (
	"fmt"
	"strings"
	"sync"
	"unicode"

	figure "github.com/common-nighthawk/go-figure"
	"github.com/mozillazg/go-unidecode"
)

// Width is the maximum number of columns in a line of a sheet.
const Width = 60

// Name draws a name large, in lines of at most Width columns of ASCII. A long name is broken between words. When a word is too long or a
// character cannot be drawn, the name is written plainly, cut if need be.
func Name(name string) []string {
	name = plain(name)
	if name == "" {
		return []string{"(no name)"}
	}
	rows, ok := pack(words(name))
	if !ok {
		return []string{strings.TrimRight(cut(strings.ToUpper(name), Width), " ")}
	}
	var lines []string
	for _, row := range rows {
		lines = append(lines, draw(row)...)
	}
	return lines
}

// pack puts words into rows that fit; ok is false when one does not, or cannot be
// drawn.
func pack(words []string) (rows []string, ok bool) {
	row := ""
	for _, word := range words {
		if drawn(row + word) {
			row += word
			continue
		}
		if row != "" {
			rows = append(rows, row)
		}
		for !drawn(word) {
			n := fitting(word)
			if n == 0 {
				return nil, false
			}
			rows, word = append(rows, word[:n]), word[n:]
		}
		row = word
	}
	return append(rows, row), len(rows) < mostRows
}

// mostRows is how many rows of letters still look like a heading.
const mostRows = 4

// fitting returns how much of a word's beginning fits into a row, for a word that is too long; 0 when it cannot be drawn.
func fitting(word string) (n int) {
	for n < len(word) && drawn(word[:n+1]) {
		n++
	}
	return n
}

// drawn reports whether a text can be drawn within the width.
func drawn(s string) bool {
	columns := 0
	for _, r := range strings.ToUpper(s) {
		g, ok := glyphOf(r)
		if !ok {
			return false
		}
		columns += len(g[0]) + 1
	}
	return columns <= Width+1
}

func draw(s string) []string {
	var rows [3]strings.Builder
	for i, r := range strings.ToUpper(s) {
		g, _ := glyphOf(r)
		for n := range rows {
			if i > 0 {
				rows[n].WriteByte(' ')
			}
			rows[n].WriteString(g[n])
		}
	}
	var lines []string
	for n := range rows {
		lines = append(lines, strings.TrimRight(rows[n].String(), " "))
	}
	if lines[0] == "" { // letters without a top stroke
		lines = lines[1:]
	}
	return lines
}

// words splits a name behind each mark, and where the case indicates a new word.
func words(s string) (list []string) {
	start := 0
	var last rune
	for i, r := range s {
		switch {
		case i > start && unicode.IsUpper(r) && unicode.IsLower(last),
			i > start && strings.ContainsRune("-_./+ ", last) && !strings.ContainsRune("-_./+ ", r):
			list = append(list, s[start:i])
			start = i
		}
		last = r
	}
	return append(list, s[start:])
}

// plain returns a name in ASCII, with one blank between words. A character without a sound, such as an emoji, is written as its number, so
// that a name of such characters is not empty.
func plain(name string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(name, "?") {
		said := ascii(string(r))
		if said == "" && !unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Cc, unicode.Zl, unicode.Zp) {
			said = fmt.Sprintf(" U+%X ", r)
		}
		b.WriteString(said)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// ascii writes s in printable ASCII, other scripts by the sound of their letters.
func ascii(s string) string {
	var b strings.Builder
	for _, r := range unidecode.Unidecode(strings.ToValidUTF8(s, "?")) {
		switch {
		case r >= 0x20 && r < 0x7f:
			b.WriteRune(r)
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}

// cut shortens an ASCII text to at most limit columns.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return s[:limit-3] + "..."
}

// glyph is a character drawn on three rows of equal width.
type glyph [3]string

// fontMarks are the marks in Cybermedium that names may contain.
const fontMarks = "-_./"

// letters are drawn in FIGlet's Cybermedium once, since the library reads a font anew for each text.
var letters = sync.OnceValue(func() map[rune]glyph {
	all := map[rune]glyph{}
	for _, r := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + fontMarks {
		var g glyph
		width := 0
		for i, row := range figure.NewFigure(string(r), "cybermedium", true).Slicify() {
			if i < len(g) {
				g[i], width = row, max(width, len(row))
			}
		}
		for i := range g {
			g[i] += strings.Repeat(" ", width-len(g[i]))
		}
		all[r] = g
	}
	return all
})

// further are the glyphs that the font lacks, or draws too wide.
var further = map[rune]glyph{
	'0': {` __ `, `| /|`, `|/_|`},
	'1': {`_  `, ` | `, `_|_`},
	'2': {` __ `, ` __|`, `|___`},
	'3': {`___ `, ` __|`, `___|`},
	'4': {`    `, `|__|`, `   |`},
	'5': {`____`, `|__ `, `___)`},
	'6': {` __ `, `|__ `, `|__)`},
	'7': {`____`, `  / `, ` /  `},
	'8': {` __ `, `(__)`, `(__)`},
	'9': {` __ `, `(__|`, ` __|`},
	'+': {`   `, `_|_`, ` | `},
	' ': {`  `, `  `, `  `},
}

// glyphOf draws a character on three rows: letters and marks as in Cybermedium, digits, which it lacks, in its style.
func glyphOf(r rune) (glyph, bool) {
	if g, ok := letters()[r]; ok {
		return g, true
	}
	g, ok := further[r]
	return g, ok
}
