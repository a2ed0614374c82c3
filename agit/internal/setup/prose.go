package setup

import "strings"

// prose is a Markdown text without its fenced code and its comments, in which clients follow no imports. Lines keep their places.
func prose(text string) string {
	var out strings.Builder
	fence, comment := "", false
	for line := range strings.Lines(text) {
		bare := strings.TrimLeft(strings.TrimRight(line, "\r\n"), " \t>")
		switch {
		case fence != "":
			if strings.HasPrefix(bare, fence) && strings.Trim(bare, fence[:1]+" \t") == "" {
				fence = ""
			}
			out.WriteByte('\n')
			continue
		case !comment && (strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")):
			fence = bare[:len(bare)-len(strings.TrimLeft(bare, bare[:1]))]
			out.WriteByte('\n')
			continue
		}
		for line != "" {
			mark := "<!--"
			if comment {
				mark = "-->"
			}
			before, after, found := strings.Cut(line, mark)
			if !comment {
				out.WriteString(before)
			}
			if !found {
				break
			}
			comment, line = !comment, after
		}
		if comment {
			out.WriteByte('\n')
		}
	}
	return out.String()
}
