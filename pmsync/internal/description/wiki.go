package description

import (
	"strings"
)

// parseWiki reads Jira wiki markup: headings (h2.), lists (*, #, - and their
// mixtures), tables (||, |), and the macros that hold blocks (panel, quote,
// expand, code, noformat).
func parseWiki(s string) []Block {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	r := &wikiReader{lines: strings.Split(s, "\n")}
	return r.blocks("", 0)
}

type wikiReader struct {
	lines []string
	next  int
}

// blocks reads up to the line that closes macro (the end of the text if macro
// is empty).
func (r *wikiReader) blocks(macro string, depth int) []Block {
	var blocks []Block
	var words []string
	flush := func() {
		blocks, words = append(blocks, paragraph(wikiSpans(strings.Join(words, "\n")))...), nil
	}
	for r.next < len(r.lines) {
		line := strings.TrimSpace(r.lines[r.next])
		if macro != "" {
			if before, after, found := cutFold(line, "{"+macro+"}"); found {
				if strings.TrimSpace(before) != "" {
					words = append(words, before)
				}
				flush()
				r.goOn(after)
				return blocks
			}
		}
		if b, ok := r.block(line, depth); ok {
			flush()
			blocks = append(blocks, b...)
			continue
		}
		r.next++
		if line == "" {
			flush()
			continue
		}
		words = append(words, line)
	}
	flush()
	return blocks
}

// goOn goes on with the rest of a line, or with the next line if there is none.
func (r *wikiReader) goOn(rest string) {
	if strings.TrimSpace(rest) != "" {
		r.lines[r.next] = rest
	} else {
		r.next++
	}
}

// block reads a block other than a paragraph, if one begins at line.
func (r *wikiReader) block(line string, depth int) ([]Block, bool) {
	if name, title, rest, ok := wikiMacro(line); ok && depth < maxDepth {
		return r.macro(name, title, rest, depth), true
	}
	switch {
	case len(line) > 3 && line[0] == 'h' && line[1] >= '1' && line[1] <= '6' && line[2] == '.' && (line[3] == ' ' || line[3] == '\t' || line[3] == '*'):
		r.next++
		if spans := wikiSpans(line[3:]); len(spans) > 0 {
			return []Block{{Kind: Heading, Level: int(line[1] - '0'), Spans: spans}}, true
		}
		return nil, true
	case strings.HasPrefix(line, "bq. "):
		r.next++
		return []Block{{Kind: Quote, Children: []Block{{Kind: Paragraph, Spans: wikiSpans(line[4:])}}}}, true
	case len(line) >= 4 && strings.Trim(line, "-") == "":
		r.next++
		return []Block{{Kind: Rule}}, true
	case strings.HasPrefix(line, "|"):
		return []Block{r.table()}, true
	case wikiBullet(line) != "":
		return r.list(), true
	}
	return nil, false
}

// wikiMacro cuts "{panel:title=x|…}rest" at the start of a line.
func wikiMacro(line string) (name, title, rest string, ok bool) {
	if !strings.HasPrefix(line, "{") {
		return
	}
	end := strings.IndexByte(line, '}')
	if end < 0 {
		return
	}
	name, arguments, _ := strings.Cut(line[1:end], ":")
	name = strings.ToLower(name)
	switch name {
	case "panel", "info", "note", "tip", "warning", "expand", "quote", "code", "noformat":
	default:
		return "", "", "", false
	}
	for argument := range strings.SplitSeq(arguments, "|") {
		key, value, found := strings.Cut(argument, "=")
		switch {
		case found && strings.EqualFold(strings.TrimSpace(key), "title"):
			title = value
		case !found && name == "expand" || !found && name == "code":
			title = argument
		}
	}
	return name, strings.TrimSpace(title), line[end+1:], true
}

func (r *wikiReader) macro(name, title, rest string, depth int) []Block {
	if name == "code" || name == "noformat" {
		return []Block{{Kind: Code, Language: strings.ToLower(title), Spans: []Span{{Text: r.verbatim(name, rest)}}}}
	}
	r.goOn(rest)
	kind := Group
	if name == "quote" {
		kind = Quote
	}
	block := Block{Kind: kind, Spans: wikiSpans(title)}
	block.Children = r.blocks(name, depth+1)
	return []Block{block}
}

// verbatim returns the lines up to the macro's end, as they are.
func (r *wikiReader) verbatim(name, rest string) string {
	var b strings.Builder
	for line := rest; ; line = r.lines[r.next] {
		before, after, found := cutFold(line, "{"+name+"}")
		b.WriteString(before + "\n")
		if found {
			r.goOn(after)
			break
		}
		if r.next++; r.next >= len(r.lines) {
			break
		}
	}
	return strings.Trim(b.String(), "\n")
}

