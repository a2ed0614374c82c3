package tck

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/memory"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// Write runs set-up statements, separated by semicolons, on a memory graph:
// reading clauses, CREATE and DELETE. Anything else is an error.
func Write(g *memory.Graph, text string) error {
	tokens, err := syntax.Tokens(text)
	if err != nil {
		return err
	}
	w := &writer{g: g, rows: []map[string]any{{}}}
	for _, c := range split(text, tokens) {
		if err := w.clause(c); err != nil {
			return fmt.Errorf("%s: %w", c.word, err)
		}
	}
	return nil
}

// clause is a stretch of text that begins with a clause word.
type clause struct{ word, text string }

var clauseWords = []string{"CREATE", "MATCH", "OPTIONAL", "UNWIND", "WITH", "SET", "DELETE", "DETACH", "MERGE", "REMOVE", "RETURN", "CALL", "FOREACH"}

func split(text string, tokens []syntax.Token) []clause {
	var clauses []clause
	start := 0
	cut := func(end int) {
		if s := strings.TrimSpace(text[start:end]); s != "" {
			clauses = append(clauses, clause{strings.ToUpper(strings.Fields(s)[0]), s})
		}
		start = end
	}
	skip := 0
	for i, t := range tokens {
		switch {
		case i < skip:
		case t.Kind == syntax.Symbol && t.Match > 0:
			skip = t.Match
		case t.Kind == syntax.Symbol && t.Text == ";":
			cut(t.Pos.Offset)
			clauses = append(clauses, clause{word: ";"})
			start = t.End
		case t.Kind == syntax.Ident && slices.Contains(clauseWords, strings.ToUpper(t.Text)):
			previous := ""
			if i > 0 {
				previous = strings.ToUpper(tokens[i-1].Text)
			}
			if previous != "OPTIONAL" && previous != "DETACH" && previous != "STARTS" && previous != "ENDS" && previous != "." && previous != ":" {
				cut(t.Pos.Offset)
			}
		}
	}
	cut(len(text))
	return clauses
}

// writer holds the rows that the clauses so far have made.
type writer struct {
	g    *memory.Graph
	rows []map[string]any
}

func (w *writer) clause(c clause) error {
	switch c.word {
	case ";":
		w.rows = []map[string]any{{}}
		return nil
	case "MATCH", "OPTIONAL", "UNWIND", "WITH":
		return w.read(c.text)
	case "CREATE":
		return w.create(strings.TrimSpace(c.text[len("CREATE"):]))
	case "DELETE", "DETACH":
		return w.remove(c.text)
	case "RETURN":
		return nil
	}
	return fmt.Errorf("the set-up cannot run this clause")
}

// with returns the start of a query that sees the variables of the rows.
func (w *writer) with() string {
	var parts []string
	if len(w.rows) > 0 {
		for name := range w.rows[0] {
			parts = append(parts, fmt.Sprintf("`row`.`%s` AS `%s`", name, name))
		}
	}
	if len(parts) == 0 {
		return "UNWIND $rows AS `row` "
	}
	return "UNWIND $rows AS `row` WITH " + strings.Join(parts, ", ") + " "
}

func (w *writer) run(query string, rows []map[string]any) ([]map[string]any, error) {
	list := make([]any, len(rows))
	for i, r := range rows {
		list[i] = r
	}
	columns, found, err := cypher.Collect(context.Background(), w.g, query, map[string]any{"rows": list}, cypher.Limits{})
	if err != nil {
		return nil, err
	}
	result := make([]map[string]any, len(found))
	for i, r := range found {
		result[i] = map[string]any{}
		for j, name := range columns {
			if name != "row" {
				result[i][name] = r[j]
			}
		}
	}
	return result, nil
}

func (w *writer) read(text string) error {
	rows, err := w.run(w.with()+text+"\nRETURN *", w.rows)
	w.rows = rows
	return err
}

func (w *writer) create(patterns string) error {
	query := "MATCH " + patterns + "\nRETURN 1" // the patterns may end with a comment
	tree, err := syntax.Parse(query)
	if err != nil {
		return err
	}
	tokens, err := syntax.Tokens(query)
	if err != nil {
		return err
	}
	for _, r := range w.rows {
		for _, p := range tree.Parts[0].Clauses[0].(*syntax.Match).Patterns {
			if err := w.createPattern(p, r, query, tokens); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *writer) createPattern(p *syntax.Pattern, r map[string]any, query string, tokens []syntax.Token) error {
	nodes := make([]*value.Node, len(p.Nodes))
	for i, n := range p.Nodes {
		if n.Var != nil {
			if known, ok := r[n.Var.Name].(*value.Node); ok {
				nodes[i] = known
				continue
			}
		}
		props, err := w.props(n.Props, r, query, tokens)
		if err != nil {
			return err
		}
		nodes[i] = w.g.AddNode(n.Labels, props)
		if n.Var != nil {
			r[n.Var.Name] = nodes[i]
		}
	}
	for i, rel := range p.Rels {
		props, err := w.props(rel.Props, r, query, tokens)
		if err != nil {
			return err
		}
		start, end := nodes[i], nodes[i+1]
		if rel.Direction == graph.Incoming {
			start, end = end, start
		}
		made := w.g.AddRelationship(start.ID, end.ID, rel.Types[0], props)
		if rel.Var != nil {
			r[rel.Var.Name] = made
		}
	}
	return nil
}

// props evaluates a property map for one row.
func (w *writer) props(e syntax.Expr, r map[string]any, query string, tokens []syntax.Token) (map[string]any, error) {
	if e == nil {
		return nil, nil
	}
	for _, t := range tokens {
		if t.Pos.Offset != e.At().Offset {
			continue
		}
		text := query[t.Pos.Offset:tokens[t.Match].End]
		one := &writer{g: w.g, rows: []map[string]any{r}}
		found, err := one.run(one.with()+"RETURN "+text+" AS props", one.rows)
		if err != nil {
			return nil, err
		}
		return found[0]["props"].(map[string]any), nil
	}
	return nil, fmt.Errorf("no property map at %d", e.At().Offset)
}

func (w *writer) remove(text string) error {
	_, names, _ := strings.Cut(strings.ToUpper(text), "DELETE")
	names = text[len(text)-len(names):]
	for _, r := range w.rows {
		for _, name := range strings.Split(names, ",") {
			switch v := r[strings.TrimSpace(name)].(type) {
			case *value.Relationship:
				w.g.RemoveRelationship(v)
			case *value.Node:
				w.g.RemoveNode(v)
			}
		}
	}
	return nil
}
