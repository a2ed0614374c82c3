package overview

import (
	"context"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/run/costs"
)

// spending keeps what was taken today for a while: transcripts are files of others, and looking at all of them
// takes longer than reading a screen's rows.
type spending struct {
	costs *costs.Store

	mu   sync.Mutex
	days map[string]day // by project
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
