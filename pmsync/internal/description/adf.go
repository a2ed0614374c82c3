package description

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// adfNode is a node of Atlassian Document Format. Attributes are read one by
// one, because their types differ between nodes.
type adfNode struct {
	Type    string                     `json:"type"`
	Text    string                     `json:"text"`
	Attrs   map[string]json.RawMessage `json:"attrs"`
	Content []adfNode                  `json:"content"`
	Marks   []struct {
		Type  string                     `json:"type"`
		Attrs map[string]json.RawMessage `json:"attrs"`
	} `json:"marks"`
}

func (n *adfNode) attr(name string) string { return jsonText(n.Attrs[name]) }

// jsonText returns a string or number as text, and "" for anything else.
func jsonText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return ""
}

func parseADF(s string) ([]Block, error) {
	if strings.TrimSpace(s) == "" || strings.TrimSpace(s) == "null" {
		return nil, nil
	}
	if len(s) > 8*MaxSize {
		return nil, fault.Validation("description", "the description is Atlassian Document Format of %d bytes; at most %d are read", len(s), 8*MaxSize)
	}
	var doc adfNode
	if err := json.Unmarshal([]byte(s), &doc); err != nil {
		return nil, fault.Validation("description", "the description is not Atlassian Document Format: %v", err)
	}
	return adfBlocks(doc.Content, 0), nil
}

// adfBlocks reads blocks. Words directly among them become a paragraph.
func adfBlocks(nodes []adfNode, depth int) []Block {
	if depth > maxDepth {
		return nil
	}
	var blocks []Block
	var words []adfNode
	flush := func() {
		blocks, words = append(blocks, paragraph(adfInline(words))...), nil
	}
	for i := range nodes {
		if slices.Contains(adfWords, nodes[i].Type) {
			words = append(words, nodes[i])
			continue
		}
		flush()
		blocks = append(blocks, adfBlock(&nodes[i], depth)...)
	}
	flush()
	return blocks
}

// adfWords are the kinds of nodes that stand among words.
var adfWords = []string{"text", "hardBreak", "mention", "emoji", "date", "status", "inlineCard", "placeholder", "inlineExtension", "mediaInline"}

func adfBlock(n *adfNode, depth int) []Block {
	one := func(b Block) []Block { return []Block{b} }
	inner := func() []Block { return adfBlocks(n.Content, depth+1) }
	switch n.Type {
	case "paragraph":
		return paragraph(adfInline(n.Content))
	case "heading":
		level, _ := strconv.Atoi(n.attr("level"))
		return one(Block{Kind: Heading, Level: min(max(level, 1), 6), Spans: adfInline(n.Content)})
	case "bulletList", "orderedList", "taskList", "decisionList":
		start, _ := strconv.Atoi(n.attr("order")) // 0 without an order
		return one(Block{Kind: List, Ordered: n.Type == "orderedList", Start: min(max(start, 0), 1<<20), Children: adfItems(n.Content, depth+1)})
	case "codeBlock":
		return one(Block{Kind: Code, Language: strings.ToLower(n.attr("language")), Spans: []Span{{Text: adfRaw(n.Content)}}})
	case "blockquote":
		return one(Block{Kind: Quote, Children: inner()})
	case "panel", "expand", "nestedExpand":
		group := Block{Kind: Group, Children: inner()}
		if title := strings.TrimSpace(n.attr("title")); title != "" {
			group.Spans = []Span{{Text: squeeze(title, true)}}
		}
		return one(group)
	case "rule":
		return one(Block{Kind: Rule})
	case "table":
		return one(adfTable(n, depth))
	case "blockCard", "embedCard":
		if url := adfURL(n); url != "" {
			return one(Block{Kind: Paragraph, Spans: []Span{{Text: url, Link: url}}})
		}
		return nil
	case "mediaSingle", "mediaGroup", "media":
		return adfPictures(n, depth)
	default: // layouts, extensions and future nodes: read their content
		return inner()
	}
}

