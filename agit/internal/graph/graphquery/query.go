// Package graphquery answers read-only openCypher queries over the registry: it shows the rows of projects, items, agents and their
// links as a property graph for package cypher, which defines the language. A query sees one snapshot and runs on a connection that
// cannot write. A Store is safe for concurrent use.
//
// query.go runs one query within its limits; querycache.go keeps parsed ones. labels.go and relationships.go map rows to nodes and
// relationships, and schema.go describes them to people. view.go is the graph of one transaction: scan.go finds nodes, read.go loads
// them, expand.go follows relationships, neighbours.go answers without reading them. document.go
// converts values for queries and JSON.
package graphquery

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// TimeLimit bounds one query and its wait for other queries.
const TimeLimit = 30 * time.Second

// heavyAtOnce is how many heavy queries a Store runs at once; one more would block a server's other work.
const heavyAtOnce = 2

// Store runs queries over one registry.
type Store struct {
	DB *registry.DB

	memo  queryCache
	once  sync.Once
	slots chan struct{} // one for each heavy query that runs
}

// Answer is the result of a query: one object for each row, keyed by column name. Columns keeps the order. Nodes are {labels,
// properties}, relationships {type, properties}, and paths alternate between them.
type Answer struct {
	Count   int              `json:"count"` // number of rows
	Columns []string         `json:"columns"`
	Results []map[string]any `json:"results"`
}

// Ask is a query with its parameters.
type Ask struct {
	Text   string
	Params map[string]any
	// MaxBytes bounds the answer as JSON; 0 means that only the memory limits apply.
	MaxBytes int
}

// Query runs one query. A query that cannot be run returns a ValidationError for the field query with line and column. An exceeded
// limit is an OperationError; a result is never cut short. A heavy query waits while two others run.
func (s *Store) Query(ctx context.Context, ask Ask) (Answer, error) {
	query, err := s.memo.prepare(ask.Text)
	if err != nil {
		return Answer{}, err
	}
	s.once.Do(func() { s.slots = make(chan struct{}, heavyAtOnce) })
	turn := &turn{slots: s.slots}
	defer turn.end()
	a, err := s.run(ctx, query, ask, turn)
	if errors.Is(err, errNoTurn) {
		// The snapshot is released during the wait, so the query starts again.
		if err = turn.wait(ctx); err == nil {
			a, err = s.run(ctx, query, ask, turn)
		}
	}
	return a, err
}

func (s *Store) run(ctx context.Context, query *cypher.Query, ask Ask, turn *turn) (a Answer, err error) {
	// Slightly longer than the query's own limit, whose error names the cause. This limit ends a single statement that takes too long.
	ctx, cancel := context.WithTimeout(ctx, TimeLimit+2*time.Second)
	defer cancel()
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		result, err := query.Run(ctx, viewOf(tx, &s.memo), ask.Params, cypher.Limits{Heavy: turn.take})
		if err != nil {
			return err
		}
		a = Answer{Columns: result.Columns, Results: []map[string]any{}}
		size := len(`{"count":,"columns":[],"results":[]}`) + len(strconv.Itoa(maxRows))
		for _, column := range result.Columns {
			size += len(column) + len(`"",`)
		}
		for row, err := range result.Rows {
			if err != nil {
				return err
			}
			object := make(map[string]any, len(row))
			size += len(`{},`)
			for i, column := range result.Columns {
				object[column] = document(row[i])
				size += len(column) + len(`"":,`) + jsonSize(object[column])
			}
			if err := fits(size, ask.MaxBytes, len(a.Results)); err != nil {
				return err
			}
			a.Results = append(a.Results, object)
		}
		a.Count = len(a.Results)
		return nil
	})
	if err != nil {
		return Answer{}, err
	}
	return a, nil
}

const (
	maxRows   = 100_000    // see cypher.Limits
	mostBytes = 64 << 20   // of an answer, as JSON
	maxBytes  = "maxBytes" // the parameter of the tool
	pageHint  = "ask for part of it with ORDER BY … SKIP … LIMIT %d, or for fewer columns"
)

// fits refuses an answer above the limit and suggests a page size.
func fits(size, most, rows int) error {
	if most == 0 && size > mostBytes {
		return fault.Operation(nil, "LimitExceeded: the answer is longer than %d MB after %d rows", mostBytes>>20, rows).
			WithHint(pageHint, max(1, rows))
	}
	if most == 0 || size <= most {
		return nil
	}
	f := fault.Operation(nil, "LimitExceeded: the answer is longer than %d bytes after %d rows", most, rows)
	f.Field = maxBytes
	return f.WithHint(pageHint+", or raise "+maxBytes, max(1, rows))
}

// errNoTurn ends a query that has proved heavy while two other heavy queries run.
var errNoTurn = errors.New("too many heavy queries")

// turn is a query's permission to be heavy.
type turn struct {
	slots chan struct{}
	taken bool
}

// take takes a slot if one is free.
func (t *turn) take() error {
	if t.taken {
		return nil
	}
	select {
	case t.slots <- struct{}{}:
		t.taken = true
		return nil
	default:
		return errNoTurn
	}
}

// wait takes a slot once one is free.
func (t *turn) wait(ctx context.Context) error {
	late := time.NewTimer(TimeLimit)
	defer late.Stop()
	select {
	case t.slots <- struct{}{}:
		t.taken = true
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-late.C:
		return fault.Operation(nil, "%d long queries are running, and this one waited %s for them", heavyAtOnce, TimeLimit).
			WithHint("try again later, or narrow the query").Retry()
	}
}

func (t *turn) end() {
	if t.taken {
		<-t.slots
		t.taken = false
	}
}
