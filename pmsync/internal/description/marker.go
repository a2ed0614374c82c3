package description

import (
	"strings"
	"unicode/utf8"
)

// marker is the start of a line that makes it an item of a list.
type marker struct {
	kind   markerKind
	number int
	weak   bool // also common in prose
	task   Task
	length int // in bytes, with the white space behind it
}

type markerKind uint8

const (
	noMarker markerKind = iota
	bullet
	numbered
)

// bullets begin items. ASCII bullets need a space behind them.
const bullets = "-*+•·–—▪▫◦‣●○➢➤►▶⁃∙◆◇■→⇒➔"

// checkGlyphs are drawn checkboxes, and check marks that people use as bullets.
var checkGlyphs = []struct {
	glyph string
	task  Task
}{
	{"☐", Open}, {"⬜", Open}, {"◻", Open}, {"□", Open}, {"🔲", Open}, {"⬛", Open}, {"🟩", Open}, {"⏳", Open},
	{"☑", Done}, {"☒", Open}, {"🗹", Done}, {"✅", NoTask}, {"✔", NoTask}, {"✓", NoTask}, {"🔘", NoTask},
}

// readMarker reads the marker that a line begins with.
func readMarker(line string) marker {
	r, size := utf8.DecodeRuneInString(line)
	if size == 0 {
		return marker{}
	}
	m := marker{kind: bullet}
	switch {
	case strings.HasPrefix(line, "-> "), strings.HasPrefix(line, "=> "):
		m.length = spaces(line, 2)
	case strings.ContainsRune(bullets, r):
		if m.length = spaces(line, size); m.length == size && r < utf8.RuneSelf {
			if _, box := cutCheckbox(line[size:]); box == 0 || line[size] != '[' { // "-[x] done"
				return marker{}
			}
		}
		m.weak = r == '–' || r == '—'
	case r >= '①' && r <= '⑳':
		m.kind, m.number, m.length = numbered, int(r-'①')+1, spaces(line, size)
	case r >= '0' && r <= '9' || r == '(':
		m = number(line)
	default:
		task, n := cutCheckbox(line)
		if n == 0 {
			return marker{}
		}
		m.task, m.length = task, n
	}
	return m
}

// number reads "1.", "1)" or "(1)", each followed by a space.
func number(line string) marker {
	at, open := 0, line[0] == '('
	if open {
		at = 1
	}
	n, digits := 0, 0
	for at < len(line) && line[at] >= '0' && line[at] <= '9' && digits < 3 {
		n, at, digits = n*10+int(line[at]-'0'), at+1, digits+1
	}
	if digits == 0 || digits == 3 || at >= len(line) || open && line[at] != ')' || line[at] != '.' && line[at] != ')' {
		return marker{}
	}
	at++
	if line[at-1] == '.' && at < len(line) && line[at] == ')' {
		at++
	}
	end := spaces(line, at)
	if end == at && (at >= len(line) || line[at] < utf8.RuneSelf) { // such as 1.5
		return marker{}
	}
	return marker{kind: numbered, number: n, weak: !open, length: end}
}

// cutCheckbox returns the state of the checkbox at the start of s, and its length with the space behind it. A check mark that is only a
// bullet has a length and no state.
func cutCheckbox(s string) (Task, int) {
	if strings.HasPrefix(s, "[") || strings.HasPrefix(s, "(") {
		shut := byte(']')
		if s[0] == '(' {
			shut = ')'
		}
		end := strings.IndexByte(s[:min(len(s), 8)], shut)
		if end < 0 || shut == ')' && end == 1 {
			return NoTask, 0
		}
		length := spaces(s, end+1)
		if length == end+1 && length < len(s) {
			return NoTask, 0
		}
		switch strings.TrimSpace(s[1:end]) {
		case "", "_", "-", "~", "/", ">", "\u00a0":
			return Open, length
		case "x", "X", "✓", "✔", "✅", "v", "V":
			if shut == ')' && s[1] != ' ' && s[1] < utf8.RuneSelf { // (x) is a cross
				return NoTask, 0
			}
			return Done, length
		}
		return NoTask, 0
	}
	for _, g := range checkGlyphs {
		if strings.HasPrefix(s, g.glyph) {
			n := len(g.glyph)
			n += len(s[n:]) - len(strings.TrimPrefix(s[n:], "\ufe0f"))
			return g.task, spaces(s, n)
		}
	}
	return NoTask, 0
}

func spaces(s string, at int) int {
	for at < len(s) && (s[at] == ' ' || s[at] == '\t') {
		at++
	}
	return at
}
