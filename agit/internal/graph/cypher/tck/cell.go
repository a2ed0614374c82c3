package tck

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// Canonical returns the same text for values that the kit regards as equal. It sorts labels and keys and, with unordered set, the
// elements of lists.
func Canonical(v any, unordered bool) string {
	switch v := v.(type) {
	case float64:
		if v == 0 {
			v = 0
		}
		return "f" + strconv.FormatFloat(v, 'g', -1, 64)
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = Canonical(item, unordered)
		}
		if unordered {
			slices.Sort(items)
		}
		return "[" + strings.Join(items, ",") + "]"
	case map[string]any:
		return canonicalMap(v, unordered)
	case *value.Node:
		labels := slices.Clone(v.Labels)
		slices.Sort(labels)
		return "(" + strings.Join(labels, ":") + canonicalMap(v.Properties, unordered) + ")"
	case *value.Relationship:
		return "rel[" + v.Type + canonicalMap(v.Properties, unordered) + "]"
	case *value.Path:
		var b strings.Builder
		for i, n := range v.Nodes {
			if i > 0 {
				arrow := "->"
				if v.Relationships[i-1].Start != v.Nodes[i-1].ID {
					arrow = "<-"
				}
				b.WriteString(Canonical(v.Relationships[i-1], unordered) + arrow)
			}
			b.WriteString(Canonical(n, unordered))
		}
		return "<" + b.String() + ">"
	}
	return value.Format(v)
}

func canonicalMap(m map[string]any, unordered bool) string {
	items := make([]string, 0, len(m))
	for _, key := range value.Keys(m) {
		items = append(items, key+":"+Canonical(m[key], unordered))
	}
	return "{" + strings.Join(items, ",") + "}"
}

// Cell parses a value in the notation of the kit's tables.
func Cell(text string) (v any, err error) {
	p := &cellParser{text: text}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cell %q: %v", text, r)
		}
	}()
	v = p.value()
	if p.space(); p.at != len(text) {
		return nil, fmt.Errorf("cell %q: more follows at %d", text, p.at)
	}
	return v, nil
}

// cellParser panics with a message on malformed input; Cell recovers.
type cellParser struct {
	text  string
	at    int
	nodes int64
}

func (p *cellParser) space() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

func (p *cellParser) accept(s string) bool {
	p.space()
	if strings.HasPrefix(p.text[p.at:], s) {
		p.at += len(s)
		return true
	}
	return false
}

func (p *cellParser) expect(s string) {
	if !p.accept(s) {
		panic(fmt.Sprintf("expected %q at %d", s, p.at))
	}
}

func (p *cellParser) value() any {
	p.space()
	if p.at >= len(p.text) {
		panic("no value")
	}
	switch c := p.text[p.at]; {
	case c == '\'':
		return p.str()
	case c == '[':
		if rest := strings.TrimLeft(p.text[p.at+1:], " "); strings.HasPrefix(rest, ":") {
			return p.rel()
		}
		return p.list()
	case c == '{':
		return p.mapValue()
	case c == '(':
		return p.node()
	case c == '<':
		return p.path()
	}
	return p.word()
}

func (p *cellParser) str() any {
	var b strings.Builder
	for p.at++; p.text[p.at] != '\''; p.at++ {
		if p.text[p.at] == '\\' {
			p.at++
		}
		b.WriteByte(p.text[p.at])
	}
	p.at++
	return b.String()
}

func (p *cellParser) list() any {
	p.expect("[")
	list := []any{}
	for !p.accept("]") {
		list = append(list, p.value())
		p.accept(",")
	}
	return list
}

func (p *cellParser) name() string {
	p.space()
	start := p.at
	for p.at < len(p.text) && !strings.ContainsRune(" :,{}()[]<>'", rune(p.text[p.at])) {
		p.at++
	}
	return p.text[start:p.at]
}

func (p *cellParser) mapValue() map[string]any {
	p.expect("{")
	m := map[string]any{}
	for !p.accept("}") {
		key := p.name()
		p.expect(":")
		m[key] = p.value()
		p.accept(",")
	}
	return m
}

func (p *cellParser) node() *value.Node {
	p.expect("(")
	n := &value.Node{ID: p.nodes, Loaded: true, Properties: map[string]any{}}
	p.nodes++
	for p.accept(":") {
		n.Labels = append(n.Labels, p.name())
	}
	if p.space(); p.text[p.at] == '{' {
		n.Properties = p.mapValue()
	}
	p.expect(")")
	return n
}

func (p *cellParser) rel() *value.Relationship {
	p.expect("[")
	p.expect(":")
	r := &value.Relationship{Type: p.name(), Properties: map[string]any{}}
	if p.space(); p.text[p.at] == '{' {
		r.Properties = p.mapValue()
	}
	p.expect("]")
	return r
}

func (p *cellParser) path() *value.Path {
	p.expect("<")
	path := &value.Path{Nodes: []*value.Node{p.node()}}
	for !p.accept(">") {
		backward := p.accept("<-")
		if !backward {
			p.expect("-")
		}
		r := p.rel()
		if backward {
			p.expect("-")
		} else {
			p.expect("->")
		}
		from, to := path.Nodes[len(path.Nodes)-1], p.node()
		r.Start, r.End = from.ID, to.ID
		if backward {
			r.Start, r.End = to.ID, from.ID
		}
		path.Nodes = append(path.Nodes, to)
		path.Relationships = append(path.Relationships, r)
	}
	return path
}

func (p *cellParser) word() any {
	start := p.at
	for p.at < len(p.text) && !strings.ContainsRune(" ,]})", rune(p.text[p.at])) {
		p.at++
	}
	switch word := p.text[start:p.at]; word {
	case "null":
		return nil
	case "true":
		return true
	case "false":
		return false
	case "NaN":
		return math.NaN()
	case "Inf":
		return math.Inf(1)
	case "-Inf":
		return math.Inf(-1)
	default:
		if n, err := strconv.ParseInt(word, 10, 64); err == nil {
			return n
		}
		f, err := strconv.ParseFloat(word, 64)
		if err != nil {
			panic(err)
		}
		return f
	}
}
