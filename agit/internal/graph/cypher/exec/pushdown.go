package exec

import (
	"github.com/agit-suite/agit/agit/internal/graph/cypher/function"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// pushed holds the conditions on a node that the store can check before it is read.
type pushed struct {
	labels     []string
	conditions []pushedCondition
	leads      []graph.Lead
}

type pushedCondition struct {
	property string
	op       graph.Op
	value    eval // nil for Exists
	constant bool
}

// filterOf collects the unchecked conditions on the node at slot.
func (p *matcher) filterOf(slot int) *pushed {
	f := &pushed{}
	for _, q := range p.rest {
		if q.done || !q.needs[slot] {
			continue
		}
		switch e := q.expr.(type) {
		case *syntax.HasLabels:
			if v, ok := e.X.(*syntax.Variable); ok && v.Slot == slot {
				f.labels = append(f.labels, e.Labels...)
			}
		case *syntax.Comparison:
			if len(e.Ops) == 1 {
				p.pushComparison(f, slot, e.Ops[0], e.Operands[0], e.Operands[1])
			}
		case *syntax.Binary:
			op, ok := map[string]graph.Op{"IN": graph.In, "STARTS WITH": graph.StartsWith}[e.Op]
			if key, is := propertyAt(e.L, slot); ok && is {
				p.push(f, slot, key, op, e.R)
			}
		case *syntax.Unary:
			if key, is := propertyAt(e.X, slot); is && e.Op == "IS NOT NULL" {
				f.conditions = append(f.conditions, pushedCondition{property: key, op: graph.Exists, constant: true})
			}
		}
	}
	return f
}

// propertyAt returns the property key if e is a property of the variable at slot.
func propertyAt(e syntax.Expr, slot int) (string, bool) {
	if property, ok := e.(*syntax.Property); ok {
		if v, ok := property.Of.(*syntax.Variable); ok && v.Slot == slot {
			return property.Key, true
		}
	}
	return "", false
}

func (p *matcher) pushComparison(f *pushed, slot int, op string, left, right syntax.Expr) {
	straight := map[string]graph.Op{"=": graph.Equal, "<>": graph.NotEqual, "<": graph.Less, "<=": graph.LessOrEqual, ">": graph.Greater, ">=": graph.GreaterOrEqual}
	mirrored := map[string]graph.Op{"=": graph.Equal, "<>": graph.NotEqual, ">": graph.Less, ">=": graph.LessOrEqual, "<": graph.Greater, "<=": graph.GreaterOrEqual}
	if o, ok := straight[op]; ok {
		if key, is := propertyAt(left, slot); is {
			p.push(f, slot, key, o, right)
		} else if key, is := propertyAt(right, slot); is {
			p.push(f, slot, key, mirrored[op], left)
		}
	}
}

// push adds a condition if its other side is known before the node is.
func (p *matcher) push(f *pushed, slot int, key string, op graph.Op, other syntax.Expr) {
	needs := uses(other, p.fresh)
	if needs[slot] || !needs.within(p.bound) || varies(other) {
		return
	}
	f.conditions = append(f.conditions, pushedCondition{key, op, p.c.expr(other), constant(other)})
}

// varies reports whether e may have a different value each time.
func varies(e syntax.Expr) bool {
	return syntax.Any(e, func(e syntax.Expr) bool {
		call, ok := e.(*syntax.Call)
		return ok && function.Find(call.Name).Random
	})
}

// constant reports whether e is the same for every row.
func constant(e syntax.Expr) bool {
	return !syntax.Any(e, func(e syntax.Expr) bool {
		switch e.(type) {
		case *syntax.Literal, *syntax.Parameter, *syntax.ListLiteral:
			return false
		}
		return true
	})
}

// filter returns f for one row; nil when no node can meet it.
func (f *pushed) filter(x *run, r row) *graph.Filter {
	filter := &graph.Filter{Labels: f.labels, Conditions: make([]graph.Condition, 0, len(f.conditions)), Leads: f.leads}
	for _, c := range f.conditions {
		if c.value == nil {
			filter.Conditions = append(filter.Conditions, graph.Condition{Property: c.property, Op: c.op})
			continue
		}
		v := c.value(x, r)
		if v == nil {
			return nil
		}
		if _, isList := v.([]any); c.op == graph.In && !isList {
			continue // the condition itself reports the error later
		}
		filter.Conditions = append(filter.Conditions, graph.Condition{Property: c.property, Op: c.op, Value: v})
	}
	return filter
}

// estimate returns roughly how many nodes can stand at slot.
func (p *matcher) estimate(slot int) float64 {
	f := p.filterOf(slot)
	filter := graph.Filter{Labels: f.labels}
	for _, c := range f.conditions {
		known := graph.Condition{Property: c.property, Op: c.op}
		if c.constant && c.value != nil {
			known.Value = ahead(func() any { return c.value(p.c.x, nil) })
		}
		filter.Conditions = append(filter.Conditions, known)
	}
	return p.c.x.graph.Estimate(p.c.x.ctx, filter)
}

// scan adds a step that binds slot to every node that may stand there.
func (p *matcher) scan(slot int) {
	f := p.filterOf(slot)
	f.leads = p.leads(slot, f.labels)
	p.steps = append(p.steps, eachRow(func(x *run, r row, yield func(row) bool) bool {
		filter := f.filter(x, r)
		if filter == nil {
			return true
		}
		for n, err := range x.graph.Scan(x.ctx, *filter) {
			x.answered(err)
			x.walk()
			if !yield(r.with(slot, n)) {
				return false
			}
		}
		return true
	}))
}

// guardNode drops rows in which a node of an earlier clause is null, and refuses rows in which it is another kind of value.
func guardNode(slot int, p syntax.Pos) step {
	return keepRows(func(_ *run, r row) bool {
		_, isNode := r[slot].(*value.Node)
		if !isNode && r[slot] != nil {
			panic(typeError(p, "a node pattern cannot match %s", value.KindOf(r[slot]).Article()))
		}
		return isNode
	})
}

// keepRows is the step that keeps the rows for which keep returns true.
func keepRows(keep func(*run, row) bool) step {
	return eachRow(func(x *run, r row, yield func(row) bool) bool { return !keep(x, r) || yield(r) })
}
