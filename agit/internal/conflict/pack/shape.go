package pack

import (
	"crypto/sha256"
	"fmt"
	"io"
	"reflect"
)

// shapeSize is the length of a shape in bytes.
const shapeSize = 16

// shape tells types apart by what is packed of them: kinds, and names and order
// of fields.
func shape(t reflect.Type) []byte {
	h := sha256.New()
	writeShape(h, t, map[reflect.Type]int{})
	return h.Sum(nil)[:shapeSize]
}

func writeShape(w io.Writer, t reflect.Type, seen map[reflect.Type]int) {
	if n, ok := seen[t]; ok {
		fmt.Fprintf(w, "#%d ", n)
		return
	}
	seen[t] = len(seen)
	fmt.Fprintf(w, "%s ", t.Kind())
	if t == timeType {
		return
	}
	switch t.Kind() {
	case reflect.Array:
		fmt.Fprintf(w, "%d ", t.Len())
		writeShape(w, t.Elem(), seen)
	case reflect.Map:
		writeShape(w, t.Key(), seen)
		writeShape(w, t.Elem(), seen)
	case reflect.Slice, reflect.Pointer:
		writeShape(w, t.Elem(), seen)
	case reflect.Struct:
		fmt.Fprintf(w, "%d ", t.NumField())
		for i := range t.NumField() {
			fmt.Fprintf(w, "%s ", t.Field(i).Name)
			writeShape(w, t.Field(i).Type, seen)
		}
	}
}
