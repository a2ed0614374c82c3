package edit

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// Object is a JSON object or a TOML table that keeps the order of its members.
// Values are string, bool, int, []string, []any and Object.
type Object []Member

// Member is one member of an Object.
type Member struct {
	Key   string
	Value any
}

// layout is how a value is written: each member on its own line, or all on one.
type layout struct {
	unit string // one level of indentation; "" with inline
	eol  string
	flat bool
}

// write appends a value; indent is that of the line on which it begins.
func (l layout) write(out *strings.Builder, value any, indent string) {
	switch v := value.(type) {
	case Object:
		l.writeAll(out, '{', '}', len(v), indent, func(i int, inner string) {
			out.WriteString(quote(v[i].Key) + ":" + l.space())
			l.write(out, v[i].Value, inner)
		})
	case []any:
		l.writeAll(out, '[', ']', len(v), indent, func(i int, inner string) { l.write(out, v[i], inner) })
	case []string: // a list of words stays on its line
		l.flat = true
		l.writeAll(out, '[', ']', len(v), indent, func(i int, _ string) { out.WriteString(quote(v[i])) })
	case bool:
		out.WriteString(strconv.FormatBool(v))
	case int:
		out.WriteString(strconv.Itoa(v))
	case string:
		out.WriteString(quote(v))
	}
}

func (l layout) writeAll(out *strings.Builder, open, end byte, n int, indent string, one func(i int, inner string)) {
	out.WriteByte(open)
	for i := range n {
		switch {
		case !l.flat && i > 0:
			out.WriteString("," + l.eol + indent + l.unit)
		case !l.flat:
			out.WriteString(l.eol + indent + l.unit)
		case i > 0:
			out.WriteString("," + l.space())
		}
		one(i, indent+l.unit)
	}
	if !l.flat && n > 0 {
		out.WriteString(l.eol + indent)
	}
	out.WriteByte(end)
}

// space returns what stands behind a colon, and behind a comma on one line.
func (l layout) space() string {
	if l.flat && l.unit == "" {
		return ""
	}
	return " "
}

// quote writes a string in a form that both JSON and TOML read.
func quote(s string) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string always encodes
		return `""`
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// Plain returns a value as encoding/json decodes it, for comparing.
func Plain(value any) any {
	switch v := value.(type) {
	case Object:
		out := make(map[string]any, len(v))
		for _, m := range v {
			out[m.Key] = Plain(m.Value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = Plain(e)
		}
		return out
	case []string:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = e
		}
		return out
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = Plain(e)
		}
		return out
	}
	return value
}
