package pack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"time"
)

// errDamaged is the error for bytes that Append did not write, or wrote for another type.
var errDamaged = errors.New("pack: the bytes are not those of this type")

// Decode sets the value that v points to from the bytes of Append. After an error the value is useless. It takes memory in proportion to
// the number of bytes, whatever they contain.
func Decode(buf []byte, v any) (err error) {
	value := reflect.ValueOf(v).Elem()
	if !bytes.HasPrefix(buf, shape(value.Type())) {
		return errDamaged
	}
	r := reader{rest: buf[shapeSize:]}
	r.value(value)
	if r.failed || len(r.rest) > 0 {
		return errDamaged
	}
	return nil
}

// reader takes values off the front of rest. After a failure it returns zero values.
type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) value(v reflect.Value) {
	if r.failed {
		return
	}
	if v.Type() == timeType {
		var t time.Time
		if t.UnmarshalBinary(r.take(r.length())) != nil {
			r.failed = true
		}
		v.Set(reflect.ValueOf(t))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, size := binary.Varint(r.rest)
		r.skip(size)
		r.failed = r.failed || v.OverflowInt(n)
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n := r.uint()
		r.failed = r.failed || v.OverflowUint(n)
		v.SetUint(n)
	case reflect.String:
		v.SetString(string(r.take(r.length())))
	case reflect.Slice:
		r.slice(v)
	case reflect.Array:
		r.elements(v)
	case reflect.Map:
		r.mapping(v)
	case reflect.Pointer:
		if r.bool() {
			v.Set(reflect.New(v.Type().Elem()))
			r.value(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			r.value(v.Field(i))
		}
	}
}

func (r *reader) slice(v reflect.Value) {
	n, ok := r.count(leastSize(v.Type().Elem()))
	if !ok {
		v.SetZero()
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	r.elements(v)
}

func (r *reader) elements(v reflect.Value) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		copy(v.Bytes(), r.take(v.Len()))
		return
	}
	for i := range v.Len() {
		r.value(v.Index(i))
	}
}

func (r *reader) mapping(v reflect.Value) {
	t := v.Type()
	n, ok := r.count(leastSize(t.Key()) + leastSize(t.Elem()))
	if !ok {
		v.SetZero()
		return
	}
	v.Set(reflect.MakeMapWithSize(t, n))
	key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem() // the map copies them
	for range n {
		key.SetZero()
		value.SetZero()
		r.value(key)
		r.value(value)
		if r.failed {
			return
		}
		v.SetMapIndex(key, value)
	}
}

// leastSize is the fewest bytes that a value of a type takes. It bounds how many such values the remaining bytes can hold.
func leastSize(t reflect.Type) int {
	size := 0
	switch {
	case t == timeType:
		return 1
	case t.Kind() == reflect.Array:
		size = t.Len() * leastSize(t.Elem())
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			size += leastSize(t.Field(i).Type)
		}
	}
	return max(size, 1)
}

// count reads a length that was written with one added; ok is false for nil.
func (r *reader) count(each int) (n int, ok bool) {
	stored := r.uint()
	if r.failed || stored == 0 {
		return 0, false
	}
	if stored-1 > uint64(len(r.rest)/each) {
		r.failed = true
		return 0, false
	}
	return int(stored - 1), true
}

// length reads the number of bytes that follow.
func (r *reader) length() int {
	n := r.uint()
	if n > uint64(len(r.rest)) {
		r.failed = true
		return 0
	}
	return int(n)
}

func (r *reader) uint() uint64 {
	n, size := binary.Uvarint(r.rest)
	r.skip(size)
	return n
}

func (r *reader) bool() bool {
	b := r.take(1)
	r.failed = r.failed || b[0] > 1
	return b[0] == 1
}

// skip passes over the n bytes of a number; n below 1 means that the number is cut off.
func (r *reader) skip(size int) {
	if size <= 0 {
		r.failed = true
		return
	}
	r.rest = r.rest[size:]
}

// take returns the next n bytes, or zeros when fewer are left.
func (r *reader) take(n int) []byte {
	if n > len(r.rest) {
		r.failed, r.rest = true, nil
		return make([]byte, min(n, math.MaxUint16))
	}
	front := r.rest[:n]
	r.rest = r.rest[n:]
	return front
}
