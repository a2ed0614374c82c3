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

// glyphOf draws a character on three rows: letters and marks as in Cybermedium, digits, which it lacks, in its style.
func glyphOf(r rune) (glyph, bool) {
	if g, ok := letters()[r]; ok {
		return g, true
	}
	switch r {
	case '0':
		return glyph{` __ `, `| /|`, `|/_|`}, true
	case '1':
		return glyph{`_  `, ` | `, `_|_`}, true
	case '2':
		return glyph{` __ `, ` __|`, `|___`}, true
	case '3':
		return glyph{`___ `, ` __|`, `___|`}, true
	case '4':
		return glyph{`    `, `|__|`, `   |`}, true
	case '5':
		return glyph{`____`, `|__ `, `___)`}, true
	case '6':
		return glyph{` __ `, `|__ `, `|__)`}, true
	case '7':
		return glyph{`____`, `  / `, ` /  `}, true
	case '8':
		return glyph{` __ `, `(__)`, `(__)`}, true
	case '9':
		return glyph{` __ `, `(__|`, ` __|`}, true
	case '+':
		return glyph{`   `, `_|_`, ` | `}, true
	case ' ':
		return glyph{`  `, `  `, `  `}, true
	}
	return glyph{}, false
}
