package costs

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions/price"
	"github.com/agit-suite/agit/shared/timestamp"
)

// OfTasks is what some tasks took, by their ids; those that took nothing are not in it.
func (s *Store) OfTasks(ctx context.Context, ids []string) (map[string]Sum, error) {
	of := map[string]Sum{}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" }); len(ids) == 0 {
		return of, nil
	}
	since, err := s.beganWith(ctx, ids)
	if err != nil || since.IsZero() {
		return of, err
	}
	table, err := price.Open(s.Table)
	if err != nil {
		return nil, err
	}
	all, err := s.gather(ctx, Query{Since: since.Add(-margin)}, table)
	if err != nil {
		return nil, err
	}
	return sums(all, func(e *entry) string {
		if _, found := slices.BinarySearch(ids, e.task); found {
			return e.task
		}
		return ""
	}), nil
}

// beganWith is when the first attempt of some tasks, or the first worktree, was begun; the zero time for none.
func (s *Store) beganWith(ctx context.Context, ids []string) (first time.Time, err error) {
	args := make([]any, 0, 2*len(ids))
	for range 2 {
		for _, id := range ids {
			args = append(args, id)
		}
	}
	in := strings.TrimSuffix(strings.Repeat("?, ", len(ids)), ", ")
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		at, err := registry.One[registry.Null[timestamp.Time]](tx.QueryRow(`SELECT MIN(at) FROM (SELECT started_at AS at FROM attempt_costs WHERE task IN (`+in+`)
			UNION ALL SELECT created_at FROM worktree_times WHERE task IN (`+in+`)) begun`, args...))
		first = at.V.Time
		return err
	})
	return first, err
}

// Today is what was taken on this day of the local calendar.
type Today struct {
	Total  Sum
	Agents map[string]Sum // by name; of agents of the suite
	// Seen are the clients whose sessions had an answer in the last hour in a folder that was not one of the suite's agents then.
	Seen []Sighting
}

// Sighting is the last answer of a client in a worktree.
type Sighting struct {
	Client   string
	Worktree string // the folder that is checked out
	At       time.Time
}

// seenFor is how long after its last answer a client counts as seen: its hooks would tell more, and are not set up.
const seenFor = time.Hour

// Today is what was taken today in some repositories, by their names, or on all of this machine for none.
func (s *Store) Today(ctx context.Context, repos []string) (t Today, err error) {
	table, err := price.Open(s.Table)
	if err != nil {
		return t, err
	}
	now := time.Now()
	day, hour := midnight(now), now.Add(-seenFor)
	since := day
	if hour.Before(day) {
		since = hour
	}
	all, err := s.gather(ctx, Query{Since: since}, table)
	if err != nil {
		return t, err
	}
	if len(repos) > 0 {
		all = slices.DeleteFunc(all, func(e entry) bool { return !slices.Contains(repos, e.place.repo) })
	}
	t.Seen = sightings(all, hour)
	all = slices.DeleteFunc(all, func(e entry) bool { return e.At.Before(day) })
	for _, e := range all {
		t.Total.add(e)
	}
	t.Total.round()
	t.Agents = sums(all, func(e *entry) string { return e.agent })
	return t, nil
}

// sightings are the last answers since a time, of each client and worktree, the newest first; entries are in the order of their times.
func sightings(all []entry, since time.Time) (seen []Sighting) {
	for _, e := range slices.Backward(all) {
		if e.At.Before(since) {
			break
		}
		known := slices.ContainsFunc(seen, func(s Sighting) bool { return s.Client == e.Client && s.Worktree == e.place.worktree })
		if e.agent == "" && e.place.worktree != "" && !known {
			seen = append(seen, Sighting{Client: e.Client, Worktree: e.place.worktree, At: e.At})
		}
	}
	return seen
}

// midnight is the beginning of a day of the local calendar.
func midnight(now time.Time) time.Time {
	y, m, d := now.Local().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.Local)
}

// sums adds entries by a key; those of "" are left out.
func sums(all []entry, key func(*entry) string) map[string]Sum {
	of := map[string]Sum{}
	for i := range all {
		if k := key(&all[i]); k != "" {
			one := of[k]
			one.add(all[i])
			of[k] = one
		}
	}
	for k, one := range of {
		one.round()
		of[k] = one
	}
	return of
}
