package exec

import (
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// existence describes a test whether one hop from a known node leads to a node that meets fixed conditions. A store may answer it
// without returning the nodes.
type existence struct {
	from      int // slot
	direction graph.Direction
	types     []string
	to        *pushed
}

// onlyMatch returns the MATCH of a subquery that consists of one MATCH, and nil for any other subquery.
func onlyMatch(q *syntax.Query) *syntax.Match {
	if len(q.Parts) != 1 {
		return nil
	}
	m, _ := q.Parts[0].Clauses[0].(*syntax.Match)
	for _, clause := range q.Parts[0].Clauses[1:] {
		if _, ok := clause.(*syntax.Projection); !ok {
			return nil
		}
	}
	if m == nil || m.Optional {
		return nil
	}
	return m
}

// existenceOf returns the existence test that m amounts to; nil when m does more.
func (c *compiler) existenceOf(m *syntax.Match) *existence {
	if _, can := c.x.graph.(graph.NeighbourChecker); !can || m == nil || len(m.Patterns) != 1 {
		return nil
	}
	pattern := m.Patterns[0]
	if pattern.Path != nil || len(pattern.Rels) != 1 {
		return nil
	}
	near, far, rel := pattern.Nodes[0], pattern.Nodes[1], pattern.Rels[0]
	p := &existence{direction: rel.Direction, types: rel.Types, to: &pushed{}}
	if near.Fresh {
		near, far, p.direction = far, near, rel.Direction.Reverse()
	}
	if near.Fresh || !far.Fresh || near.Slot == far.Slot || len(near.Labels) > 0 || near.Props != nil || rel.Variable || rel.Props != nil || !rel.Fresh {
		return nil
	}
	p.from = near.Slot
	all := &matcher{c: c, fresh: slotSet{}, bound: slotSet{}, nodes: map[int][]*syntax.NodePattern{}}
	all.add(pattern)
	for _, e := range syntax.Conjuncts(m.Where) {
		all.require(e)
	}
	for _, q := range all.rest {
		q.needs = uses(q.expr, all.fresh)
		alone := &matcher{c: c, fresh: all.fresh, bound: all.bound, rest: []*conjunct{q}}
		f := alone.filterOf(far.Slot)
		if len(f.labels)+len(f.conditions) == 0 || len(f.conditions) > 0 && !f.conditions[0].constant {
			return nil
		}
		p.to.labels = append(p.to.labels, f.labels...)
		p.to.conditions = append(p.to.conditions, f.conditions...)
	}
	return p
}

// leads removes from the unchecked conditions the existence tests that the store makes while it scans for the node at slot, and returns
// them.
func (p *matcher) leads(slot int, labels []string) (leads []graph.Lead) {
	store, can := p.c.x.graph.(graph.LeadChecker)
	if !can {
		return nil
	}
	for _, q := range p.rest {
		if q.done || !q.needs[slot] {
			continue
		}
		inner, want := positive(q.expr)
		var asks *existence
		switch inner := inner.(type) {
		case *syntax.PatternPredicate:
			asks = p.c.existenceOf(inner.Match)
		case *syntax.Exists:
			if onlyMatches(inner.Query) {
				asks = p.c.existenceOf(onlyMatch(inner.Query))
			}
		}
		if asks == nil || asks.from != slot {
			continue
		}
		to := ahead(func() *graph.Filter { return asks.to.filter(p.c.x, nil) }) // its conditions are constant
		if to == nil {
			continue
		}
		lead := graph.Lead{Hop: asks.hop(nil, to), None: !want}
		if store.ChecksLead(labels, lead) {
			q.done = true
			leads = append(leads, lead)
		}
	}
	return leads
}

func (p *existence) hop(from []int64, to *graph.Filter) graph.Hop {
	return graph.Hop{From: from, Direction: p.direction, Types: p.types, To: to}
}

// matching returns for each row of group whether the hop leads somewhere; ok is false when the store cannot answer that.
func (p *existence) matching(x *run, group []row) (found []bool, ok bool) {
	if p == nil {
		return nil, false
	}
	ids, seen := make([]int64, 0, len(group)), make(map[int64]bool, len(group))
	for _, r := range group {
		n, isNode := r[p.from].(*value.Node)
		if !isNode {
			return nil, false
		}
		if _, known := seen[n.ID]; !known {
			seen[n.ID] = false
			ids = append(ids, n.ID)
		}
	}
	if filter := p.to.filter(x, group[0]); filter != nil {
		there, ok, err := x.graph.(graph.NeighbourChecker).HaveNeighbour(x.ctx, p.hop(ids, filter))
		check(err)
		if !ok {
			return nil, false
		}
		for _, id := range there {
			seen[id] = true
		}
	}
	found = make([]bool, len(group))
	for i, r := range group {
		found[i] = seen[r[p.from].(*value.Node).ID]
		x.walk()
	}
	check(x.alive())
	return found, true
}
