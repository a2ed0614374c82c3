package postgres

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// Query is a statement with its arguments.
type Query struct {
	Text string
	Args []driver.NamedValue
	// Refusal is the error of a statement that divides by zero, which it does where it finds that something must not be.
	Refusal error
}

// answered is the context key of an answer that has already arrived.
type answered struct{}

// Ask sends statements in one message. A statement that runs with one of the contexts has
// the answer of its query. The first error is that of all.
func (c *Conn) Ask(ctx context.Context, queries []Query) ([]context.Context, error) {
	results, err := c.send(ctx, queries, false)
	if err != nil {
		return nil, err
	}
	contexts := make([]context.Context, len(queries))
	for i := range queries {
		contexts[i] = context.WithValue(ctx, answered{}, results[i])
	}
	return contexts, nil
}

// send sends what goes in front together with statements, and returns the answers to the statements: with an error, those before it.
// ending means that they end the transaction.
func (c *Conn) send(ctx context.Context, queries []Query, ending bool) ([]*pgconn.Result, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	first, take := c.before(ending)
	queries = append(first, queries...)
	sent := make([]sending, len(queries))
	for i, q := range queries {
		var err error
		if sent[i], err = sendingOf(q); err != nil {
			c.failed = err // what went in front was not sent
			return nil, err
		}
	}
	if end := c.held; end != nil {
		c.held = nil
		results, errs := c.exchangeGroups(context.WithoutCancel(ctx), end.sent, sent)
		if end.took(results[0], errs[0]); end.err != nil {
			c.failed = end.err
			return nil, end.err
		}
		return take(results[1], refusalOf(queries, results[1], errs[1]))
	}
	results, err := c.exchange(ctx, sent)
	return take(results, refusalOf(queries, results, err))
}

// refusalOf is the error of statements, or the refusal of the one that failed.
func refusalOf(queries []Query, results []*pgconn.Result, err error) error {
	if err != nil && len(results) < len(queries) {
		if said, of := errors.AsType[*pgconn.PgError](err); of && said.Code == divisionByZero && queries[len(results)].Refusal != nil {
			err = queries[len(results)].Refusal
		}
	}
	return err
}

// divisionByZero is the code of that error.
const divisionByZero = "22012"

// sending is a statement as it goes to the server.
type sending struct {
	text    string
	values  [][]byte
	formats []int16
	name    string // by which the server is to keep it; "" for a statement that it need not keep, or keeps
}

func sendingOf(q Query) (s sending, err error) {
	s.text = Numbered(q.Text)
	s.values, s.formats, err = parameters(q.Args)
	return s, err
}
