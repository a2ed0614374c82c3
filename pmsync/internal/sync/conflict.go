package sync

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Ways to settle a conflict. Merge takes the local status where the tracker's workflow, as far as it is known, allows the step, else the
// tracker's.
const (
	KeepLocal  = "keep_local"
	KeepRemote = "keep_remote"
	Merge      = "merge"
	byProvider = "provider"
)

// Conflict is a field that was changed on both sides.
type Conflict struct {
	ID         string          `json:"id"`
	Change     string          `json:"change_id,omitempty"`
	Ticket     string          `json:"ticket"`
	Title      string          `json:"title"`
	Field      string          `json:"field"`
	Base       string          `json:"base"`
	Local      string          `json:"local"`
	Remote     string          `json:"remote"`
	FoundAt    timestamp.Time  `json:"found_at"`
	ResolvedAt *timestamp.Time `json:"resolved_at,omitempty"`
	Resolution string          `json:"resolution,omitempty"`

	row, item, change int64
	stored            string
}

const conflictColumns = `SELECT x.id, x.ref, COALESCE(c.ref, ''), COALESCE(x.change_id, 0), x.item_id, i.ref, i.title, x.field,
	COALESCE(x.base, ''), COALESCE(CASE WHEN x.resolved_at IS NULL THEN c.value END, x.local, ''), COALESCE(x.remote, ''), x.found_at, x.resolved_at, x.resolution
	FROM sync_conflicts x JOIN items i ON i.id = x.item_id LEFT JOIN pending_changes c ON c.id = x.change_id `

func scanConflict(row registry.Scanner) (c Conflict, err error) {
	err = row.Scan(&c.row, &c.ID, &c.Change, &c.change, &c.item, &c.Ticket, &c.Title, &c.Field, &c.Base, &c.Local, &c.stored, &c.FoundAt, &c.ResolvedAt, &c.Resolution)
	c.Remote = c.stored
	if c.Field == outbox.Status {
		c.Remote, _, _ = statusParts(c.stored)
	}
	return c, err
}

// Conflicts returns the open conflicts of a project; with all, also the newest hundred settled ones.
func Conflicts(tx *registry.Tx, projectID int64, all bool) ([]Conflict, error) {
	open, err := registry.Collect(tx, scanConflict, conflictColumns+`WHERE x.project_id = ? AND x.resolved_at IS NULL ORDER BY x.id`, projectID)
	if err != nil || !all {
		return open, err
	}
	settled, err := registry.Collect(tx, scanConflict, conflictColumns+`WHERE x.project_id = ? AND x.resolved_at IS NOT NULL ORDER BY x.id DESC LIMIT 100`, projectID)
	return append(open, settled...), err
}

// Resolve settles a conflict, named by its own id, that of its change, or its ticket. With KeepLocal the next push sends the waiting
// change; with KeepRemote it is given up. Settling a conflict again in the same way changes nothing.
func Resolve(ctx context.Context, db *registry.DB, projectID, agentID int64, id, resolution string) (Conflict, error) {
	return registry.Write(ctx, db, registry.Scope{Project: projectID}, func(tx *registry.Tx) (c Conflict, err error) {
		if c, err = findConflict(tx, projectID, id); err != nil {
			return c, err
		}
		if c.ResolvedAt != nil {
			if c.Resolution == resolution {
				return c, nil
			}
			return c, fault.Conflict("conflict", c.ID, "conflict %q is settled already: %s", c.ID, c.Resolution).WithHint("to decide otherwise, change %s itself", c.Ticket)
		}
		how := resolution
		if how == Merge {
			if how, err = merged(tx, projectID, c); err != nil {
				return c, err
			}
		}
		switch how {
		case KeepLocal: // the waiting changes are sent over the tracker's current value
			err = outbox.Release(tx, c.item, c.Field, c.Remote)
		case KeepRemote:
			err = keepRemote(tx, c, agentID)
		default:
			return c, fault.Validation("resolution", "%q is not a resolution", resolution).WithHint("use keep_local, keep_remote or merge")
		}
		if err != nil {
			return c, err
		}
		if err := closeConflict(tx, c.item, c.Field, resolution, agentID); err != nil {
			return c, err
		}
		tx.Changed(registry.TopicTickets, projectID, c.Ticket)
		return scanConflict(tx.QueryRow(conflictColumns+`WHERE x.id = ?`, c.row))
	})
}

func findConflict(tx *registry.Tx, projectID int64, id string) (Conflict, error) {
	c, err := scanConflict(tx.QueryRow(conflictColumns+`WHERE x.project_id = ? AND (LOWER(x.ref) = LOWER(?) OR LOWER(c.ref) = LOWER(?) OR LOWER(i.ref) = LOWER(?))
		ORDER BY CASE WHEN x.resolved_at IS NULL THEN 0 ELSE 1 END, x.id DESC LIMIT 1`, projectID, id, id, id))
	if registry.NoRows(err) {
		return c, fault.NotFound("conflict", id).WithHint("`pmsync conflicts` lists those that are open")
	}
	return c, err
}

// merged returns the side that a merge chooses.
func merged(tx *registry.Tx, projectID int64, c Conflict) (string, error) {
	_, from, _ := statusParts(c.stored)
	ways, err := registry.Collect(tx, registry.One[string], `SELECT s.name_key FROM tracker_transitions x
		JOIN tracker_statuses s ON s.project_id = x.project_id AND s.remote_id = x.to_id JOIN tickets t ON t.item_id = ? AND t.provider_type = x.scope
		WHERE x.project_id = ? AND x.from_id = ?`, c.item, projectID, from)
	if err != nil || len(ways) == 0 {
		return KeepLocal, err // no step is known to be forbidden; the tracker judges
	}
	if slices.Contains(ways, text.Key(c.Local)) {
		return KeepLocal, nil
	}
	return KeepRemote, nil
}

// keepRemote drops the waiting changes and takes over the tracker's value.
func keepRemote(tx *registry.Tx, c Conflict, agentID int64) error {
	waiting, err := outbox.OfItem(tx, c.item)
	if err != nil {
		return err
	}
	for _, w := range waiting {
		if w.Type == c.Field {
			if err := outbox.Settle(tx, w.Row, outbox.Canceled, "", "the tracker's value was kept"); err != nil {
				return err
			}
		}
	}
	name, id, category := statusParts(c.stored)
	return ticket.TakeStatus(tx, c.item, name, id, category, agentID)
}

// closeConflict records that a conflict over a field is settled, if one exists.
func closeConflict(tx *registry.Tx, itemID int64, field, resolution string, agentID int64) error {
	return tx.Do(`UPDATE sync_conflicts SET resolved_at = ?, resolution = ?, resolved_by = ? WHERE item_id = ? AND field = ? AND resolved_at IS NULL`,
		tx.Stamp(), resolution, registry.NullIfZero(agentID), itemID, field)
}
