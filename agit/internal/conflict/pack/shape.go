package pack

import (
	"crypto/sha256"
	"reflect"
	"strconv"
	"sync"
)

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
