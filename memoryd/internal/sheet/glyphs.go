package sheet

// glyph is a character drawn on three rows of equal width.
type glyph [3]string

// glyphOf draws the letters, digits and marks that names are made of, in the
// manner of FIGlet's Cybermedium: thin strokes, four columns, three rows. They
// were drawn for this suite; Cybermedium itself has no digits.
func glyphOf(r rune) (glyph, bool) {
	switch r {
	case 'A':
		return glyph{` __ `, `|__|`, `|  |`}, true
	case 'B':
		return glyph{`___ `, `|__)`, `|__)`}, true
	case 'C':
		return glyph{` ___`, `|   `, `|___`}, true
	case 'D':
		return glyph{`___ `, `|  \`, `|__/`}, true
	case 'E':
		return glyph{`____`, `|__ `, `|___`}, true
	case 'F':
		return glyph{`____`, `|__ `, `|   `}, true
	case 'G':
		return glyph{` ___`, `|  _`, `|__|`}, true
	case 'H':
		return glyph{`    `, `|__|`, `|  |`}, true
	case 'I':
		return glyph{`___`, ` | `, `_|_`}, true
	case 'J':
		return glyph{`  __`, `   |`, `|__|`}, true
	case 'K':
		return glyph{`   `, `|_/`, `| \`}, true
	case 'L':
		return glyph{`    `, `|   `, `|___`}, true
	case 'M':
		return glyph{`    `, `|\/|`, `|  |`}, true
	case 'N':
		return glyph{`    `, `|\ |`, `| \|`}, true
	case 'O':
		return glyph{` __ `, `|  |`, `|__|`}, true
	case 'P':
		return glyph{`___ `, `|__)`, `|   `}, true
	case 'Q':
		return glyph{` __ `, `|  |`, `|_\|`}, true
	case 'R':
		return glyph{`___ `, `|__)`, `|  \`}, true
	case 'S':
		return glyph{` ___`, `|__ `, `___|`}, true
	case 'T':
		return glyph{`_____`, `  |  `, `  |  `}, true
	case 'U':
		return glyph{`    `, `|  |`, `|__|`}, true
	case 'V':
		return glyph{`    `, `|  |`, ` \/ `}, true
	case 'W':
		return glyph{`    `, `|  |`, `|/\|`}, true
	case 'X':
		return glyph{`   `, `\_/`, `/ \`}, true
	case 'Y':
		return glyph{`   `, `\_/`, ` | `}, true
	case 'Z':
		return glyph{`___`, ` _/`, `/__`}, true
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
	case '-':
		return glyph{`   `, `___`, `   `}, true
	case '_':
		return glyph{`   `, `   `, `___`}, true
	case '.':
		return glyph{` `, ` `, `.`}, true
	case '/':
		return glyph{`  /`, ` / `, `/  `}, true
	case '+':
		return glyph{`   `, `_|_`, ` | `}, true
	case ' ':
		return glyph{`  `, `  `, `  `}, true
	}
	return glyph{}, false
}
