package sync

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// mostOutside bounds the requests of one look at the blockers of other projects.
const mostOutside = 50

// outside asks for the tickets of other projects that tickets here wait for, and unblocks what waits for a finished one. It does so each
// hour, and when the pull brought something: a link to a finished ticket may be new.
func (e *Engine) outside(ctx context.Context, t *turn, full bool, r *Result) error {
	due, err := e.due(ctx, streamOutside, "", outsideAge)
	if err != nil || !due && !full && r.Created+r.Updated == 0 {
		return err
	}
	ids, err := registry.Read(ctx, e.DB, func(tx *registry.Tx) ([]string, error) {
		return ticket.OutsideBlockers(tx, e.Project, e.name(), mostOutside)
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	for _, id := range ids {
		i, err := e.Tracker.Item(ctx, id)
		if err != nil && ends(err) {
			return err
		}
		if err != nil || !letsGo(i) { // an unreadable blocker still blocks
			continue
		}
		err = t.write(ctx, func(tx *registry.Tx) error {
			return work.HereNow(tx, e.Project, id, work.Event{Actor: e.name(), Why: "it is " + i.Status.Name + " at the tracker"})
		})
		if err != nil {
			return err
		}
	}
	return t.write(ctx, func(tx *registry.Tx) error { return e.setCursor(tx, streamOutside, "") })
}

// letsGo reports whether an item of a tracker no longer blocks.
func letsGo(i *provider.Item) bool {
	return i.Status.Category == provider.Done || i.Status.Category == provider.Canceled || i.Presence == provider.Deleted
}
