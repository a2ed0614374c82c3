package value

import (
	"math"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/temporal"
)

// Format returns v in openCypher's notation: strings in single quotes, nodes as (:Label {key: value}), paths in angle brackets.
func Format(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return FormatFloat(v)
	case string:
		return formatString(v)
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = Format(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]any:
		entries := make([]string, 0, len(v))
		for _, key := range Keys(v) {
			entries = append(entries, key+": "+Format(v[key]))
		}
		return "{" + strings.Join(entries, ", ") + "}"
	case *Node:
		return "(" + described(strings.Join(append([]string{""}, v.Labels...), ":"), v.Properties) + ")"
	case *Relationship:
		return "[" + described(":"+v.Type, v.Properties) + "]"
	case *Path:
		return formatPath(v)
	case temporal.Value:
		return formatString(v.String())
	}
	return "?"
}

func formatString(s string) string {
	var b strings.Builder
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
	return "'" + b.String() + "'"
}

// described returns labels or a type, and behind them the properties, if there are any.
func described(head string, properties map[string]any) string {
	switch {
	case len(properties) == 0:
		return head
	case head == "":
		return Format(properties)
	}
	return head + " " + Format(properties)
}

func formatPath(p *Path) string {
	var b strings.Builder
	for i, n := range p.Nodes {
		if i > 0 {
			r := p.Relationships[i-1]
			before, after := "-", "->"
			if r.Start != p.Nodes[i-1].ID {
				before, after = "<-", "-"
			}
			b.WriteString(before + Format(r) + after)
		}
		b.WriteString(Format(n))
	}
	return "<" + b.String() + ">"
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
