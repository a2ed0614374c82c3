package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// A node is a part of a JSON document with its position there, so that only the texts with secrets are rewritten.
type node struct {
	key      string // of a member
	text     string // of a text
	kind     byte   // '{', '[', '"', or 0 for what holds no text
	from, to int    // of a text, with its quotes
	children []*node
	secret   string // the kind of secret that the whole text is
}

// deepest is how deeply nested a document may be to be read as a tree.
const deepest = 500

var errDeep = errors.New("nested too deep")

// parse reads a document.
func parse(document []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	root, err := next(d, document, 0)
	if err == nil && d.More() {
		err = errors.New("more than one document")
	}
	return root, err
}

func next(d *json.Decoder, document []byte, depth int) (*node, error) {
	if depth > deepest {
		return nil, errDeep
	}
	before := int(d.InputOffset())
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	n := &node{}
	switch t := token.(type) {
	case string:
		n.kind, n.text, n.to = '"', t, int(d.InputOffset())
		n.from = before + bytes.IndexByte(document[before:n.to], '"')
	case json.Delim:
		n.kind = byte(t)
		for d.More() {
			key := ""
			if t == '{' {
				name, err := d.Token()
				if err != nil {
					return nil, err
				}
				key, _ = name.(string)
			}
			child, err := next(d, document, depth+1)
			if err != nil {
				return nil, err
			}
			child.key = key
			n.children = append(n.children, child)
		}
		_, err = d.Token()
	}
	return n, err
}

// typed returns what an object says of its type, or "".
func (n *node) typed() string {
	for _, c := range n.children {
		if c.kind == '"' && c.key == "type" {
			return c.text
		}
	}
	return ""
}

// child returns the member of a name, or nil.
func (n *node) child(name string) *node {
	for _, c := range n.children {
		if c.key == name {
			return c
		}
	}
	return nil
}

// isADF reports whether a tree is a document of Atlassian.
func (n *node) isADF() bool {
	return n.kind == '{' && n.typed() == "doc" && n.child("content") != nil
}

// name marks the texts that are secrets because of the name of their member, of the list or object that holds them, or of the member beside
// them.
func (n *node) name(key string) {
	if n.kind == '"' {
		n.secret = under(key, n.text)
		return
	}
	pairName := ""
	if n.kind == '{' {
		for _, c := range n.children {
			if c.kind == '"' && naming()[strings.ToLower(c.key)] && len(c.text) < longestName {
				pairName = c.text
				break
			}
		}
	}
	for _, c := range n.children {
		inner := c.key
		if n.kind == '[' || holding()[strings.ToLower(c.key)] && c.kind == '"' && pairName == "" {
			inner = key
		}
		c.name(inner)
		if c.kind == '"' && c.secret == "" && pairName != "" && holding()[strings.ToLower(c.key)] {
			c.secret = under(pairName, c.text)
		}
	}
}

