package costs

import (
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/timestamp"
)

// blockLength is how long a client's window of usage lasts.
const blockLength = 5 * time.Hour

// blocks sums the entries of each client in blocks of five hours, as ccusage does: a block begins with the full UTC hour of its first
// answer. A new block begins with the first answer after its end, or after five hours without an answer.
func blocks(all []entry, now time.Time) []Row {
	type open struct {
		*maker
		start, last time.Time
	}
	current := map[string]*open{}
	rows := []Row{}
	end := func(o *open) {
		r, ends := o.row(), timestamp.Of(o.start.Add(blockLength))
		r.EndsAt, r.Active = &ends, now.Before(ends.Time) && now.Sub(o.last) < blockLength
		rows = append(rows, r)
	}
	for i := range all {
		e := &all[i]
		o := current[e.Client]
		if o != nil && (e.At.Sub(o.start) > blockLength || e.At.Sub(o.last) > blockLength) {
			end(o)
			o = nil
		}
		if o == nil {
			start := e.At.UTC().Truncate(time.Hour)
			o = &open{newMaker(timestamp.Format(start), e.Client), start, start}
			current[e.Client] = o
		}
		o.add(e)
		o.last = e.At
	}
	for _, o := range current {
		end(o)
	}
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.Key+a.Title, b.Key+b.Title) })
	return rows
}
