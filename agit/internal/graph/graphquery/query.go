// Package graphquery answers read-only openCypher queries over the registry: it
// shows the rows of projects, items, agents and what links them as the property
// graph that package cypher asks for. A query sees one snapshot and runs on a
// connection that cannot write. A Store is safe for concurrent use.
//
// query.go runs one query within its limits; querycache.go keeps parsed ones.
// labels.go and relationships.go say which rows are nodes and relationships,
// schema.go tells people. view.go is the graph of one transaction: scan.go finds
// nodes, read.go loads them, expand.go follows relationships, haveneighbour.go and
// countneighbours.go answer without reading them. time.go and document.go turn
// values into what queries and JSON hold. What a query means is package cypher's.
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

// TimeLimit bounds one query, and its wait for others.
const TimeLimit = 30 * time.Second

// heavyAtOnce is how many heavy queries a Store runs at once: one less than would
// keep a server from all else.
const heavyAtOnce = 2

// Store runs queries over one registry.
type Store struct {
	DB *registry.DB

	memo  queryCache
	once  sync.Once
	slots chan struct{} // one for each heavy query that runs
}

// Answer is the result of a query: one object a row, by the names of the columns,
// whose order Columns keeps. Nodes are {labels, properties}, relationships {type, properties} and
// paths alternate between them.
type Answer struct {
	Count   int              `json:"count"` // of the rows
	Columns []string         `json:"columns"`
	Results []map[string]any `json:"results"`
}

// Ask is a query with its parameters.
type Ask struct {
	Text   string
	Params map[string]any
	// MaxBytes bounds the answer as JSON; 0 leaves that to the limits of memory.
	MaxBytes int
}

// Query runs one query. The error of a query that cannot be run is a
// ValidationError for the field query that points at line and column; a limit
// that is exceeded is an OperationError, never a result cut short. A query that
// takes more than a moment waits while two others of the kind run.
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
		// The snapshot is not held while it waits, so it begins anew.
		if err = turn.wait(ctx); err == nil {
			a, err = s.run(ctx, query, ask, turn)
		}
	}
	return a, err
}

func (s *Store) run(ctx context.Context, query *cypher.Query, ask Ask, turn *turn) (a Answer, err error) {
	// A little longer than the query's own limit, which says what it is about: this
	// one ends a statement that takes too long by itself.
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
	maxRows   = 100_000    // a query returns no more, see cypher.Limits
	mostBytes = 64 << 20   // of any answer, as JSON
	maxBytes  = "maxBytes" // the parameter of the tool
	pageHint  = "ask for part of it with ORDER BY … SKIP … LIMIT %d, or for fewer columns"
)

// fits refuses an answer that is longer than allowed, and says how to page.
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

// errNoTurn ends a query that has proved heavy while two others run.
var errNoTurn = errors.New("too many heavy queries")

// turn is a query's right to be heavy.
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
