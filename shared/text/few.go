package text

import (
	"fmt"
	"strings"
)

// Few names the first five of many, and how many more there are: "a, b, c, d, e and 2 more". A name with control
// characters is quoted.
func Few(names []string) string {
	const few = 5
	quoted := make([]string, 0, few)
	for _, name := range names[:min(len(names), few)] {
		if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			name = fmt.Sprintf("%q", name)
		}
		quoted = append(quoted, name)
	}
	list := strings.Join(quoted, ", ")
	if more := len(names) - few; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
