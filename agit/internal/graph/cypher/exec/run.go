// Package exec plans and runs a checked query over a graph: it compiles expressions to functions, chooses where each pattern starts,
// pushes conditions down to the earliest place, and streams rows through a chain of steps. A query that exceeds a limit ends with an
// error; rows are never cut off. It reads the graph through package graph only and cannot write; a plan and its run belong to one
// goroutine. As in packages syntax and check, evals and steps panic at the first failure; Rows returns its error.
//
// Files: run.go runs the parts of a query, stream.go sends rows through steps. match.go plans MATCH, with pushdown.go,
// expand.go, variablelength.go, nodes.go, filter.go, exists.go and countneighbours.go. project.go, aggregate.go
// and sort.go make WITH and RETURN, subquery.go CALL and EXISTS, the rest expressions.
package exec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// Limits bound what one query may use. Zero means the default.
type Limits struct {
	Rows   int           // rows returned; default 100,000
	Paths  int64         // relationships walked; default 20 million
	Memory int64         // bytes held, estimated; default 128 MiB
	Time   time.Duration // default 30 s
	// Heavy is called once, when the query proves to be heavy; its error ends the query.
	Heavy func() error
}

// heavyAfter is the number of steps after which a query counts as heavy: a few milliseconds' worth.
const heavyAfter = 1 << 16

// withDefaults fills in what is zero.
func (l Limits) withDefaults() Limits {
	if l.Rows <= 0 {
		l.Rows = 100_000
	}
	if l.Paths <= 0 {
		l.Paths = 20_000_000
	}
	if l.Memory <= 0 {
		l.Memory = 128 << 20
	}
	if l.Time <= 0 {
		l.Time = 30 * time.Second
	}
	return l
}

// LimitName is the Name of errors about an exceeded limit.
const LimitName = "LimitExceeded"

// run is one execution.
type run struct {
	ctx       context.Context
	graph     graph.Graph // its nodes have only the properties in named, or all when named is nil
	params    map[string]any
	limits    Limits
	width     int
	ticks     uint64
	heavy     bool
	held      int64 // bytes held between rows
	transient int64 // bytes made since the current expression began
	walked    int64
	seed      row // the row around the subquery being run, nil outside of one
	named     graph.Wanted
	direct    map[int]bool // slots of nodes whose properties the query names
	loader                 // loads nodes of graph
	whole     loader       // loads nodes with all their properties, where graph selects some
	random    *rand.Rand
	began     time.Time
}

func (x *run) newRow() row { return make(row, x.width) }

func limitError(detail, format string, args ...any) *syntax.Error {
	return syntax.RuntimeErrorf(syntax.Pos{}, LimitName, detail, "%s", fmt.Sprintf(format, args...))
}

// Step counts work and checks the clock from time to time.
func (x *run) Step() error {
	if x.ticks++; x.ticks&0x3ff != 0 {
		return nil
	}
	return x.alive()
}

// alive fails when the time is up or the caller's context has ended.
func (x *run) alive() error {
	err := x.ctx.Err()
	if err == nil {
		return x.weight()
	}
	if errors.Is(context.Cause(x.ctx), errTime) {
		return limitError("TimeLimit", "the query took longer than %s", x.limits.Time)
	}
	return err
}

// weight calls Heavy once the query has proved to be heavy.
func (x *run) weight() error {
	if x.ticks < heavyAfter {
		return nil
	}
	if !x.heavy {
		x.heavy = true
		if x.limits.Heavy != nil {
			return x.limits.Heavy()
		}
	}
	runtime.Gosched()
	return nil
}

var errTime = errors.New("time limit")

// walk counts one relationship walked over.
func (x *run) walk() {
	if x.walked++; x.walked > x.limits.Paths {
		panic(limitError("PathLimit", "the query walks over more than %d relationships", x.limits.Paths))
	}
	check(x.Step())
}

// answered checks for an error of the store. When the time is up, that is its cause.
func (x *run) answered(err error) {
	if err != nil {
		check(cmp.Or(x.alive(), err))
	}
}

// Charge counts the given number of bytes as used by an expression.
func (x *run) Charge(bytes int) error {
	x.transient += int64(bytes)
	// Most of what an expression makes is soon garbage, so its total may exceed the bound on held memory, but not by far.
	if x.held+int64(bytes) > x.limits.Memory || x.transient > 4*x.limits.Memory {
		return x.tooLarge()
	}
	return nil
}

// edgeBytes is roughly the memory of a relationship with its two ends.
const edgeBytes = 320

