package jira

import (
	"fmt"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// node is a node of the Atlassian Document Format.
type node map[string]any

// Document converts Markdown to the Atlassian Document Format, the only one that Jira accepts. Markdown without a matching node becomes
// text: nothing is lost.
func Document(markdown string) any {
	source := []byte(description.WithoutHTML(markdown))
	root := reader().Parser().Parse(text.NewReader(source))
	content := blocks(root, source)
	if len(content) == 0 {
		content = []node{{"type": "paragraph"}}
	}
	return node{"type": "doc", "version": 1, "content": content}
}

// reader reads Markdown with tables and task lists.
var reader = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.TaskList, extension.Strikethrough))
})

// table converts a Markdown table; its first row holds the headings.
func table(t *east.Table, source []byte) node {
	var rows []node
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		kind := "tableCell"
		if _, head := row.(*east.TableHeader); head {
			kind = "tableHeader"
		}
		var cells []node
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, node{"type": kind, "attrs": node{}, "content": []node{with(node{"type": "paragraph"}, inlines(cell, source, nil))}})
		}
		rows = append(rows, node{"type": "tableRow", "content": cells})
	}
	return node{"type": "table", "content": rows}
}

// tasks converts a list in which each item is a task of one line; ok is false for any other list. The format needs distinct ids, so
// they are positions in the text.
func tasks(list *ast.List, source []byte) (out node, ok bool) {
	var items []node
	first := ""
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		line := item.FirstChild()
		if line == nil || line.NextSibling() != nil {
			return nil, false
		}
		box, is := line.FirstChild().(*east.TaskCheckBox)
		if !is {
			return nil, false
		}
		state := map[bool]string{true: "DONE", false: "TODO"}[box.IsChecked]
		id := fmt.Sprintf("task-%d", line.Lines().At(0).Start)
		if first == "" {
			first = id
		}
		items = append(items, with(node{"type": "taskItem", "attrs": node{"localId": id, "state": state}}, after(inlines(line, source, nil))))
	}
	return node{"type": "taskList", "attrs": node{"localId": "list-of-" + first}, "content": items}, len(items) > 0
}

// after returns a line without its leading checkbox.
func after(line []node) []node {
	line = line[1:]
	if len(line) > 0 {
		if words, ok := line[0]["text"].(string); ok {
			if line[0]["text"] = strings.TrimLeft(words, " "); line[0]["text"] == "" {
				line = line[1:]
			}
		}
	}
	return line
}

// blocks converts the block nodes below a node.
func blocks(parent ast.Node, source []byte) (out []node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			out = append(out, with(node{"type": "heading", "attrs": node{"level": n.Level}}, inlines(n, source, nil)))
		case *ast.Paragraph, *ast.TextBlock:
			out = append(out, with(node{"type": "paragraph"}, inlines(n, source, nil)))
		case *east.Table:
			out = append(out, table(n, source))
		case *ast.List:
			if list, ok := tasks(n, source); ok {
				out = append(out, list)
				continue
			}
			list := node{"type": "bulletList"}
			if n.IsOrdered() {
				list = node{"type": "orderedList", "attrs": node{"order": n.Start}}
			}
			var items []node
			for item := n.FirstChild(); item != nil; item = item.NextSibling() {
				items = append(items, node{"type": "listItem", "content": inside(blocks(item, source))})
			}
			list["content"] = items
			out = append(out, list)
		case *ast.Blockquote:
			out = append(out, node{"type": "blockquote", "content": inside(blocks(n, source))})
		case *ast.FencedCodeBlock:
			attrs := node{}
			if language := string(n.Language(source)); language != "" {
				attrs["language"] = language
			}
			out = append(out, code(n, source, attrs))
		case *ast.CodeBlock:
			out = append(out, code(n, source, nil))
		case *ast.ThematicBreak:
			out = append(out, node{"type": "rule"})
		case *ast.HTMLBlock:
			out = append(out, with(node{"type": "paragraph"}, plain(strings.TrimSpace(lines(n, source)), nil)))
		default:
			out = append(out, blocks(n, source)...)
		}
	}
	return out
}

// inside converts blocks for a list item or a quotation; a block that is not allowed there becomes a paragraph of text.
func inside(content []node) (out []node) {
	for _, n := range content {
		switch n["type"] {
		case "heading":
			delete(n, "attrs")
			n["type"] = "paragraph"
		case "blockquote":
			nested, _ := n["content"].([]node)
			out = append(out, nested...)
			continue
		case "rule":
			continue
		case "table", "taskList": // allowed only at the top level
			out = append(out, flat(n)...)
			continue
		}
		out = append(out, n)
	}
	// A list item begins with a paragraph or a code block.
	if len(out) == 0 || out[0]["type"] == "bulletList" || out[0]["type"] == "orderedList" {
		out = append([]node{{"type": "paragraph"}}, out...)
	}
	return out
}

