package overview

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/costs"
)

// spending caches today's use: reading all transcripts takes longer than reading a screen's rows.
type spending struct {
	costs *costs.Store
	mu    sync.Mutex
	days  cache[costs.Today]          // by project
	tasks cache[map[string]costs.Sum] // by project and the ids of tasks: only the last ones
}

type cache[T any] map[string]kept[T]

type kept[T any] struct {
	at  time.Time
	use T
}

// spentFor is how long the cached use is valid.
const spentFor = 10 * time.Second

// get returns a valid use, else reads it; the zero value when it cannot be read.
func (c cache[T]) get(key string, read func() (T, error)) (use T) {
	if known, ok := c[key]; ok && time.Since(known.at) < spentFor {
		return known.use
	}
	found, err := read()
	if err == nil {
		use, c[key] = found, kept[T]{time.Now(), found}
	}
	return use
}

// of returns today's use in a project, or on the whole machine for "". Unreadable parts are left out; a screen shows the rest.
func (s *spending) of(ctx context.Context, project string, found rows) costs.Today {
	if s.costs == nil {
		return costs.Today{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.days.get(project, func() (costs.Today, error) {
		var names []string
		if project != "" {
			for _, r := range found.repos {
				names = append(names, r.Name)
			}
		}
		return s.costs.Today(ctx, names)
	})
}

// byTask returns the use of the tasks that have a worktree, or failed or are blocked: all tasks that may wait for a person.
func (s *spending) byTask(ctx context.Context, project string, found rows) map[string]costs.Sum {
	if s.costs == nil {
		return nil
	}
	ids := found.mayWait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tasks.get(project+"\x00"+strings.Join(ids, "\x00"), func() (map[string]costs.Sum, error) {
		by, err := s.costs.OfTasks(ctx, ids)
		if err == nil {
			clear(s.tasks) // other sets of tasks are outdated or rarely requested
		}
		return by, err
	})
}

// mayWait returns the ids of the tasks that a need may be about.
func (r rows) mayWait() (ids []string) {
	for _, w := range r.worktrees {
		ids = append(ids, w.TaskID)
	}
	for _, look := range r.tasks {
		for _, t := range look.Blocked {
			ids = append(ids, t.ID)
		}
		for _, t := range look.Failed {
			ids = append(ids, t.ID)
		}
	}
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return id == "" })
}
