package manifest

import "strings"

// A listItem is a scalar in a YAML sequence, with the mapping key above the sequence.
type listItem struct {
	key   string
	depth int // the number of keys and sequences above it
	value string
	line  int
}

// yamlLists returns the scalars of all block and flow sequences of a plain YAML file. It does not support anchors, tags or block scalars:
// its two files, pnpm-workspace.yaml and environment.yml, are lists of words.
func yamlLists(text string) []listItem {
	type level struct {
		indent int
		key    string
	}
	var items []listItem
	var stack []level
	for number, line := range strings.Split(text, "\n") {
		content := yamlUncomment(line)
		trimmed := strings.TrimLeft(content, " ")
		if strings.TrimSpace(trimmed) == "" || strings.HasPrefix(trimmed, "---") {
			continue
		}
		indent := len(content) - len(trimmed)
		inSequence := false
		for strings.HasPrefix(trimmed, "- ") || trimmed == "-" {
			inSequence = true
			rest := strings.TrimLeft(trimmed[1:], " ")
			indent += len(trimmed) - len(rest)
			trimmed = rest
			if trimmed == "" {
				break
			}
		}
		// A sequence may stand at the indent of its key; a key never belongs to one at its own indent.
		for len(stack) > 0 && stack[len(stack)-1].indent >= indent {
			stack = stack[:len(stack)-1]
		}
		key, value, isKey := yamlKey(trimmed)
		parent := ""
		if len(stack) > 0 {
			parent = stack[len(stack)-1].key
		}
		if isKey {
			if len(stack) < 64 {
				stack = append(stack, level{indent, key})
			}
			if strings.HasPrefix(value, "[") {
				for _, item := range strings.Split(strings.Trim(value, "[] "), ",") {
					if item = yamlScalar(item); item != "" {
						items = append(items, listItem{key, len(stack), item, number + 1})
					}
				}
			}
			continue
		}
		if inSequence && trimmed != "" {
			items = append(items, listItem{parent, len(stack), yamlScalar(trimmed), number + 1})
		}
	}
	return items
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
