package description

import "strings"

// maxWork bounds the work of the markdown library for one text. For each opened link, emphasis or tag it searches for the end as far as the
// end of the paragraph, and it visits every open container at each line.
const maxWork = 100_000_000

// hardToParse reports a text for which the markdown library would need time that grows with the square of its size. Texts that people write
// stay far below this.
func hardToParse(s string) bool {
	if len(s) < 4096 {
		return false
	}
	var size, begun, work int
	for line := range strings.Lines(s) {
		if marks := containers(line); marks > maxDepth {
			return true
		}
		if strings.TrimSpace(line) == "" {
			size, begun = 0, 0
			continue
		}
		size += len(line)
		for i := range len(line) {
			switch line[i] {
			case '[', ']', '*', '_', '<', '`', '!', '\\', '&':
				begun++
			}
		}
		if work = begun * size; work > maxWork {
			return true
		}
	}
	return false
}

// containers counts the quotes and list items that a line opens.
func containers(line string) int {
	n := 0
	for i := range len(line) {
		switch c := line[i]; {
		case c == '>', c == '-' && i+1 < len(line) && line[i+1] == ' ', c == '*' && i+1 < len(line) && line[i+1] == ' ', c == '+':
			n++
		case (c == '.' || c == ')') && i > 0 && line[i-1] >= '0' && line[i-1] <= '9':
			n++
		case c == ' ', c == '\t', c >= '0' && c <= '9':
		default:
			return n
		}
	}
	return n
}