// under returns the kind of secret that s is as the value of a key that sounds secret; "" when it is not a secret.
func under(key, s string) string {
	if len(key) < 2 || len(s) < repeated || len(s) > longestQuoted || len(key) > longestName {
		return ""
	}
	quoted := strings.NewReplacer(`\`, "/", `"`, "'", "\n", " ").Replace(s)
	lead := key + `="`
	for _, h := range search(lead + quoted + `"`).hits {
		if h.from == len(lead) && h.to == len(lead)+len(s) {
			return h.kind
		}
	}
	return ""
}

// A change is a text that is rewritten.
type change struct {
	from, to int
	text     string
}

// clean collects the changes of a tree.
func (n *node) clean(changes []change, kinds []string) ([]change, []string) {
	switch {
	case n.kind == '"' && n.secret != "":
		return append(changes, change{n.from, n.to, Marked(n.secret)}), append(kinds, n.secret)
	case n.kind == '"':
		if text, found := Redact(n.text); found != nil {
			return append(changes, change{n.from, n.to, text}), append(kinds, found...)
		}
	case n.isADF():
		return n.cleanADF(changes, kinds)
	}
	for _, c := range n.children {
		changes, kinds = c.clean(changes, kinds)
	}
	return changes, kinds
}

// write applies changes to a document.
func write(document []byte, changes []change) []byte {
	slices.SortFunc(changes, func(a, b change) int { return a.from - b.from })
	var out bytes.Buffer
	done := 0
	for _, c := range changes {
		out.Write(document[done:c.from])
		out.Write(encode(c.text))
		done = c.to
	}
	out.Write(document[done:])
	return out.Bytes()
}

// JSON redacts the texts of an encoded document and leaves the rest as it is, byte for byte; its keys stay. A text under a key such as
// "password" is judged with its key, and a text beside a member that names it is judged with that name. Atlassian documents (ADF) are
// judged in reading order, through styles and cells. In data that is not JSON, the JSON strings are redacted one by one. A document without
// secrets is returned unchanged.
func JSON(document []byte) (clean []byte, kinds []string) {
	root, err := parse(document)
	if err != nil {
		return jsonTexts(document)
	}
	root.name("")
	changes, kinds := root.clean(nil, nil)
	if len(changes) == 0 {
		return document, nil
	}
	return write(document, changes), kinds
}

// Value is Text for every text inside a value decoded from JSON; the value itself stays unchanged. A text under a key such as "password" is
// judged with its key.
func Value(value any) (clean any, kinds []string) {
	return valueUnder("", value)
}

// Telling reports whether a generated value under a name counts as a secret. It takes nothing out and remembers nothing.
func Telling(name string) bool { return under(name, "aB3dE5fG7hJ9kL1m") != "" }

// valueUnder redacts the value of an object's member, or of a list that is one.
func valueUnder(key string, value any) (clean any, kinds []string) {
	switch v := value.(type) {
	case string:
		if kind := under(key, v); kind != "" {
			taken.remember(key + `="` + v + `"`)
			return Marked(kind), []string{kind}
		}
		return Text(v)
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			var found []string
			out[i], found = valueUnder(key, inner)
			kinds = append(kinds, found...)
		}
		return out, kinds
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, inner := range v {
			clean, found := Text(name)
			kinds = append(kinds, found...)
			out[clean], found = valueUnder(nameOf(v, name, key), inner)
			kinds = append(kinds, found...)
		}
		return out, kinds
	}
	return value, nil
}

// nameOf returns the name with which a member of an object is judged: its own, or a name that a member beside it, or beside the object,
// holds for it.
func nameOf(object map[string]any, member, outer string) string {
	if !holding()[strings.ToLower(member)] {
		return member
	}
	for name, inner := range object {
		if s, ok := inner.(string); ok && name != member && naming()[strings.ToLower(name)] && len(s) < longestName && Telling(s) {
			return s
		}
	}
	if outer != "" {
		return outer
	}
	return member
}

// jsonTexts redacts the JSON strings of data that is not one document, one by one.
func jsonTexts(document []byte) (clean []byte, kinds []string) {
	var out bytes.Buffer
	done := 0
	for i := 0; i < len(document); i++ {
		if document[i] != '"' {
			continue
		}
		end := stringEnd(document, i)
		if end-i >= shortest {
			if text, found := jsonText(document[i:end]); found != nil {
				out.Write(document[done:i])
				out.Write(text)
				done = end
				kinds = append(kinds, found...)
			}
		}
		i = end - 1
	}
	if kinds == nil {
		return document, nil
	}
	out.Write(document[done:])
	return out.Bytes(), kinds
}

// stringEnd returns where the JSON string that begins at from ends.
func stringEnd(document []byte, from int) int {
	for i := from + 1; i < len(document); i++ {
		switch document[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(document)
}

// jsonText redacts one JSON string; nil kinds leave it as it is.
func jsonText(encoded []byte) (clean []byte, kinds []string) {
	var text string
	if json.Unmarshal(encoded, &text) != nil {
		return nil, nil
	}
	if text, kinds = Redact(text); kinds == nil {
		return nil, nil
	}
	return encode(text), kinds
}

// encode returns a text as a JSON string, with <, > and & as they are.
func encode(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text always encodes
	return bytes.TrimRight(b.Bytes(), "\n")
}
