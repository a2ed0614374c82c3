package agentsmd

import "strings"

// unlink replaces [text](address) and [text][reference] by text, and removes images and bare addresses.
func unlink(s string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "[")
		image := strings.HasSuffix(before, "!")
		out.WriteString(strings.TrimSuffix(before, "!"))
		if !ok {
			return out.String()
		}
		if image && strings.HasPrefix(rest, "]") {
			rest = " " + rest
		}
		label, after, ok := cutBracket(rest)
		switch {
		case !ok:
			if image {
				out.WriteString("!")
			}
			out.WriteString("[")
			s = rest
			continue
		case strings.HasPrefix(after, "("):
			_, after, _ = strings.Cut(after, ")")
		case strings.HasPrefix(after, "["):
			_, after, _ = strings.Cut(after, "]")
		case image, strings.HasPrefix(label, "!"):
		default: // a reference by its own text, or plain brackets
			if !strings.HasPrefix(label, "^") {
				out.WriteString(label)
			}
			s = after
			continue
		}
		if !image {
			out.WriteString(unlink(label))
		}
		s = after
	}
}

// cutBracket splits at the bracket that closes an open one.
func cutBracket(s string) (inside, after string, ok bool) {
	depth := 1
	for i := 0; i < len(s) && i < 600; i++ {
		switch s[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return s[:i], s[i+1:], true
			}
		}
	}
	return "", s, false
}
