// Package jsontime writes documents as JSON with every time in one form: UTC, RFC
// 3339, three digits of milliseconds, as the registry stores it. The standard
// encoder leaves out trailing zeros and shows nanoseconds and zones as it finds
// them, and programs that compare or cut times as text stumble over that.
//
// It knows encoding only. Its functions are safe for concurrent use.
package jsontime

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"time"
)

// Layout is the one form.
const Layout = "2006-01-02T15:04:05.000Z"

// Format returns t in the one form.
func Format(t time.Time) string { return t.UTC().Format(Layout) }

// Encode writes v as JSON, ended by a newline; <, > and & stay as they are. With an
// indent it is spread over lines.
func Encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if indent != "" {
		enc.SetIndent("", indent)
	}
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	found := keys{}
	found.ofValue(reflect.ValueOf(v), 0)
	if len(found) == 0 {
		return b.Bytes(), nil
	}
	return found.rewrite(b.Bytes()), nil
}

// keys are the names of a document's fields that hold times, so that a text which
// only looks like one stays what it is.
type keys map[string]bool

var (
	timeType = reflect.TypeFor[time.Time]()
	byType   sync.Map // reflect.Type → keys
)

// deepest bounds how far values of any type are followed.
const deepest = 8

// ofValue adds the keys of a value: those of its type, and where that says
// nothing, those of what is in it.
func (k keys) ofValue(v reflect.Value, depth int) {
	if !v.IsValid() || depth > deepest {
		return
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			k.ofValue(v.Elem(), depth)
		}
		return
	case reflect.Map:
		if v.Type().Elem().Kind() == reflect.Interface {
			for each := v.MapRange(); each.Next(); {
				k.ofEntry(each.Key(), each.Value(), depth)
			}
			return
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Interface {
			for i := range v.Len() {
				k.ofValue(v.Index(i), depth+1)
			}
			return
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Interface || f.Kind() == reflect.Map || f.Kind() == reflect.Slice {
				k.ofValue(f, depth+1)
			}
		}
	}
	known, ok := byType.Load(v.Type())
	if !ok {
		found := keys{}
		found.ofType(v.Type(), map[reflect.Type]bool{})
		known, _ = byType.LoadOrStore(v.Type(), found)
	}
	for name := range known.(keys) {
		k[name] = true
	}
}

// ofEntry adds the key of a map whose value is a time.
func (k keys) ofEntry(name, value reflect.Value, depth int) {
	if value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	if value.IsValid() && value.Type() == timeType && name.Kind() == reflect.String {
		k[name.String()] = true
		return
	}
	k.ofValue(value, depth+1)
}

func (k keys) ofType(t reflect.Type, seen map[reflect.Type]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		k.ofType(t.Elem(), seen)
		return
	case reflect.Struct:
	default:
		return
	}
	if seen[t] {
		return
	}
	seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		inner := f.Type
		for inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner != timeType {
			k.ofType(inner, seen)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = f.Name
		}
		k[name] = true
	}
}

// rewrite returns the strings under the keys the one form, where they are times.
func (k keys) rewrite(document []byte) []byte {
	out := make([]byte, 0, len(document)+len(document)/64)
	copied := 0
	timed := false // the value that comes next is under one of the keys
	for i := 0; i < len(document); i++ {
		if document[i] != '"' {
			continue
		}
		end := endOfString(document, i)
		if next := skipSpace(document, end+1); next < len(document) && document[next] == ':' {
			timed = k[string(document[i+1:end])]
			i = next
			continue
		}
		if timed {
			if at, err := time.Parse(time.RFC3339Nano, string(document[i+1:end])); err == nil {
				out = append(out, document[copied:i+1]...)
				out = at.UTC().AppendFormat(out, Layout)
				copied = end
			}
			timed = false
		}
		i = end
	}
	return append(out, document[copied:]...)
}

// endOfString is the place of the quote that ends the string beginning at i.
func endOfString(document []byte, i int) int {
	for i++; i < len(document); i++ {
		switch document[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(document) - 1
}

func skipSpace(document []byte, i int) int {
	for i < len(document) && (document[i] == ' ' || document[i] == '\n') {
		i++
	}
	return i
}
