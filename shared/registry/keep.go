package registry

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
)

// A server asks the same questions again and again, and SQLite takes longer to
// parse and plan most of them than to answer. So the connections that a server
// reads on keep their statements from one transaction to the next; SQLite itself
// plans them anew when the schema changes. A connection that is closed for being
// idle takes its statements with it.

// keptBetween bounds the statements that one connection keeps.
const keptBetween = 64

// limitTerm writes a limit that is a parameter as a term. SQLite plans for the value
// of the parameter itself, and would do so again at each run.
var limitTerm = strings.NewReplacer("LIMIT ?", "LIMIT ? + 0")

// driverConn and driverStmt are what database/sql uses of a driver like ours.
type (
	driverConn interface {
		driver.Conn
		driver.ConnPrepareContext
		driver.ConnBeginTx
		driver.ExecerContext
		driver.QueryerContext
		driver.Pinger
		driver.SessionResetter
		driver.Validator
	}
	driverStmt interface {
		driver.Stmt
		driver.StmtExecContext
		driver.StmtQueryContext
	}
)

// keeper is a connection with the statements that are prepared and not in use.
// Like every driver.Conn it serves one goroutine at a time.
type keeper struct {
	driverConn
	files *files
	free  map[string]driverStmt // nil: none are kept
	ended bool                  // guarded by files.mu, like what it says
}

// PrepareContext implements driver.ConnPrepareContext.
func (k *keeper) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if k.free == nil {
		return k.driverConn.PrepareContext(ctx, query)
	}
	if s, ok := k.free[query]; ok {
		delete(k.free, query)
		return &kept{s, k, query}, nil
	}
	prepared, err := k.driverConn.PrepareContext(ctx, limitTerm.Replace(query))
	if err != nil {
		return nil, err
	}
	if s, ok := prepared.(driverStmt); ok {
		return &kept{s, k, query}, nil
	}
	return prepared, nil
}

// ResetSession implements driver.SessionResetter: the pool drops a connection to
// a file that is not the registry any more.
func (k *keeper) ResetSession(ctx context.Context) error {
	if !k.files.current(k) {
		return driver.ErrBadConn
	}
	return k.driverConn.ResetSession(ctx)
}

// Close implements driver.Conn.
func (k *keeper) Close() error { return k.files.end(k) }

// end closes the connection itself; the files call it once.
func (k *keeper) end() error {
	var failed error
	for _, s := range k.free {
		failed = errors.Join(failed, s.Close())
	}
	clear(k.free)
	return errors.Join(failed, k.driverConn.Close())
}

// kept is a statement that goes back to its connection when it is closed.
type kept struct {
	driverStmt
	by   *keeper
	text string
}

// Close implements driver.Stmt.
func (s *kept) Close() error {
	if _, twice := s.by.free[s.text]; twice {
		return s.driverStmt.Close()
	}
	if len(s.by.free) >= keptBetween { // any may go: those in use come back
		for text, old := range s.by.free {
			delete(s.by.free, text)
			if err := old.Close(); err != nil {
				return errors.Join(err, s.driverStmt.Close())
			}
			break
		}
	}
	s.by.free[s.text] = s.driverStmt
	return nil
}

func (db *sqliteEngine) Rest(ctx context.Context) error {
	for _, pool := range []*sql.DB{db.reads, db.writes} {
		if err := rest(ctx, pool); err != nil {
			return db.failure(err)
		}
	}
	return nil
}

func rest(ctx context.Context, pool *sql.DB) error {
	idle := pool.Stats().Idle
	held := make([]*sql.Conn, 0, idle) // held until the end, because the pool would return the same one again
	defer func() {
		for _, conn := range held {
			conn.Close()
		}
	}()
	for range idle {
		conn, err := pool.Conn(ctx)
		if err != nil {
			return err
		}
		held = append(held, conn)
		if _, err := conn.ExecContext(ctx, "PRAGMA shrink_memory"); err != nil {
			return err
		}
	}
	return nil
}
