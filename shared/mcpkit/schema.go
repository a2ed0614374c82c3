package mcpkit

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/timestamp"
)

// schema is the part of JSON Schema that tool inputs need: small enough to
// print compactly and to check with messages a person understands.
type schema struct {
	kind  string // object, array, string, integer, number, boolean; "" is anything
	desc  string
	enum  []string
	min   *float64
	max   *float64
	name  bool            // a string that names something
	bits  int             // of an integer; negative when unsigned
	items *schema         // of an array, or of every value of a free object
	props []*prop         // of an object with named fields
	free  bool            // an object whose keys are not known beforehand
	given json.RawMessage // the whole schema, when the type provides it
	form  *schema         // the types in given, to read values that arrive as strings; nil without it
	known []*prop         // of a free object: known names, none of them required
	shown int             // how many of these are described
	own   reflect.Type    // unmarshals its value itself; nil for plain types
}

type prop struct {
	name     string
	also     []string // further accepted names
	required bool
	*schema
}

// Schemer is implemented by parameter types that read more than one JSON type, such as a priority that is a word or a number. MCPSchema is
// called on the zero value; UnmarshalJSON checks the value and returns what is wrong with it.
type Schemer interface {
	json.Unmarshaler
	MCPSchema() json.RawMessage
}

var (
	schemerType = reflect.TypeFor[Schemer]()
	textType    = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonType    = reflect.TypeFor[json.Unmarshaler]()
	timeType    = reflect.TypeFor[timestamp.Time]()
)

func schemaOf(t reflect.Type) *schema {
	if t.Kind() == reflect.Pointer {
		return schemaOf(t.Elem())
	}
	switch p := reflect.PointerTo(t); {
	case p.Implements(schemerType):
		given := reflect.New(t).Interface().(Schemer).MCPSchema()
		return &schema{given: given, form: formOf(given), own: t}
	case p.Implements(textType):
		return &schema{kind: "string", own: t}
	case p.Implements(jsonType):
		return &schema{own: t}
	}
	switch t.Kind() {
	case reflect.String:
		return &schema{kind: "string"}
	case reflect.Bool:
		return &schema{kind: "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &schema{kind: "integer", bits: t.Bits()}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &schema{kind: "integer", bits: -t.Bits()}
	case reflect.Float32, reflect.Float64:
		return &schema{kind: "number"}
	case reflect.Slice, reflect.Array:
		return &schema{kind: "array", items: schemaOf(t.Elem())}
	case reflect.Map:
		return &schema{kind: "object", free: true, items: schemaOf(t.Elem())}
	case reflect.Struct:
		return &schema{kind: "object", props: propsOf(t)}
	case reflect.Interface:
		return &schema{}
	default:
		panic(fmt.Sprintf("mcpkit: a parameter cannot be a %s", t))
	}
}

func propsOf(t reflect.Type) []*prop {
	var props []*prop
	for i := range t.NumField() {
		f := t.Field(i)
		name, optional, inline := fieldName(f)
		if inline {
			props = append(props, propsOf(f.Type)...)
			continue
		}
		if name == "" {
			continue
		}
		s := schemaOf(f.Type)
		s.desc = f.Tag.Get("desc")
		s.min, s.max = bound(f, "min"), bound(f, "max")
		s.name = f.Tag.Get("is") == "name"
		s.known, s.shown = knownKeys(f.Tag.Get("keys"))
		if list := f.Tag.Get("enum"); list != "" {
			s.enum = strings.Split(list, ",")
		}
		props = append(props, &prop{name: name, also: otherNames(f), required: !optional, schema: s})
	}
	return props
}

// knownKeys reads the tag keys of a map: its usual keys, with "[]" behind those of lists of texts. Keys before a semicolon are described in
// the schema, because some models' tools refuse an object without described members (https://ai.google.dev/api/caching#Schema).
func knownKeys(tag string) (known []*prop, shown int) {
	first, _, _ := strings.Cut(tag, ";")
	for name := range strings.SplitSeq(strings.ReplaceAll(tag, ";", ","), ",") {
		if name == "" {
			continue
		}
		s := &schema{kind: "string"}
		if bare, list := strings.CutSuffix(name, "[]"); list {
			name, s = bare, &schema{kind: "array", items: s}
		}
		known = append(known, &prop{name: name, schema: s})
	}
	if first != "" {
		shown = strings.Count(first, ",") + 1
	}
	return known, shown
}

// otherNames reads the tag also: further names under which a parameter is accepted.
func otherNames(f reflect.StructField) []string {
	if list := f.Tag.Get("also"); list != "" {
		return strings.Split(list, ",")
	}
	return nil
}

// ownNames replaces the other name of a parameter in a fault by its name in the schema.
func (s *schema) ownNames(err error) error {
	var f *fault.Fault
	if s == nil || !errors.As(err, &f) || f.Field == "" || slices.ContainsFunc(s.props, func(p *prop) bool { return p.name == f.Field }) {
		return err
	}
	for _, p := range s.props {
		if slices.Contains(p.also, f.Field) {
			named := *fault.From(err)
			named.Field = p.name
			return &named
		}
	}
	return err
}

// fieldName reads a field as encoding/json does: its name ("" is left out),
// whether it may be absent, and whether its own fields stand in its place.
func fieldName(f reflect.StructField) (name string, optional, inline bool) {
	tag, tagged := f.Tag.Lookup("json")
	name, rest, _ := strings.Cut(tag, ",")
	if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
		return "", false, true
	}
	if !f.IsExported() || name == "-" && rest == "" {
		return "", false, false
	}
	if name == "" || !tagged {
		name = f.Name
	}
	for option := range strings.SplitSeq(rest, ",") {
		optional = optional || option == "omitempty" || option == "omitzero"
	}
	return name, optional, false
}

