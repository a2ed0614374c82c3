package registry

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"modernc.org/sqlite"
)

// A server asks the same questions again and again, and SQLite takes longer to
// parse and plan most of them than to answer. So the connections that a server
// reads on keep their statements from one transaction to the next; SQLite itself
// plans them anew when the schema changes. A connection that is closed for being
// idle takes its statements with it.

// keptBetween bounds the statements that one connection keeps.
const keptBetween = 64

// keeping makes connections that keep their statements.
type keeping struct{ driver.Connector }

func openKeepingPool(dsn string) *sql.DB {
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		panic(err) // only settings that contradict each other fail here
	}
	return sql.OpenDB(keeping{connector})
}

// Connect implements driver.Connector.
func (k keeping) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn, ok := opened.(driverConn)
	if !ok {
		return nil, errors.Join(errors.New("the driver lacks what a connection needs"), opened.Close())
	}
	return &keeper{driverConn: conn, free: map[string]driverStmt{}}, nil
}

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
	free map[string]driverStmt
}

// PrepareContext implements driver.ConnPrepareContext.
func (k *keeper) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if s, ok := k.free[query]; ok {
		delete(k.free, query)
		return &kept{s, k, query}, nil
	}
	prepared, err := k.driverConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if s, ok := prepared.(driverStmt); ok {
		return &kept{s, k, query}, nil
	}
	return prepared, nil
}

// Close implements driver.Conn.
func (k *keeper) Close() error {
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
