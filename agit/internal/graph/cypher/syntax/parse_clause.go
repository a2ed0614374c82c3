package syntax

import (
	"slices"
	"strings"
)

// query reads parts joined by UNION. Inside EXISTS { } it ends at the closing bracket.
func (p *parser) query(existing bool) (*Query, error) {
	q := &Query{Pos: p.peek().Pos, Existing: existing}
	for {
		part, err := p.part(existing)
		if err != nil {
			return nil, err
		}
		q.Parts = append(q.Parts, part)
		at := p.peek().Pos
		if !p.accept("UNION") {
			return q, nil
		}
		all := p.accept("ALL")
		if n := len(q.All); n > 0 && q.All[n-1] != all {
			return nil, Errorf(at, "InvalidClauseComposition", "UNION and UNION ALL cannot be mixed")
		}
		q.All = append(q.All, all)
	}
}

// part reads the clauses up to RETURN, including it.
func (p *parser) part(existing bool) (*Part, error) {
	part := &Part{}
	for {
		t := p.peek()
		end := t.Kind == EOF || t.symbol(";") || t.is("UNION") || existing && t.symbol("}")
		if end && existing && len(part.Clauses) > 0 {
			return part, nil
		}
		if end && len(part.Clauses) > 0 {
			return nil, Errorf(t.Pos, "InvalidClauseComposition", "a query that reads must end with RETURN")
		}
		c, err := p.oneClause()
		if err != nil {
			return nil, err
		}
		part.Clauses = append(part.Clauses, c)
		if r, ok := c.(*Projection); ok && r.Return {
			return part, p.afterReturn()
		}
	}
}

func (p *parser) afterReturn() error {
	t := p.peek()
	if t.Kind != Ident || t.is("UNION") {
		return nil
	}
	if writing(t.Text) || reading(t.Text) {
		return Errorf(t.Pos, "InvalidClauseComposition", "%s cannot follow RETURN", strings.ToUpper(t.Text))
	}
	return p.unexpected("the end of the query")
}

func reading(word string) bool {
	switch strings.ToUpper(word) {
	case "MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN":
		return true
	}
	return false
}

// refused are the words that begin a clause that changes the graph, the schema or something outside.
var refused = [...]string{"CREATE", "MERGE", "SET", "DELETE", "DETACH", "REMOVE", "FOREACH", "LOAD", "INSERT", "COPY",
	"DROP", "ALTER", "GRANT", "DENY", "REVOKE", "USE", "START"}

// Refused lists the clauses that are refused by name.
func Refused() []string { return append(slices.Clone(refused[:]), "CALL") }

func writing(word string) bool { return slices.Contains(refused[:], strings.ToUpper(word)) }

func (p *parser) oneClause() (Clause, error) {
	t := p.peek()
	switch {
	case t.is("MATCH"):
		p.at++
		return p.match(t.Pos, false)
	case t.is("OPTIONAL"):
		p.at++
		if err := p.expect("MATCH"); err != nil {
			return nil, err
		}
		return p.match(t.Pos, true)
	case t.is("UNWIND"):
		p.at++
		return p.unwind(t.Pos)
	case t.is("WITH"):
		p.at++
		return p.projection(t.Pos, false)
	case t.is("RETURN"):
		p.at++
		return p.projection(t.Pos, true)
	case t.is("CALL"):
		return nil, p.refuseCall()
	case t.Kind == Ident && writing(t.Text):
		return nil, Errorf(t.Pos, "InvalidClauseComposition", "%s is not supported: queries here only read", strings.ToUpper(t.Text))
	}
	return nil, p.unexpected("a clause (MATCH, OPTIONAL MATCH, UNWIND, WITH or RETURN)")
}

// refuseCall refuses CALL and names the procedure; there are no procedures.
func (p *parser) refuseCall() error {
	at := p.take().Pos
	if p.peek().symbol("{") || p.peek().symbol("(") {
		return Errorf(at, "InvalidClauseComposition", "CALL with a subquery is not supported")
	}
	var name strings.Builder
	for {
		part, err := p.name("a procedure name")
		if err != nil {
			return err
		}
		name.WriteString(part)
		if !p.acceptSymbol(".") {
			break
		}
		name.WriteByte('.')
	}
	e := Errorf(at, "ProcedureNotFound", "there is no procedure %s: CALL is not supported", name.String())
	e.Name = "ProcedureError"
	return e
}

func (p *parser) match(at Pos, optional bool) (*Match, error) {
	m := &Match{Pos: at, Optional: optional}
	return m, p.patternsAndWhere(m)
}

func (p *parser) patternsAndWhere(m *Match) error {
	for {
		pattern, err := p.pattern()
		if err != nil {
			return err
		}
		m.Patterns = append(m.Patterns, pattern)
		if !p.acceptSymbol(",") {
			break
		}
	}
	var err error
	m.Where, err = p.where()
	return err
}

func (p *parser) where() (Expr, error) {
	if !p.accept("WHERE") {
		return nil, nil
	}
	return p.expression()
}

func (p *parser) unwind(at Pos) (*Unwind, error) {
	list, err := p.expression()
	if err != nil {
		return nil, err
	}
	if err := p.expect("AS"); err != nil {
		return nil, err
	}
	as, err := p.variable()
	return &Unwind{Pos: at, List: list, As: as}, err
}

func (p *parser) projection(at Pos, isReturn bool) (*Projection, error) {
	pr := &Projection{Pos: at, Return: isReturn, Distinct: p.accept("DISTINCT")}
	if p.acceptSymbol("*") {
		pr.Star = true
		if p.acceptSymbol(",") {
			if err := p.items(pr); err != nil {
				return nil, err
			}
		}
	} else if err := p.items(pr); err != nil {
		return nil, err
	}
	var err error
	if p.accept("ORDER") {
		if err := p.expect("BY"); err != nil {
			return nil, err
		}
		if pr.Order, err = p.sortItems(); err != nil {
			return nil, err
		}
	}
	if p.accept("SKIP") || p.accept("OFFSET") {
		if pr.Skip, err = p.expression(); err != nil {
			return nil, err
		}
	}
	if p.accept("LIMIT") {
		if pr.Limit, err = p.expression(); err != nil {
			return nil, err
		}
	}
	if !isReturn {
		pr.Where, err = p.where()
	}
	return pr, err
}

func (p *parser) items(pr *Projection) error {
	for {
		first := p.peek()
		e, err := p.expression()
		if err != nil {
			return err
		}
		item := &Item{Expr: e, Pos: first.Pos, Name: strings.TrimSpace(p.text[first.Pos.Offset:p.tokens[p.at-1].End])}
		if v, ok := e.(*Variable); ok {
			item.Name = v.Name
		}
		if p.accept("AS") {
			v, err := p.variable()
			if err != nil {
				return err
			}
			item.Name, item.Alias, item.Pos = v.Name, true, v.Pos
		}
		pr.Items = append(pr.Items, item)
		if !p.acceptSymbol(",") {
			return nil
		}
	}
}

func (p *parser) sortItems() ([]*SortItem, error) {
	var items []*SortItem
	for {
		e, err := p.expression()
		if err != nil {
			return nil, err
		}
		item := &SortItem{Expr: e}
		switch {
		case p.accept("DESC"), p.accept("DESCENDING"):
			item.Descending = true
		case p.accept("ASC"), p.accept("ASCENDING"):
		}
		items = append(items, item)
		if !p.acceptSymbol(",") {
			return items, nil
		}
	}
}
