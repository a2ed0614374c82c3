package mcpkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

// maxText bounds a string parameter that declares no max of its own.
const maxText = 100_000

// decode checks args against the schema and reads them into an In. It does not leave the check to encoding/json, which ignores unknown
// names, matches names without case, replaces broken UTF-8 silently and names Go structs in its errors.
func decode[In any](tool string, s *schema, args json.RawMessage) (In, error) {
	var in In
	if s == nil {
		in, _ = any(args).(In)
		return in, nil
	}
	value, err := parseValue(args)
	if err != nil {
		return in, fault.Validation("", "the arguments of %s are not valid JSON", tool)
	}
	object, ok := value.(map[string]any)
	if !ok {
		return in, fault.Validation("", "the arguments of %s must be an object such as {%s}, not %s", tool, example(s), kindOf(value))
	}
	v := &validator{tool: tool, broken: !utf8.Valid(args) || loneSurrogate(args)}
	if f := v.object("", s, object); f != nil {
		return in, f
	}
	if v.dropped {
		args = marshal(object)
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return in, fault.Validation("", "the arguments of %s cannot be read: %v", tool, err)
	}
	return in, nil
}

func parseValue(raw json.RawMessage) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// validator walks the arguments beside their schema. It removes optional nulls,
// which mean an absent parameter: models send both.
type validator struct {
	tool    string
	broken  bool // the arguments hold text that is not UTF-8
	dropped bool // the arguments were changed: a null removed, a parameter renamed, a value brought into its form
}

func (v *validator) object(path string, s *schema, object map[string]any) *fault.Fault {
	v.rename(s, object)
	if f := v.unknown(path, s, object); f != nil {
		return f
	}
	if f := v.missing(path, s, object); f != nil {
		return f
	}
	for _, p := range s.props {
		value, sent := object[p.name]
		if !sent {
			continue
		}
		if value == nil && !p.required {
			delete(object, p.name)
			v.dropped = true
			continue
		}
		if f := v.member(join(path, p.name), p.schema, object, p.name); f != nil {
			return f
		}
	}
	if s.free {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if f := v.text(join(path, name), nil, name); f != nil {
				return f
			}
			if f := v.member(join(path, name), s.items, object, name); f != nil {
				return f
			}
		}
	}
	return nil
}

// rename renames a parameter that was sent under another of its names. If both are sent, the other one stays and is refused as unknown.
func (v *validator) rename(s *schema, object map[string]any) {
	for _, p := range s.props {
		for _, other := range p.also {
			value, sent := object[other]
			if _, twice := object[p.name]; sent && !twice {
				object[p.name] = value
				delete(object, other)
				v.dropped = true
			}
		}
	}
}

func (v *validator) unknown(path string, s *schema, object map[string]any) *fault.Fault {
	if s.free {
		return nil
	}
	if path == "" && len(s.props) == 0 && len(object) > 0 { // some clients add a parameter of their own to a tool without any
		clear(object)
		v.dropped = true
		return nil
	}
	var names []string
	for _, p := range s.props {
		names = append(names, p.name)
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if slices.Contains(names, name) {
			continue
		}
		f := fault.Validation(join(path, name), "%s has no parameter %q", v.tool, shorten(join(path, name)))
		return nearest(f, name, names, "it takes")
	}
	return nil
}

// nearest adds to the fault about a name the known one that was probably meant, else all of them.
func nearest(f *fault.Fault, name string, known []string, all string) *fault.Fault {
	if near := text.Nearest(name, known); near != "" {
		return f.WithHint("did you mean %q?", near)
	}
	return f.WithHint("%s %s", all, strings.Join(known, ", "))
}

func (v *validator) missing(path string, s *schema, object map[string]any) *fault.Fault {
	var first string
	var want []string
	for _, p := range s.props {
		if value, sent := object[p.name]; p.required && (!sent || value == nil || p.schema.name && value == "") {
			if first == "" {
				first = join(path, p.name)
			}
			want = append(want, fmt.Sprintf("%q (%s)", join(path, p.name), p.expected(true)))
		}
	}
	switch len(want) {
	case 0:
		return nil
	case 1:
		return fault.Validation(first, "%s needs parameter %s", v.tool, want[0])
	default:
		return fault.Validation(first, "%s needs parameters %s", v.tool, strings.Join(want, ", "))
	}
}

// member reads a member of an object, and stores it in the form of its schema.
func (v *validator) member(path string, s *schema, object map[string]any, name string) *fault.Fault {
	value, changed := v.formed(s, object[name])
	if changed {
		object[name], v.dropped = value, true
	}
	return v.value(path, s, value)
}

