package manifest

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A node is an element of an XML document: its local name, its attributes, its text and its children.
type node struct {
	name     string
	text     string
	attrs    []xml.Attr
	children []*node
}

// maxNodes bounds the tree of a document; large POMs have some thousands of elements.
const maxNodes = 200_000

// parseXML reads a document into a tree. Entities are not expanded (the decoder knows only the predefined ones), so a document cannot grow
// beyond its size. The part before an error is returned with it.
func parseXML(text string) (*node, error) {
	dec := xml.NewDecoder(strings.NewReader(text))
	dec.Strict = false
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // load converted it to UTF-8, whatever it claims
	root := &node{}
	open := []*node{root}
	count := 0
	var wrong error // an error that does not end the reading
	for {
		tok, err := dec.RawToken()
		if errors.Is(err, io.EOF) {
			if len(open) > 1 && wrong == nil {
				line, _ := dec.InputPos()
				wrong = &xml.SyntaxError{Line: line, Msg: "<" + top(open).name + "> is not closed"}
			}
			return root, wrong
		}
		if err != nil {
			return root, err
		}
		parent := top(open)
		switch tok := tok.(type) {
		case xml.StartElement:
			if count++; count > maxNodes {
				return root, fmt.Errorf("it has more than %d elements", maxNodes)
			}
			if len(open) > maxNesting {
				return root, fmt.Errorf("it nests deeper than %d elements", maxNesting)
			}
			child := &node{name: tok.Name.Local, attrs: tok.Copy().Attr}
			parent.children = append(parent.children, child)
			open = append(open, child)
		case xml.EndElement:
			if tok.Name.Local != parent.name && wrong == nil {
				line, _ := dec.InputPos()
				wrong = &xml.SyntaxError{Line: line, Msg: "</" + tok.Name.Local + "> closes no <" + parent.name + ">"}
			}
			if len(open) > 1 {
				open = open[:len(open)-1]
			}
		case xml.CharData:
			if len(parent.text)+len(tok) < 1<<16 {
				parent.text += string(tok)
			}
		case xml.Directive:
			if strings.Contains(string(tok), "ENTITY") {
				wrong = errors.New("it declares entities, which are not expanded")
			}
		}
	}
}

func top(open []*node) *node { return open[len(open)-1] }

// attr returns an attribute's value, by its name in any case; "" when there is none.
func (n *node) attr(name string) string {
	if n == nil {
		return ""
	}
	for _, a := range n.attrs {
		if strings.EqualFold(a.Name.Local, name) {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// child returns the first child of a name, nil when there is none; reading a nil node is fine.
func (n *node) child(names ...string) *node {
	for _, name := range names {
		i := slices.IndexFunc(n.children0(), func(c *node) bool { return c.name == name })
		if i < 0 {
			return nil
		}
		n = n.children[i]
	}
	return n
}

// all returns the children of a name.
func (n *node) all(name string) []*node {
	var list []*node
	for _, c := range n.children0() {
		if c.name == name {
			list = append(list, c)
		}
	}
	return list
}

// value returns the text of a child.
func (n *node) value(names ...string) string {
	if c := n.child(names...); c != nil {
		return strings.TrimSpace(c.text)
	}
	return ""
}
