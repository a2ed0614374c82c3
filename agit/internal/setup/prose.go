package setup

import (
	"regexp"
	"strings"
	"sync"
)

// listItem matches the beginning of a list item. The item's further lines are indented, but not code.
var listItem = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]`) })

// prose returns a Markdown text without its code blocks and comments, in which clients do not follow imports. The other lines keep their
// positions.
func prose(text string) string {
	var out strings.Builder
	fence, comment := "", false
	item, blank, code := false, true, false // within a list, behind a blank line, in indented code
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
		empty := strings.TrimSpace(line) == ""
		code = fence == "" && !comment && !item && indented && (blank || code) && !empty
		if !indented && !empty {
			item = listItem().MatchString(line)
		}
		blank = empty
		if code {
			out.WriteByte('\n')
			continue
		}
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
