package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

// Entry is one object of a document of several lists.
type Entry struct {
	Line    int    // where it starts, from 1
	Section string // the list it stands in; "" for one that stands alone
	JSON    json.RawMessage
}

// ReadSections reads a document of several lists from standard input: JSON or
// YAML with the lists under the names of sections, a bare list, or JSON objects
// one after another (NDJSON). Errors are ValidationErrors that name the line.
func ReadSections(s *term.Streams, sections ...string) ([]Entry, error) {
	data, err := piped(s, "a document", "pipe a file into this command")
	if err != nil {
		return nil, err
	}
	return ParseSections(data, sections...)
}

// ParseSections is ReadSections for a text.
func ParseSections(data []byte, sections ...string) ([]Entry, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	r := &sectionReader{lines: lines{data: data}, sections: sections}
	if first := bytes.TrimLeft(data, " \t\r\n"); len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		err := r.json(data)
		return r.entries, err
	}
	err := r.yaml()
	return r.entries, err
}

type sectionReader struct {
	lines
	sections []string
	entries  []Entry
}

func (r *sectionReader) json(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return nil
		}
		at := int(dec.InputOffset())
		if err != nil {
			var syntax *json.SyntaxError
			switch {
			case errors.As(err, &syntax):
				at = int(syntax.Offset)
			case errors.Is(err, io.ErrUnexpectedEOF):
				at = len(data)
			}
			return fault.Validation("-", "line %d of standard input is not JSON: %v", r.lineAt(min(at, len(data))), err).
				WithHint("give one JSON object a line, a JSON array, or a list command's --json document")
		}
		if err := r.value(raw, at-len(raw)); err != nil {
			return err
		}
	}
}

// value reads one JSON value at an offset: a list, an object of lists, or a single object.
func (r *sectionReader) value(raw json.RawMessage, at int) error {
	switch raw[0] {
	case '[':
		return r.list(raw, at, "")
	case '{':
	default:
		return fault.Validation("-", "line %d of standard input is not an object", r.lineAt(at)).WithHint("give objects, or lists of them")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, _ = dec.Token() // the brace
	var lists []func() error
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return fault.Validation("-", "line %d of standard input is not JSON: %v", r.lineAt(at), err)
		}
		var part json.RawMessage
		if err := dec.Decode(&part); err != nil {
			return fault.Validation("-", "line %d of standard input is not JSON: %v", r.lineAt(at), err)
		}
		if section, _ := name.(string); slices.Contains(r.sections, section) && part[0] == '[' {
			from := at + int(dec.InputOffset()) - len(part)
			lists = append(lists, func() error { return r.list(part, from, section) })
		}
	}
	if len(lists) == 0 {
		r.entries = append(r.entries, Entry{Line: r.lineAt(at), JSON: raw})
	}
	for _, list := range lists {
		if err := list(); err != nil {
			return err
		}
	}
	return nil
}

func (r *sectionReader) list(raw json.RawMessage, at int, section string) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, _ = dec.Token() // the bracket
	for dec.More() {
		var item json.RawMessage
		if err := dec.Decode(&item); err != nil {
			return fault.Validation("-", "line %d of standard input is not JSON: %v", r.lineAt(at), err)
		}
		line := r.lineAt(at + int(dec.InputOffset()) - len(item))
		if item[0] != '{' {
			return fault.Validation("-", "line %d of standard input is not an object", line).WithHint("give objects")
		}
		r.entries = append(r.entries, Entry{Line: line, Section: section, JSON: item})
	}
	return nil
}

func (r *sectionReader) yaml() error {
	dec := yaml.NewDecoder(bytes.NewReader(r.data))
	for {
		var document yaml.Node
		err := dec.Decode(&document)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fault.Validation("-", "standard input is neither JSON nor YAML: %v", err)
		}
		for _, node := range document.Content {
			if err := r.yamlValue(node); err != nil {
				return err
			}
		}
	}
}

func (r *sectionReader) yamlValue(node *yaml.Node) error {
	switch node.Kind {
	case yaml.SequenceNode:
		return r.yamlList(node, "")
	case yaml.MappingNode:
	default:
		return fault.Validation("-", "line %d of standard input is not an object", node.Line).WithHint("give objects, or lists of them")
	}
	found := false
	for i := 0; i+1 < len(node.Content); i += 2 {
		if name := node.Content[i].Value; slices.Contains(r.sections, name) && node.Content[i+1].Kind == yaml.SequenceNode {
			found = true
			if err := r.yamlList(node.Content[i+1], name); err != nil {
				return err
			}
		}
	}
	if found {
		return nil
	}
	return r.yamlItem(node, "")
}

func (r *sectionReader) yamlList(node *yaml.Node, section string) error {
	for _, item := range node.Content {
		if item.Kind != yaml.MappingNode {
			return fault.Validation("-", "line %d of standard input is not an object", item.Line).WithHint("give objects")
		}
		if err := r.yamlItem(item, section); err != nil {
			return err
		}
	}
	return nil
}

func (r *sectionReader) yamlItem(node *yaml.Node, section string) error {
	var value map[string]any
	err := node.Decode(&value)
	var document []byte
	if err == nil {
		document, err = json.Marshal(value)
	}
	if err != nil {
		return fault.Validation("-", "line %d of standard input cannot be read: %v", node.Line, err)
	}
	r.entries = append(r.entries, Entry{Line: node.Line, Section: section, JSON: document})
	return nil
}
