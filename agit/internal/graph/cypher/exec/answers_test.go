package exec_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/graphtest"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/memory"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/sessions"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/tck"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

var recorded = filepath.Join("..", "sessions")

func TestAnswers(t *testing.T) {
	sessions.Run(t, recorded, "expressions", "patterns", "rows")
}

// A recorded query has the same rows whatever its store can do.
func TestAnswersOfEveryStore(t *testing.T) {
	t.Parallel()
	g := sessions.Graph(t)
	for _, file := range []string{"patterns", "rows"} {
		for _, query := range sessions.Queries(t, recorded, file) {
			want, wantErr := rowsOf(t.Context(), g, query)
			for name, other := range map[string]graph.Graph{"every method": &store{Graph: g}, "no method": graphtest.Bare(g)} {
				got, err := rowsOf(t.Context(), other, query)
				if (err == nil) != (wantErr == nil) || err == nil && !slices.Equal(got, want) {
					t.Errorf("%s: with %s: %q %v, else %q %v", query, name, got, err, want, wantErr)
				}
			}
		}
	}
}

// rowsOf returns the rows of a query as text, in the order of the text.
func rowsOf(ctx context.Context, g graph.Graph, query string) (lines []string, err error) {
	_, rows, err := cypher.Collect(ctx, g, query, sessions.Params, cypher.Limits{})
	for _, row := range rows {
		lines = append(lines, tck.Canonical(row, true))
	}
	slices.Sort(lines)
	return lines, err
}

// A reader that has enough rows stops the query, and has got the first ones.
func TestRowsStop(t *testing.T) {
	t.Parallel()
	g := sessions.Graph(t)
	for _, file := range []string{"patterns", "rows"} {
		for _, query := range sessions.Queries(t, recorded, file) {
			all := sessions.Answer(g, query)[1:]
			for stop := 1; stop <= min(len(all), 4); stop++ {
				var got []string
				for row, err := range stream(t, t.Context(), g, query) {
					if err != nil {
						t.Fatalf("%s: %v", query, err)
					}
					cells := make([]string, len(row))
					for i, v := range row {
						cells[i] = value.Format(v)
					}
					if got = append(got, strings.Join(cells, " | ")); len(got) == stop {
						break
					}
				}
				if !slices.Equal(got, all[:stop]) {
					t.Errorf("%s: the first %d rows are %q, not %q", query, stop, got, all[:stop])
				}
			}
		}
	}
}

