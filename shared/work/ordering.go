package work

import "slices"

// ordering keeps moments in an order in which every arrow points forwards, while arrows are added. It looks only at the moments between the
// ends of a new arrow (Pearce and Kelly, "A dynamic topological sort algorithm for directed acyclic graphs", 2006).
type ordering struct {
	after, before map[moment][]moment
	place         map[moment]int
}

func newOrdering(items int) *ordering {
	return &ordering{after: make(map[moment][]moment, 2*items), before: make(map[moment][]moment, 2*items), place: make(map[moment]int, 2*items)}
}

// arrow adds an arrow without checking it, before sort.
func (o *ordering) arrow(from, to moment) {
	o.after[from] = append(o.after[from], to)
	o.before[to] = append(o.before[to], from)
}

// sort finds the first order, by id where the arrows allow several. It returns the moments that have none, since they stand in a cycle or
// behind one, which only a merge of two registries can make. They come last.
func (o *ordering) sort() (circling map[moment]bool) {
	waits := make(map[moment]int, len(o.place))
	for from, all := range o.after {
		if _, known := waits[from]; !known {
			waits[from] = 0
		}
		for _, to := range all {
			waits[to]++
		}
	}
	var ready []moment
	for m, n := range waits {
		if n == 0 {
			ready = append(ready, m)
		}
	}
	slices.Sort(ready)
	for len(ready) > 0 {
		m := ready[0]
		ready = ready[1:]
		o.place[m] = len(o.place)
		for _, to := range o.after[m] {
			if waits[to]--; waits[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	circling = map[moment]bool{}
	for m := range waits {
		if _, placed := o.place[m]; !placed {
			o.place[m] = len(o.place)
			circling[m] = true
		}
	}
	return circling
}

// add adds an arrow. An arrow that would close a cycle is not added; the result is then the items on the path from its end back to its
// beginning.
func (o *ordering) add(from, to moment) (way []int64) {
	if o.place[to] <= o.place[from] {
		came := map[moment]moment{to: to}
		forward := o.reach(to, o.after, func(m moment) bool { return o.place[m] <= o.place[from] }, came)
		if _, closes := came[from]; closes {
			return itemsAlong(came, to, from)
		}
		backward := o.reach(from, o.before, func(m moment) bool { return o.place[m] >= o.place[to] }, map[moment]moment{from: from})
		o.reorder(backward, forward)
	}
	o.arrow(from, to)
	return nil
}

// reach returns the moments that can be reached from one through moments for which within is true. came records the predecessor of each.
func (o *ordering) reach(from moment, next map[moment][]moment, within func(moment) bool, came map[moment]moment) []moment {
	found := []moment{from}
	for i := 0; i < len(found); i++ {
		for _, m := range next[found[i]] {
			if _, seen := came[m]; !seen && within(m) {
				came[m] = found[i]
				found = append(found, m)
			}
		}
	}
	return found
}

// reorder distributes the places of both groups anew, the first group first.
func (o *ordering) reorder(first, second []moment) {
	byPlace := func(a, b moment) int { return o.place[a] - o.place[b] }
	slices.SortFunc(first, byPlace)
	slices.SortFunc(second, byPlace)
	all := slices.Concat(first, second)
	places := make([]int, len(all))
	for i, m := range all {
		places[i] = o.place[m]
	}
	slices.Sort(places)
	for i, m := range all {
		o.place[m] = places[i]
	}
}

func (o *ordering) remove(from, to moment) {
	drop := func(list []moment, m moment) []moment {
		if i := slices.Index(list, m); i >= 0 {
			return slices.Delete(list, i, i+1)
		}
		return list
	}
	o.after[from] = drop(o.after[from], to)
	o.before[to] = drop(o.before[to], from)
}