func bound(f reflect.StructField, tag string) *float64 {
	text, ok := f.Tag.Lookup(tag)
	if !ok {
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("mcpkit: field %s: %s:%q is not a number", f.Name, tag, text))
	}
	return &n
}

// bounds names the keywords of min and max for each kind.
var bounds = map[string][2]string{
	"string":  {"minLength", "maxLength"},
	"array":   {"minItems", "maxItems"},
	"integer": {"minimum", "maximum"},
	"number":  {"minimum", "maximum"},
}

// encode prints the schema with its fields in the order of the struct, which is
// the order a model reads them in.
func (s *schema) encode() json.RawMessage {
	var b bytes.Buffer
	s.write(&b)
	return b.Bytes()
}

func (s *schema) write(b *bytes.Buffer) {
	if s.given != nil {
		given := bytes.TrimSpace(s.given)
		if s.desc == "" {
			b.Write(given)
			return
		}
		b.Write(bytes.TrimSuffix(given, []byte("}")))
		if len(given) > 2 {
			b.WriteByte(',')
		}
		member(b, "description", s.desc)
		b.WriteByte('}')
		return
	}
	b.WriteByte('{')
	put := func(name string, value any) {
		if !bytes.HasSuffix(b.Bytes(), []byte("{")) {
			b.WriteByte(',')
		}
		member(b, name, value)
	}
	if s.kind != "" {
		put("type", s.kind)
	}
	if s.desc != "" {
		put("description", s.desc)
	}
	if s.enum != nil {
		put("enum", s.enum)
	}
	for i, limit := range []*float64{s.min, s.max} {
		if limit != nil {
			put(bounds[s.kind][i], *limit)
		}
	}
	if s.kind == "object" {
		s.writeObject(b)
	}
	if s.kind == "array" { // with items always: some models' tools refuse an array without
		b.WriteString(`,"items":`)
		if s.items.kind == "" && s.items.given == nil {
			b.WriteString(`{"type":"object"}`) // which reads itself
		} else {
			s.items.write(b)
		}
	}
	b.WriteByte('}')
}

func (s *schema) writeObject(b *bytes.Buffer) {
	if s.free {
		if s.shown > 0 {
			writeProps(b, s.known[:s.shown])
		}
		if s.items.kind != "" {
			b.WriteString(`,"additionalProperties":`)
			s.items.write(b)
		}
		return
	}
	writeProps(b, s.props)
	var required []string
	for _, p := range s.props {
		if p.required {
			required = append(required, p.name)
		}
	}
	if required != nil {
		b.WriteByte(',')
		member(b, "required", required)
	}
	b.WriteString(`,"additionalProperties":false`)
}

func writeProps(b *bytes.Buffer, props []*prop) {
	b.WriteString(`,"properties":{`)
	for i, p := range props {
		if i > 0 {
			b.WriteByte(',')
		}
		key(b, p.name)
		p.write(b)
	}
	b.WriteByte('}')
}

func member(b *bytes.Buffer, name string, value any) {
	key(b, name)
	b.Write(marshal(value))
}

func key(b *bytes.Buffer, name string) {
	b.Write(marshal(name))
	b.WriteByte(':')
}