// adfPictures returns a paragraph with the pictures, then the other children as blocks: the caption, and nodes that the schema does not
// allow there.
func adfPictures(n *adfNode, depth int) []Block {
	var pictures, rest []adfNode
	for _, child := range n.Content {
		if child.Type == "media" {
			pictures = append(pictures, child)
		} else {
			rest = append(rest, child)
		}
	}
	if n.Type == "media" {
		pictures = []adfNode{*n}
	}
	return append(paragraph(adfInline(pictures)), adfBlocks(rest, depth+1)...)
}

// adfItems reads items. A list directly inside a list (nested taskList) belongs to the item before it.
func adfItems(nodes []adfNode, depth int) []Block {
	if depth > maxDepth {
		return nil
	}
	var items []Block
	for i := range nodes {
		n := &nodes[i]
		switch n.Type {
		case "listItem", "taskItem", "blockTaskItem", "decisionItem":
			item := Block{Kind: Item, Children: adfBlocks(n.Content, depth+1)}
			if n.Type == "taskItem" || n.Type == "blockTaskItem" {
				item.Task = Open
				if strings.EqualFold(n.attr("state"), "DONE") {
					item.Task = Done
				}
			}
			items = append(items, item)
		default:
			if len(items) == 0 {
				items = append(items, Block{Kind: Item})
			}
			last := &items[len(items)-1]
			last.Children = append(last.Children, adfBlock(n, depth+1)...)
		}
	}
	return items
}

func adfTable(n *adfNode, depth int) Block {
	table := Block{Kind: Table}
	for i := range n.Content {
		row := Block{Kind: Row}
		for j := range n.Content[i].Content {
			cell := &n.Content[i].Content[j]
			row.Children = append(row.Children, Block{Kind: Cell, Head: cell.Type == "tableHeader", Children: adfBlocks(cell.Content, depth+3)})
		}
		table.Children = append(table.Children, row)
	}
	return table
}

func adfInline(nodes []adfNode) []Span {
	var w writer
	for i := range nodes {
		n := &nodes[i]
		var style Style
		link := ""
		for _, mark := range n.Marks {
			style |= adfStyles[mark.Type]
			if mark.Type == "link" {
				link = jsonText(mark.Attrs["href"])
			}
		}
		switch n.Type {
		case "text":
			w.lines(n.Text, style, link)
		case "hardBreak":
			w.breakLine()
		case "mention":
			w.text(cmp.Or(n.attr("text"), "@"+n.attr("id")), style, link)
		case "status":
			w.text(n.attr("text"), style, link)
		case "emoji":
			name := n.attr("shortName")
			w.text(cmp.Or(n.attr("text"), adfGlyphs[name], name), style, link)
		case "inlineCard":
			w.text(adfURL(n), style, adfURL(n))
		case "media", "mediaInline":
			if i > 0 && nodes[i-1].Type == "media" {
				w.text(" ", 0, "")
			}
			address := n.attr("url")
			w.text(pictured(cmp.Or(n.attr("alt"), n.attr("fileName"), n.attr("__fileName")), address), style, address)
		case "date":
			if ms, err := strconv.ParseInt(n.attr("timestamp"), 10, 64); err == nil {
				w.text(time.UnixMilli(ms).UTC().Format(time.DateOnly), style, link)
			}
		}
	}
	return w.take()
}

// adfURL returns the address of a card: its own, or that of its data.
func adfURL(n *adfNode) string {
	var data struct {
		URL string `json:"url"`
		ID  string `json:"@id"`
	}
	if json.Unmarshal(n.Attrs["data"], &data) != nil {
		return n.attr("url")
	}
	return cmp.Or(n.attr("url"), data.URL, data.ID)
}

// pictured returns the words that stand for a picture or file in a text.
func pictured(name, address string) string {
	switch {
	case address != "":
		return cmp.Or(name, address)
	case name == "":
		return "[picture]"
	}
	return "[picture: " + name + "]"
}

// adfGlyphs are the glyphs of emoji that come without one, where it is more useful than the name: a check mark may be a task's state.
var adfGlyphs = map[string]string{":check_mark:": "✅", ":white_check_mark:": "✅"}

var adfStyles = map[string]Style{"strong": Strong, "em": Emphasis, "code": Mono, "strike": Struck}

func adfRaw(nodes []adfNode) string {
	var b strings.Builder
	for i := range nodes {
		b.WriteString(nodes[i].Text)
		if nodes[i].Type == "hardBreak" {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
