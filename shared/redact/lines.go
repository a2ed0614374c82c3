package redact

import "strings"

// Lines is Redact for a text that has to keep its lines, such as a file or a quotation of one: a secret of several lines is taken out of
// each line.
func Lines(s string) string { return LinesAfter("", s) }

// LinesAfter is Lines for a part of a stream. It also reads before, the part that was written already, so that a name in one part and its
// value in the next are seen together.
func LinesAfter(before, s string) string {
	hits := find(before + s)
	var b strings.Builder
	done := 0
	for _, h := range hits {
		h.from, h.to = max(h.from-len(before), 0), h.to-len(before)
		if h.to <= 0 {
			continue
		}
		b.WriteString(s[done:h.from])
		for line := range strings.Lines(s[h.from:h.to]) {
			text := strings.TrimRight(line, "\r\n")
			if text != "" {
				b.WriteString(Marked(h.kind))
			}
			b.WriteString(line[len(text):])
		}
		done = h.to
	}
	b.WriteString(s[done:])
	return b.String()
}
