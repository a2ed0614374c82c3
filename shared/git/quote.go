package git

import "strings"

// Quote writes a path as git reads it in streams and lists and shows it to people: between double quotes, with every byte escaped that is
// not plain ASCII or would end the quotes.
func Quote(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case strings.IndexByte("\a\b\t\n\v\f\r", c) >= 0:
			b.WriteByte('\\')
			b.WriteByte("abtnvfr"[c-'\a'])
		case c < 0x20 || c >= 0x7f:
			b.WriteString(`\` + string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7}))
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
