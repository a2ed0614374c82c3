package agentsmd

import "strings"

// The marks of the block that classify writes; its content is read first.
const (
	blockStart = "<!-- classify:start -->"
	blockEnd   = "<!-- classify:end -->"
)

// takeBlock returns the content of classify's own block, and the text without it.
func takeBlock(text string) (block, rest string) {
	from, to := ownBlock(text)
	if to < 0 {
		return "", text
	}
	return text[from+len(blockStart) : to-len(blockEnd)], text[:from] + text[to:]
}

// ownBlock returns where classify's own block begins and ends, with its marks; from is -1 without a block, to is -1 without its end.
func ownBlock(text string) (from, to int) {
	from = startOfBlock(text)
	if from < 0 {
		return -1, -1
	}
	inside, _, ended := strings.Cut(text[from+len(blockStart):], blockEnd)
	if !ended || strings.Contains(inside, blockStart) { // the end is another block's
		return from, -1
	}
	return from, from + len(blockStart) + len(inside) + len(blockEnd)
}

// startOfBlock returns where the first mark stands that begins a block, on a line of its own, -1 for nowhere. A mark in fenced code is an
// example. A fence that is never closed hides nothing, since a block that was written behind it must be found again.
func startOfBlock(text string) int {
	at, fence, hidden := 0, "", -1
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		switch {
		case fence != "" && closes(fence, bare):
			fence, hidden = "", -1
		case fence == "":
			fence = fenceOf(bare)
		}
		if bare == blockStart {
			mark := at + strings.Index(line, blockStart)
			if fence == "" {
				return mark
			}
			hidden = mark
		}
		at += len(line)
	}
	return hidden
}

// fenceOf returns the fence of code that a line opens, "" for none. Between backticks on one line there is code in a sentence.
func fenceOf(bare string) string {
	if !strings.HasPrefix(bare, "```") && !strings.HasPrefix(bare, "~~~") {
		return ""
	}
	about := strings.TrimLeft(bare, bare[:1])
	if bare[0] == '`' && strings.Contains(about, "`") {
		return ""
	}
	return bare[:len(bare)-len(about)]
}

// closes reports whether a line closes a fence.
func closes(fence, bare string) bool {
	return strings.HasPrefix(bare, fence) && strings.Trim(bare, fence[:1]) == ""
}

// maxBlocks bounds the different blocks that are recognised.
const maxBlocks = 200

// strip removes text that is not the project's own: blocks that tools manage, comments, fenced code, and front matter.
func strip(text string) string {
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		if _, after, ok := strings.Cut(rest, "\n---\n"); ok {
			text = after
		}
	}
	var out strings.Builder
	lower, ends := strings.ToLower(text), map[string]bool{} // the ends of blocks in the text
	until, fence := "", ""                                  // the marker that ends the current block; the fence
	comment := false
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		switch {
		case until != "":
			if strings.EqualFold(marker(bare), until) {
				until = ""
			}
			continue
		case fence != "":
			if closes(fence, bare) {
				fence = ""
			}
			continue
		case comment:
			if _, after, ok := strings.Cut(line, "-->"); ok {
				comment = false
				out.WriteString(after)
			}
			continue
		case fenceOf(bare) != "":
			fence = fenceOf(bare)
			continue
		}
		if m := marker(bare); m != "" {
			if end := closing(m); end != "" {
				there, known := ends[end]
				if !known {
					there = len(ends) < maxBlocks && strings.Contains(lower, strings.ToLower(end))
					ends[end] = there
				}
				if there {
					until = end
					continue
				}
			}
		}
		for {
			before, after, ok := strings.Cut(line, "<!--")
			if !ok {
				break
			}
			_, rest, closed := strings.Cut(after, "-->")
			if !closed {
				line, comment = before+"\n", true
				break
			}
			line = before + rest
		}
		out.WriteString(line)
	}
	return out.String()
}

// marker returns the text of a line that is a single comment, "" for other lines.
func marker(line string) string {
	inner, ok := strings.CutPrefix(line, "<!--")
	if !ok {
		return ""
	}
	inner, ok = strings.CutSuffix(inner, "-->")
	if !ok {
		return ""
	}
	return strings.TrimSpace(inner)
}

// closing returns the marker that ends the block that m begins: BEGIN X … END X, x:start … x:end, x-start … x-end; "" when m begins none.
func closing(m string) string {
	lower := strings.ToLower(m)
	if strings.HasPrefix(lower, "begin") {
		name := strings.TrimLeft(m[len("begin"):], " :-_")
		if fields := strings.Fields(name); len(fields) > 0 { // versions and hashes may follow the name
			return endLike(m, fields[0])
		}
		return ""
	}
	word := strings.Fields(lower)
	if len(word) == 0 {
		return ""
	}
	for _, apart := range []string{":", "-", "_", " "} {
		for _, pair := range [][2]string{{"start", "end"}, {"begin", "end"}} {
			if name, ok := strings.CutSuffix(word[0], apart+pair[0]); ok && name != "" {
				return name + apart + pair[1]
			}
		}
	}
	if len(word) > 1 && (word[len(word)-1] == "start" || word[len(word)-1] == "begin") {
		return strings.Join(word[:len(word)-1], " ") + " end"
	}
	return ""
}

// endLike returns END with the same text between it and the name as behind BEGIN.
func endLike(begin, name string) string {
	apart := begin[len("begin") : len("begin")+strings.Index(begin[len("begin"):], name)]
	return "END" + apart + name
}

// WithoutBlock is a text without classify's own block.
func WithoutBlock(text []byte) []byte {
	_, rest := takeBlock(string(text))
	return []byte(rest)
}

// withoutBrackets returns a sentence without its parts in round brackets.
func withoutBrackets(s string) string {
	for {
		before, rest, ok := strings.Cut(s, "(")
		_, after, closed := strings.Cut(rest, ")")
		if !ok || !closed {
			return s
		}
		s = before + after
	}
}
