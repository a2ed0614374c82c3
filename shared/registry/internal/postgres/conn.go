// Package postgres speaks to a PostgreSQL server for the registry: a driver of
// database/sql over pgconn that takes the registry's one SQL text and returns the values
// that SQLite's driver does, the address of a server with the rules for its safety, and
// what the server's errors mean. It knows no table.
//
// Each statement is one round trip, by the extended protocol. A statement that a connection
// repeats has a name there, so that the server keeps its plan (see kept.go). The begin of a transaction goes
// along with its first statement. Rows are read whole, so
// that a statement may run while those of another one are looked at.
package postgres

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Conn is a connection. Like every driver.Conn it serves one goroutine at a time.
type Conn struct {
	pg *pgconn.PgConn
	// pending is sent in front of the next statements: the end of a transaction whose answer is not needed.
	pending string
	opening *opening
	ahead   []Query // goes in front of the next statement too
	failed  error   // of an opening: nothing may run then, since it would run outside of the transaction
	held    *Ending // the end of a transaction that goes in front of the next message
	kept    kept
}

// opening begins a transaction together with its first statement.
type opening struct {
	statements []string
	guard      string // what fails if answered would refuse the rows; only for a transaction that ends in the same message
	answered   func([][][]string) error
}

// Open has the next statement begin a transaction, in one message with it. The given statements run first, and answered gets their rows.
// When they fail or answered refuses the rows, that is the error of every statement until Undo. A transaction may end in the message that
// begins it (see End), before answered was asked: then guard runs after the given statements, and must fail where answered refuses.
func (c *Conn) Open(statements []string, guard string, answered func(rows [][][]string) error) {
	c.opening, c.ahead, c.failed = &opening{statements, guard, answered}, nil, nil
}

// Ahead runs a statement together with the next one, whose error becomes this one's.
func (c *Conn) Ahead(q Query) { c.ahead = append(c.ahead, q) }

// Waiting returns how many statements Ahead holds for the next one.
func (c *Conn) Waiting() int { return len(c.ahead) }

// Opened begins the transaction now, unless it has begun.
func (c *Conn) Opened(ctx context.Context) error {
	if c.opening == nil {
		return c.failed
	}
	_, err := c.Batch(ctx, "")
	return err
}

// Failed returns the error that kept the transaction from beginning, or nil.
func (c *Conn) Failed() error { return c.failed }

// Undo rolls the transaction back.
func (c *Conn) Undo(ctx context.Context) error {
	begun := c.opening == nil
	c.opening, c.ahead, c.failed, c.held = nil, nil, nil, nil
	if !begun {
		return nil
	}
	_, err := c.Batch(ctx, `ROLLBACK`)
	return err
}

// before is what goes in front of the next statements, and what takes the answers to it. Of statements that failed, take returns the answers
// before the first failure. ending means that the statements end the transaction.
func (c *Conn) before(ending bool) (first []Query, take func([]*pgconn.Result, error) ([]*pgconn.Result, error)) {
	skipped, o := 0, c.opening
	if c.pending != "" {
		first, skipped = append(first, Query{Text: c.pending}), 1
	}
	if o != nil {
		for _, statement := range o.statements {
			first = append(first, Query{Text: statement})
		}
	}
	begun := len(first)
	if o != nil && ending {
		first = append(first, Query{Text: o.guard})
	}
	first = append(first, c.ahead...)
	c.pending, c.opening, c.ahead = "", nil, nil
	n := len(first)
	return first, func(results []*pgconn.Result, err error) ([]*pgconn.Result, error) {
		good := len(results)
		if err != nil {
			good = 0
			for _, r := range results {
				if r.Err != nil {
					break
				}
				good++
			}
		}
		if o != nil {
			if good < begun {
				c.failed = err
				return nil, err
			}
			if c.failed = o.answered(texts(results[skipped:begun])); c.failed != nil {
				return nil, c.failed
			}
		}
		if err != nil {
			return results[min(n, good):good], err
		}
		return results[min(n, len(results)):], nil
	}
}

// Batch sends statements without parameters in one message and returns the rows of each.
// After the first that fails the rest is not run.
func (c *Conn) Batch(ctx context.Context, statements string) ([][][]string, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	if len(c.ahead) > 0 || c.held != nil { // which may have arguments, as no part of a text can
		if _, err := c.Ask(ctx, nil); err != nil || statements == "" {
			return nil, err
		}
	}
	first, take := c.before(false)
	all := make([]string, 0, len(first)+1)
	for _, q := range first {
		all = append(all, q.Text)
	}
	if statements != "" {
		all = append(all, statements)
	}
	results, err := take(c.pg.Exec(ctx, strings.Join(all, "; ")).ReadAll())
	if err != nil {
		return nil, err
	}
	return texts(results), nil
}

// End runs statements that end a transaction, in one message with what goes in front. After them it runs further statements that belong to
// no transaction and whose errors are of no interest: once the transaction has ended, End returns nil. A transaction that has not begun yet
// begins in the same message.
func (c *Conn) End(ctx context.Context, statements, after []string) error {
	var queries []Query
	for _, statement := range append(slices.Clip(statements), after...) {
		queries = append(queries, Query{Text: statement})
	}
	answers, err := c.send(ctx, queries, true)
	if len(answers) >= len(statements) {
		return nil
	}
	return err
}

// Ending is the end of a transaction that another one follows at once.
type Ending struct {
	Sent    bool
	err     error
	queries []Query
	sent    []sending
	count   int // of statements up to the one that ends the transaction
	take    func([]*pgconn.Result, error) ([]*pgconn.Result, error)
}

