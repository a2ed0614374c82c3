package syntax

import (
	"slices"
	"strings"
)

// query reads parts joined by UNION. Inside EXISTS { } it ends at the closing bracket.
func (p *parser) query(existing bool) *Query {
	q := &Query{}
	for {
		q.Parts = append(q.Parts, p.part(existing))
		at := p.peek().Pos
		if !p.accept("UNION") {
			return q
		}
		all := p.accept("ALL")
		if n := len(q.All); n > 0 && q.All[n-1] != all {
			panic(Errorf(at, "InvalidClauseComposition", "UNION and UNION ALL cannot be mixed"))
		}
		q.All = append(q.All, all)
	}
}

// part reads the clauses up to RETURN, including it.
func (p *parser) part(existing bool) *Part {
	part := &Part{}
	for {
		t := p.peek()
		end := t.Kind == EOF || t.symbol(";") || t.is("UNION") || existing && t.symbol("}")
		if end && existing && len(part.Clauses) > 0 {
			return part
		}
		if end && len(part.Clauses) > 0 {
			panic(Errorf(t.Pos, "InvalidClauseComposition", "a query that reads must end with RETURN"))
		}
		c := p.oneClause()
		part.Clauses = append(part.Clauses, c)
		if r, ok := c.(*Projection); ok && r.Return {
			p.afterReturn()
			return part
		}
	}
}

func (p *parser) afterReturn() {
	t := p.peek()
	if t.Kind != Ident || t.is("UNION") {
		return
	}
	switch word := strings.ToUpper(t.Text); {
	case writing(word), slices.Contains([]string{"MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN"}, word):
		panic(Errorf(t.Pos, "InvalidClauseComposition", "%s cannot follow RETURN", word))
	}
	p.expected("the end of the query")
}

// refused are the words that begin a clause that changes the graph, the schema or something outside.
var refused = [...]string{"CREATE", "MERGE", "SET", "DELETE", "DETACH", "REMOVE", "FOREACH", "LOAD", "INSERT", "COPY",
	"DROP", "ALTER", "GRANT", "DENY", "REVOKE", "USE", "START"}

// Refused lists the clauses that are refused by name.
func Refused() []string { return append(slices.Clone(refused[:]), "CALL") }

func writing(word string) bool { return slices.Contains(refused[:], strings.ToUpper(word)) }

func (p *parser) oneClause() Clause {
	t := p.peek()
	switch {
	case p.accept("MATCH"):
		return p.match(false)
	case p.accept("OPTIONAL"):
		p.expect("MATCH")
		return p.match(true)
	case p.accept("UNWIND"):
		list := p.expression()
		p.expect("AS")
		return &Unwind{List: list, As: p.variable()}
	case p.accept("WITH"):
		return p.projection(t.Pos, false)
	case p.accept("RETURN"):
		return p.projection(t.Pos, true)
	case p.accept("CALL"):
		p.refuseCall(t.Pos)
	case t.Kind == Ident && writing(t.Text):
		panic(Errorf(t.Pos, "InvalidClauseComposition", "%s is not supported: queries here only read", strings.ToUpper(t.Text)))
	}
	p.expected("a clause (MATCH, OPTIONAL MATCH, UNWIND, WITH or RETURN)")
	return nil
}

// refuseCall refuses CALL and names the procedure; there are no procedures.
func (p *parser) refuseCall(at Pos) {
	if p.peek().symbol("{") || p.peek().symbol("(") {
		panic(Errorf(at, "InvalidClauseComposition", "CALL with a subquery is not supported"))
	}
	name := p.name("a procedure name")
	for p.acceptSymbol(".") {
		name += "." + p.name("a procedure name")
	}
	e := Errorf(at, "ProcedureNotFound", "there is no procedure %s: CALL is not supported", name)
	e.Name = "ProcedureError"
	panic(e)
}

func (p *parser) match(optional bool) *Match {
	m := &Match{Optional: optional}
	p.patternsAndWhere(m)
	return m
}

func (p *parser) patternsAndWhere(m *Match) {
	p.separated(func() { m.Patterns = append(m.Patterns, p.pattern()) })
	m.Where = p.where()
}

func (p *parser) where() Expr {
	if !p.accept("WHERE") {
		return nil
	}
	return p.expression()
}

func (p *parser) projection(at Pos, isReturn bool) *Projection {
	pr := &Projection{Pos: at, Return: isReturn, Distinct: p.accept("DISTINCT"), Star: p.acceptSymbol("*")}
	if !pr.Star || p.acceptSymbol(",") {
		p.separated(func() { pr.Items = append(pr.Items, p.item()) })
	}
	if p.accept("ORDER") {
		p.expect("BY")
		p.separated(func() { pr.Order = append(pr.Order, p.sortItem()) })
	}
	if p.accept("SKIP") || p.accept("OFFSET") {
		pr.Skip = p.expression()
	}
	if p.accept("LIMIT") {
		pr.Limit = p.expression()
	}
	if !isReturn {
		pr.Where = p.where()
	}
	return pr
}

func (p *parser) item() *Item {
	first := p.peek()
	e := p.expression()
	item := &Item{Expr: e, Pos: first.Pos, Name: strings.TrimSpace(p.text[first.Pos.Offset:p.tokens[p.at-1].End])}
	if v, ok := e.(*Variable); ok {
		item.Name = v.Name
	}
	if p.accept("AS") {
		v := p.variable()
		item.Name, item.Alias, item.Pos = v.Name, true, v.Pos
	}
	return item
}

func (p *parser) sortItem() *SortItem {
	item := &SortItem{Expr: p.expression()}
	switch {
	case p.accept("DESC"), p.accept("DESCENDING"):
		item.Descending = true
	case p.accept("ASC"), p.accept("ASCENDING"):
	}
	return item
}
