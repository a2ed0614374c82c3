package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
	"go.yaml.in/yaml/v3"
)

// at writes where a key stands, "file:line", or only the file where the line is
// not known.
func (f *file) at(name string) string {
	if line := f.line(name); line > 0 {
		return fmt.Sprintf("%s:%d", f.shown, line)
	}
	return f.shown
}

// line returns where a key stands, 0 when that is not known. Lines are found on demand, since most files need none.
func (f *file) line(name string) int {
	if f.lines == nil {
		f.lines = map[string]int{}
		switch f.format() {
		case "toml":
			f.tomlLines()
		case "json":
			f.jsonLines()
		default:
			f.yamlLines()
		}
	}
	for _, candidate := range writtenAs(name) {
		if line, ok := f.lines[candidate]; ok {
			return line
		}
	}
	return 0
}

// writtenAs returns the names under which normalise may have found a key.
func writtenAs(name string) []string {
	names := []string{name}
	last := name[strings.LastIndex(name, ".")+1:]
	switch {
	case name == "provider.name":
		names = append(names, "provider")
	case strings.HasPrefix(name, "providers."):
		names = append(names, strings.Replace(name, "azure_devops", "azure_ado", 1), "provider."+last, "provider_config."+last)
	case strings.HasPrefix(name, "provider."):
		names = append(names, "provider_config."+last)
	}
	for _, n := range names {
		names = append(names, "defaults."+n)
	}
	return names
}

func (f *file) note(path []string, line int) {
	name := strings.ToLower(strings.Join(path, "."))
	if _, ok := f.lines[name]; !ok {
		f.lines[name] = line
	}
}

func (f *file) tomlLines() {
	eachSetting(bytes.TrimPrefix(f.data, mark), func(s setting) { f.note(s.path, s.line) })
}

// setting is one key of a TOML file: its whole path with the index of [[…]]
// tables, and where its text stands.
type setting struct {
	path       []string
	line       int
	start, end int  // the bytes of "key = value"
	value      int  // the first byte of the value
	header     bool // a [table] or [[table]] line, and not a key
	inline     bool // inside an inline table: it cannot be replaced alone
}

func (s setting) name() string { return strings.ToLower(strings.Join(s.path, ".")) }

// eachSetting visits the tables and keys of a TOML document in order, up to the
// first mistake in it.
func eachSetting(data []byte, visit func(setting)) {
	p := unstable.Parser{}
	p.Reset(data)
	var table []string
	counts := map[string]int{}
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			path, span := keyPath(e.Key())
			if e.Kind == unstable.ArrayTable {
				name := strings.Join(path, ".")
				path[len(path)-1] += fmt.Sprintf("[%d]", counts[name])
				counts[name]++
			} else if len(path) > 1 { // a table inside the latest [[…]] one
				if n := counts[path[0]]; n > 0 {
					path[0] += fmt.Sprintf("[%d]", n-1)
				}
			}
			table = path
			visit(setting{path: path, line: p.Shape(span).Start.Line, start: int(span.Offset), header: true})
		case unstable.KeyValue:
			visitKeyValue(&p, table, e, false, visit)
		}
	}
}

func visitKeyValue(p *unstable.Parser, table []string, e *unstable.Node, inline bool, visit func(setting)) {
	path, span := keyPath(e.Key())
	path = append(append([]string(nil), table...), path...)
	start, end := int(span.Offset), int(e.Raw.Offset+e.Raw.Length)
	value := int(span.Offset + span.Length)
	data := p.Data()
	for value < len(data) && (data[value] == ' ' || data[value] == '\t' || data[value] == '=') {
		value++
	}
	visit(setting{path: path, line: p.Shape(span).Start.Line, start: start, end: end, value: value, inline: inline})
	if v := e.Value(); v.Kind == unstable.InlineTable {
		for it := v.Children(); it.Next(); {
			visitKeyValue(p, path, it.Node(), true, visit)
		}
	}
}

// keyPath returns the parts of a dotted key and the bytes it takes.
func keyPath(it unstable.Iterator) (path []string, span unstable.Range) {
	for it.Next() {
		n := it.Node()
		if len(path) == 0 {
			span = n.Raw
		}
		span.Length = n.Raw.Offset + n.Raw.Length - span.Offset
		path = append(path, string(n.Data))
	}
	return path, span
}

func (f *file) yamlLines() {
	var document yaml.Node
	if yaml.Unmarshal(f.data, &document) != nil || len(document.Content) == 0 {
		return
	}
	f.yamlNode(document.Content[0], nil)
}

func (f *file) yamlNode(n *yaml.Node, path []string) {
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		at := append(append([]string(nil), path...), n.Content[i].Value)
		f.note(at, n.Content[i].Line)
		f.yamlNode(n.Content[i+1], at)
	}
}

func (f *file) jsonLines() {
	dec := json.NewDecoder(bytes.NewReader(f.data))
	f.jsonValue(dec, nil)
}

func (f *file) jsonValue(dec *json.Decoder, path []string) {
	token, err := dec.Token()
	if err != nil {
		return
	}
	switch token {
	case json.Delim('{'):
		for dec.More() {
			name, err := dec.Token()
			if err != nil {
				return
			}
			at := append(append([]string(nil), path...), fmt.Sprint(name))
			f.note(at, 1+bytes.Count(f.data[:dec.InputOffset()], []byte{'\n'}))
			f.jsonValue(dec, at)
		}
		_, _ = dec.Token()
	case json.Delim('['):
		for dec.More() {
			f.jsonValue(dec, append(append([]string(nil), path...), "[]"))
		}
		_, _ = dec.Token()
	}
}
