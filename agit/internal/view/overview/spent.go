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
	days  map[string]day // by project
	tasks map[string]took
}

// took is the use of a set of tasks, which name identifies.
type took struct {
	at time.Time
	by map[string]costs.Sum
}

type day struct {
	at    time.Time
	today costs.Today
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
		return kept.today
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
	s.days[project] = day{time.Now(), today}
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
		return kept.by
	}
	by, err := s.costs.OfTasks(ctx, ids)
	if err != nil {
		return nil
	}
	s.tasks = map[string]took{name: {time.Now(), by}} // other sets of tasks are outdated or rarely requested
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