// stream starts a query that must be valid.
func stream(t *testing.T, ctx context.Context, g graph.Graph, query string) iter.Seq2[[]any, error] {
	t.Helper()
	q, err := cypher.Prepare(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	r, err := q.Run(ctx, g, sessions.Params, cypher.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return r.Rows
}

// failing is a store that fails once it was asked, or returned something, left times.
type failing struct {
	store
	left int
	fail func() error
	did  bool
}

func (f *failing) next() error {
	if f.left--; f.left >= 0 {
		return nil
	}
	f.did = true
	return f.fail()
}

func (f *failing) SelectProperties(graph.Wanted) graph.Graph { return f }

func (f *failing) Scan(ctx context.Context, filter graph.Filter) iter.Seq2[*value.Node, error] {
	return func(yield func(*value.Node, error) bool) {
		for n, err := range f.store.Scan(ctx, filter) {
			if broken := f.next(); broken != nil {
				yield(nil, broken)
				return
			}
			if !yield(n, err) {
				return
			}
		}
	}
}

func (f *failing) Expand(ctx context.Context, hop graph.Hop, yield func(graph.Edge) error) error {
	if err := f.next(); err != nil {
		return err
	}
	return f.Graph.Expand(ctx, hop, func(e graph.Edge) error {
		if err := f.next(); err != nil {
			return err
		}
		return yield(e)
	})
}

func (f *failing) Nodes(ctx context.Context, ids []int64) ([]*value.Node, error) {
	if err := f.next(); err != nil {
		return nil, err
	}
	return f.Graph.Nodes(ctx, ids)
}

func (f *failing) HaveNeighbour(ctx context.Context, hop graph.Hop) ([]int64, bool, error) {
	if err := f.next(); err != nil {
		return nil, false, err
	}
	return f.store.HaveNeighbour(ctx, hop)
}

func (f *failing) CountNeighbours(ctx context.Context, hop graph.Hop, properties []string, yield func(graph.Count) error) (bool, error) {
	if err := f.next(); err != nil {
		return false, err
	}
	return f.Graph.CountNeighbours(ctx, hop, properties, func(c graph.Count) error {
		if err := f.next(); err != nil {
			return err
		}
		return yield(c)
	})
}

// Wherever its store fails, a query ends with the error of the store and returns nothing after it.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	g := sessions.Graph(t)
	failed := errors.New("the store failed")
	bare := func(f *failing) graph.Graph { return graphtest.Bare(f) }
	for _, query := range slices.Concat(sessions.Queries(t, recorded, "patterns"), sessions.Queries(t, recorded, "rows")) {
		if strings.Contains(query, " / ") || len(sessions.Answer(g, query)) == 1 && strings.Contains(sessions.Answer(g, query)[0], "Error: ") {
			continue // fails by itself
		}
		for _, wrapped := range []func(*failing) graph.Graph{func(f *failing) graph.Graph { return f }, bare} {
			for left := 0; ; left++ {
				f := &failing{store: store{Graph: g}, left: left, fail: func() error { return failed }}
				if ended := ending(stream(t, t.Context(), wrapped(f), query)); f.did != errors.Is(ended, failed) {
					t.Errorf("%s: %d calls: %v", query, left, ended)
				}
				if !f.did {
					break
				}
			}
		}
	}
}

// ending reads a stream to its end and returns its error.
func ending(rows iter.Seq2[[]any, error]) (ended error) {
	for _, err := range rows {
		if ended != nil {
			return fmt.Errorf("a row after the error: %w", ended)
		}
		ended = err
	}
	return ended
}

// A query whose caller has gone ends with the error of the context, not with the one that its store made of that.
func TestCallerGoes(t *testing.T) {
	t.Parallel()
	g := sessions.Graph(t)
	for _, query := range []string{
		"MATCH (a:Agent) RETURN a", "MATCH (a:Agent)-[:DOES]->(t) RETURN a, t", "MATCH (t)-[:NEEDS*]->(u) RETURN u", "MATCH (t)<-[:DOES]-(a) WITH DISTINCT a RETURN a.name, properties(a)",
	} {
		for left := range 4 {
			ctx, cancel := context.WithCancel(t.Context())
			f := &failing{store: store{Graph: g}, left: left, fail: func() error { cancel(); return errors.New("interrupted") }}
			if ended := ending(stream(t, ctx, f, query)); f.did && !errors.Is(ended, context.Canceled) && ended.Error() != "interrupted" {
				t.Errorf("%s: %v", query, ended)
			} else if !strings.Contains(query, "properties") && f.did && !errors.Is(ended, context.Canceled) {
				t.Errorf("%s: after %d calls: %v", query, left, ended)
			}
			cancel()
		}
	}
}

// The limits hold exactly, with the number in the error.
func TestLimitsAreExact(t *testing.T) {
	t.Parallel()
	g := sessions.Graph(t)
	for _, c := range []struct {
		query  string
		limits cypher.Limits
		want   string
	}{
		{"UNWIND range(1, 5) AS x RETURN x", cypher.Limits{Rows: 5}, ""},
		{"UNWIND range(1, 5) AS x RETURN x", cypher.Limits{Rows: 4}, "LimitExceeded: RowLimit: the query returns more than 4 rows"},
		{"UNWIND [1, 1, 2] AS x RETURN x UNION RETURN 2 AS x", cypher.Limits{Rows: 2}, ""},
		{"UNWIND [1, 1, 2] AS x RETURN x UNION ALL RETURN 2 AS x", cypher.Limits{Rows: 3}, "LimitExceeded: RowLimit: the query returns more than 3 rows"},
		{"UNWIND range(1, 100000) AS x RETURN x", cypher.Limits{}, ""},
		{"UNWIND range(1, 100001) AS x RETURN x", cypher.Limits{}, "LimitExceeded: RowLimit: the query returns more than 100000 rows"},
		{"UNWIND range(1, 100001) AS x RETURN x", cypher.Limits{Rows: -1, Paths: -1, Memory: -1, Time: -1}, "LimitExceeded: RowLimit: the query returns more than 100000 rows"},
		{"MATCH (t:Task) RETURN t.id", cypher.Limits{Paths: 3}, ""},
		{"MATCH (t:Task) RETURN t.id", cypher.Limits{Paths: 2}, "LimitExceeded: PathLimit: the query walks over more than 2 relationships"},
		{"RETURN size(range(1, 20000000))", cypher.Limits{}, "LimitExceeded: MemoryLimit: the query needs more than 128 MB"},
		{"RETURN size(range(1, 200000))", cypher.Limits{Memory: 3 << 20}, "LimitExceeded: MemoryLimit: the query needs more than 3 MB"},
		{"RETURN size(reduce(s = [], i IN range(1, 400) | [s]))", cypher.Limits{}, ""},
		{"RETURN size(reduce(s = [], i IN range(1, 401) | [s]))", cypher.Limits{}, "LimitExceeded: MemoryLimit: a value nests more than 400 levels deep"},
		{"RETURN size(reduce(s = {}, i IN range(1, 400) | {a: s}).a)", cypher.Limits{}, "size() takes a list or a string, not a Map"},
		{"RETURN reduce(s = {}, i IN range(1, 401) | {a: s}).a", cypher.Limits{}, "LimitExceeded: MemoryLimit: a value nests more than 400 levels deep"},
	} {
		_, _, err := cypher.Collect(t.Context(), g, c.query, nil, c.limits)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s %+v: %q, want %q", c.query, c.limits, got, c.want)
		}
	}
}

