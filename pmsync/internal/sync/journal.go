package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/sprint"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

// The streams of a pull. Items have a cursor; for the others only the time of the last read counts.
const (
	streamItems    = "items"
	streamSprints  = "sprints"
	streamStatuses = "statuses"
	streamAccount  = "account"
	streamGone     = "gone"    // what was deleted or moved
	streamOutside  = "outside" // the blockers of other projects
	streamLimit    = "limit"   // its cursor is the time at which the tracker may be called again
)

// longestLimit bounds how long a limit is kept: a wrong limit of a tracker must not stop a project for good.
const longestLimit = time.Hour

// The ages at which a pull asks again for sprints, statuses, the account, deleted or moved tickets, and blockers of other projects.
const (
	sprintAge  = 15 * time.Minute
	statusAge  = 6 * time.Hour
	accountAge = 7 * 24 * time.Hour
	goneAge    = 24 * time.Hour
	outsideAge = time.Hour
)

// ensure makes the project's row. It resets the progress of pulls when the configuration names another tracker or another part of it.
func (e *Engine) ensure(tx *registry.Tx) error {
	var name, scope string
	err := tx.QueryRow(`SELECT provider, scope FROM trackers WHERE project_id = ?`, e.Project).Scan(&name, &scope)
	switch {
	case registry.NoRows(err):
		return tx.Do(`INSERT INTO trackers (project_id, provider, scope, updated_at) VALUES (?, ?, ?, ?)`, e.Project, e.name(), e.Scope, tx.Stamp())
	case err != nil || name == e.name() && scope == e.Scope:
		return err
	}
	for _, statement := range []string{
		`DELETE FROM sync_state WHERE project_id = ?`, `DELETE FROM sync_failures WHERE project_id = ?`,
		`DELETE FROM tracker_statuses WHERE project_id = ?`, `DELETE FROM tracker_transitions WHERE project_id = ?`,
	} {
		if err := tx.Do(statement, e.Project); err != nil {
			return err
		}
	}
	if name != e.name() {
		if err := outbox.Strand(tx, e.Project, fmt.Sprintf("it was to be made at %s, and the project is connected to %s now", provider.Name(name).Title(), e.Tracker.Name().Title())); err != nil {
			return err
		}
	}
	return tx.Do(`UPDATE trackers SET provider = ?, scope = ?, pulled_at = NULL, full_pull_at = NULL, offline_since = NULL, failure = '', updated_at = ? WHERE project_id = ?`,
		e.name(), e.Scope, tx.Stamp(), e.Project)
}

// cursor returns a stream's cursor, and when it was stored.
func (e *Engine) cursor(tx *registry.Tx, stream string) (c string, at time.Time, err error) {
	var stamp timestamp.Time
	err = tx.QueryRow(`SELECT cursor, updated_at FROM sync_state WHERE project_id = ? AND stream = ?`, e.Project, stream).Scan(&c, &stamp)
	if registry.NoRows(err) {
		return "", at, nil
	}
	return c, stamp.Time, err
}

func (e *Engine) setCursor(tx *registry.Tx, stream, cursor string) error {
	return tx.Do(`INSERT INTO sync_state (project_id, stream, cursor, updated_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (project_id, stream) DO UPDATE SET cursor = excluded.cursor, updated_at = excluded.updated_at`, e.Project, stream, cursor, tx.Stamp())
}

// due reports whether a stream was last read at least age ago. One whose content depends on a configuration, which by identifies, is due at
// once when that changes.
func (e *Engine) due(ctx context.Context, stream, by string, age time.Duration) (bool, error) {
	return registry.Read(ctx, e.DB, func(tx *registry.Tx) (bool, error) {
		was, at, err := e.cursor(tx, stream)
		return was != by || tx.Now().Sub(at) >= age, err
	})
}

// limited returns a RateLimited error while the tracker wants no calls, whichever process it asked to wait.
func (e *Engine) limited(tx *registry.Tx) error {
	c, _, err := e.cursor(tx, streamLimit)
	if err != nil || c == "" {
		return err
	}
	at, err := time.Parse(time.RFC3339Nano, c)
	if err != nil || !at.After(e.clock().Now()) {
		return nil
	}
	limited := provider.Fail(provider.RateLimited, nil, "%s asked not to be called before %s", e.Tracker.Name().Title(), at.UTC().Format(time.RFC3339))
	limited.RetryAt = at
	return limited.Hint("the tickets here can be read and changed meanwhile")
}

// keepLimit stores until when the tracker wants no calls, or removes the limit.
func (e *Engine) keepLimit(tx *registry.Tx, failure error) error {
	if known := provider.Details(failure); known.Reason == provider.RateLimited && !known.RetryAt.IsZero() {
		until := known.RetryAt
		if most := e.clock().Now().Add(longestLimit); until.After(most) {
			until = most
		}
		return e.setCursor(tx, streamLimit, until.UTC().Format(time.RFC3339Nano))
	}
	return tx.Do(`DELETE FROM sync_state WHERE project_id = ? AND stream = ?`, e.Project, streamLimit)
}

