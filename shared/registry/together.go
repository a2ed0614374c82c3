package registry

import (
	"cmp"
	"context"
	"database/sql/driver"
	"sync"
	"sync/atomic"

	"github.com/agit-suite/agit/shared/registry/internal/postgres"
)

// Together runs functions that do not need each other: none reads or writes what another one writes, and at most one takes a lock by In. A file
// answers them in turn. To a server what all of them ask next goes in one message: they take as many round trips as the one that asks
// most, not as all together. The first error, in the order of the functions, is returned.
func (tx *Tx) Together(reads ...func() error) error {
	if !tx.server || len(reads) == 0 {
		for _, read := range reads {
			if err := read(); err != nil {
				return err
			}
		}
		return nil
	}
	own := tx.crowd == nil
	if own {
		tx.crowd = &crowd{tx: tx, active: 1}
		defer func() { tx.crowd = nil }()
	}
	crowd := tx.crowd
	crowd.join(len(reads) - 1) // one has the place of the caller, who asks nothing while it waits
	errs := make([]error, len(reads))
	var running atomic.Int64
	running.Store(int64(len(reads)))
	var group sync.WaitGroup
	for i, read := range reads {
		group.Go(func() {
			defer func() {
				if running.Add(-1) > 0 { // the last one leaves its place to the caller, without whom nothing is sent
					crowd.leave()
				}
			}()
			errs[i] = read()
		})
	}
	group.Wait()
	return cmp.Or(errs...)
}

// Unless returns fn for Together, behind functions on whose answers skip depends. A file answers them in turn, so that fn does not run there
// where skip reports true. A server is asked at once, before skip could know.
func (tx *Tx) Unless(skip func() bool, fn func() error) func() error {
	if tx.server {
		return fn
	}
	return func() error {
		if skip() {
			return nil
		}
		return fn()
	}
}

// crowd are the functions that run together in a transaction. Their statements are sent once
// each of them waits for an answer.
type crowd struct {
	tx     *Tx
	mu     sync.Mutex
	active int
	asked  []*asked
}

// asked is a statement that waits to be sent.
type asked struct {
	postgres.Query
	ctx  context.Context // that leads to the answer
	err  error
	done chan struct{}
}

func (c *crowd) join(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active += n
}

func (c *crowd) leave() {
	c.mu.Lock()
	c.active--
	c.sendIfAllWait()
}

// ask returns the context with which the statement finds its answer.
func (c *crowd) ask(query string, args []any) (context.Context, error) {
	values, err := named(args)
	if err != nil {
		return nil, err
	}
	a := &asked{Query: postgres.Query{Text: Views(query), Args: values}, done: make(chan struct{})}
	c.mu.Lock()
	c.asked = append(c.asked, a)
	c.sendIfAllWait()
	<-a.done
	return a.ctx, a.err
}

// sendIfAllWait is called with the lock, and lets it go.
func (c *crowd) sendIfAllWait() {
	if len(c.asked) == 0 || len(c.asked) < c.active {
		c.mu.Unlock()
		return
	}
	list := c.asked
	c.asked = nil
	c.mu.Unlock()
	queries := make([]postgres.Query, len(list))
	for i, a := range list {
		queries[i] = a.Query
	}
	var answers []context.Context
	err := c.tx.conn.Raw(func(conn any) (err error) {
		answers, err = conn.(*postgres.Conn).Ask(c.tx.ctx, queries)
		return err
	})
	for i, a := range list {
		if a.err = err; err == nil {
			a.ctx = answers[i]
		}
		close(a.done)
	}
}

// asking is the context for a statement that is to run now.
func (tx *Tx) asking(query string, args []any) (context.Context, error) {
	if tx.crowd == nil {
		return tx.ctx, nil
	}
	return tx.crowd.ask(query, args)
}

// named are arguments as database/sql hands them to a driver.
func named(args []any) ([]driver.NamedValue, error) {
	values := make([]driver.NamedValue, len(args))
	for i, a := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(a)
		if err != nil {
			return nil, err
		}
		values[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return values, nil
}
