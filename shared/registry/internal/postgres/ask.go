package postgres

import (
	"context"
	"database/sql/driver"

	"github.com/jackc/pgx/v5/pgconn"
)

// Query is a statement with its arguments.
type Query struct {
	Text string
	Args []driver.NamedValue
}

// answered is the key of a context for the answer that is there already.
type answered struct{}

// Ask sends statements in one message. A statement that runs with one of the contexts has
// the answer of its query. The first error is that of all.
func (c *Conn) Ask(ctx context.Context, queries []Query) ([]context.Context, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	values, formats := make([][][]byte, len(queries)), make([][]int16, len(queries))
	for i, q := range queries {
		var err error
		if values[i], formats[i], err = parameters(q.Args); err != nil {
			return nil, err
		}
	}
	batch := &pgconn.Batch{}
	first, take := c.before()
	for _, statement := range first {
		batch.ExecParams(statement, nil, nil, nil, nil)
	}
	for i, q := range queries {
		batch.ExecParams(Numbered(q.Text), values[i], nil, formats[i], nil)
	}
	results, err := take(c.pg.ExecBatch(ctx, batch).ReadAll())
	if err != nil {
		return nil, err
	}
	contexts := make([]context.Context, len(queries))
	for i := range queries {
		contexts[i] = context.WithValue(ctx, answered{}, results[i])
	}
	return contexts, nil
}
