package outbox

import (
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// unsettled selects the changes that need a person's attention: refused ones, until they are sent again, discarded or replaced by a later
// one, and waiting ones after a failed attempt.
const unsettled = `WHERE c.project_id = ? AND (c.status IN ('pending', 'sending') AND c.last_error <> '' OR c.status = 'failed' AND NOT EXISTS (
	SELECT 1 FROM pending_changes l WHERE l.item_id = c.item_id AND l.change_type = c.change_type AND l.id > c.id
	AND l.change_type NOT IN ('comment', 'link') AND l.status IN ('pending', 'sending', 'synced', 'conflict', 'failed'))) `

// Held returns at most so many changes of a project that could not be sent so far, the oldest first: those that the tracker refused, and
// those that wait for it. LastError holds each one's reason.
func Held(tx *registry.Tx, projectID int64, most int) ([]Change, error) {
	return registry.Collect(tx, scan, selection+unsettled+`ORDER BY c.id LIMIT ?`, projectID, most)
}

// Refused returns the changes of a project that the tracker refused and that are not settled. A non-empty id limits them to that change, or
// to the changes of that ticket.
func Refused(tx *registry.Tx, projectID int64, id string) ([]Change, error) {
	return registry.Collect(tx, scan, selection+unsettled+`AND c.status = 'failed' AND (? = '' OR LOWER(c.ref) = LOWER(?) OR LOWER(i.ref) = LOWER(?)) ORDER BY c.id`, projectID, id, id, id)
}

// Open returns the unsettled changes of a project, waiting or refused, whose own id or whose ticket's id is id. It returns a NotFound fault
// when there are none.
func Open(tx *registry.Tx, projectID int64, id string) ([]Change, error) {
	all, err := registry.Collect(tx, scan, selection+`WHERE c.project_id = ? AND c.status IN ('pending', 'sending', 'conflict', 'failed') AND (LOWER(c.ref) = LOWER(?) OR LOWER(i.ref) = LOWER(?)) ORDER BY c.id`, projectID, id, id)
	if err == nil && len(all) == 0 {
		err = fault.NotFound("change", id).WithHint("`pmsync status` lists what waits and what was refused")
	}
	return all, err
}

// Again queues a refused change once more, over base: the value that the tracker has.
func Again(tx *registry.Tx, row int64, base string) error {
	return tx.Do(`UPDATE pending_changes SET status = 'pending', base = CASE WHEN change_type IN ('comment', 'create', 'link') THEN base ELSE ? END, last_error = '', attempts = 0,
		next_attempt_at = NULL, updated_at = ? WHERE id = ? AND status = 'failed'`, base, tx.Stamp(), row)
}
