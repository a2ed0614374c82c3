package syntax

// Children returns the expressions directly inside e, including bodies of comprehensions. Subqueries are left out.
func Children(e Expr) []Expr {
	switch e := e.(type) {
	case *Property:
		return []Expr{e.Of}
	case *Index:
		return []Expr{e.Of, e.Index}
	case *Slice:
		return present(e.Of, e.From, e.To)
	case *Unary:
		return []Expr{e.X}
	case *Binary:
		return []Expr{e.L, e.R}
	case *Comparison:
		return e.Operands
	case *HasLabels:
		return []Expr{e.X}
	case *ListLiteral:
		return e.Items
	case *MapLiteral:
		return e.Values
	case *Call:
		return e.Args
	case *Case:
		children := present(e.Test)
		for i := range e.When {
			children = append(children, e.When[i], e.Then[i])
		}
		return append(children, present(e.Else)...)
	case *Comprehension:
		return present(e.List, e.Where, e.Map)
	case *Quantifier:
		return present(e.List, e.Where)
	case *Reduce:
		return []Expr{e.Init, e.List, e.Body}
	case *MapProjection:
		return append([]Expr{e.Of}, e.Values...)
	case *PatternComprehension:
		return append(MatchExprs(e.Match), e.Map)
	case *PatternPredicate:
		return MatchExprs(e.Match)
	}
	return nil
}

// MatchExprs returns the property maps and the condition of a match.
func MatchExprs(m *Match) []Expr {
	var found []Expr
	for _, p := range m.Patterns {
		for _, e := range p.Elements() {
			found = append(found, present(e.Props)...)
		}
	}
	return append(found, present(m.Where)...)
}

func present(exprs ...Expr) []Expr {
	kept := make([]Expr, 0, len(exprs)+1)
	for _, e := range exprs {
		if e != nil {
			kept = append(kept, e)
		}
	}
	return kept
}

// Walk calls visit for e and for everything inside it that Children returns. It does not descend where visit returns false.
func Walk(e Expr, visit func(Expr) bool) {
	if e == nil || !visit(e) {
		return
	}
	for _, child := range Children(e) {
		Walk(child, visit)
	}
}

// Any reports whether is returns true for e or for anything inside it that Children returns.
func Any(e Expr, is func(Expr) bool) bool {
	found := false
	Walk(e, func(e Expr) bool {
		found = found || is(e)
		return !found
	})
	return found
}

// Conjuncts splits a condition at its outermost ANDs.
func Conjuncts(e Expr) []Expr {
	if b, ok := e.(*Binary); ok && b.Op == "AND" {
		return append(Conjuncts(b.L), Conjuncts(b.R)...)
	}
	return present(e)
}
