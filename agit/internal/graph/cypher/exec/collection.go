package exec

import (
	"maps"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

func (c *compiler) list(e *syntax.ListLiteral) eval {
	items := c.exprs(e.Items)
	return func(x *run, r row) (any, error) {
		list, err := x.all(items, r)
		if err != nil {
			return nil, err
		}
		return x.made(list)
	}
}

// mapOf compiles a map literal whose entries are added to those of base, if base is not nil.
func (c *compiler) mapOf(keys []string, exprs []syntax.Expr, base func(*run, row) (map[string]any, error)) eval {
	values := c.exprs(exprs)
	return func(x *run, r row) (any, error) {
		m := make(map[string]any, len(keys))
		if base != nil {
			given, err := base(x, r)
			if err != nil || given == nil {
				return nil, err
			}
			maps.Copy(m, given)
		}
		for i, key := range keys {
			v, err := values[i](x, r)
			if err != nil {
				return nil, err
			}
			m[key] = v
		}
		return x.made(m)
	}
}

func (c *compiler) mapProjection(e *syntax.MapProjection) eval {
	of := c.expr(e.Of)
	return c.mapOf(e.Keys, e.Values, func(x *run, r row) (map[string]any, error) {
		v, err := of(x, r)
		if err != nil || v == nil {
			return nil, err
		}
		var all map[string]any
		switch v := v.(type) {
		case *value.Node:
			if !e.All {
				break
			}
			n, err := x.Node(v)
			if err != nil {
				return nil, at(e.Pos, err)
			}
			all = n.Properties
		case *value.Relationship:
			all = v.Properties
		case map[string]any:
			all = v
		default:
			return nil, typeError(e.Pos, "%s has no properties", value.KindOf(v).Article())
		}
		if !e.All || all == nil {
			all = map[string]any{}
		}
		return all, nil
	})
}

// index is list[i] counted from the end when negative, or map['key'].
func (c *compiler) index(e *syntax.Index) eval {
	of, index := c.expr(e.Of), c.expr(e.Index)
	return func(x *run, r row) (any, error) {
		v, err := of(x, r)
		if err != nil {
			return nil, err
		}
		i, err := index(x, r)
		if err != nil || v == nil || i == nil {
			return nil, err
		}
		switch v := v.(type) {
		case []any:
			n, ok := i.(int64)
			if !ok {
				return nil, syntax.RuntimeErrorf(e.Index.At(), "TypeError", "InvalidArgumentType", "a List is indexed by an Integer, not %s", value.KindOf(i).Article())
			}
			if n < 0 {
				n += int64(len(v))
			}
			if n < 0 || n >= int64(len(v)) {
				return nil, nil
			}
			return v[n], nil
		case map[string]any, *value.Node, *value.Relationship:
			key, ok := i.(string)
			if !ok {
				return nil, syntax.RuntimeErrorf(e.Index.At(), "TypeError", "InvalidArgumentType", "%s is indexed by a String, not %s", value.KindOf(v).Article(), value.KindOf(i).Article())
			}
			return x.propertyOf(e.Pos, v, key)
		}
		return nil, syntax.RuntimeErrorf(e.Pos, "TypeError", "InvalidArgumentType", "%s has no elements", value.KindOf(v).Article())
	}
}

// slice is list[from..to] without the element at to; bounds beyond the list are
// moved to its ends.
func (c *compiler) slice(e *syntax.Slice) eval {
	of := c.expr(e.Of)
	bound := func(e syntax.Expr) eval {
		if e == nil {
			return nil
		}
		return c.expr(e)
	}
	from, to := bound(e.From), bound(e.To)
	return func(x *run, r row) (any, error) {
		v, err := of(x, r)
		if err != nil {
			return nil, err
		}
		list, ok := v.([]any)
		if !ok && v != nil {
			return nil, typeError(e.Pos, "%s cannot be sliced", value.KindOf(v).Article())
		}
		length := int64(len(list))
		ends := [2]int64{0, length}
		for i, b := range [2]eval{from, to} {
			if b == nil {
				continue
			}
			v, err := b(x, r)
			if err != nil || v == nil {
				return nil, err
			}
			n, ok := v.(int64)
			if !ok {
				return nil, typeError(e.Pos, "a slice is bounded by Integers, not %s", value.KindOf(v).Article())
			}
			if n < 0 {
				n += length
			}
			ends[i] = max(0, min(n, length))
		}
		if v == nil {
			return nil, nil
		}
		if ends[0] >= ends[1] {
			return []any{}, nil
		}
		return list[ends[0]:ends[1]:ends[1]], nil
	}
}

// elements evaluates the list of a comprehension; ok is false for null.
func elements(x *run, r row, of eval, p syntax.Pos) (list []any, ok bool, err error) {
	v, err := of(x, r)
	if err != nil || v == nil {
		return nil, false, err
	}
	list, isList := v.([]any)
	if !isList {
		return nil, false, typeError(p, "IN needs a List, not %s", value.KindOf(v).Article())
	}
	return list, true, nil
}

func (c *compiler) comprehension(e *syntax.Comprehension) eval {
	of := c.expr(e.List)
	where, body := func(*run, row) (bool, error) { return true, nil }, load(e.Var.Slot)
	if e.Where != nil {
		where = c.inner(e.Where)
	}
	if e.Map != nil {
		body = c.expr(e.Map)
	}
	return func(x *run, r row) (any, error) {
		list, ok, err := elements(x, r, of, e.Pos)
		if err != nil || !ok {
			return nil, err
		}
		result := []any{}
		for _, item := range list {
			if err := x.Step(); err != nil {
				return nil, err
			}
			r[e.Var.Slot] = item
			keep, err := where(x, r)
			if err != nil {
				return nil, err
			}
			if !keep {
				continue
			}
			v, err := body(x, r)
			if err != nil {
				return nil, err
			}
			result = append(result, v)
			if err := x.Charge(16); err != nil {
				return nil, err
			}
		}
		return x.made(result)
	}
}

// inner is condition without resetting the count of temporary memory.
func (c *compiler) inner(e syntax.Expr) func(*run, row) (bool, error) {
	of := c.expr(e)
	return func(x *run, r row) (bool, error) {
		v, err := of(x, r)
		if err != nil {
			return false, err
		}
		t, err := truth(e.At(), "WHERE", v)
		return t == value.True, err
	}
}

func (c *compiler) quantifier(e *syntax.Quantifier) eval {
	of, where := c.expr(e.List), c.expr(e.Where)
	return func(x *run, r row) (any, error) {
		list, ok, err := elements(x, r, of, e.Pos)
		if err != nil || !ok {
			return nil, err
		}
		var count [3]int // by Truth
		for _, item := range list {
			if err := x.Step(); err != nil {
				return nil, err
			}
			r[e.Var.Slot] = item
			v, err := where(x, r)
			if err != nil {
				return nil, err
			}
			t, err := truth(e.Where.At(), e.Kind, v)
			if err != nil {
				return nil, err
			}
			count[t]++
			if decided(e.Kind, count) {
				break
			}
		}
		return verdict(e.Kind, count), nil
	}
}

// decided reports whether further elements cannot change the answer.
func decided(kind string, count [3]int) bool {
	switch kind {
	case "all":
		return count[value.False] > 0
	case "single":
		return count[value.True] > 1
	}
	return count[value.True] > 0
}

func verdict(kind string, count [3]int) any {
	yes, unknown := count[value.True], count[value.Unknown] > 0
	switch {
	case decided(kind, count):
		return kind == "any"
	case unknown:
		return nil
	case kind == "any":
		return false
	case kind == "single":
		return yes == 1
	}
	return true
}

func (c *compiler) reduce(e *syntax.Reduce) eval {
	init, of, body := c.expr(e.Init), c.expr(e.List), c.expr(e.Body)
	return func(x *run, r row) (any, error) {
		acc, err := init(x, r)
		if err != nil {
			return nil, err
		}
		list, ok, err := elements(x, r, of, e.Pos)
		if err != nil || !ok {
			return nil, err
		}
		for _, item := range list {
			if err := x.Step(); err != nil {
				return nil, err
			}
			r[e.Acc.Slot], r[e.Var.Slot] = acc, item
			if acc, err = body(x, r); err != nil {
				return nil, err
			}
		}
		return acc, nil
	}
}
