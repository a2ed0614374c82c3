package costs

import (
	"context"
	"slices"
	"time"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sessions/price"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// OfTasks returns the use of some tasks by their ids; tasks without use are left out.
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
	all, _, err := s.gather(ctx, Query{Since: since.Add(-margin)})
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

// beganWith returns when the first attempt or the first worktree of some tasks began; the zero time when there is none.
func (s *Store) beganWith(ctx context.Context, ids []string) (first time.Time, err error) {
	in, args := registry.In(text.Each(ids, text.Key))
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		at, err := registry.One[registry.Null[timestamp.Time]](tx.QueryRow(`WITH asked AS (SELECT id FROM items WHERE ref_key IN (`+in+`))
			SELECT MIN(at) FROM (SELECT started_at AS at FROM attempt_costs WHERE item_id IN (SELECT id FROM asked)
			UNION ALL SELECT created_at FROM worktree_times WHERE item_id IN (SELECT id FROM asked)) begun`, args...))
		first = at.V.Time
		return err
	})
	return first, err
}

// Today is the use on this day of the local calendar.
type Today struct {
	Total  Sum
	Agents map[string]Sum // by name, for agents of the suite
	// Seen are the clients with an answer in the last hour in a folder that did not then belong to an agent of the suite.
	Seen []Sighting
}

// Sighting is the last answer of a client in a worktree.
type Sighting struct {
	Client   string
	Worktree string // the folder that is checked out
	At       time.Time
}

// seenFor is how long after its last answer a client counts as seen. Hooks would report more, but they are not set up.
const seenFor = time.Hour

// Today returns today's use in some repositories, by their names, or on the whole machine when the list is empty.
func (s *Store) Today(ctx context.Context, repos []string) (t Today, err error) {
	now := time.Now()
	day, hour := Midnight(now), now.Add(-seenFor)
	since := day
	if hour.Before(day) {
		since = hour
	}
	all, _, err := s.gather(ctx, Query{Since: since})
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

// sightings returns the last answer since a time of each client and worktree, newest first. Entries are sorted by time.
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

// Midnight returns the start of a day of the local calendar.
func Midnight(now time.Time) time.Time {
	y, m, d := now.Local().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.Local)
}

// sums adds entries by a key; entries with the key "" are left out.
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

// Run is a run of a client on this machine.
type Run struct {
	Client  string
	Session string // the client's id; "" when unknown
	Folder  string // its working folder
	Begun   time.Time
}

// Taken is the use of a run, from the transcript of its session.
type Taken struct {
	Sum
	Model string // model of its last answer
}

// Run reads the use of a run so far from its client's transcript. It returns zero when the client keeps no readable transcript.
func (s *Store) Run(ctx context.Context, r Run) (t Taken, err error) {
	table, err := price.Open(s.Table)
	if err != nil {
		return t, err
	}
	answers, err := s.Kept.Read(ctx, r.Begun.Add(-margin))
	if err != nil {
		return t, err
	}
	a := attempt{session: r.Session, path: r.Folder}
	for _, one := range answers {
		e := priced(one, table)
		if e.Client != ClientName(r.Client) || !a.has(&e) {
			continue
		}
		t.add(e)
		t.Model = e.Model
	}
	t.round()
	return t, nil
}
