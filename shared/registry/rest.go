package registry

import (
	"context"
	"database/sql"
)

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