// holdValue counts the memory of a value that is kept, and returns it; a node counts with its properties.
func (x *run) holdValue(v any) int64 {
	size := x.weigh(v, 0, x.limits.Memory)
	check(x.hold(size))
	return size
}

// hold counts bytes that are kept until the query ends.
func (x *run) hold(bytes int64) error {
	if x.held += bytes; x.held > x.limits.Memory {
		return x.tooLarge()
	}
	return nil
}

// firstTime adds key to seen and reports whether it is new; it holds the memory of a new one.
func (x *run) firstTime(seen map[string]struct{}, key []byte) bool {
	if _, known := seen[string(key)]; known {
		return false
	}
	seen[string(key)] = struct{}{}
	check(x.hold(int64(len(key) + 48)))
	return true
}

func (x *run) tooLarge() error {
	return limitError("MemoryLimit", "the query needs more than %d MB", x.limits.Memory>>20)
}

// Random implements function.Env.
func (x *run) Random() float64 {
	if x.random == nil {
		x.random = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	return x.random.Float64()
}

// Now implements function.Env: the same moment throughout a query.
func (x *run) Now() time.Time {
	if x.began.IsZero() {
		x.began = time.Now()
	}
	return x.began
}

// maxNesting is how deep lists and maps may nest.
const maxNesting = 400

// made counts the memory of a list or map that an expression has just made.
func (x *run) made(v any) any {
	check(x.Charge(int(x.weigh(v, 0, x.limits.Memory))))
	return v
}

// weigh estimates the bytes of v and stops counting above most.
func (x *run) weigh(v any, depth int, most int64) (size int64) {
	if depth > maxNesting {
		panic(limitError("MemoryLimit", "a value nests more than %d levels deep", maxNesting))
	}
	switch v := v.(type) {
	case string:
		return int64(16 + len(v))
	case []any:
		size = int64(24 + 16*len(v))
		for _, item := range v {
			if size += x.weigh(item, depth+1, most-size); size > most {
				break
			}
		}
		check(x.Step())
		return size
	case map[string]any:
		size = 48
		for key, item := range v {
			if size += x.weigh(item, depth+1, most-size) + int64(48+len(key)); size > most {
				break
			}
		}
		check(x.Step())
		return size
	case *value.Node:
		size = 16
		for key, item := range v.Properties { // nil until they are read
			size += x.weigh(item, depth+1, most-size) + int64(48+len(key))
		}
		return size
	case *value.Path:
		return int64(48 + 8*(len(v.Nodes)+len(v.Relationships)))
	}
	return 16
}

// Rows runs a checked query over g and streams its rows, one value per column of
// q.Columns. params must be values of package value. The stream ends after the
// first error.
func Rows(ctx context.Context, g graph.Graph, q *syntax.Query, params map[string]any, limits Limits) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		limits = limits.withDefaults()
		ctx, cancel := context.WithTimeoutCause(ctx, limits.Time, errTime)
		defer cancel()
		x := &run{ctx: ctx, graph: g, params: params, limits: limits}
		if err := x.query(q, func(r []any) bool { return yield(r, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

// query runs all parts of a query, until yield returns false.
func (x *run) query(q *syntax.Query, yield func([]any) bool) (err error) {
	defer catch(&err)
	rows := 0
	var seen map[string]struct{}
	if len(q.All) > 0 && !q.All[0] {
		seen = map[string]struct{}{}
	}
	x.selectProperties(q)
	for _, part := range q.Parts {
		for r := range x.part(part, q.Columns) {
			if seen != nil && !x.firstTime(seen, value.AppendKey(nil, r)) {
				continue
			}
			if rows++; rows > x.limits.Rows {
				return limitError("RowLimit", "the query returns more than %d rows", x.limits.Rows)
			}
			if !yield(r) {
				return nil
			}
		}
	}
	return nil
}

// part plans and runs one part of a query. Every node in its rows is loaded.
func (x *run) part(part *syntax.Part, columns []string) iter.Seq[[]any] {
	c := &compiler{x: x, width: part.Slots, weights: map[*syntax.Projection]int{}}
	steps := c.clauses(part.Clauses)
	x.width = c.width
	check(x.alive())
	last := part.Clauses[len(part.Clauses)-1].(*syntax.Projection)
	slots := make([]int, len(columns))
	for i, name := range columns {
		for _, item := range last.Items {
			if item.Name == name {
				slots[i] = item.Slot
			}
		}
	}
	return func(yield func([]any) bool) {
		for r := range pipe(x, steps, one(x.newRow())) {
			out := make([]any, len(slots))
			for i, slot := range slots {
				out[i] = x.complete(r[slot])
			}
			if !yield(out) {
				return
			}
		}
	}
}
