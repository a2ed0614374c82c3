package redact

import "slices"

// adfInline are the nodes of Atlassian Document Format that stand within a line.
var adfInline = []string{"text", "hardBreak", "mention", "emoji", "date", "status", "inlineCard", "placeholder", "inlineExtension", "mediaInline"}

// cleanADF collects the changes of an Atlassian document: its words are judged in reading order, its attributes one by one.
func (n *node) cleanADF(changes []change, kinds []string) ([]change, []string) {
	r := adfReader{}
	r.block(n, false)
	changed, found := r.words.redacted()
	for i, text := range changed {
		changes = append(changes, change{r.texts[i].from, r.texts[i].to, text})
	}
	kinds = append(kinds, found...)
	for _, other := range r.others {
		other.name("")
		changes, kinds = other.clean(changes, kinds)
	}
	return changes, kinds
}

// adfReader reads the words of a document.
type adfReader struct {
	words  pieces
	texts  []*node // by their place among the words
	others []*node // attributes and marks
}

// block reads a node that holds others.
func (r *adfReader) block(n *node, cell bool) {
	content := n.child("content")
	for _, c := range n.children {
		if c != content && c.key != "type" && c.key != "text" && c.kind != 0 {
			r.others = append(r.others, c)
		}
	}
	if content == nil {
		return
	}
	for _, c := range content.children {
		switch kind := c.typed(); {
		case kind == "text":
			r.text(c)
		case kind == "hardBreak":
			r.words.gap("\n")
		case slices.Contains(adfInline, kind):
			r.block(c, cell)
			r.words.gap(" ")
		case kind == "tableRow":
			r.words.gap("\n")
			r.words.gap("| ")
			r.block(c, false)
			r.words.gap("\n")
		case kind == "tableCell" || kind == "tableHeader":
			r.block(c, true)
			r.words.gap(" | ")
		case cell:
			r.block(c, true)
			r.words.gap(" ")
		default:
			r.words.gap("\n")
			r.block(c, false)
			r.words.gap("\n")
		}
	}
}

// text reads a node of words.
func (r *adfReader) text(n *node) {
	for _, c := range n.children {
		switch {
		case c.key == "text" && c.kind == '"':
			r.words.add(c.text)
			r.texts = append(r.texts, c)
		case c.key != "type" && c.kind != 0:
			r.others = append(r.others, c)
		}
	}
}
