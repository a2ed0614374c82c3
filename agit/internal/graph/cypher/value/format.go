package value

import (
	"math"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/temporal"
)

// Format returns v in openCypher's notation: strings in single quotes, nodes as (:Label {key: value}), paths in angle brackets.
func Format(v any) string {
	var b strings.Builder
	format(&b, v)
	return b.String()
}

func format(b *strings.Builder, v any) {
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	case float64:
		b.WriteString(FormatFloat(v))
	case string:
		formatString(b, v)
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			format(b, item)
		}
		b.WriteByte(']')
	case map[string]any:
		formatMap(b, v)
	case *Node:
		formatNode(b, v)
	case *Relationship:
		formatRelationship(b, v)
	case *Path:
		formatPath(b, v)
	case temporal.Value:
		formatString(b, v.String())
	default:
		b.WriteString("?")
	}
}

func formatString(b *strings.Builder, s string) {
	b.WriteByte('\'')
	for _, r := range s {
		switch r {
		case '\'', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\t':
			b.WriteString(`\t`)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
}

// FormatFloat returns a float as toString does: always with a point or an exponent, so that it reads back as a float.
func FormatFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	form := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e17) {
		form = 'e'
	}
	s := strconv.FormatFloat(f, form, -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

func formatMap(b *strings.Builder, m map[string]any) {
	b.WriteByte('{')
	for i, key := range Keys(m) {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(key)
		b.WriteString(": ")
		format(b, m[key])
	}
	b.WriteByte('}')
}

func formatNode(b *strings.Builder, n *Node) {
	b.WriteByte('(')
	for _, label := range n.Labels {
		b.WriteByte(':')
		b.WriteString(label)
	}
	if len(n.Properties) > 0 {
		if len(n.Labels) > 0 {
			b.WriteByte(' ')
		}
		formatMap(b, n.Properties)
	}
	b.WriteByte(')')
}

func formatRelationship(b *strings.Builder, r *Relationship) {
	b.WriteString("[:")
	b.WriteString(r.Type)
	if len(r.Properties) > 0 {
		b.WriteByte(' ')
		formatMap(b, r.Properties)
	}
	b.WriteByte(']')
}

func formatPath(b *strings.Builder, p *Path) {
	b.WriteByte('<')
	for i, n := range p.Nodes {
		if i > 0 {
			r := p.Relationships[i-1]
			if forward := r.Start == p.Nodes[i-1].ID; forward {
				b.WriteByte('-')
				formatRelationship(b, r)
				b.WriteString("->")
			} else {
				b.WriteString("<-")
				formatRelationship(b, r)
				b.WriteByte('-')
			}
		}
		formatNode(b, n)
	}
	b.WriteByte('>')
}
