package exec_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graphtest"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/memory"
	"github.com/agit-suite/agit/shared/fault"
)

func TestLimits(t *testing.T) {
	g := graphtest.Random(3, 40, 400)
	for _, c := range []struct {
		query  string
		limits cypher.Limits
		detail string
	}{
		{"UNWIND range(1, 100) AS x RETURN x", cypher.Limits{Rows: 99}, "RowLimit"},
		{"MATCH p = (a)-[*]->(b) RETURN count(p)", cypher.Limits{Paths: 1000}, "PathLimit"},
		{"MATCH (a), (b), (c), (d) RETURN count(*)", cypher.Limits{Paths: 1000}, "PathLimit"},
		{"MATCH p = (a)-[*]->(b) RETURN count(p)", cypher.Limits{Time: 20 * time.Millisecond, Paths: 1 << 60}, "TimeLimit"},
		{"RETURN range(1, 100000000)", cypher.Limits{Memory: 1 << 20}, "MemoryLimit"},
		{"RETURN reduce(s = 'x', i IN range(1, 60) | s + s)", cypher.Limits{}, "MemoryLimit"},
		{"RETURN reduce(s = [], i IN range(1, 60) | [s, s])", cypher.Limits{}, "MemoryLimit"},
		{"RETURN reduce(s = [], i IN range(1, 100000) | [s])", cypher.Limits{}, "MemoryLimit"},
		{"UNWIND range(1, 100000) AS x RETURN collect(x)", cypher.Limits{Memory: 1 << 20}, "MemoryLimit"},
		{"UNWIND range(1, 100000) AS x WITH DISTINCT x RETURN count(*)", cypher.Limits{Memory: 4 << 20}, "MemoryLimit"},
		{"UNWIND range(1, 100000) AS x WITH x ORDER BY x RETURN count(*)", cypher.Limits{Memory: 4 << 20}, "MemoryLimit"},
		{"UNWIND range(1, 300) AS a UNWIND range(1, 300) AS b UNWIND range(1, 300) AS c UNWIND range(1, 300) AS d RETURN count(*)", cypher.Limits{Time: 20 * time.Millisecond}, "TimeLimit"},
	} {
		_, rows, err := cypher.Collect(context.Background(), g, c.query, nil, c.limits)
		var e *cypher.Error
		if !errors.As(err, &e) || e.Name != "LimitExceeded" || e.Detail != c.detail || !fault.Is(err, fault.KindOperation) {
			t.Errorf("%s: %d rows, %v; want %s", c.query, len(rows), err, c.detail)
		}
	}
	// ORDER BY with LIMIT holds no more rows than it returns.
	if _, _, err := cypher.Collect(context.Background(), g, "UNWIND range(1, 100000) AS x RETURN x ORDER BY x DESC LIMIT 3", nil, cypher.Limits{Memory: 4 << 20}); err != nil {
		t.Error(err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err := cypher.Collect(ctx, &memory.Graph{}, "RETURN 1", nil, cypher.Limits{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