// Err is why the transaction did not end as it should, once it is sent.
func (e *Ending) Err() error { return e.err }

func (e *Ending) took(results []*pgconn.Result, err error) {
	answers, err := e.take(results, refusalOf(e.queries, results, err))
	if e.Sent = true; len(answers) < e.count {
		e.err = err
	}
}

// EndLater is End that sends nothing: it goes in one message with what the next transaction sends first, which runs even where this one
// fails. The error of both is then that of this one.
func (c *Conn) EndLater(statements, after []string) (*Ending, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	e := &Ending{count: len(statements)}
	e.queries, e.take = c.before(true)
	for _, statement := range append(slices.Clip(statements), after...) {
		e.queries = append(e.queries, Query{Text: statement})
	}
	for _, q := range e.queries {
		s, err := sendingOf(q)
		if err != nil {
			c.failed = err
			return nil, err
		}
		e.sent = append(e.sent, s)
	}
	c.held = e
	return e, nil
}

// Flush sends the end of a transaction that waits for the next one, if any.
func (c *Conn) Flush(ctx context.Context) {
	if c.held != nil {
		failed := c.failed // of the next one, which was not sent
		c.failed = nil
		_, _ = c.send(ctx, nil, false) // its error is that of the Ending
		c.failed = cmp.Or(c.failed, failed)
	}
}

// texts are the rows of results as the server writes them.
func texts(results []*pgconn.Result) [][][]string {
	all := make([][][]string, 0, len(results))
	for _, r := range results {
		rows := make([][]string, len(r.Rows))
		for i, row := range r.Rows {
			rows[i] = make([]string, len(row))
			for j, column := range row {
				rows[i][j] = Unescape(string(column))
			}
		}
		all = append(all, rows)
	}
	return all
}

// Later ends a transaction that only read with the next message, which spares a round
// trip. The connection must not rest before.
func (c *Conn) Later(statement string) { c.pending = statement }

// Parameter returns the server's value of one of its settings, such as server_version.
func (c *Conn) Parameter(name string) string { return c.pg.ParameterStatus(name) }

// Raw is the connection itself.
func (c *Conn) Raw() *pgconn.PgConn { return c.pg }

// run sends one statement and reads all of its answer.
func (c *Conn) run(ctx context.Context, query string, args []driver.NamedValue) (*pgconn.Result, error) {
	if result, of := ctx.Value(answered{}).(*pgconn.Result); of {
		return result, nil
	}
	if c.failed != nil {
		return nil, c.failed
	}
	if len(args) == 0 && strings.Contains(query, ";") { // several statements, as those of a migration
		if err := c.Opened(ctx); err != nil {
			return nil, err
		}
		results, err := c.pg.Exec(ctx, query).ReadAll()
		if err != nil || len(results) == 0 {
			return &pgconn.Result{}, err
		}
		return results[len(results)-1], nil
	}
	results, err := c.send(ctx, []Query{{Text: query, Args: args}}, false)
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// ExecContext implements driver.ExecerContext.
func (c *Conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	result, err := c.run(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return driver.RowsAffected(result.CommandTag.RowsAffected()), nil
}

// QueryContext implements driver.QueryerContext.
func (c *Conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	result, err := c.run(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return &rows{result: result}, nil
}

// PrepareContext implements driver.ConnPrepareContext. Nothing is sent to the server until the statement runs.
func (c *Conn) PrepareContext(_ context.Context, query string) (driver.Stmt, error) {
	return &statement{c, query}, nil
}

// Prepare implements driver.Conn.
func (c *Conn) Prepare(query string) (driver.Stmt, error) { return &statement{c, query}, nil }

// Begin implements driver.Conn; the registry begins by Batch.
func (c *Conn) Begin() (driver.Tx, error) { return nil, errors.ErrUnsupported }

// Close implements driver.Conn.
func (c *Conn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	return c.pg.Close(ctx)
}

// IsValid implements driver.Validator: the pool drops a connection that broke.
func (c *Conn) IsValid() bool {
	return !c.pg.IsClosed() && (c.pending != "" || c.pg.TxStatus() == idle)
}

// idle is the state of a connection outside of any transaction, as the protocol's message
// ReadyForQuery reports it.
const idle = 'I'

type statement struct {
	conn  *Conn
	query string
}

func (s *statement) Close() error                               { return nil }
func (s *statement) NumInput() int                              { return -1 }
func (s *statement) Exec([]driver.Value) (driver.Result, error) { return nil, errors.ErrUnsupported }
func (s *statement) Query([]driver.Value) (driver.Rows, error)  { return nil, errors.ErrUnsupported }

func (s *statement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.ExecContext(ctx, s.query, args)
}

func (s *statement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.QueryContext(ctx, s.query, args)
}

// rows are those of an answer that was read whole.
type rows struct {
	result *pgconn.Result
	next   int
}

func (r *rows) Columns() []string {
	names := make([]string, len(r.result.FieldDescriptions))
	for i, f := range r.result.FieldDescriptions {
		names[i] = f.Name
	}
	return names
}

func (r *rows) Close() error { return nil }

func (r *rows) Next(into []driver.Value) error {
	if r.next == len(r.result.Rows) {
		return io.EOF
	}
	row := r.result.Rows[r.next]
	r.next++
	for i, column := range row {
		v, err := value(column, r.result.FieldDescriptions[i].DataTypeOID)
		if err != nil {
			return err
		}
		into[i] = v
	}
	return nil
}
