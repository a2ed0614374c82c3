package description

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wikiSpans reads the words of one wiki block.
func wikiSpans(s string) []Span {
	r := &wikiInline{s: s}
	r.read(0, "", 0)
	return r.w.take()
}

type wikiInline struct {
	s string
	w writer
}

var wikiStyles = map[byte]Style{'*': Strong, '_': Emphasis, '-': Struck, '+': 0, '^': 0, '~': 0}

// wikiIcons are the icons that people use as check marks.
var wikiIcons = map[string]string{"(/)": "☑ ", "(x)": "☒ ", "(!)": "", "(?)": "", "(i)": "", "(*)": "", "(+)": "", "(-)": ""}

func (r *wikiInline) read(style Style, link string, depth int) {
	s := r.s
	plain := 0
	write := func(end int) {
		if end > plain {
			r.w.lines(s[plain:end], style, link)
		}
	}
	for i := 0; i < len(s); {
		length, act := r.token(i, style, link, depth)
		if length == 0 {
			i++
			continue
		}
		write(i)
		act()
		i += length
		plain = i
	}
	write(len(s))
}

// token recognises markup at i. It returns the length of the markup and a function that writes it, or 0.
func (r *wikiInline) token(i int, style Style, link string, depth int) (int, func()) {
	s := r.s[i:]
	switch s[0] {
	case '\\':
		if strings.HasPrefix(s, `\\`) {
			return 2, r.w.breakLine
		}
		if len(s) > 1 && strings.IndexByte(`*_-+^~{}[]|!#?\`, s[1]) >= 0 {
			return 2, func() { r.w.raw(s[1:2], style, link) }
		}
	case '{':
		return r.brace(s, style, link)
	case '[':
		return r.link(s, style)
	case '!':
		if end := strings.IndexAny(s[1:min(len(s), 300)], "!\n"); end > 0 && s[1+end] == '!' && s[1] != ' ' && strings.Contains(s[1:1+end], ".") {
			return end + 2, func() {} // an image
		}
	case '(':
		if len(s) >= 3 {
			if glyph, ok := wikiIcons[s[:3]]; ok {
				return 3, func() {
					if glyph != "" {
						r.w.text(glyph, style, link)
					}
				}
			}
		}
	case '*', '_', '-', '+', '^', '~':
		if inner, ok := r.styled(i); ok && depth < 8 {
			return len(inner) + 2, func() {
				in := &wikiInline{s: inner, w: r.w}
				in.read(style|wikiStyles[s[0]], link, depth+1)
				r.w = in.w
			}
		}
	}
	return 0, nil
}

// brace reads {{mono}}, {color:red} and other marks in braces.
func (r *wikiInline) brace(s string, style Style, link string) (int, func()) {
	window := s[:min(len(s), 300)]
	if strings.HasPrefix(s, "{{") {
		if end := strings.Index(window, "}}"); end > 2 {
			return end + 2, func() { r.w.lines(s[2:end], style|Mono, link) }
		}
	}
	if end := strings.IndexByte(window, '}'); end > 0 {
		name, _, _ := strings.Cut(window[1:end], ":")
		switch strings.ToLower(name) {
		case "color", "anchor", "toc", "panel", "quote", "code", "noformat", "expand":
			return end + 1, func() {}
		case "*":
			return end + 1, func() { r.w.text("*", style, link) }
		}
	}
	return 0, nil
}

// link reads [text|address], [address] and [~user].
func (r *wikiInline) link(s string, style Style) (int, func()) {
	end := strings.IndexAny(s[1:min(len(s), 500)], "]\n")
	if end < 1 || s[1+end] != ']' {
		return 0, nil
	}
	inner := s[1 : 1+end]
	label, address, found := strings.Cut(inner, "|")
	switch {
	case found:
		address, _, _ = strings.Cut(address, "|")
	case strings.HasPrefix(inner, "~"):
		label = "@" + strings.TrimPrefix(strings.TrimPrefix(inner, "~"), "accountid:")
	case strings.Contains(inner, "://"), strings.HasPrefix(inner, "mailto:"):
		address = inner
	case strings.HasPrefix(inner, "^"):
		return end + 2, func() {} // an attachment
	default:
		return 0, nil // brackets of the author's own
	}
	return end + 2, func() { r.w.text(label, style, address) }
}

// styled returns the text between the mark at i and its closing mark: the opening one begins a word, the closing one ends a word of the
// same line.
func (r *wikiInline) styled(i int) (string, bool) {
	s, mark := r.s, r.s[i]
	if before, _ := utf8.DecodeLastRuneInString(s[:i]); i > 0 && (unicode.IsLetter(before) || unicode.IsDigit(before)) {
		return "", false
	}
	if i+1 >= len(s) || isBlank(rune(s[i+1])) || s[i+1] == mark {
		return "", false
	}
	for j := i + 2; j < len(s) && s[j] != '\n' && j < i+1000; j++ {
		if s[j] != mark || isBlank(rune(s[j-1])) {
			continue
		}
		if after, _ := utf8.DecodeRuneInString(s[j+1:]); j+1 < len(s) && (unicode.IsLetter(after) || unicode.IsDigit(after)) {
			continue
		}
		return s[i+1 : j], true
	}
	return "", false
}
