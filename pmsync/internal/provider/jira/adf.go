package jira

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// node is a node of the Atlassian Document Format.
type node map[string]any

// Document converts Markdown to the Atlassian Document Format, the only one that Jira accepts. Markdown without a matching node becomes
// text: nothing is lost.
func Document(markdown string) any {
	w := &writer{}
	content := w.blocks(description.Written(markdown))
	if len(content) == 0 {
		content = []node{{"type": "paragraph"}}
	}
	return node{"type": "doc", "version": 1, "content": content}
}

// writer counts tasks, since the format needs distinct ids for them.
type writer struct{ tasks int }

// blocks converts blocks.
func (w *writer) blocks(in []description.Block) (out []node) {
	for _, b := range in {
		switch b.Kind {
		case description.Heading:
			out = append(out, with(node{"type": "heading", "attrs": node{"level": b.Level}}, inlines(b.Spans)))
		case description.Table:
			out = append(out, w.table(b))
		case description.List:
			out = append(out, w.list(b))
		case description.Quote:
			out = append(out, node{"type": "blockquote", "content": inside(w.blocks(b.Children))})
		case description.Code:
			code := with(node{"type": "codeBlock"}, plain(strings.TrimSuffix(description.Text(b.Spans), "\n"), nil))
			if b.Language != "" {
				code["attrs"] = node{"language": b.Language}
			}
			out = append(out, code)
		case description.Rule:
			out = append(out, node{"type": "rule"})
		default: // a paragraph, or a group with its title
			if words := inlines(b.Spans); len(words) > 0 {
				out = append(out, with(node{"type": "paragraph"}, words))
			}
			out = append(out, w.blocks(b.Children)...)
		}
	}
	return out
}

func (w *writer) table(b description.Block) node {
	var rows []node
	for _, row := range b.Children {
		var cells []node
		for _, cell := range row.Children {
			kind := "tableCell"
			if cell.Head {
				kind = "tableHeader"
			}
			cells = append(cells, node{"type": kind, "attrs": node{}, "content": inside(w.blocks(cell.Children))})
		}
		rows = append(rows, node{"type": "tableRow", "content": cells})
	}
	return node{"type": "table", "content": rows}
}

// list converts a list. One in which each item is a task of one line is a task list.
func (w *writer) list(b description.Block) node {
	if !slices.ContainsFunc(b.Children, func(item description.Block) bool {
		return item.Task == description.NoTask || len(item.Children) > 1 || len(item.Children) == 1 && item.Children[0].Kind != description.Paragraph
	}) {
		out := node{"type": "taskList", "attrs": node{"localId": fmt.Sprintf("list-of-task-%d", w.tasks+1)}}
		var items []node
		for _, item := range b.Children {
			w.tasks++
			state := "TODO"
			if item.Task == description.Done {
				state = "DONE"
			}
			task := node{"type": "taskItem", "attrs": node{"localId": fmt.Sprintf("task-%d", w.tasks), "state": state}}
			if len(item.Children) > 0 {
				task = with(task, inlines(item.Children[0].Spans))
			}
			items = append(items, task)
		}
		out["content"] = items
		return out
	}
	out := node{"type": "bulletList"}
	if b.Ordered {
		out = node{"type": "orderedList", "attrs": node{"order": b.Start}}
	}
	var items []node
	for _, item := range b.Children {
		items = append(items, node{"type": "listItem", "content": inside(w.blocks(item.Boxed()))})
	}
	out["content"] = items
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
			box := "[ ] "
			if attrs["state"] == "DONE" {
				box = "[x] "
			}
			line = append(line, plain(box, nil)...)
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

// inlines converts spans.
func inlines(spans []description.Span) (out []node) {
	for _, s := range spans {
		var marks []node
		if strings.Contains(s.Link, ":") { // an address without a scheme is left as text
			marks = append(marks, node{"type": "link", "attrs": node{"href": s.Link}})
		}
		if s.Style&description.Mono != 0 { // code allows no other mark than a link
			marks = append(marks, node{"type": "code"})
		} else {
			for _, mark := range []struct {
				style description.Style
				kind  string
			}{{description.Strong, "strong"}, {description.Emphasis, "em"}, {description.Struck, "strike"}} {
				if s.Style&mark.style != 0 {
					marks = append(marks, node{"type": mark.kind})
				}
			}
		}
		if s.Style&description.HardBreak != 0 {
			out = append(out, node{"type": "hardBreak"})
			continue
		}
		out = append(out, plain(strings.ReplaceAll(s.Text, "\n", " "), marks)...)
	}
	return out
}
