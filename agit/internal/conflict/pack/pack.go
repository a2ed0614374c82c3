// Package pack turns plain Go values into bytes and back, for a cache that only
// this program reads. It takes the place of encoding/gob, whose initialisation
// alone is a twentieth of a short command, and of JSON, which cannot hold names
// that are not UTF-8.
//
// Values are made of booleans, integers, strings, arrays, slices, maps,
// pointers, time.Time and structs of exported fields, without cycles. The bytes
// begin with the shape of the type, so that a cache written by a program with
// other types is refused and not misread. Functions are safe for concurrent use
// on different values.
package pack

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"time"
)

// Append appends the bytes of the value that v points to. It panics on a type that is not made of the kinds above; any first use of such a
// type shows this.
func Append(buf []byte, v any) []byte {
	value := reflect.ValueOf(v).Elem()
	return appendValue(append(buf, shape(value.Type())...), value)
}

var timeType = reflect.TypeFor[time.Time]()

func appendValue(buf []byte, v reflect.Value) []byte {
	if v.Type() == timeType {
		return appendTime(buf, v.Interface().(time.Time))
	}
	switch v.Kind() {
	case reflect.Bool:
		return appendBool(buf, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(buf, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return binary.AppendUvarint(buf, v.Uint())
	case reflect.String:
		return appendString(buf, v.String())
	case reflect.Slice:
		if v.IsNil() {
			return append(buf, 0)
		}
		return appendElements(binary.AppendUvarint(buf, uint64(v.Len())+1), v)
	case reflect.Array:
		return appendElements(buf, v)
	case reflect.Map:
		if v.IsNil() {
			return append(buf, 0)
		}
		buf = binary.AppendUvarint(buf, uint64(v.Len())+1)
		for each := v.MapRange(); each.Next(); {
			buf = appendValue(appendValue(buf, each.Key()), each.Value())
		}
		return buf
	case reflect.Pointer:
		buf = appendBool(buf, !v.IsNil())
		if v.IsNil() {
			return buf
		}
		return appendValue(buf, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			buf = appendValue(buf, v.Field(i))
		}
		return buf
	}
	panic(fmt.Sprintf("pack: a %s cannot be packed", v.Type()))
}

func appendElements(buf []byte, v reflect.Value) []byte {
	bytes := v.Type().Elem().Kind() == reflect.Uint8
	if bytes && (v.Kind() == reflect.Slice || v.CanAddr()) {
		return append(buf, v.Bytes()...)
	}
	for i := range v.Len() {
		if bytes { // of an array in a map, which has no address
			buf = append(buf, byte(v.Index(i).Uint()))
			continue
		}
		buf = appendValue(buf, v.Index(i))
	}
	return buf
}

func appendBool(buf []byte, b bool) []byte {
	if b {
		return append(buf, 1)
	}
	return append(buf, 0)
}

func appendString(buf []byte, s string) []byte {
	return append(binary.AppendUvarint(buf, uint64(len(s))), s...)
}

// appendTime keeps the instant and the offset. The monotonic clock reading, which only this process understands, is lost.
func appendTime(buf []byte, t time.Time) []byte {
	text, err := t.MarshalBinary()
	if err != nil {
		panic(fmt.Sprintf("pack: %v", err)) // no clock has such a year or zone
	}
	return appendString(buf, string(text))
}

// shapeSize is the length of a shape in bytes.
const shapeSize = 16

// shapes caches the shapes of types: a command that reads its cache and stores it again needs each twice.
var shapes sync.Map // of reflect.Type to []byte

// shape distinguishes types by what is packed of them: kinds, and names and order of fields.
func shape(t reflect.Type) []byte {
	if known, ok := shapes.Load(t); ok {
		return known.([]byte)
	}
	sum := sha256.Sum256(appendShape(nil, t, map[reflect.Type]int{}))
	made := sum[:shapeSize]
	shapes.Store(t, made)
	return made
}

func appendShape(buf []byte, t reflect.Type, seen map[reflect.Type]int) []byte {
	if n, ok := seen[t]; ok {
		return appendCount(append(buf, '#'), n)
	}
	seen[t] = len(seen)
	buf = appendCount(buf, int(t.Kind()))
	if t == timeType {
		return buf
	}
	switch t.Kind() {
	case reflect.Array:
		buf = appendShape(appendCount(buf, t.Len()), t.Elem(), seen)
	case reflect.Map:
		buf = appendShape(appendShape(buf, t.Key(), seen), t.Elem(), seen)
	case reflect.Slice, reflect.Pointer:
		buf = appendShape(buf, t.Elem(), seen)
	case reflect.Struct:
		buf = appendCount(buf, t.NumField())
		for i := range t.NumField() {
			field := t.Field(i)
			buf = append(append(buf, field.Name...), ' ')
			buf = appendShape(buf, field.Type, seen)
		}
	}
	return buf
}

func appendCount(buf []byte, n int) []byte {
	return append(strconv.AppendInt(buf, int64(n), 10), ' ')
}
