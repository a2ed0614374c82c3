package registry

import (
	"database/sql"
	"log/slog"
	"strings"
)

// statements are those a transaction has prepared and not in use, by their text:
// parsing and planning one takes longer than a look-up by it. The zero value is
// empty.
type statements map[string]*sql.Stmt

// keptStatements bounds the statements of a transaction that writes its texts
// itself, such as a merge.
const keptStatements = 64

// take returns the statement of a text, to its caller alone until it is given
// back: a query may run again while its rows are being read.
func (tx *Tx) take(query string, args []any) (*sql.Stmt, error) {
	tx.tell(query)
	if tx.confined != nil {
		if err := onlyText(query, args); err != nil {
			return nil, err
		}
	}
	if tx.server { // which hears of a statement when it runs
		return tx.conn.PrepareContext(tx.ctx, Views(query))
	}
	if s, ok := tx.statements[query]; ok {
		delete(tx.statements, query)
		return s, nil
	}
	if tx.explain != nil {
		if err := tx.tellPlan(query, args); err != nil {
			return nil, err
		}
	}
	return tx.conn.PrepareContext(tx.ctx, Views(query))
}

// tell logs a statement that is about to run.
func (tx *Tx) tell(query string) {
	if tx.log != nil && tx.log.Enabled(tx.ctx, slog.LevelDebug) {
		tx.log.DebugContext(tx.ctx, "query", "statement", strings.Join(strings.Fields(query), " "))
	}
}

// give makes a statement free for the next one with its text.
func (tx *Tx) give(query string, s *sql.Stmt) {
	if _, twice := tx.statements[query]; tx.server || twice || len(tx.statements) == keptStatements {
		s.Close() // what it had to say, its last run has said
		return
	}
	if tx.statements == nil {
		tx.statements = statements{}
	}
	tx.statements[query] = s
}

func (all statements) close() {
	for _, s := range all {
		s.Close() // as above
	}
}

// tellPlan returns Options.Explain the steps of a statement's plan, such as
// "SEARCH items USING INDEX items_ref (project_id=? AND kind=?)".
func (tx *Tx) tellPlan(query string, args []any) error {
	rows, err := tx.conn.QueryContext(tx.ctx, explaining+Views(query), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			return err
		}
		plan = append(plan, step)
	}
	tx.explain(query, plan)
	return rows.Err()
}
