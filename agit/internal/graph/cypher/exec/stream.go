package exec

import (
	"iter"
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
)

// row holds one value per slot.
type row []any

// with returns a copy of r with v at a slot.
func (r row) with(slot int, v any) row {
	next := slices.Clone(r)
	next[slot] = v
	return next
}

// stream is a sequence of rows.
type stream = iter.Seq[row]

// step turns a stream of rows into another, keeping their order: all rows made
// from one input row come before those of the next.
type step func(x *run, in stream) stream

// failure carries an error of the store or the context up to query; errors of the language need no wrapping.
type failure struct{ err error }

// check ends the run if err is set.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// must is check for a result.
func must[T any](v T, err error) T {
	check(err)
	return v
}

// catch stores in err the error with which the function that defers it ended.
func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case *syntax.Error:
		*err = r
	case failure:
		*err = r.err
	default:
		panic(r)
	}
}

// ahead computes something while planning. It returns nothing for what fails, because the run reports that.
func ahead[T any](compute func() T) (v T) {
	var ignored error
	defer catch(&ignored)
	return compute()
}

// eachRow is the step that hands each row to do, which hands on to yield what it makes of the row. Like yield, do returns false to end the
// stream.
func eachRow(do func(x *run, r row, yield func(row) bool) bool) step {
	return func(x *run, in stream) stream {
		return func(yield func(row) bool) {
			for r := range in {
				if !do(x, r, yield) {
					return
				}
			}
		}
	}
}

// eachGroup is eachRow for a step that asks the store about many rows at once.
func eachGroup(do func(x *run, group []row, yield func(row) bool) bool) step {
	return func(x *run, in stream) stream {
		return func(yield func(row) bool) {
			for group := range batches(in) {
				if !do(x, group, yield) {
					return
				}
			}
		}
	}
}

// batches groups a stream, small groups first so that a small LIMIT reads
// little.
func batches(in stream) iter.Seq[[]row] {
	return func(yield func([]row) bool) {
		const longLists = 1 << 17 // elements; each takes 16 bytes
		size, weight := 16, 0
		group := make([]row, 0, size)
		for r := range in {
			weight += long(r)
			if group = append(group, r); len(group) < size && weight < longLists {
				continue
			}
			if !yield(group) {
				return
			}
			size, weight = min(2*size, batch), 0
			group = make([]row, 0, size)
		}
		if len(group) > 0 {
			yield(group)
		}
	}
}

// long returns the number of elements in the lists of r. It keeps groups of rows with long lists small.
func long(r row) int {
	n := 0
	for _, v := range r {
		if list, ok := v.([]any); ok {
			n += len(list)
		}
	}
	return n
}

// pipe sends a stream through steps.
func pipe(x *run, steps []step, in stream) stream {
	for _, s := range steps {
		in = s(x, in)
	}
	return in
}

// one is the stream of a copy of r.
func one(r row) stream {
	return func(yield func(row) bool) { yield(slices.Clone(r)) }
}
