// Package gql runs operations of GraphQL on values in memory, for the servers of trackers
// that speak it (https://spec.graphql.org/October2021/#sec-Execution).
package gql

import (
	"fmt"
	"reflect"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// Node is a value with fields. A field may take arguments.
type Node interface {
	Field(name string, args map[string]any) (any, error)
}

// Typed is a Node that is of types, which fragments ask for.
type Typed interface {
	Node
	Is(name string) bool
}

// Fields is a Node made on the spot.
type Fields map[string]any

// Field is the value of that name.
func (f Fields) Field(name string, _ map[string]any) (any, error) {
	v, ok := f[name]
	if !ok {
		return nil, fmt.Errorf("Cannot query field %q", name)
	}
	return v, nil
}

// Partly is a field that the caller may not see; the others can be read. It is the error.
type Partly struct{ Err error }

// Execution runs one operation.
type Execution struct {
	Variables map[string]any
	Stamp     func(time.Time) string
	Fail      func(err error, path []any) // takes each error with where it is
}

// Operation is what an operation asks of a root; nil where a part that must not be null
// failed.
func (x *Execution) Operation(root Node, op *ast.OperationDefinition) any {
	if x.Variables == nil {
		x.Variables = map[string]any{}
	}
	for _, v := range op.VariableDefinitions {
		if _, given := x.Variables[v.Variable]; !given && v.DefaultValue != nil {
			if d, err := v.DefaultValue.Value(nil); err == nil {
				x.Variables[v.Variable] = d
			}
		}
	}
	out := map[string]any{}
	if !x.selection(root, op.SelectionSet, nil, out) {
		return nil
	}
	return out
}

// selection adds to out what is asked of a node. It returns false when a part failed.
func (x *Execution) selection(n Node, set ast.SelectionSet, path []any, out map[string]any) bool {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.InlineFragment:
			if t, ok := n.(Typed); !ok || !t.Is(s.TypeCondition) {
				continue
			}
			if !x.selection(n, s.SelectionSet, path, out) {
				return false
			}
		case *ast.Field:
			at := append(append([]any{}, path...), s.Alias)
			v, err := n.Field(s.Name, x.arguments(s))
			if err != nil {
				x.Fail(err, at)
				return false
			}
			value, ok := x.value(v, s.SelectionSet, at)
			if !ok {
				return false
			}
			out[s.Alias] = value
		default:
			x.Fail(fmt.Errorf("fragments with names are not served"), path)
			return false
		}
	}
	return true
}

// arguments are the values of a field's arguments; a variable that was not given is no
// argument.
func (x *Execution) arguments(f *ast.Field) map[string]any {
	args := map[string]any{}
	for _, a := range f.Arguments {
		if a.Value.Kind == ast.Variable {
			if v, given := x.Variables[a.Value.Raw]; given {
				args[a.Name] = v
			}
			continue
		}
		if v, err := a.Value.Value(x.Variables); err == nil {
			args[a.Name] = v
		}
	}
	return args
}

func (x *Execution) value(v any, set ast.SelectionSet, path []any) (any, bool) {
	switch v := v.(type) {
	case Partly:
		x.Fail(v.Err, path)
		return nil, true
	case nil:
		return nil, true
	case Node:
		if IsNil(v) {
			return nil, true
		}
		out := map[string]any{}
		return out, x.selection(v, set, path, out)
	case []Node:
		list := make([]any, 0, len(v))
		for i, each := range v {
			one, ok := x.value(each, set, append(append([]any{}, path...), i))
			if !ok {
				return nil, false
			}
			list = append(list, one)
		}
		return list, true
	case time.Time:
		return x.Stamp(v), true
	case *time.Time:
		if v == nil {
			return nil, true
		}
		return x.Stamp(*v), true
	}
	return v, true
}

// IsNil reports whether a value is not a node: nil, or a nil pointer.
func IsNil(v any) bool {
	if v == nil {
		return true
	}
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}
