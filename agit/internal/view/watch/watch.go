package watch

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Options select what is watched and which events are reported.
type Options struct {
	Repos     []int64 // row ids; empty means all
	Worktrees []int64
	Kinds     []Kind
}

func (o Options) wants(e Event) bool { return slices.Contains(o.Kinds, e.Kind) }

// Store watches one registry.
type Store struct {
	DB       *registry.DB
	Presence *presence.Store
}

// Now returns the selected events that describe the current state: agents that wait for a person or are idle, and work that did not
// land.
func (s *Store) Now(ctx context.Context, o Options) ([]Event, error) {
	found, err := s.snapshot(ctx, o, time.Now())
	events := append([]Event{}, found.now()...) // JSON has a list, even of none
	return slices.DeleteFunc(events, func(e Event) bool { return !o.wants(e) }), err
}

// Follow calls tell for every later event, and first for agents that already wait for a person, until tell returns false or an error,
// or ctx ends.
func (s *Store) Follow(ctx context.Context, o Options, tell func(Event) (bool, error)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	changed, ended := make(chan struct{}, 1), make(chan error, 1)
	note := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	go func() {
		ended <- s.DB.Watch(ctx, note, func(changes []registry.Change) {
			if slices.ContainsFunc(changes, func(c registry.Change) bool {
				return c.Topic == registry.TopicAgents || c.Topic == registry.TopicWorktrees || c.Topic == registry.TopicTasks
			}) {
				note()
			}
		})
	}()
	began := time.Now()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var before *Snapshot
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			if err == nil { // the registry's watch returns nil when it is stopped
				err = ctx.Err()
			}
			return err
		case <-changed:
		case <-timer.C:
		}
		now, err := s.snapshot(ctx, o, began)
		if err != nil {
			return err
		}
		events := now.asking()
		if before != nil {
			events = now.since(*before)
		}
		before = &now
		for _, e := range events {
			if !o.wants(e) {
				continue
			}
			if more, err := tell(e); err != nil || !more {
				return err
			}
		}
		timer.Reset(now.rest())
	}
}

// rest returns for how long only a change of the registry can change a snapshot.
func (s Snapshot) rest() time.Duration {
	rest := time.Hour
	for _, p := range s.agents {
		if !p.Until.IsZero() {
			rest = min(rest, max(0, p.Until.Sub(s.at.Time)))
		}
	}
	return rest + 10*time.Millisecond // times are stored in whole milliseconds
}

// snapshot reads the current state, including everything that was finished after began.
func (s *Store) snapshot(ctx context.Context, o Options, began time.Time) (Snapshot, error) {
	return registry.Read(ctx, s.DB, func(tx *registry.Tx) (Snapshot, error) {
		found := Snapshot{at: timestamp.Of(tx.Now())}
		all, err := presence.List(tx, s.Presence.StaleAfter, 0)
		if err != nil {
			return found, err
		}
		for _, p := range all {
			if o.about(p.RepoID, p.WorktreeID) {
				found.agents = append(found.agents, p)
			}
		}
		found.pieces, err = pieces(tx, o, began)
		return found, err
	})
}

// about reports whether a worktree is watched.
func (o Options) about(repo, worktree int64) bool {
	return len(o.Repos)+len(o.Worktrees) == 0 || slices.Contains(o.Repos, repo) || worktree != 0 && slices.Contains(o.Worktrees, worktree)
}

func pieces(tx *registry.Tx, o Options, began time.Time) ([]Piece, error) {
	since := registry.FormatTime(began)
	var found []Piece
	_, err := registry.Collect(tx, func(row registry.Scanner) (none struct{}, err error) {
		var p Piece
		var repo int64
		var path string
		if err := row.Scan(&p.key[0], &p.key[1], &repo, &p.Repo, &p.Worktree, &path, &p.Agent, &p.Task, &p.TaskName, &p.status, &p.state,
			&p.landing.id, &p.landing.state, &p.landing.gate, &p.landing.why, &p.review.id, &p.review.state, &p.review.why); err != nil {
			return none, err
		}
		if path != "" {
			p.Name = filepath.Base(path)
		}
		if o.about(repo, p.key[0]) {
			found = append(found, p)
		}
		return none, nil
	}, strings.Join([]string{
		`SELECT w.id, COALESCE(i.id, 0), w.repo_id, r.name, w.ref, w.path, COALESCE(a.name, ''), COALESCE(i.ref, ''), COALESCE(i.title, w.task_text), w.status, COALESCE(i.status, ''),
		  COALESCE(l.id, 0), COALESCE(l.state, ''), COALESCE(l.gate_result, ''), COALESCE(l.reason, ''), COALESCE(v.id, 0), COALESCE(v.state, ''), COALESCE(v.why, '')
		FROM worktrees w JOIN repos r ON r.id = w.repo_id LEFT JOIN agents a ON a.id = w.agent_id LEFT JOIN items i ON i.id = w.item_id
		LEFT JOIN landings l ON l.id = (SELECT MAX(id) FROM landings WHERE worktree_id = w.id)
		LEFT JOIN reviews v ON v.id = (SELECT MAX(id) FROM reviews WHERE worktree_id = w.id)
		WHERE w.` + repo.LiveWorktree + ` OR w.finished_at >= ?`,
		`SELECT 0, i.id, COALESCE(t.repo_id, 0), COALESCE(r.name, ''), '', '', COALESCE(a.name, ''), i.ref, i.title, '', i.status, 0, '', '', '', 0, '', ''
		FROM items i JOIN tasks t ON t.item_id = i.id LEFT JOIN repos r ON r.id = t.repo_id
		LEFT JOIN leases l ON l.item_id = i.id LEFT JOIN agents a ON a.id = l.agent_id
		WHERE i.kind = 'task' AND i.deleted_at IS NULL AND i.status IN ('claimed', 'in_progress', 'completed', 'failed')
		AND (i.finished_at IS NULL OR i.finished_at >= ?)
		AND NOT EXISTS (SELECT 1 FROM worktrees w WHERE w.item_id = i.id AND (w.` + repo.LiveWorktree + ` OR w.finished_at >= ?))`,
	}, "\nUNION ALL "), since, since, since)
	return found, err
}
