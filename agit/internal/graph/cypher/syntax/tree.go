package syntax

import "github.com/agit-suite/agit/agit/internal/graph/cypher/graph"

// Query is a whole query, or the body of EXISTS { }: one or more parts joined
// by UNION.
type Query struct {
	Parts   []*Part
	All     []bool // All[i]: UNION ALL between parts i and i+1
	Columns []string
}

// Part is a sequence of clauses. Slots is the width of its rows, set by package check; a subquery shares the rows of the part around
// it.
type Part struct {
	Clauses []Clause
	Slots   int
}

// Clause is one of *Match, *Unwind and *Projection.
type Clause interface{ clause() }

// Match is MATCH or OPTIONAL MATCH.
type Match struct {
	Optional bool
	Patterns []*Pattern
	Where    Expr // may be nil
}

// Unwind is UNWIND list AS variable.
type Unwind struct {
	List Expr
	As   *Variable
}

// Projection is WITH or RETURN. Package check sets the fields below the blank line.
type Projection struct {
	Pos      Pos
	Return   bool
	Distinct bool
	Star     bool
	Items    []*Item
	Order    []*SortItem
	Skip     Expr
	Limit    Expr
	Where    Expr // WITH … WHERE

	Aggregates []*Call      // every aggregation, each with its Slot
	Columns    map[Expr]int // the slots of expressions that are already computed in a column
	Grouped    bool         // the projection aggregates
}

// Item is one column of a projection.
type Item struct {
	Expr  Expr
	Name  string
	Alias bool // AS was written
	Slot  int
	Pos   Pos
}

// SortItem is one key of ORDER BY.
type SortItem struct {
	Expr       Expr
	Descending bool
}

func (*Match) clause()      {}
func (*Unwind) clause()     {}
func (*Projection) clause() {}

// Pattern is a chain of nodes and relationships; len(Nodes) is len(Rels)+1.
type Pattern struct {
	Pos   Pos
	Path  *Variable // p = …, or nil
	Nodes []*NodePattern
	Rels  []*RelPattern
}

// Elements returns what the nodes and then the relationships have in common.
func (p *Pattern) Elements() []*Element {
	all := make([]*Element, 0, len(p.Nodes)+len(p.Rels))
	for _, n := range p.Nodes {
		all = append(all, &n.Element)
	}
	for _, r := range p.Rels {
		all = append(all, &r.Element)
	}
	return all
}

// Element is a node or a relationship of a pattern. Package check sets Slot, for anonymous ones too.
type Element struct {
	Pos   Pos
	Var   *Variable // nil when anonymous
	Props Expr      // *MapLiteral or nil
	Slot  int
	Fresh bool // bound here for the first time
}

// NodePattern is (v:Label {…}).
type NodePattern struct {
	Element
	Labels []string
}

// RelPattern is -[v:TYPE *min..max {…}]->.
type RelPattern struct {
	Element
	Types     []string
	Direction graph.Direction // seen from the node written first
	Variable  bool            // of variable length
	Min       int64           // 1 when not written
	Max       int64           // -1 when there is no bound
}

// Unbounded is the Max of a variable-length pattern without an upper bound.
const Unbounded = -1
