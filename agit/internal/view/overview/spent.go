package overview

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/costs"
)

// spending keeps what was taken today for a while: transcripts are files of others, and looking at all of them
// takes longer than reading a screen's rows.
type spending struct {
	costs *costs.Store

	mu    sync.Mutex
	days  map[string]day // by project
	tasks map[string]took
}

// took is what some tasks took, which name it.
type took struct {
	at time.Time
	by map[string]costs.Sum
}

type day struct {
	at    time.Time
	today costs.Today
}

// spentFor is how long what was taken counts as it was read.
const spentFor = 10 * time.Second

// of is what was taken today in a project, or on all of this machine for "". What cannot be read is left out: a
// screen shows the rest.
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

// byTask is what the tasks took that have a worktree, or failed or are blocked: all that may wait for a person.
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
	s.tasks = map[string]took{name: {time.Now(), by}} // other sets of tasks are of the past, or asked for rarely
	return by
}

// mayWait are the ids of tasks that a need may be about.
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