// cutFold cuts s around the first sep, in any case of ASCII letters.
func cutFold(s, sep string) (before, after string, found bool) {
	for at := 0; at+len(sep) <= len(s); at++ {
		if s[at] == '{' && strings.EqualFold(s[at:at+len(sep)], sep) {
			return s[:at], s[at+len(sep):], true
		}
	}
	return s, "", false
}

// wikiBullet returns the marks that make a line a list item ("*", "##", "*-").
func wikiBullet(line string) string {
	end := len(line) - len(strings.TrimLeft(line, "*#-"))
	if end == 0 || end > 20 || end >= len(line) || line[end] != ' ' && line[end] != '\t' || end > 1 && line[0] == '-' {
		return ""
	}
	return line[:end]
}

// wikiItem is a line of a list before the tree is made.
type wikiItem struct {
	depth   int
	ordered bool
	text    string
}

func (r *wikiReader) list() []Block {
	var items []wikiItem
	for ; r.next < len(r.lines); r.next++ {
		line := strings.TrimSpace(r.lines[r.next])
		if marks := wikiBullet(line); marks != "" {
			items = append(items, wikiItem{len(marks), marks[len(marks)-1] == '#', strings.TrimSpace(line[len(marks):])})
			continue
		}
		if _, _, _, macro := wikiMacro(line); line == "" || macro || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "{") ||
			len(line) > 3 && line[0] == 'h' && line[2] == '.' || isWikiLabel(line) {
			break
		}
		if n := len(items) - 1; len(items[n].text) < 64<<10 { // a continuation line
			items[n].text += "\n" + line
		}
	}
	return wikiTree(items)
}

// isWikiLabel reports a line of nothing but bold words, as people write headings. It does not continue the item above it.
func isWikiLabel(line string) bool {
	inner, bold := strings.CutPrefix(strings.TrimRight(line, ": "), "*")
	inner, closed := strings.CutSuffix(inner, "*")
	return bold && closed && inner != "" && !strings.Contains(inner, "*") && inner[0] != ' ' && len(inner) < 80
}

// wikiTree nests items by their depth. It begins another list where bullets change to numbers.
func wikiTree(items []wikiItem) []Block {
	var lists []Block
	for start := 0; start < len(items); {
		top := items[start]
		list := Block{Kind: List, Ordered: top.ordered}
		for start < len(items) && (items[start].depth > top.depth || items[start].ordered == top.ordered && items[start].depth == top.depth) {
			item := Block{Kind: Item, Children: []Block{{Kind: Paragraph, Spans: wikiSpans(items[start].text)}}}
			end := start + 1
			for end < len(items) && items[end].depth > top.depth {
				end++
			}
			item.Children = append(item.Children, wikiTree(items[start+1:end])...)
			list.Children = append(list.Children, item)
			start = end
		}
		lists = append(lists, list)
	}
	return lists
}

func (r *wikiReader) table() Block {
	table := Block{Kind: Table}
	for ; r.next < len(r.lines); r.next++ {
		line := strings.TrimSpace(r.lines[r.next])
		if !strings.HasPrefix(line, "|") {
			if line == "" || len(table.Children) == 0 || strings.HasSuffix(strings.TrimSpace(r.lines[r.next-1]), "|") || wikiBullet(line) == "" {
				break
			}
			row := &table.Children[len(table.Children)-1] // a list inside the last cell
			if n := len(row.Children); n > 0 {
				cell := &row.Children[n-1]
				cell.Children = append(cell.Children, Block{Kind: Paragraph, Spans: wikiSpans(strings.TrimRight(line, "|"))})
			}
			continue
		}
		table.Children = append(table.Children, wikiRow(line))
	}
	return table
}

func wikiRow(line string) Block {
	row := Block{Kind: Row}
	for line != "" {
		head := strings.HasPrefix(line, "||")
		line = strings.TrimPrefix(strings.TrimPrefix(line, "|"), "|")
		end := wikiBar(line)
		if strings.TrimSpace(line[:end]) == "" && end == len(line) {
			break
		}
		row.Children = append(row.Children, Block{Kind: Cell, Head: head, Children: paragraph(wikiSpans(line[:end]))})
		line = line[end:]
	}
	return row
}

// wikiBar returns the end of the cell at the start of s. Bars inside links and macros or after a backslash do not end it.
func wikiBar(s string) int {
	open := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[', '{':
			open++
		case ']', '}':
			open = max(open-1, 0)
		case '|':
			if open == 0 || strings.IndexByte(s[i:], ']') < 0 && strings.IndexByte(s[i:], '}') < 0 {
				return i
			}
		}
	}
	return len(s)
}
