// Package graphquery answers read-only openCypher queries over the registry: it
// shows the rows of projects, items, agents and what links them as the property
// graph that package cypher asks for. A query sees one snapshot and runs on a
// connection that cannot write. A Store is safe for concurrent use.
package graphquery

import (
	"context"
	"time"

	"github.com/agit-suite/agit/agit/internal/cypher"
	"github.com/agit-suite/agit/shared/registry"
)

// TimeLimit bounds one query.
const TimeLimit = 30 * time.Second

// Store runs queries over one registry.
type Store struct {
	DB *registry.DB

	memo memo
}

// Answer is the result of a query: one object a row, by the names of the columns,
// whose order Columns keeps. Nodes are {labels, properties}, relationships {type, properties} and
// paths alternate between them.
type Answer struct {
	Columns []string         `json:"columns"`
	Results []map[string]any `json:"results"`
}

// Query runs one query. The error of a query that cannot be run is a
// ValidationError for the field query that points at line and column; a limit
// that is exceeded is an OperationError, never a result cut short.
func (s *Store) Query(ctx context.Context, text string, params map[string]any) (a Answer, err error) {
	query, err := s.memo.prepare(text)
	if err != nil {
		return a, err
	}
	ctx, cancel := context.WithTimeout(ctx, TimeLimit)
	defer cancel()
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		result, err := query.Run(ctx, viewOf(tx, &s.memo), params, cypher.Limits{})
		if err != nil {
			return err
		}
		a = Answer{Columns: result.Columns, Results: []map[string]any{}}
		for row, err := range result.Rows {
			if err != nil {
				return err
			}
			object := make(map[string]any, len(row))
			for i, column := range result.Columns {
				object[column] = document(row[i])
			}
			a.Results = append(a.Results, object)
		}
		return nil
	})
	if err != nil {
		return Answer{}, err
	}
	return a, nil
}