// A heavy query asks once whether it may go on.
func TestHeavy(t *testing.T) {
	t.Parallel()
	asked := 0
	heavy := func(n int, answer error) (bool, error) {
		asked = 0
		_, _, err := cypher.Collect(t.Context(), &memory.Graph{}, fmt.Sprintf("UNWIND range(1, %d) AS x UNWIND [1] AS y RETURN sum(x)", n), nil,
			cypher.Limits{Heavy: func() error { asked++; return answer }})
		return asked > 0, err
	}
	least := least(func(n int) bool { was, _ := heavy(n, nil); return was })
	if least != 13107 { // each takes five steps, and 65536 steps are heavy
		t.Errorf("a query is heavy from %d numbers on", least)
	}
	if _, err := heavy(50_000, nil); asked != 1 || err != nil {
		t.Errorf("asked %d times, %v", asked, err)
	}
	busy := errors.New("busy")
	if _, err := heavy(50_000, busy); asked != 1 || !errors.Is(err, busy) {
		t.Errorf("asked %d times, %v", asked, err)
	}
}

// The time limit is a deadline for the store.
func TestDeadline(t *testing.T) {
	t.Parallel()
	for limit, want := range map[time.Duration]time.Duration{0: 30 * time.Second, time.Hour: time.Hour} {
		var until time.Duration
		g := watched{Graph: sessions.Graph(t), see: func(ctx context.Context) {
			if deadline, ok := ctx.Deadline(); ok {
				until = time.Until(deadline)
			}
		}}
		if _, _, err := cypher.Collect(t.Context(), g, "MATCH (a) RETURN count(a)", nil, cypher.Limits{Time: limit}); err != nil {
			t.Fatal(err)
		}
		if until > want || until < want/3 {
			t.Errorf("with %s, %s are left", limit, until)
		}
	}
}

type watched struct {
	graph.Graph
	see func(context.Context)
}

func (w watched) Scan(ctx context.Context, f graph.Filter) iter.Seq2[*value.Node, error] {
	w.see(ctx)
	return w.Graph.Scan(ctx, f)
}

// Nodes are expanded in groups that grow, so that a small LIMIT reads little, and in small ones when the rows are large.
func TestGroups(t *testing.T) {
	t.Parallel()
	g := &memory.Graph{}
	hub := g.AddNode([]string{"Hub"}, nil)
	for i := range 1700 {
		g.AddRelationship(g.AddNode([]string{"N"}, map[string]any{"i": int64(i)}).ID, hub.ID, "R", nil)
	}
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"MATCH (n:N) MATCH (n)-[r]->(h) RETURN count(DISTINCT r)", []string{
			"scan [N]", "expand 16 1 []", "expand 32 1 []", "expand 64 1 []", "expand 128 1 []", "expand 256 1 []", "expand 512 1 []", "expand 512 1 []", "expand 180 1 []",
		}},
		{"MATCH (n:N) MATCH (n)-[r]->(h) RETURN n LIMIT 1", []string{"scan [N]", "expand 16 1 []"}},
		{"MATCH (n:N) MATCH (n)-[r]->(h) RETURN n LIMIT 17", []string{"scan [N]", "expand 16 1 []", "expand 32 1 []"}},
		{"MATCH (n:N) WHERE n.i < 10 WITH n, range(1, 40000) AS l MATCH (n)-[r]->(h) RETURN count(DISTINCT r), size(l)", []string{
			"scan [N] i < 10", "expand 4 1 []", "expand 4 1 []", "expand 2 1 []",
		}},
		{"MATCH (n:N) WHERE n.i < 8 WITH n, range(1, 32768) AS l MATCH (n)-[r]->(h) RETURN count(DISTINCT r), size(l)", []string{"scan [N] i < 8", "expand 4 1 []", "expand 4 1 []"}},
		{"MATCH (h:Hub) MATCH (h)<-[r]-(n) WITH collect(n) AS all UNWIND all AS n RETURN sum(n.i)", []string{"scan [Hub]", "expand 1 2 []", "nodes 512", "nodes 512", "nodes 512", "nodes 164"}},
		{"MATCH (h:Hub)<-[r*1..2]-(n) RETURN count(n)", []string{"scan [Hub]", "expand 1 2 []", "expand 512 2 []", "expand 512 2 []", "expand 512 2 []", "expand 164 2 []"}},
	} {
		r := &recorder{Graph: unloaded{g}}
		if _, _, err := cypher.Collect(t.Context(), r, c.query, nil, cypher.Limits{}); err != nil {
			t.Errorf("%s: %v", c.query, err)
		}
		if diff := cmp.Diff(c.want, r.calls); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.query, diff)
		}
	}
}

// unloaded is a store that returns only the ids of neighbours.
type unloaded struct{ graph.Graph }

func (u unloaded) Expand(ctx context.Context, hop graph.Hop, yield func(graph.Edge) error) error {
	return u.Graph.Expand(ctx, hop, func(e graph.Edge) error {
		e.Node = &value.Node{ID: e.Node.ID}
		return yield(e)
	})
}
