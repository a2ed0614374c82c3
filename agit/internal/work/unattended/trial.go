package unattended

import (
	"context"

	"github.com/agit-suite/agit/agit/internal/land/trial"
	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/shared/fault"
)

// trial tries everything in flight together, if that is configured and no worker of the crew is at a task. News end it: work comes first. A
// result is reported once.
func (m *member) trial(ctx context.Context, news <-chan struct{}) {
	if m.Trials == nil || m.crew.stopping(ctx) || !m.crew.idle(m) {
		return
	}
	r := m.crew.o.Repo
	g, err := r.Open()
	if err != nil {
		return // its tasks report that
	}
	if set, err := m.Trees.SettingsOn(ctx, g, r); err != nil || !set.TrialIdle || len(set.Gate) == 0 {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if news != nil {
		go func() {
			select {
			case <-news:
				cancel()
			case <-m.crew.stop:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	t, err := m.Trials.Run(ctx, r, trial.Options{Idle: true, Running: func(string) { m.show("tries everything", brief.Brief{}, "") }})
	switch {
	case ctx.Err() != nil || trial.Busy(err) || isUnjudged(err):
	case err != nil:
		m.tell(Event{What: EventNote, Why: "no trial: " + fault.From(err).Message})
	case !t.Known:
		m.tell(Event{What: EventNote, Why: "trial " + t.Headline()})
		for _, f := range t.Failures {
			m.tell(Event{What: EventNote, Why: "trial: " + f.Sentence()})
		}
	}
}

// idle reports whether no other worker is at a task.
func (c *Crew) idle(but *member) bool {
	for _, m := range c.members {
		if m == but {
			continue
		}
		m.mu.Lock()
		doing := m.look.Doing
		m.mu.Unlock()
		if doing != "waits" && doing != "stopped" {
			return false
		}
	}
	return true
}
