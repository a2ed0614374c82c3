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
	days  map[string]kept[costs.Today] // by project
	tasks map[string]kept[map[string]costs.Sum]
}

type kept[T any] struct {
	at  time.Time
	use T
}

// spentFor is how long the cached use is valid.
const spentFor = 10 * time.Second

// of returns today's use in a project, or on the whole machine for "". Unreadable parts are left out; a screen shows the rest.
func (s *spending) of(ctx context.Context, project string, found rows) costs.Today {
	if s.costs == nil {
		return costs.Today{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept, ok := s.days[project]; ok && time.Since(kept.at) < spentFor {
		return kept.use
	}
	var names []string
	if project != "" {
		for _, r := range found.repos {
			names = append(names, r.Name)
		}
	}
	today, err := s.costs.Today(ctx, names)
	if err != nil {
		return costs.Today{}
	}
	s.days[project] = kept[costs.Today]{time.Now(), today}
	return today
}

// byTask returns the use of the tasks that have a worktree, or failed or are blocked: all tasks that may wait for a person.
func (s *spending) byTask(ctx context.Context, project string, found rows) map[string]costs.Sum {
	if s.costs == nil {
		return nil
	}
	ids := found.mayWait()
	name := project + "\x00" + strings.Join(ids, "\x00")
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept, ok := s.tasks[name]; ok && time.Since(kept.at) < spentFor {
		return kept.use
	}
	by, err := s.costs.OfTasks(ctx, ids)
	if err != nil {
		return nil
	}
	s.tasks = map[string]kept[map[string]costs.Sum]{name: {time.Now(), by}} // other sets of tasks are outdated or rarely requested
	return by
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
