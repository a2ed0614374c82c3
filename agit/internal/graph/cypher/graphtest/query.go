package graphtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Query returns a random query over the labels, types and properties of Random. It is valid, returns one row or rows whose order does
// not matter, and has no LIMIT, so two correct stores return the same multiset of rows.
func Query(r *rand.Rand) string {
	q := &writer{r: r}
	var b strings.Builder
	clauses := 1 + r.IntN(3)
	for i := range clauses {
		if i > 0 && r.IntN(3) == 0 {
			b.WriteString("OPTIONAL ")
		}
		fmt.Fprintf(&b, "MATCH %s", q.pattern(i == 0))
		if r.IntN(3) > 0 {
			fmt.Fprintf(&b, " WHERE %s", q.condition(2))
		}
		b.WriteString("\n")
		if i < clauses-1 && r.IntN(3) == 0 {
			fmt.Fprintf(&b, "WITH DISTINCT %s\n", strings.Join(q.nodes, ", "))
		}
	}
	n := q.node()
	switch r.IntN(4) {
	case 0:
		fmt.Fprintf(&b, "RETURN count(*), count(DISTINCT %s), sum(%s.id)", n, q.node())
	case 1:
		fmt.Fprintf(&b, "RETURN %s.id AS id, count(*) AS n, min(%s.num) AS least", n, q.node())
	case 2:
		fmt.Fprintf(&b, "RETURN DISTINCT %s, labels(%s), %s", n, q.node(), q.value(1))
	default:
		fmt.Fprintf(&b, "RETURN %s, size([(%s)--(x) WHERE x.num > 1 | x.id]) AS degree", strings.Join(q.nodes, ", "), n)
	}
	return b.String()
}

type writer struct {
	r     *rand.Rand
	nodes []string
}

func (q *writer) pick(options ...string) string { return options[q.r.IntN(len(options))] }

func (q *writer) node() string { return q.nodes[q.r.IntN(len(q.nodes))] }

// pattern returns a chain of up to three nodes. Unless it is the first, it is connected to a known node.
func (q *writer) pattern(first bool) string {
	var b strings.Builder
	hops := q.r.IntN(3)
	if !first {
		b.WriteString("(" + q.node() + ")")
		hops = 1 + q.r.IntN(2)
	} else {
		b.WriteString(q.newNode())
	}
	for range hops {
		left, right := "-", "-"
		switch q.r.IntN(3) {
		case 0:
			left = "<-"
		case 1:
			right = "->"
		}
		fmt.Fprintf(&b, "%s[%s%s%s]%s", left, q.pick("", ":R", ":S", ":R|T"), q.pick("", "", "", "*1..2", "*0..1"), q.pick("", "", "", " {w: 1}"), right)
		if q.r.IntN(4) == 0 && len(q.nodes) > 0 {
			b.WriteString("(" + q.node() + ")")
		} else {
			b.WriteString(q.newNode())
		}
	}
	return b.String()
}

func (q *writer) newNode() string {
	name := fmt.Sprintf("n%d", len(q.nodes))
	q.nodes = append(q.nodes, name)
	return fmt.Sprintf("(%s%s%s)", name, q.pick("", ":A", ":B", ":A:C"), q.pick("", "", "", " {num: 2}", " {name: 'a'}"))
}

// condition returns a random boolean expression.
func (q *writer) condition(depth int) string {
	if depth > 0 && q.r.IntN(2) == 0 {
		switch q.r.IntN(3) {
		case 0:
			return "NOT (" + q.condition(depth-1) + ")"
		default:
			return "(" + q.condition(depth-1) + q.pick(" AND ", " OR ", " XOR ") + q.condition(depth-1) + ")"
		}
	}
	n := q.node()
	switch q.r.IntN(8) {
	case 0:
		return n + ".num " + q.pick("=", "<>", "<", "<=", ">", ">=") + " " + q.value(1)
	case 1:
		return q.value(1) + q.pick(" = ", " < ", " >= ") + n + ".id"
	case 2:
		return n + ".name " + q.pick("STARTS WITH 'a'", "IN ['a', 'b', null]", "IS NULL", "IS NOT NULL", "=~ '[a-c]'")
	case 3:
		return n + ":" + q.pick("A", "B", "C", "A:B")
	case 4:
		return "(" + n + ")" + q.pick("-->", "<-[:R]-", "-[:S*1..2]-") + "(" + q.pick("", ":A", q.node()) + ")"
	case 5:
		return "EXISTS { MATCH (" + n + ")" + q.pick("-->", "<--", "-[:R]-") + "(x) WHERE x.num > " + q.node() + ".num }"
	case 6:
		return "all(x IN " + n + ".list WHERE x <> 1)"
	}
	return "EXISTS { MATCH (" + n + ")--(x) WITH count(x) AS c WHERE c > 2 RETURN c }"
}

// value returns a random expression, mostly a number.
func (q *writer) value(depth int) string {
	if depth > 0 && q.r.IntN(3) == 0 {
		return "(" + q.value(depth-1) + q.pick(" + ", " - ", " * ") + q.value(depth-1) + ")"
	}
	return q.pick("1", "2.5", "3", "null", q.node()+".num", q.node()+".id", "size(labels("+q.node()+"))", "coalesce("+q.node()+".num, 0)")
}
