package ignore

import "strings"

// wild matches text against a glob as git's wildmatch does with WM_PATHNAME: the whole text, byte by byte. Wildcards stop at slashes; "**"
// between slashes matches any number of folders. Each step takes one from left; below zero nothing matches.
func wild(left *int, glob, text string) bool {
	m := matcher{glob: glob, left: left}
	return m.match(0, text)
}

type matcher struct {
	glob string
	left *int // steps
}

// match compares the glob from g on with all of text.
func (m *matcher) match(g int, text string) bool {
	for g < len(m.glob) {
		if *m.left--; *m.left < 0 {
			return false
		}
		if m.glob[g] == '*' {
			return m.star(g, text)
		}
		if text == "" {
			return false
		}
		switch c := m.glob[g]; c {
		case '?':
			if text[0] == '/' {
				return false
			}
			g++
		case '[':
			in, next := m.class(g, text[0])
			if !in || text[0] == '/' {
				return false
			}
			g = next
		default:
			if c == '\\' && g+1 < len(m.glob) {
				g++
			}
			if m.glob[g] != text[0] {
				return false
			}
			g++
		}
		text = text[1:]
	}
	return text == ""
}

// star matches from a run of stars on.
func (m *matcher) star(g int, text string) bool {
	end := g
	for end < len(m.glob) && m.glob[end] == '*' {
		end++
	}
	rest := m.glob[end:]
	folders := end-g >= 2 && (g == 0 || m.glob[g-1] == '/') &&
		(rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`))
	if folders && rest != "" && rest[0] == '/' && m.match(end+1, text) {
		return true // no folder at all
	}
	if rest == "" {
		return folders || !strings.Contains(text, "/")
	}
	for {
		if m.match(end, text) {
			return true
		}
		if text == "" || text[0] == '/' && !folders || *m.left < 0 {
			return false
		}
		text = text[1:]
	}
}

// class reports whether c is in the bracket expression at g, and returns where the glob continues. An expression that does not end matches
// nothing.
func (m *matcher) class(g int, c byte) (in bool, next int) {
	at := func(i int) byte {
		if i < len(m.glob) {
			return m.glob[i]
		}
		return 0
	}
	i := g + 1
	negated := at(i) == '!' || at(i) == '^'
	if negated {
		i++
	}
	var previous byte // start of a range, 0 when there can be none
	for first := true; first || at(i) != ']'; first = false {
		switch ch := at(i); {
		case ch == 0:
			return false, len(m.glob)
		case ch == '\\':
			i++
			if previous = at(i); previous == 0 {
				return false, len(m.glob)
			}
			in = in || c == previous
		case ch == '-' && previous != 0 && at(i+1) != 0 && at(i+1) != ']':
			i++
			last := at(i)
			if last == '\\' {
				i++
				if last = at(i); last == 0 {
					return false, len(m.glob)
				}
			}
			in = in || previous <= c && c <= last
			previous = 0
		case ch == '[' && at(i+1) == ':':
			name, ok := className(m.glob[i+2:])
			if !ok {
				previous = ch
				in = in || c == ch
				break
			}
			member, known := posix(name, c)
			if !known {
				return false, len(m.glob)
			}
			in = in || member
			i += len(name) + 3 // to the bracket that closes the name
			previous = 0
		default:
			previous = ch
			in = in || c == ch
		}
		i++
	}
	return in != negated, i + 1
}

// className reads the name in [:name:] from behind the first colon.
func className(s string) (string, bool) {
	end := strings.IndexByte(s, ']')
	if end < 1 || s[end-1] != ':' {
		return "", false
	}
	return s[:end-1], true
}

// posix reports whether c is in a named class, as in the C locale.
func posix(name string, c byte) (in, known bool) {
	upper, lower, digit := 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', '0' <= c && c <= '9'
	graph := 0x21 <= c && c <= 0x7e
	switch name {
	case "alnum":
		return upper || lower || digit, true
	case "alpha":
		return upper || lower, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < 0x20 || c == 0x7f, true
	case "digit":
		return digit, true
	case "graph":
		return graph, true
	case "lower":
		return lower, true
	case "print":
		return graph || c == ' ', true
	case "punct":
		return graph && !upper && !lower && !digit, true
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r', true
	case "upper":
		return upper, true
	case "xdigit":
		return digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F', true
	}
	return false, false
}
