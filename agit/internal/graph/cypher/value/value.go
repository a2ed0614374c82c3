// Package value holds the values of openCypher: their Go forms, equality with unknown, equivalence, ordering across types and text
// form. A value is one of nil, bool, int64, float64, string, []any, map[string]any, *Node, *Relationship, *Path and the types of
// package temporal; From converts other Go values. Values are never changed after they are made, so they are safe for concurrent use.
package value

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/temporal"
)

// Node is a graph node. Properties are valid only when Loaded is set: a store may return nodes with only an ID and load the rest on
// request. Labels are complete once Loaded is set or Labels is not empty.
type Node struct {
	ID         int64
	Loaded     bool
	Partial    bool // Properties has only those that the query selected
	Labels     []string
	Properties map[string]any // no nil values
}

// HasLabel reports whether a loaded node carries label.
func (n *Node) HasLabel(label string) bool {
	return slices.Contains(n.Labels, label)
}

// Relationship is a graph relationship from Start to End.
type Relationship struct {
	ID         int64
	Type       string
	Start, End int64
	Properties map[string]any // no nil values
}

// Other returns the end of r that is not id; for a loop it returns id.
func (r *Relationship) Other(id int64) int64 {
	if r.Start == id {
		return r.End
	}
	return r.Start
}

// Path is a walk: Relationships[i] joins Nodes[i] and Nodes[i+1] in either direction, so it has one more node than relationships.
type Path struct {
	Nodes         []*Node
	Relationships []*Relationship
}

// Kind is the type of a value.
type Kind uint8

// The kinds, in no particular order; see rank for the order between types.
const (
	KindNull Kind = iota
	KindBoolean
	KindInteger
	KindFloat
	KindString
	KindList
	KindMap
	KindNode
	KindRelationship
	KindPath
	KindDateTime
	KindLocalDateTime
	KindDate
	KindTime
	KindLocalTime
	KindDuration
	KindInvalid // not a value of this package
)

var kindNames = [...]string{"Null", "Boolean", "Integer", "Float", "String", "List", "Map", "Node", "Relationship", "Path",
	"DateTime", "LocalDateTime", "Date", "Time", "LocalTime", "Duration", "invalid value"}

// String is the name of the kind as openCypher writes it.
func (k Kind) String() string { return kindNames[k] }

// Article is the name of the kind with its article: "a List", "an Integer".
func (k Kind) Article() string {
	if k == KindInteger || k == KindInvalid {
		return "an " + k.String()
	}
	return "a " + k.String()
}

// KindOf returns the kind of v.
func KindOf(v any) Kind {
	switch v.(type) {
	case nil:
		return KindNull
	case bool:
		return KindBoolean
	case int64:
		return KindInteger
	case float64:
		return KindFloat
	case string:
		return KindString
	case []any:
		return KindList
	case map[string]any:
		return KindMap
	case *Node:
		return KindNode
	case *Relationship:
		return KindRelationship
	case *Path:
		return KindPath
	case temporal.DateTime:
		return KindDateTime
	case temporal.LocalDateTime:
		return KindLocalDateTime
	case temporal.Date:
		return KindDate
	case temporal.Time:
		return KindTime
	case temporal.LocalTime:
		return KindLocalTime
	case temporal.Duration:
		return KindDuration
	}
	return KindInvalid
}

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
