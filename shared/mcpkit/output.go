package mcpkit

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
)

// outputSchema returns only the top-level fields of a result with their types: clients check results against it, models rarely see it. No
// field is required, because a fault's object has to pass as well. Text, the type of nearly every field, is left out: that saves 16 bytes a
// field, in every tools/list. A field tagged wire:"-" is a detail that no program needs, and is left out; a field tagged wire:"name" goes
// without its type where the budget is spent.
func outputSchema(t reflect.Type) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	outputFields(&b, t)
	b.WriteString(`}}`)
	if fields, ok := bytes.CutSuffix(b.Bytes(), []byte(`,"properties":{}}`)); ok {
		return append(fields, '}') // none is named
	}
	return b.Bytes()
}

func outputFields(b *bytes.Buffer, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, optional, inline := fieldName(f)
		if inline {
			outputFields(b, f.Type)
			continue
		}
		if name == "" || f.Tag.Get("wire") == "-" {
			continue
		}
		if !bytes.HasSuffix(b.Bytes(), []byte("{")) {
			b.WriteByte(',')
		}
		key(b, name)
		if f.Tag.Get("wire") == "name" {
			b.WriteString(`{}`)
			continue
		}
		b.WriteString(outputType(f.Type, optional))
	}
}

var (
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
)

func outputType(t reflect.Type, optional bool) string {
	if t.Kind() == reflect.Pointer {
		inner := outputType(t.Elem(), optional)
		if optional || inner == "{}" {
			return inner
		}
		return `{"type":[` + inner[len(`{"type":`):len(inner)-1] + `,"null"]}`
	}
	switch {
	case t == timeType, t.Implements(textMarshaler), t.Implements(jsonMarshaler), reflect.PointerTo(t).Implements(jsonMarshaler):
		return `{}`
	}
	switch t.Kind() {
	case reflect.Bool:
		return `{"type":"boolean"}`
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return `{"type":"integer"}`
	case reflect.Float32, reflect.Float64:
		return `{"type":"number"}`
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return `{}`
		}
		return `{"type":"array"}`
	case reflect.Struct:
		return `{"type":"object"}`
	default: // text; a nil map is null
		return `{}`
	}
}
