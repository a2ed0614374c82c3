package redact

import "strings"

// Lines is Redact for what has to keep its lines, such as a file or a quotation
// of one: a secret of several lines is taken out of each.
func Lines(s string) string {
	hits := find(s)
	if len(hits) == 0 {
		return s
	}
	var b strings.Builder
	done := 0
	for _, h := range hits {
		b.WriteString(s[done:h.from])
		for line := range strings.Lines(s[h.from:h.to]) {
			text := strings.TrimRight(line, "\r\n")
			if text != "" {
				b.WriteString(Mark + h.kind + "]")
			}
			b.WriteString(line[len(text):])
		}
		done = h.to
	}
	b.WriteString(s[done:])
	return b.String()
}
