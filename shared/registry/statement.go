package registry

import (
	"database/sql"
	"log/slog"
	"strings"
)

// statements are the unused prepared statements of a transaction, by their text: preparing one takes longer than a look-up by its text.
// The zero value is empty.
type statements map[string]*sql.Stmt

// keptStatements bounds the statements of a transaction that generates texts, such as a merge.
const keptStatements = 64

// take returns the statement of a text for exclusive use until give: a query may run again while its rows are being read.
func (tx *Tx) take(query string, args []any) (*sql.Stmt, error) {
	tx.tell(query)
	if tx.confined != nil {
		if err := onlyText(query, args); err != nil {
			return nil, err
		}
	}
	if tx.server { // a server gets the statement when it runs
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

// tell logs a statement before it runs.
func (tx *Tx) tell(query string) {
	if tx.log != nil && tx.log.Enabled(tx.ctx, slog.LevelDebug) {
		tx.log.DebugContext(tx.ctx, "query", "statement", strings.Join(strings.Fields(query), " "))
	}
}

// give returns a statement, so that the next query with its text can use it.
func (tx *Tx) give(query string, s *sql.Stmt) {
	if _, twice := tx.statements[query]; tx.server || twice || len(tx.statements) == keptStatements {
		s.Close() // its last run has already returned any error
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

// tellPlan passes the steps of a statement's plan to Options.Explain, such as "SEARCH items USING INDEX items_ref (project_id=? AND
// kind=?)".
func (tx *Tx) tellPlan(query string, args []any) error {
	rows, err := tx.conn.QueryContext(tx.ctx, explaining+Views(query), args...)
	plan, err := scanAll(rows, err, func(row Scanner) (step string, err error) {
		var id, parent, unused int
		return step, row.Scan(&id, &parent, &unused, &step)
	})
	if err == nil {
		tx.explain(query, plan)
	}
	return err
}
