package mcpkit

import (
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// formed returns a value in the form of its schema. Some clients send numbers, booleans, lists and objects as strings of JSON, and whole
// numbers as 3.0; a model cannot mend that. A string is converted when the schema has another type and the string is exactly one JSON value
// of that type. All other values stay as they are, for the check to refuse.
func (v *validator) formed(s *schema, value any) (any, bool) {
	kind, known := s.kind, s.known
	if s.form != nil {
		kind, known = s.form.kind, s.form.known
	}
	changed := false
	if text, ok := value.(string); ok {
		read, ok := readAs(kind, text)
		if !ok {
			return value, false
		}
		v.broken = v.broken || loneSurrogate([]byte(text))
		value, changed = read, true
	}
	switch x := value.(type) {
	case json.Number:
		if whole, ok := wholeNumber(kind, x); ok {
			return whole, true
		}
	case map[string]any:
		for _, p := range known {
			if inner, ok := x[p.name]; ok {
				if read, again := v.formed(p.schema, inner); again {
					x[p.name], changed = read, true
				}
			}
		}
	}
	return value, changed
}

// readAs reads a text that is exactly one JSON value of some type.
func readAs(kind, text string) (any, bool) {
	switch kind {
	case "integer", "number", "boolean", "array", "object":
	default:
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return nil, false
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, false
	}
	switch value.(type) {
	case json.Number:
		return value, kind == "integer" || kind == "number"
	case bool:
		return value, kind == "boolean"
	case []any:
		return value, kind == "array"
	case map[string]any:
		return value, kind == "object"
	}
	return value, false
}

// wholeNumber writes 3.0 and 3e0 as 3 where a whole number is asked for.
func wholeNumber(kind string, n json.Number) (json.Number, bool) {
	const exact = 1 << 53 // beyond it floats skip whole numbers
	if _, err := n.Int64(); kind != "integer" || err == nil {
		return n, false
	}
	x, err := n.Float64()
	if err != nil || x != math.Trunc(x) || math.Abs(x) > exact {
		return n, false
	}
	return json.Number(strconv.FormatInt(int64(x), 10)), true
}

// formOf reads the types in a schema that a Go type provides itself.
func formOf(given json.RawMessage) *schema {
	var read struct {
		Type       any
		Properties map[string]json.RawMessage
	}
	if json.Unmarshal(given, &read) != nil {
		return nil
	}
	kind, ok := read.Type.(string)
	if !ok {
		return nil
	}
	s := &schema{kind: kind}
	for _, name := range slices.Sorted(maps.Keys(read.Properties)) {
		if inner := formOf(read.Properties[name]); inner != nil {
			s.known = append(s.known, &prop{name: name, schema: inner})
		}
	}
	return s
}
