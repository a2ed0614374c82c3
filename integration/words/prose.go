package main

import (
	"regexp"
	"strings"
)

// line is one line of a text, without the marks of a comment or a list.
type line struct {
	number int
	text   string
}

// quoted are words in quotes or backticks, which are about words or are code.
var quoted = regexp.MustCompile("`[^`]*`|\"[^\"]*\"|“[^”]*”")

// end is where a sentence ends.
var end = regexp.MustCompile(`[.!?]["')]* +`)

// inProse reads paragraphs, which empty lines separate, sentence by sentence.
func inProse(file string, lines []line) (all []finding) {
	for len(lines) > 0 {
		n := 0
		for n < len(lines) && strings.TrimSpace(lines[n].text) != "" {
			n++
		}
		all = append(all, inParagraph(file, lines[:n])...)
		lines = lines[min(n+1, len(lines)):]
	}
	return all
}

func inParagraph(file string, lines []line) (all []finding) {
	if len(lines) == 0 {
		return nil
	}
	var text strings.Builder
	var starts []int // of each line, in text
	for _, l := range lines {
		starts = append(starts, text.Len())
		text.WriteString(quoted.ReplaceAllStringFunc(strings.TrimSpace(l.text), func(q string) string { return strings.Repeat("'", len(q)) }))
		text.WriteByte(' ')
	}
	whole := text.String()
	for at := 0; at < len(whole); {
		till := len(whole)
		if stop := end.FindStringIndex(whole[at:]); stop != nil {
			till = at + stop[1]
		}
		sentence := whole[at:till]
		out, plain := inSentence(strings.TrimRight(sentence, " "))
		for i := range out {
			from := at + max(0, strings.Index(sentence, out[i]))
			all = append(all, finding{file, numberAt(lines, starts, from), out[i], plain[i]})
		}
		at = till
	}
	return all
}

// numberAt is the number of the line that an offset of the joined text is on.
func numberAt(lines []line, starts []int, offset int) int {
	number := lines[0].number
	for i, start := range starts {
		if start <= offset {
			number = lines[i].number
		}
	}
	return number
}

// mark is what begins an item of a list.
var mark = regexp.MustCompile(`^\s*([-*+]|\d+\.) +`)

// inMarkdown reads the paragraphs and lists of a page. Headings, tables, quotes and code
// are left out; each item of a list is a paragraph.
func inMarkdown(file string, text []byte) (all []finding) {
	var paragraph []line
	flush := func() {
		all = append(all, inProse(file, paragraph)...)
		paragraph = nil
	}
	fenced := false
	for i, l := range strings.Split(string(text), "\n") {
		trimmed := strings.TrimSpace(l)
		switch {
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			flush()
			fenced = !fenced
		case fenced, trimmed == "", strings.HasPrefix(trimmed, "#"), strings.HasPrefix(trimmed, "|"), strings.HasPrefix(trimmed, ">"), strings.HasPrefix(l, "\t"):
			flush()
		case mark.MatchString(l):
			flush()
			paragraph = append(paragraph, line{i + 1, strings.NewReplacer("**", "").Replace(mark.ReplaceAllString(l, ""))})
		default:
			paragraph = append(paragraph, line{i + 1, l})
		}
	}
	flush()
	return all
}
