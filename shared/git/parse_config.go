package git

import (
	"fmt"
	"strings"
)

// ParseConfig reads the syntax of git configuration files ("CONFIGURATION FILE,
// Syntax" in git-config(1)).
func ParseConfig(text []byte) ([]ConfigEntry, error) {
	p := configParser{text: strings.TrimPrefix(string(text), "\ufeff"), line: 1}
	var entries []ConfigEntry
	section := ""
	for {
		p.skipBlank()
		if p.done() {
			return entries, nil
		}
		if p.peek() == '[' {
			name, err := p.section()
			if err != nil {
				return nil, err
			}
			section = name
			continue
		}
		name := p.name()
		if name == "" || section == "" {
			return nil, fmt.Errorf("bad configuration line %d", p.line)
		}
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		entries = append(entries, ConfigEntry{Key: section + "." + strings.ToLower(name), Value: value})
	}
}

type configParser struct {
	text string
	pos  int
	line int
}

func (p *configParser) done() bool { return p.pos >= len(p.text) }
func (p *configParser) peek() byte { return p.text[p.pos] }

func (p *configParser) next() byte {
	c := p.text[p.pos]
	p.pos++
	if c == '\n' {
		p.line++
	}
	return c
}

// skipBlank passes white space and comments.
func (p *configParser) skipBlank() {
	for !p.done() {
		switch p.peek() {
		case ' ', '\t', '\r', '\n':
			p.next()
		case '#', ';':
			p.skipLine()
		default:
			return
		}
	}
}

func (p *configParser) skipLine() {
	for !p.done() && p.next() != '\n' {
	}
}

func (p *configParser) skipSpaces() {
	for !p.done() && (p.peek() == ' ' || p.peek() == '\t') {
		p.next()
	}
}

// section reads [name], [name "sub"] or the old [name.sub].
func (p *configParser) section() (string, error) {
	p.next()
	start := p.pos
	for !p.done() && (isNameByte(p.peek()) || p.peek() == '.') {
		p.next()
	}
	name := strings.ToLower(p.text[start:p.pos])
	p.skipSpaces()
	if !p.done() && p.peek() == '"' {
		p.next()
		var sub strings.Builder
		for {
			if p.done() || p.peek() == '\n' {
				return "", fmt.Errorf("unfinished section name in line %d", p.line)
			}
			c := p.next()
			if c == '"' {
				break
			}
			if c == '\\' && !p.done() {
				c = p.next()
			}
			sub.WriteByte(c)
		}
		name += "." + sub.String()
	}
	if name == "" || p.done() || p.next() != ']' {
		return "", fmt.Errorf("bad section name in line %d", p.line)
	}
	return name, nil
}

func (p *configParser) name() string {
	start := p.pos
	for !p.done() && isNameByte(p.peek()) {
		p.next()
	}
	return p.text[start:p.pos]
}

// value reads the rest after a name: nothing means true, else "= text" with quotes, escapes, trailing comments and continued lines.
func (p *configParser) value() (string, error) {
	p.skipSpaces()
	if p.done() || p.peek() == '\n' || p.peek() == '\r' || p.peek() == '#' || p.peek() == ';' {
		p.skipLine()
		return "true", nil
	}
	if p.next() != '=' {
		return "", fmt.Errorf("bad configuration line %d", p.line)
	}
	p.skipSpaces()
	var value strings.Builder
	quoted, kept := false, 0 // kept: the length below which trailing spaces are not trimmed
	for !p.done() {
		c := p.next()
		switch {
		case c == '\n':
			if quoted {
				return "", fmt.Errorf("unfinished quote before line %d", p.line)
			}
			return trimValue(value.String(), kept), nil
		case c == '"':
			quoted = !quoted
			kept = value.Len()
		case c == '\\':
			r, skip, err := p.escape()
			if err != nil {
				return "", err
			}
			if !skip {
				value.WriteByte(r)
				kept = value.Len()
			}
		case !quoted && (c == '#' || c == ';'):
			p.skipLine()
			return trimValue(value.String(), kept), nil
		default:
			value.WriteByte(c)
			if quoted {
				kept = value.Len()
			}
		}
	}
	if quoted {
		return "", fmt.Errorf("unfinished quote in line %d", p.line)
	}
	return trimValue(value.String(), kept), nil
}

// escape reads what follows a backslash; skip says it continued the line.
func (p *configParser) escape() (c byte, skip bool, err error) {
	if p.done() {
		return 0, true, nil
	}
	switch c = p.next(); c {
	case '\n':
		return 0, true, nil
	case '\r':
		if !p.done() && p.peek() == '\n' {
			p.next()
			return 0, true, nil
		}
	case 't':
		return '\t', false, nil
	case 'n':
		return '\n', false, nil
	case 'b':
		return '\b', false, nil
	case '\\', '"':
		return c, false, nil
	}
	return 0, false, fmt.Errorf("bad escape in line %d", p.line)
}

// trimValue drops trailing white space that was not quoted.
func trimValue(value string, kept int) string {
	return value[:kept] + strings.TrimRight(value[kept:], " \t\r")
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-'
}
