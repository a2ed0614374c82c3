package work

import "github.com/agit-suite/agit/shared/registry"

// FreedBy returns the refs of the tasks that can be claimed now because an item is finished, most urgent first, then oldest: those that
// waited for it, those inside items that waited for it, at any depth, and its parent task if it was the last open part. Tasks that still
// wait for another item are left out. The result is empty while the item still blocks, as a failed task does.
func FreedBy(tx *registry.Tx, done Item) ([]string, error) {
	return registry.Collect(tx, registry.One[string], `WITH RECURSIVE freed (id) AS (
		SELECT t.id FROM dependencies d JOIN items t ON t.id = d.target_id WHERE d.source_id = ? AND d.relation = 'blocks' AND t.deleted_at IS NULL
		UNION SELECT child.id FROM items child JOIN freed ON child.parent_id = freed.id WHERE child.deleted_at IS NULL)
		SELECT items.ref FROM items WHERE (items.id IN (SELECT id FROM freed) OR items.id = ?)
		  AND items.kind = 'task' AND items.state = 'open' AND `+Fit+` ORDER BY items.priority DESC, items.created_at, items.id`, done.ID, done.ParentID)
}
