package value

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/temporal"
)

// From converts a Go value into the package's form: every integer type becomes int64, json.Number becomes int64 when it has neither
// fraction nor exponent, slices and string-keyed maps become lists and maps. It refuses other types, and unsigned integers above the
// int64 range.
func From(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, int64, float64, string, *Node, *Relationship, *Path, temporal.Value:
		return v, nil
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, nil
		}
		f, err := v.Float64()
		if err != nil {
			return nil, fmt.Errorf("number %q: %w", v.String(), err)
		}
		return f, nil
	}
	return fromReflect(reflect.ValueOf(v))
}

func fromReflect(v reflect.Value) (any, error) {
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if u := v.Uint(); u <= math.MaxInt64 {
			return int64(u), nil
		}
		return nil, fmt.Errorf("%d is larger than a 64-bit integer", v.Uint())
	case reflect.Float32, reflect.Float64:
		return v.Float(), nil
	case reflect.String:
		return v.String(), nil
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			var err error
			if list[i], err = From(v.Index(i).Interface()); err != nil {
				return nil, err
			}
		}
		return list, nil
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			break
		}
		m := make(map[string]any, v.Len())
		for iter := v.MapRange(); iter.Next(); {
			item, err := From(iter.Value().Interface())
			if err != nil {
				return nil, fmt.Errorf("key %q: %w", iter.Key().String(), err)
			}
			m[iter.Key().String()] = item
		}
		return m, nil
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		return From(v.Elem().Interface())
	}
	return nil, fmt.Errorf("a %s has no Cypher form", v.Type())
}
