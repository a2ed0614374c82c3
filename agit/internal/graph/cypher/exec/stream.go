package exec

import (
	"errors"
	"iter"
)

// row holds one value per slot.
type row []any

// stream is a sequence of rows. After an error nothing follows.
type stream = iter.Seq2[row, error]

// step turns a stream of rows into another, keeping their order: all rows made
// from one input row come before those of the next.
type step func(x *run, in stream) stream

// errEnough ends a loop over rows of which no more are wanted.
var errEnough = errors.New("no more rows are wanted")

// produce returns the stream of what rows hands to yield, and then of its error. rows returns an error of yield at once.
func produce[T any](rows func(yield func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := rows(func(r T) error {
			if !yield(r, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			var none T
			yield(none, err)
		}
	}
}

// eachRow is the step that hands each row to do, which hands on to yield what it makes of the row.
func eachRow(do func(x *run, r row, yield func(row) error) error) step {
	return func(x *run, in stream) stream {
		return produce(func(yield func(row) error) error {
			for r, err := range in {
				if err == nil {
					err = do(x, r, yield)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// eachGroup is eachRow for a step that asks the store about many rows at once.
func eachGroup(do func(x *run, group []row, yield func(row) error) error) step {
	return func(x *run, in stream) stream {
		return produce(func(yield func(row) error) error {
			for group, err := range batches(in) {
				if err == nil {
					err = do(x, group, yield)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// batches groups a stream, small groups first so that a small LIMIT reads
// little.
func batches(in stream) iter.Seq2[[]row, error] {
	return func(yield func([]row, error) bool) {
		const longLists = 1 << 17 // elements; each takes 16 bytes
		size, weight := 16, 0
		group := make([]row, 0, size)
		for r, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			weight += long(r)
			if group = append(group, r); len(group) < size && weight < longLists {
				continue
			}
			if !yield(group, nil) {
				return
			}
			size, weight = min(2*size, batch), 0
			group = make([]row, 0, size)
		}
		if len(group) > 0 {
			yield(group, nil)
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
	return func(yield func(row, error) bool) {
		yield(append(make(row, 0, len(r)), r...), nil)
	}
}
