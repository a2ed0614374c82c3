package exec

import (
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// matcher plans one MATCH: it records what is already bound and what is left to do.
type matcher struct {
	c       *compiler
	steps   []step
	fresh   slotSet // slots this match binds
	bound   slotSet // those of fresh already bound
	hops    []*hop
	nodes   map[int][]*syntax.NodePattern // every occurrence of a node
	rest    []*conjunct
	matched []int // relationship slots already matched, for uniqueness
	paths   []*syntax.Pattern
	next    *syntax.Projection // the projection that reads the rows, if it is known
}

// hop is a relationship pattern between two node slots.
type hop struct {
	pattern  *syntax.RelPattern
	from, to int
	inner    int // slot for the nodes along a variable-length hop, -1 when not needed
	done     bool
}

// conjunct is a condition that all rows must meet.
type conjunct struct {
	expr  syntax.Expr
	needs slotSet
	done  bool
}

// match compiles the patterns and conditions of m to steps.
func (c *compiler) match(m *syntax.Match) []step { return c.matchFor(m, nil) }

// matchFor is match for rows that next reads; next may be nil.
func (c *compiler) matchFor(m *syntax.Match, next *syntax.Projection) []step {
	p := &matcher{c: c, next: next, fresh: slotSet{}, bound: slotSet{}, nodes: map[int][]*syntax.NodePattern{}}
	for _, pattern := range m.Patterns {
		p.add(pattern)
	}
	for _, e := range syntax.Conjuncts(m.Where) {
		p.require(e)
	}
	for _, q := range p.rest {
		q.needs = uses(q.expr, p.fresh)
	}
	for slot, occurrences := range p.nodes {
		if !p.fresh[slot] {
			p.steps = append(p.steps, guardNode(slot, occurrences[0].Pos))
		}
	}
	p.filter() // by the conditions whose variables come from earlier clauses
	for p.advance() {
	}
	for _, pattern := range p.paths {
		p.steps = append(p.steps, p.c.bindPath(pattern, p.hops))
		p.bound[pattern.Path.Slot] = true
	}
	p.filter()
	return p.steps
}

// add splits a pattern into nodes, hops and conditions.
func (p *matcher) add(pattern *syntax.Pattern) {
	if pattern.Path != nil {
		p.paths = append(p.paths, pattern)
		p.fresh[pattern.Path.Slot] = true
	}
	for _, n := range pattern.Nodes {
		p.nodes[n.Slot] = append(p.nodes[n.Slot], n)
	}
	for _, e := range pattern.Elements() {
		if e.Fresh {
			p.fresh[e.Slot] = true
		}
	}
	for i, r := range pattern.Rels {
		h := &hop{pattern: r, from: pattern.Nodes[i].Slot, to: pattern.Nodes[i+1].Slot, inner: -1}
		if r.Variable && pattern.Path != nil {
			h.inner = p.c.slot()
		}
		p.hops = append(p.hops, h)
	}
	// Conditions are added once all slots are known.
	for _, n := range pattern.Nodes {
		v := &syntax.Variable{Pos: n.Pos, Slot: n.Slot}
		if len(n.Labels) > 0 {
			p.require(&syntax.HasLabels{Pos: n.Pos, X: v, Labels: n.Labels})
		}
		p.requireProps(v, n.Props)
	}
	for _, r := range pattern.Rels {
		if !r.Variable {
			p.requireProps(&syntax.Variable{Pos: r.Pos, Slot: r.Slot}, r.Props)
			continue
		}
		if r.Props != nil { // every relationship of the walk has the properties
			each := &syntax.Variable{Pos: r.Pos, Slot: p.c.slot()}
			p.require(&syntax.Quantifier{Pos: r.Pos, Kind: "all", Var: each, List: &syntax.Variable{Pos: r.Pos, Slot: r.Slot}, Where: allEqual(each, r.Props)})
		}
	}
}

func (p *matcher) requireProps(v *syntax.Variable, props syntax.Expr) {
	for _, e := range propertyTests(v, props) {
		p.require(e)
	}
}

// propertyTests returns the comparisons that a property map stands for.
func propertyTests(v *syntax.Variable, props syntax.Expr) []syntax.Expr {
	m, ok := props.(*syntax.MapLiteral)
	if !ok {
		return nil
	}
	tests := make([]syntax.Expr, len(m.Keys))
	for i, key := range m.Keys {
		of := &syntax.Property{Pos: m.Values[i].At(), Of: v, Key: key}
		tests[i] = &syntax.Comparison{Pos: of.Pos, Operands: []syntax.Expr{of, m.Values[i]}, Ops: []string{"="}}
	}
	return tests
}

// allEqual joins the property tests by AND.
func allEqual(v *syntax.Variable, props syntax.Expr) syntax.Expr {
	var all syntax.Expr = &syntax.Literal{Pos: v.Pos, Value: true}
	for _, test := range propertyTests(v, props) {
		all = &syntax.Binary{Pos: v.Pos, Op: "AND", L: all, R: test}
	}
	return all
}

func (p *matcher) require(e syntax.Expr) {
	p.rest = append(p.rest, &conjunct{expr: e})
}

// isBound reports whether slot has a value by now.
func (p *matcher) isBound(slot int) bool { return !p.fresh[slot] || p.bound[slot] }

// filter adds the conditions that can be checked now.
func (p *matcher) filter() {
	for _, q := range p.rest {
		if q.done || !q.needs.within(p.bound) {
			continue
		}
		q.done = true
		p.steps = append(p.steps, p.c.filter(q.expr))
	}
}

// advance adds the next step; it returns false when the pattern is complete.
func (p *matcher) advance() bool {
	if p.c.x.ctx.Err() != nil {
		return false // planning used up the time; the plan will not run
	}
	if h := p.nextHop(); h != nil {
		p.take(h)
	} else if slot, ok := p.nextStart(); ok {
		p.scan(slot)
		p.bound[slot] = true
	} else {
		return false
	}
	p.filter()
	return true
}

// nextHop returns the cheapest hop with a bound end: first a hop between two bound nodes, which only filters, then the hop with the
// fewest possible neighbours, and hops of variable length last.
func (p *matcher) nextHop() *hop {
	var best *hop
	var cost float64
	if len(p.hops) == 1 && !p.hops[0].done && (p.isBound(p.hops[0].from) || p.isBound(p.hops[0].to) || p.isBound(p.hops[0].pattern.Slot)) {
		return p.hops[0]
	}
	for _, h := range p.hops {
		if h.done {
			continue
		}
		from, to := p.isBound(h.from), p.isBound(h.to)
		var price float64
		switch {
		case p.isBound(h.pattern.Slot):
			price = -2
		case !from && !to:
			continue
		case from && to:
			price = -1
		default:
			other := h.to
			if to {
				other = h.from
			}
			price = p.estimate(other)
		}
		if h.pattern.Variable {
			price += 1e12
		}
		if best == nil || price < cost {
			best, cost = h, price
		}
	}
	return best
}

// nextStart returns the unbound node with the fewest candidates.
func (p *matcher) nextStart() (int, bool) {
	best, cost := -1, 0.0
	if slot, only := p.onlyStart(); only {
		return slot, true
	}
	for slot := range p.nodes {
		if p.isBound(slot) {
			continue
		}
		price := p.estimate(slot)
		if best < 0 || price < cost || price == cost && slot < best {
			best, cost = slot, price
		}
	}
	return best, best >= 0
}

// onlyStart returns the only unbound node, if there is exactly one.
func (p *matcher) onlyStart() (slot int, only bool) {
	for s := range p.nodes {
		if !p.isBound(s) {
			if only {
				return 0, false
			}
			slot, only = s, true
		}
	}
	return slot, only
}

// take adds the step for a hop.
func (p *matcher) take(h *hop) {
	h.done = true
	e := &expansion{hop: h, from: h.from, to: h.to, direction: h.pattern.Direction, unique: slices.Clone(p.matched)}
	p.matched = append(p.matched, h.pattern.Slot)
	given := p.isBound(h.pattern.Slot)
	if !given && !p.isBound(h.from) {
		e.from, e.to, e.reversed = h.to, h.from, true
		e.direction = e.direction.Reverse()
	}
	e.toBound = p.isBound(e.to)
	e.fromBound = p.isBound(e.from)
	switch {
	case given:
		p.steps = append(p.steps, e.boundRelationship())
	case h.pattern.Variable:
		if props := h.pattern.Props; props != nil && uses(props, p.fresh).within(p.bound) {
			// The walk checks the properties of its relationships on the way: the values to compare them with are known.
			e.each = p.c.slot()
			e.keep = p.c.inner(allEqual(&syntax.Variable{Pos: h.pattern.Pos, Slot: e.each}, props))
		}
		p.steps = append(p.steps, e.variableLength())
	default:
		if !e.toBound {
			e.target = p.filterOf(e.to).sameForAll()
			e.load = p.c.x.direct[e.to]
		}
		if properties, ok := p.countable(e); ok {
			p.c.weights[p.next] = p.c.slot()
			p.steps = append(p.steps, e.countNeighbours(properties, p.c.weights[p.next]))
			break
		}
		p.steps = append(p.steps, eachGroup(e.expandGroup))
	}
	for _, slot := range []int{h.from, h.to, h.pattern.Slot} {
		p.bound[slot] = true
	}
}

// bindPath compiles the step that builds the value of a named path from its parts.
func (c *compiler) bindPath(pattern *syntax.Pattern, hops []*hop) step {
	inner := make([]int, len(pattern.Rels))
	for i, r := range pattern.Rels {
		for _, h := range hops {
			if h.pattern == r {
				inner[i] = h.inner
			}
		}
	}
	return eachRow(func(_ *run, r row, yield func(row) bool) bool {
		return yield(r.with(pattern.Path.Slot, pathOf(pattern, inner, r)))
	})
}

func pathOf(pattern *syntax.Pattern, inner []int, r row) *value.Path {
	path := &value.Path{}
	node := func(v any) { path.Nodes = append(path.Nodes, v.(*value.Node)) }
	node(r[pattern.Nodes[0].Slot])
	for i, rel := range pattern.Rels {
		switch v := r[rel.Slot].(type) {
		case *value.Relationship:
			path.Relationships = append(path.Relationships, v)
			node(r[pattern.Nodes[i+1].Slot])
		case []any:
			for _, item := range v {
				path.Relationships = append(path.Relationships, item.(*value.Relationship))
			}
			for _, n := range r[inner[i]].([]any)[1:] {
				node(n)
			}
		}
	}
	return path
}
