package exec

import (
	"maps"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// mapOf compiles a map literal whose entries are added to those of base, if base is not nil.
func (c *compiler) mapOf(keys []string, exprs []syntax.Expr, base func(*run, row) map[string]any) eval {
	values := c.exprs(exprs)
	return func(x *run, r row) any {
		m := make(map[string]any, len(keys))
		if base != nil {
			given := base(x, r)
			if given == nil {
				return nil
			}
			maps.Copy(m, given)
		}
		for i, key := range keys {
			m[key] = values[i](x, r)
		}
		return x.made(m)
	}
}

func (c *compiler) mapProjection(e *syntax.MapProjection) eval {
	of := c.expr(e.Of)
	return c.mapOf(e.Keys, e.Values, func(x *run, r row) map[string]any {
		var all map[string]any
		switch v := of(x, r).(type) {
		case nil:
			return nil
		case *value.Node:
			if e.All {
				n, err := x.Node(v)
				check(at(e.Pos, err))
				all = n.Properties
			}
		case *value.Relationship:
			all = v.Properties
		case map[string]any:
			all = v
		default:
			panic(typeError(e.Pos, "%s has no properties", value.KindOf(v).Article()))
		}
		if !e.All || all == nil {
			all = map[string]any{}
		}
		return all
	})
}

// index is list[i] counted from the end when negative, or map['key'].
func (c *compiler) index(e *syntax.Index) eval {
	of, index := c.expr(e.Of), c.expr(e.Index)
	return func(x *run, r row) any {
		v, i := of(x, r), index(x, r)
		if v == nil || i == nil {
			return nil
		}
		switch v := v.(type) {
		case []any:
			n, ok := i.(int64)
			if !ok {
				panic(typeError(e.Index.At(), "a List is indexed by an Integer, not %s", value.KindOf(i).Article()))
			}
			if n < 0 {
				n += int64(len(v))
			}
			if n < 0 || n >= int64(len(v)) {
				return nil
			}
			return v[n]
		case map[string]any, *value.Node, *value.Relationship:
			key, ok := i.(string)
			if !ok {
				panic(typeError(e.Index.At(), "%s is indexed by a String, not %s", value.KindOf(v).Article(), value.KindOf(i).Article()))
			}
			return x.propertyOf(e.Pos, v, key)
		}
		panic(typeError(e.Pos, "%s has no elements", value.KindOf(v).Article()))
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
	return func(x *run, r row) any {
		v := of(x, r)
		list, ok := v.([]any)
		if !ok && v != nil {
			panic(typeError(e.Pos, "%s cannot be sliced", value.KindOf(v).Article()))
		}
		length := int64(len(list))
		ends := [2]int64{0, length}
		for i, b := range [2]eval{from, to} {
			if b == nil {
				continue
			}
			v := b(x, r)
			if v == nil {
				return nil
			}
			n, ok := v.(int64)
			if !ok {
				panic(typeError(e.Pos, "a slice is bounded by Integers, not %s", value.KindOf(v).Article()))
			}
			if n < 0 {
				n += length
			}
			ends[i] = max(0, min(n, length))
		}
		if v == nil {
			return nil
		}
		if ends[0] >= ends[1] {
			return []any{}
		}
		return list[ends[0]:ends[1]:ends[1]]
	}
}

// elements evaluates the list of a comprehension; ok is false for null.
func elements(x *run, r row, of eval, p syntax.Pos) (list []any, ok bool) {
	v := of(x, r)
	list, ok = v.([]any)
	if !ok && v != nil {
		panic(typeError(p, "IN needs a List, not %s", value.KindOf(v).Article()))
	}
	return list, ok
}

func (c *compiler) comprehension(e *syntax.Comprehension) eval {
	of := c.expr(e.List)
	where, body := func(*run, row) bool { return true }, load(e.Var.Slot)
	if e.Where != nil {
		where = c.inner(e.Where)
	}
	if e.Map != nil {
		body = c.expr(e.Map)
	}
	return func(x *run, r row) any {
		list, ok := elements(x, r, of, e.Pos)
		if !ok {
			return nil
		}
		result := []any{}
		for _, item := range list {
			check(x.Step())
			r[e.Var.Slot] = item
			if where(x, r) {
				result = append(result, body(x, r))
				check(x.Charge(16))
			}
		}
		return x.made(result)
	}
}

// inner is condition without resetting the count of temporary memory.
func (c *compiler) inner(e syntax.Expr) func(*run, row) bool {
	of := c.expr(e)
	return func(x *run, r row) bool { return truth(e.At(), "WHERE", of(x, r)) == value.True }
}

func (c *compiler) quantifier(e *syntax.Quantifier) eval {
	of, where := c.expr(e.List), c.expr(e.Where)
	return func(x *run, r row) any {
		list, ok := elements(x, r, of, e.Pos)
		if !ok {
			return nil
		}
		var count [3]int // by Truth
		for _, item := range list {
			check(x.Step())
			r[e.Var.Slot] = item
			count[truth(e.Where.At(), e.Kind, where(x, r))]++
			if decided(e.Kind, count) {
				break
			}
		}
		return verdict(e.Kind, count)
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
	return func(x *run, r row) any {
		acc := init(x, r)
		list, ok := elements(x, r, of, e.Pos)
		if !ok {
			return nil
		}
		for _, item := range list {
			check(x.Step())
			r[e.Acc.Slot], r[e.Var.Slot] = acc, item
			acc = body(x, r)
		}
		return acc
	}
}
