package sheet

import (
	"strings"
	"sync"

	figure "github.com/common-nighthawk/go-figure"
)

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