func (v *validator) value(path string, s *schema, value any) *fault.Fault {
	if s.given != nil || s.kind == "" {
		if f := v.anything(path, value); f != nil {
			return f
		}
		return s.read(path, value)
	}
	ok := false
	switch x := value.(type) {
	case string:
		if ok = s.kind == "string"; ok {
			if f := v.text(path, s, x); f != nil {
				return f
			}
			return s.read(path, value)
		}
	case bool:
		ok = s.kind == "boolean"
	case json.Number:
		ok = (s.kind == "integer" || s.kind == "number") && s.holds(x)
	case []any:
		if ok = s.kind == "array"; ok {
			return v.list(path, s, x)
		}
	case map[string]any:
		if ok = s.kind == "object"; ok {
			return v.object(path, s, x)
		}
	}
	if ok {
		return nil
	}
	return fault.Validation(path, "parameter %q must be %s, not %s", path, s.expected(false), kindOf(value))
}

// anything checks only for bad text, since the type itself checks the rest.
func (v *validator) anything(path string, value any) *fault.Fault {
	switch x := value.(type) {
	case string:
		return v.text(path, nil, x)
	case []any:
		for i, item := range x {
			if f := v.anything(fmt.Sprintf("%s[%d]", path, i), item); f != nil {
				return f
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(x)) {
			if f := v.text(join(path, name), nil, name); f != nil {
				return f
			}
			if f := v.anything(join(path, name), x[name]); f != nil {
				return f
			}
		}
	}
	return nil
}

func (v *validator) list(path string, s *schema, list []any) *fault.Fault {
	if s.min != nil && len(list) < int(*s.min) || s.max != nil && len(list) > int(*s.max) {
		return fault.Validation(path, "parameter %q must be %s, not %d", path, s.expected(false), len(list))
	}
	for i := range list {
		item, changed := v.formed(s.items, list[i])
		if changed {
			list[i], v.dropped = item, true
		}
		if f := v.value(fmt.Sprintf("%s[%d]", path, i), s.items, item); f != nil {
			return f
		}
	}
	return nil
}

func (v *validator) text(path string, s *schema, given string) *fault.Fault {
	path = shorten(path)
	switch {
	case strings.ContainsRune(given, 0):
		return fault.Validation(path, "parameter %q holds a NUL character; expected plain text", path)
	case v.broken && strings.ContainsRune(given, utf8.RuneError):
		return fault.Validation(path, "parameter %q is not valid UTF-8; expected plain text", path)
	}
	n := utf8.RuneCountInString(given)
	if most := s.longest(); n > most {
		return fault.Validation(path, "parameter %q is %d characters long; at most %d are accepted", path, n, most)
	}
	if s == nil {
		return nil
	}
	if s.min != nil && n < int(*s.min) {
		return fault.Validation(path, "parameter %q must be %s, not %q", path, s.expected(true), shorten(given))
	}
	if s.enum != nil && !slices.Contains(s.enum, given) {
		f := fault.Validation(path, "parameter %q must be %s, not %q", path, s.expected(false), shorten(given))
		if near := text.Nearest(given, s.enum); near != "" {
			return f.WithHint("did you mean %q?", near)
		}
		return f
	}
	return nil
}

// longest returns how many characters a string may have.
func (s *schema) longest() int {
	switch {
	case s == nil:
		return maxText
	case s.max != nil:
		return int(*s.max)
	case s.name:
		return text.MaxName
	}
	return maxText
}

// read passes the value to the UnmarshalJSON of a parameter's own type.
func (s *schema) read(path string, value any) *fault.Fault {
	if s.own == nil {
		return nil
	}
	err := json.Unmarshal(marshal(value), reflect.New(s.own).Interface())
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		named := *f
		if named.Field == "" {
			named.Field = path
		}
		return &named
	}
	return fault.Validation(path, "parameter %q must be %s, not %s", path, s.expected(true), kindOf(value))
}

// holds reports whether the number fits the schema's type and bounds.
func (s *schema) holds(n json.Number) bool {
	if s.kind == "integer" {
		var err error
		if s.bits < 0 {
			_, err = strconv.ParseUint(n.String(), 10, -s.bits)
		} else {
			_, err = strconv.ParseInt(n.String(), 10, s.bits)
		}
		if err != nil {
			return false
		}
	}
	x, err := n.Float64()
	return err == nil && (s.min == nil || x >= *s.min) && (s.max == nil || x <= *s.max)
}

// loneSurrogate reports whether JSON text holds half of a \u pair, which encoding/json replaces silently, as it does broken UTF-8.
func loneSurrogate(raw []byte) bool {
	low := func(i int) bool { u, ok := escape(raw, i); return ok && u >= 0xdc00 && u < 0xe000 }
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		switch u, ok := escape(raw, i); {
		case !ok:
			i++ // of two bytes
		case u >= 0xd800 && u < 0xdc00 && low(i+6):
			i += 11
		case u >= 0xd800 && u < 0xe000:
			return true
		default:
			i += 5
		}
	}
	return false
}

// escape reads the \uXXXX at raw[i:].
func escape(raw []byte, i int) (uint64, bool) {
	if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
		return 0, false
	}
	u, err := strconv.ParseUint(string(raw[i+2:i+6]), 16, 16)
	return u, err == nil
}
