package manifest

import (
	"iter"
	"strings"
)

// A yamlLine is a line of a plain YAML file that is not empty.
type yamlLine struct {
	number     int      // from 1
	tab        bool     // it is indented with a tab
	keys       []string // above it, the outermost first; valid until the next line is read
	item       bool     // it begins an item of a sequence
	text       string   // without white space around it
	key, value string   // behind the dash of an item; only a value when it is not a key
	isKey      bool
}

// top reports whether a line is a key at the left margin.
func (l *yamlLine) top() bool { return len(l.keys) == 0 && l.isKey && !l.item }

// under reports whether a line belongs to a key at the left margin.
func (l *yamlLine) under(key string) bool { return len(l.keys) > 0 && l.keys[0] == key }

// yamlLines yields the lines of a plain YAML file with the keys above each. Anchors, tags and block scalars are lines like others.
func yamlLines(text string) iter.Seq[yamlLine] {
	return func(yield func(yamlLine) bool) {
		var keys []string
		var indents []int
		number := 0
		for line := range strings.SplitSeq(text, "\n") {
			number++
			content := strings.TrimRight(yamlUncomment(line), " \t\r")
			rest := strings.TrimLeft(content, " ")
			if rest == "" || strings.HasPrefix(rest, "---") {
				continue
			}
			indent := len(content) - len(rest)
			l := yamlLine{number: number, tab: rest[0] == '\t', text: strings.TrimLeft(rest, "\t ")}
			rest = l.text
			for strings.HasPrefix(rest, "- ") || rest == "-" {
				l.item = true
				inner := strings.TrimLeft(rest[1:], " ")
				indent, rest = indent+len(rest)-len(inner), inner
			}
			// A sequence may stand at the indent of its key; a key never belongs to one at its own indent.
			for len(keys) > 0 && indents[len(keys)-1] >= indent {
				keys, indents = keys[:len(keys)-1], indents[:len(keys)-1]
			}
			l.keys = keys
			if l.key, l.value, l.isKey = yamlKey(rest); !l.isKey {
				l.value = rest
			}
			if !yield(l) {
				return
			}
			if l.isKey && len(keys) < 64 {
				keys, indents = append(keys, l.key), append(indents, indent)
			}
		}
	}
}

// A listItem is a scalar in a YAML sequence, with the mapping key above the sequence.
type listItem struct {
	key   string
	depth int // the number of keys above it
	value string
}

// yamlLists returns the scalars of all block and flow sequences of a plain YAML file.
func yamlLists(text string) (items []listItem) {
	for l := range yamlLines(text) {
		above := len(l.keys)
		switch {
		case l.isKey && strings.HasPrefix(l.value, "["):
			for item := range strings.SplitSeq(strings.Trim(l.value, "[] "), ",") {
				if item = yamlScalar(item); item != "" {
					items = append(items, listItem{l.key, above + 1, item})
				}
			}
		case l.item && !l.isKey && l.value != "" && above > 0:
			items = append(items, listItem{l.keys[above-1], above, yamlScalar(l.value)})
		}
	}
	return items
}

// yamlText returns the text of a key at the left margin, which may be folded over lines.
func yamlText(text, key string) string {
	var parts []string
	for l := range yamlLines(text) {
		switch {
		case l.under(key):
			parts = append(parts, l.text)
		case l.top() && l.key == key && l.value != "" && !strings.ContainsAny(l.value[:1], ">|"):
			parts = append(parts, l.value)
		}
	}
	return yamlScalar(strings.Join(parts, " "))
}

// yamlTop returns the scalar of a key at the left margin.
func yamlTop(text, key string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			return yamlScalar(yamlUncomment(rest))
		}
	}
	return ""
}

// yamlUncomment drops a comment that is not inside quotes.
func yamlUncomment(line string) string {
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && (i == 0 || strings.IndexByte(" [,:-", line[i-1]) >= 0):
			quote = c
		case c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return line[:i]
		}
	}
	return line
}

// yamlKey splits "key: value". A colon inside a quoted scalar or without a space after it does not count.
func yamlKey(s string) (key, value string, ok bool) {
	s = strings.TrimRight(s, " \t")
	if s == "" {
		return "", "", false
	}
	if q := s[0]; q == '"' || q == '\'' {
		end := strings.IndexByte(s[1:], q)
		if end < 0 || !strings.HasPrefix(s[end+2:], ":") {
			return "", "", false
		}
		return s[1 : end+1], strings.TrimSpace(s[end+3:]), true
	}
	if strings.HasSuffix(s, ":") {
		return s[:len(s)-1], "", true
	}
	key, value, ok = strings.Cut(s, ": ")
	return key, strings.TrimSpace(value), ok
}

func yamlScalar(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
