// Package halving tells what passes a costly test together from what does not, with few tests: a test of everything comes first, and
// what fails is cut in half. Landings in batches and trials decide by the same rule.
//
// Members are numbers whose meaning is the caller's, in the order in which they are put together. There is no I/O here.
package halving

import "context"

// Rule separates the members that pass from those that fail.
type Rule struct {
	// Test reports whether the members of set pass on top of all that were taken before.
	Test func(ctx context.Context, set []int) (passes bool, err error)
	// Take is called with the members that passed together. Later ones are tested on top of them.
	Take func(ctx context.Context, set []int) error
	// Leave is called with a member that fails on top of all that were taken before.
	Leave func(ctx context.Context, member int) error
}

// Separate takes or leaves each of n members, in order. When all pass it tests once; with one bad member it tests at most 1 +
// 2·log2(n) times, and never more than 2n - 1 times. It stops at the first error.
func (r Rule) Separate(ctx context.Context, n int) error { return r.separate(ctx, All(n)) }

// All returns the numbers of n members.
func All(n int) []int {
	set := make([]int, n)
	for i := range set {
		set[i] = i
	}
	return set
}

func (r Rule) separate(ctx context.Context, set []int) error {
	if len(set) == 0 {
		return nil
	}
	passes, err := r.Test(ctx, set)
	if err != nil {
		return err
	}
	if passes {
		return r.Take(ctx, set)
	}
	return r.split(ctx, set)
}

// split separates a set that fails.
func (r Rule) split(ctx context.Context, set []int) error {
	if len(set) == 1 {
		return r.Leave(ctx, set[0])
	}
	first, second := set[:len(set)/2], set[len(set)/2:]
	passes, err := r.Test(ctx, first)
	if err != nil {
		return err
	}
	if passes { // first and second together have failed already
		if err := r.Take(ctx, first); err != nil {
			return err
		}
		return r.split(ctx, second)
	}
	if err := r.split(ctx, first); err != nil {
		return err
	}
	return r.separate(ctx, second)
}

// Smallest returns the smallest set that fails and holds culprit, in order: culprit alone, or with members of among. It is known to fail
// with all of among. test reports whether a set passes by itself. Smallest assumes that a set fails when a part of it fails. It tests about
// log2(len(among)) times for each member that it finds.
func Smallest(ctx context.Context, culprit int, among []int, test func(ctx context.Context, set []int) (passes bool, err error)) ([]int, error) {
	found := []int{culprit}
	for len(among) > 0 {
		passes, err := test(ctx, found)
		if err != nil {
			return nil, err
		}
		if !passes {
			break
		}
		passing, failing := 0, len(among) // how many of among, with those found
		for failing-passing > 1 {
			middle := (passing + failing) / 2
			passes, err := test(ctx, append(append([]int{}, among[:middle]...), found...))
			if err != nil {
				return nil, err
			}
			if passes {
				passing = middle
			} else {
				failing = middle
			}
		}
		found = append([]int{among[failing-1]}, found...)
		among = among[:failing-1]
	}
	return found, nil
}
