package session

import (
	"context"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/timestamp"
)

// The states of a project's tickets.
const (
	syncNone        = "none"        // no tracker is set
	syncUnavailable = "unavailable" // pmsync is not installed
	syncFresh       = "fresh"
	syncRefreshing  = "refreshing" // a pull is under way
	syncStale       = "stale"
	syncOffline     = "offline" // the tracker could not be reached
	syncFailed      = "failed"
)

// Sync is the state of a project's tickets relative to their tracker.
type Sync struct {
	State     string          `json:"state"`
	Provider  string          `json:"provider,omitempty"`
	LastPull  *timestamp.Time `json:"last_pull,omitempty"`
	Pending   int             `json:"pending_changes"`
	Conflicts int             `json:"conflicts"`
	Failure   string          `json:"failure,omitempty"`
	Note      string          `json:"note,omitempty"` // said once
}

// pulled returns when a project's tickets were last pulled, the zero time for never: according to pmsync, or by the end of the last pull
// that was started here.
func pulled(tx *registry.Tx, projectID int64) (at time.Time, err error) {
	var stamp registry.Null[timestamp.Time]
	err = tx.QueryRow(`SELECT MAX(at) FROM (
		SELECT pulled_at AS at FROM project_sync WHERE project_id = ?
		UNION ALL SELECT finished_at FROM session_chores WHERE project_id = ? AND chore = 'pull' AND failure = '') times`, projectID, projectID).Scan(&stamp)
	return stamp.V.Time, err
}

// syncState returns the state of a project's tickets.
func syncState(tx *registry.Tx, projectID int64, w wanted) (state Sync, err error) {
	state = Sync{State: syncNone, Provider: w.provider}
	if w.provider == "" {
		return state, nil
	}
	last, err := pulled(tx, projectID)
	if err != nil {
		return state, err
	}
	if !last.IsZero() {
		state.LastPull = &timestamp.Time{Time: last}
	}
	var offline int
	err = tx.QueryRow(`SELECT offline, pending, conflicts, failure FROM project_sync WHERE project_id = ?`, projectID).
		Scan(&offline, &state.Pending, &state.Conflicts, &state.Failure)
	if err != nil && !registry.NoRows(err) {
		return state, err
	}
	var failure registry.Null[string]
	err = tx.QueryRow(`SELECT failure FROM session_chores WHERE project_id = ? AND chore = 'pull' AND finished_at IS NOT NULL`, projectID).Scan(&failure)
	if err != nil && !registry.NoRows(err) {
		return state, err
	}
	if failure.V != "" {
		state.Failure = failure.V
	}
	busy, err := underWay(tx, projectID, chorePull)
	switch {
	case err != nil:
		return state, err
	case !w.pmsync || unbuilt(state.Failure):
		state.State, state.Failure = syncUnavailable, ""
	case busy:
		state.State, state.Failure = syncRefreshing, ""
	case offline != 0:
		state.State = syncOffline
	case state.Failure != "":
		state.State = syncFailed
	case tx.Now().Sub(last) <= w.threshold:
		state.State = syncFresh
	default:
		state.State = syncStale
	}
	return state, nil
}

// unbuilt reports whether a failure comes from a program that only announces a future version.
func unbuilt(failure string) bool { return strings.Contains(failure, "is not built yet") }

// pushTime is how long the end of a session waits for its changes to be sent; the rest stays queued.
const pushTime = 30 * time.Second

// push sends the queued changes. A failure is a warning, since they stay queued.
func (s *Store) push(ctx context.Context, x Session, w wanted, later bool) (sent int, warning string) {
	if !w.push || !w.pmsync || x.row.folder == "" || s.Run == nil {
		return 0, ""
	}
	pending := -1
	err := s.DB.Read(ctx, func(tx *registry.Tx) error {
		err := tx.QueryRow(`SELECT pending FROM project_sync WHERE project_id = ?`, x.row.project).Scan(&pending)
		if registry.NoRows(err) {
			return nil
		}
		return err
	})
	if err != nil || pending == 0 {
		return 0, ""
	}
	if later {
		s.pushLater(ctx, x)
		return 0, ""
	}
	var said pushAnswer
	err = s.Run(ctx, sibling.Call{Program: "pmsync", Args: []string{"push", "--force"}, Dir: x.row.folder, Timeout: pushTime}, &said)
	switch f := fault.From(err); {
	case f == nil || unbuilt(f.Message):
		return said.Sent, ""
	case len(said.Errors) > 0:
		return said.Sent, "not all queued changes were pushed: " + brief(said.Errors[0], 300)
	default:
		return said.Sent, "queued changes were not pushed and stay queued: " + brief(f.Message, 300)
	}
}

// pushAnswer is the used part of pmsync's answer to a push.
type pushAnswer struct {
	Sent   int      `json:"changes_pushed"`
	Errors []string `json:"errors"`
}

// pullAnswer is the used part of pmsync's answer to a pull, and partialPull its status when some tickets could not be stored.
type pullAnswer struct {
	Status string `json:"status"`
}

const partialPull = "partial"

// pushLater sends them in a process that outlives this one.
func (s *Store) pushLater(ctx context.Context, x Session) {
	o := opened{project: project.Project{ID: x.row.project, UID: x.Project}}
	err := s.DB.Write(ctx, registry.Scope{Project: x.row.project}, func(tx *registry.Tx) error {
		o.chores = nil
		return o.take(tx, chorePush, pullTime, 0, 0)
	})
	if err == nil {
		s.begin(ctx, o.project, x.row.folder, o.chores)
	}
}