// begin logs that a pull or push runs, unless the tracker wants no calls. The caller has the turn, so any other run that the log shows as
// running was killed.
func (e *Engine) begin(tx *registry.Tx, direction string) (row int64, err error) {
	if err := e.limited(tx); err != nil {
		return 0, err
	}
	err = tx.Do(`UPDATE sync_log SET status = 'failed', errors = 'it was cut off', completed_at = ? WHERE project_id = ? AND status = 'started'`, tx.Stamp(), e.Project)
	if err != nil {
		return 0, err
	}
	return tx.Insert(`INSERT INTO sync_log (uid, project_id, direction, provider, status, started_at) VALUES (?, ?, ?, ?, 'started', ?) RETURNING id`,
		registry.NewUID(), e.Project, direction, e.name(), tx.Stamp())
}

// keptLog is how many entries a project's log keeps.
const keptLog = 200

// finish logs the outcome of a pull or push, and whether the tracker could be reached. It returns the failure, if there is one.
func (e *Engine) finish(ctx context.Context, row int64, r *Result, failure error) error {
	if failure != nil {
		r.Status = Failed
		if r.Direction == "push" && r.Sent > 0 {
			r.Status = Partial
		}
		r.Errors = append(r.Errors, failure.Error())
	}
	err := e.write(context.WithoutCancel(ctx), func(tx *registry.Tx) error {
		r.DurationMS = tx.Now().Sub(r.StartedAt.Time).Milliseconds()
		told := strings.Join(r.Errors, "\n")
		err := tx.Do(`UPDATE sync_log SET status = ?, processed = ?, created = ?, updated = ?, deleted = ?, errors = ?, completed_at = ?, duration_ms = ? WHERE id = ?`,
			r.Status, r.Created+r.Updated+r.Unchanged+r.Sent, r.Created, r.Updated, r.Deleted, redact.Stored(told), tx.Stamp(), r.DurationMS, row)
		if err != nil {
			return err
		}
		if err := tx.Do(`DELETE FROM sync_log WHERE project_id = ? AND id <= (SELECT id FROM sync_log WHERE project_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
			e.Project, e.Project, keptLog); err != nil {
			return err
		}
		if r.asked || failure != nil { // an empty push has not contacted the tracker
			if err := e.heard(tx, failure); err != nil {
				return err
			}
			if err := e.keepLimit(tx, failure); err != nil {
				return err
			}
		}
		done := map[string]string{"pull": "pulled_at", "full": "pulled_at", "push": "pushed_at"}[r.Direction]
		if failure == nil {
			if err := tx.Do(`UPDATE trackers SET `+done+` = ?, full_pull_at = CASE WHEN ? = 'full' THEN ? ELSE full_pull_at END, updated_at = ? WHERE project_id = ?`,
				tx.Stamp(), r.Direction, tx.Stamp(), tx.Stamp(), e.Project); err != nil {
				return err
			}
		}
		tx.Changed(registry.TopicTickets, e.Project, "")
		return nil
	})
	return cmp.Or(failure, err)
}

// heard records whether the tracker answered. A canceled call proves neither.
func (e *Engine) heard(tx *registry.Tx, failure error) error {
	if errors.Is(failure, context.Canceled) {
		return nil
	}
	told := ""
	if failure != nil {
		told = redact.Stored(text.FirstLine(failure.Error(), 500))
	}
	offline := provider.Is(failure, provider.Offline)
	return tx.Do(`UPDATE trackers SET failure = ?, updated_at = ?, offline_since = CASE WHEN ? = 1 THEN COALESCE(offline_since, ?) ELSE NULL END WHERE project_id = ?`,
		told, tx.Stamp(), flag(offline), tx.Stamp(), e.Project)
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// putAside stores the id of an item that could not be stored, for another try.
func (e *Engine) putAside(tx *registry.Tx, remoteID string, cause error) error {
	return tx.Do(`INSERT INTO sync_failures (project_id, remote_id, error, attempts, first_at, retry_at) VALUES (?, ?, ?, 1, ?, ?)
		ON CONFLICT (project_id, remote_id) DO UPDATE SET error = excluded.error, attempts = sync_failures.attempts + 1, retry_at = excluded.retry_at`,
		e.Project, remoteID, redact.Stored(text.FirstLine(cause.Error(), 500)), tx.Stamp(), tx.Stamp())
}

func (e *Engine) forgetFailure(tx *registry.Tx, remoteID string) error {
	return tx.Do(`DELETE FROM sync_failures WHERE project_id = ? AND remote_id = ?`, e.Project, remoteID)
}

// surroundings reads the context of tickets: the owner of the account, the statuses and the sprints, each when it is due or when all must
// be read anew. Parts that a tracker does not report stay as they are.
func (e *Engine) surroundings(ctx context.Context, t *turn, all bool, r *Result) error {
	for _, part := range []struct {
		stream, by string
		age        time.Duration
		read       func(context.Context, *turn) error
	}{{streamAccount, "", accountAge, e.account}, {streamStatuses, e.Meaning, statusAge, e.statuses}, {streamSprints, "", sprintAge, e.sprints}} {
		due, err := e.due(ctx, part.stream, part.by, part.age)
		if err != nil {
			return err
		}
		if !due && !all {
			continue
		}
		err = part.read(ctx, t)
		switch {
		case provider.Is(err, provider.Unsupported) || provider.Is(err, provider.Forbidden):
			r.note("the " + part.stream + " cannot be read: " + text.FirstLine(err.Error(), 200))
		case err != nil:
			return err
		}
		if err := t.write(ctx, func(tx *registry.Tx) error { return e.setCursor(tx, part.stream, part.by) }); err != nil {
			return err
		}
	}
	return nil
}

// account records the owner of the credentials: tickets assigned to that account are assigned to the user.
func (e *Engine) account(ctx context.Context, t *turn) error {
	a, err := e.Tracker.TestConnection(ctx)
	if unknown, ok := errors.AsType[*provider.Error](err); ok && unknown.Reason == provider.NotFound && unknown.Fault.Hint == "" {
		return unknown.Hint("`pmsync connect %s` shows which ones this account can read", e.name())
	}
	if err != nil {
		return err
	}
	return t.write(ctx, func(tx *registry.Tx) error {
		if err := tx.Do(`UPDATE trackers SET viewer_id = ?, viewer_name = ? WHERE project_id = ?`, a.ID, redact.Stored(a.Name), e.Project); err != nil {
			return err
		}
		var names []string
		for _, name := range []string{a.ID, a.Name, a.Email} {
			if name = text.FirstLine(name, 200); name != "" {
				names = append(names, name)
			}
		}
		return work.SetOwnNames(tx, e.Project, "tracker", names)
	})
}

func (e *Engine) statuses(ctx context.Context, t *turn) error {
	all, err := e.Tracker.Statuses(ctx)
	if err != nil {
		return err
	}
	return t.write(ctx, func(tx *registry.Tx) error {
		if err := tx.Do(`DELETE FROM tracker_statuses WHERE project_id = ?`, e.Project); err != nil {
			return err
		}
		rows := make([][]any, 0, len(all))
		for i, s := range all {
			rows = append(rows, []any{e.Project, cmp.Or(s.ID, s.Name), redact.Stored(s.Name), text.Key(s.Name), string(s.Category), i})
		}
		return tx.InsertRows(`INSERT INTO tracker_statuses (project_id, remote_id, name, name_key, category, position) VALUES`, rows, "ON CONFLICT DO NOTHING", nil)
	})
}

// learn stores the statuses that a ticket of a type may go to from its current one, so that a step the workflow lacks is refused before it
// is queued.
func (e *Engine) learn(tx *registry.Tx, i *provider.Item, steps []provider.Transition) error {
	if len(steps) == 0 {
		return nil
	}
	if err := tx.Do(`DELETE FROM tracker_transitions WHERE project_id = ? AND scope = ? AND from_id = ?`, e.Project, i.NativeType, i.Status.ID); err != nil {
		return err
	}
	rows := make([][]any, 0, len(steps))
	for _, step := range steps {
		rows = append(rows, []any{e.Project, i.NativeType, i.Status.ID, step.To.ID})
	}
	return tx.InsertRows(`INSERT INTO tracker_transitions (project_id, scope, from_id, to_id) VALUES`, rows, "ON CONFLICT DO NOTHING", nil)
}

// sprints reads the sprints. Sprints that the tracker no longer has are put out of sight.
func (e *Engine) sprints(ctx context.Context, t *turn) error {
	lister, ok := e.Tracker.(provider.SprintLister)
	if !ok || !e.Sprints {
		return nil
	}
	var all []sprint.Sprint
	err := lister.Sprints(ctx, func(s provider.Sprint) error {
		all = append(all, sprint.Sprint{ID: s.ID, Name: s.Name, Status: string(s.State), Goal: s.Goal, StartsAt: moment(s.StartsAt), EndsAt: moment(s.EndsAt), Provider: e.name()})
		return nil
	})
	if err != nil {
		return err
	}
	return t.write(ctx, func(tx *registry.Tx) error {
		known, err := sprint.List(tx, e.Project, "")
		if err != nil {
			return err
		}
		listed := map[string]bool{}
		for _, s := range all {
			listed[s.ID] = true
			if _, err := sprint.Put(tx, e.Project, s); err != nil {
				return err
			}
		}
		for _, s := range known {
			if s.Provider == e.name() && !listed[s.ID] {
				if err := sprint.Gone(tx, e.Project, s.Provider, s.ID); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func moment(t *time.Time) *timestamp.Time {
	if t == nil {
		return nil
	}
	return new(timestamp.Of(*t))
}