// flat converts a table or a task list to paragraphs, one for each row or task.
func flat(n node) (out []node) {
	rows, _ := n["content"].([]node)
	for _, row := range rows {
		var line []node
		if attrs, ok := row["attrs"].(node); ok && row["type"] == "taskItem" {
			line = append(line, plain(map[bool]string{true: "[x] ", false: "[ ] "}[attrs["state"] == "DONE"], nil)...)
		}
		parts, _ := row["content"].([]node)
		for i, part := range parts {
			if part["type"] != "tableCell" && part["type"] != "tableHeader" {
				line = append(line, part)
				continue
			}
			if i > 0 {
				line = append(line, plain(" | ", nil)...)
			}
			inside, _ := part["content"].([]node)
			for _, paragraph := range inside {
				words, _ := paragraph["content"].([]node)
				line = append(line, words...)
			}
		}
		out = append(out, with(node{"type": "paragraph"}, line))
	}
	return out
}

func with(n node, content []node) node {
	if len(content) > 0 {
		n["content"] = content
	}
	return n
}

func code(n ast.Node, source []byte, attrs node) node {
	out := with(node{"type": "codeBlock"}, plain(strings.TrimSuffix(lines(n, source), "\n"), nil))
	if len(attrs) > 0 {
		out["attrs"] = attrs
	}
	return out
}

func lines(n ast.Node, source []byte) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(source))
	}
	return b.String()
}

// plain returns a text node; empty ones are not allowed.
func plain(s string, marks []node) []node {
	s = strings.ReplaceAll(s, "\x00", "")
	if s == "" {
		return nil
	}
	n := node{"type": "text", "text": s}
	if len(marks) > 0 {
		n["marks"] = marks
	}
	return []node{n}
}

// inlines converts the inline nodes below a node, with their marks.
func inlines(parent ast.Node, source []byte, marks []node) (out []node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			value := n.Segment.Value(source)
			if !n.IsRaw() {
				value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
			}
			out = append(out, plain(string(value), marks)...)
			if n.HardLineBreak() {
				out = append(out, node{"type": "hardBreak"})
			} else if n.SoftLineBreak() {
				out = append(out, plain(" ", marks)...)
			}
		case *ast.String:
			out = append(out, plain(string(n.Value), marks)...)
		case *ast.CodeSpan:
			var b strings.Builder
			for t := n.FirstChild(); t != nil; t = t.NextSibling() {
				if t, ok := t.(*ast.Text); ok {
					b.Write(t.Segment.Value(source))
				}
			}
			out = append(out, plain(b.String(), onlyLinks(marks, node{"type": "code"}))...)
		case *ast.Emphasis:
			kind := map[bool]string{true: "strong", false: "em"}[n.Level >= 2]
			out = append(out, inlines(n, source, add(marks, node{"type": kind}))...)
		case *ast.Link:
			out = append(out, inlines(n, source, link(marks, string(n.Destination)))...)
		case *ast.AutoLink:
			url := string(n.URL(source))
			out = append(out, plain(string(n.Label(source)), link(marks, url))...)
		case *east.TaskCheckBox:
			out = append(out, plain(map[bool]string{true: "[x] ", false: "[ ] "}[n.IsChecked], marks)...)
		case *east.Strikethrough:
			out = append(out, inlines(n, source, add(marks, node{"type": "strike"}))...)
		case *ast.Image: // becomes a link with its text, because the format has no external pictures
			to := link(marks, string(n.Destination))
			if n.HasChildren() {
				out = append(out, inlines(n, source, to)...)
			} else {
				out = append(out, plain(string(n.Destination), to)...)
			}
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				segment := n.Segments.At(i)
				out = append(out, plain(string(segment.Value(source)), marks)...)
			}
		default:
			out = append(out, inlines(n, source, marks)...)
		}
	}
	return out
}

// add adds a mark, each kind at most once.
func add(marks []node, mark node) []node {
	out := []node{}
	for _, m := range marks {
		if m["type"] != mark["type"] {
			out = append(out, m)
		}
	}
	return append(out, mark)
}

// link adds a link; an address without a scheme is left as text.
func link(marks []node, to string) []node {
	if !strings.Contains(to, ":") {
		return marks
	}
	return add(marks, node{"type": "link", "attrs": node{"href": to}})
}

// onlyLinks keeps only links: code allows no other mark.
func onlyLinks(marks []node, mark node) []node {
	out := []node{mark}
	for _, m := range marks {
		if m["type"] == "link" {
			out = append(out, m)
		}
	}
	return out
}
