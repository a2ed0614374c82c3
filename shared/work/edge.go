package work

import (
	"fmt"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Relation is what one item is to another.
type Relation string

// The relations. Blocks: the target waits for the source. ParentOf: the source contains the target, which is kept as the target's parent.
// DiscoveredFrom: the source came up while the target was worked on. RelatedTo: a relation without a further meaning.
const (
	Blocks         Relation = "blocks"
	ParentOf       Relation = "parent_of"
	DiscoveredFrom Relation = "discovered_from"
	RelatedTo      Relation = "related_to"
)

// Edge is one relationship between two items.
type Edge struct {
	Source, Target int64
	Relation       Relation
	Bidirectional  bool // with RelatedTo only
	Notes          string
	By             int64 // the agent that added it, 0 when none is named
}

// canWait reports whether items of a kind can wait and be waited for, as those that are worked on. An epic can wait, and holds the items in
// it; other items can wait for it only if it has a status of its own, as a tracker's epic has.
func canWait(k Kind) bool {
	return k == KindTask || k == KindTicket || k == KindPlan || k == KindBug || k == KindEpic
}

// Link adds an edge between two items of any kind and project. An edge that exists already is not an error. An edge that would make an item
// wait for itself, through blockers and containers, is a Conflict fault that names the cycle.
func Link(tx *registry.Tx, e Edge) error {
	source, err := ByID(tx, e.Source)
	if err != nil {
		return err
	}
	target, err := ByID(tx, e.Target)
	if err != nil {
		return err
	}
	if err := e.check(tx, source, target); err != nil {
		return err
	}
	if e.Relation == Blocks || e.Relation == ParentOf {
		if err := refuseCycle(tx, e, source, target); err != nil {
			return err
		}
	}
	if e.Relation == ParentOf {
		return SetParent(tx, target, source.ID, e.By)
	}
	_, err = tx.Insert(`INSERT INTO dependencies (uid, source_id, target_id, relation, bidirectional, notes, created_at, created_by)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`, registry.NewUID(), e.Source, e.Target, e.Relation,
		flag(e.Bidirectional), e.Notes, tx.Stamp(), registry.NullIfZero(e.By))
	if added, err := registry.Found(err); !added {
		return err
	}
	if err := Record(tx, target.ID, Event{Agent: e.By, Field: edgeField(e.Relation), New: source.Ref}); err != nil {
		return err
	}
	if e.Relation != Blocks || Resolves(source.Kind, source.State) {
		return nil
	}
	return holdOne(tx, target.ID, +1)
}

// flag returns a bool in the form that every SQL dialect stores.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// edgeField names an edge in the history of its target.
func edgeField(r Relation) string {
	if r == Blocks {
		return "blocked_by"
	}
	return string(r)
}

func (e Edge) check(tx *registry.Tx, source, target Item) error {
	if e.Relation == Blocks && source.Kind == KindEpic {
		stated, err := registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM ticket_details WHERE item_id = ?)`, source.ID))
		if err != nil {
			return err
		}
		if !stated {
			return fault.Validation("source", "epic %q cannot be waited for: its status follows from its tasks", source.Ref).
				WithHint("name its last task, or an epic of the project's tracker")
		}
	}
	switch {
	case e.Relation != Blocks && e.Relation != ParentOf && e.Relation != DiscoveredFrom && e.Relation != RelatedTo:
		return fault.Validation("relation", "relation %q is not known", string(e.Relation)).
			WithHint("use blocks, parent_of, discovered_from or related_to")
	case e.Bidirectional && e.Relation != RelatedTo:
		return fault.Validation("bidirectional", "%s has one direction", e.Relation).WithHint("bidirectional goes with related_to")
	case source.ID == target.ID:
		return fault.Conflict(string(source.Kind), source.Ref, "%s %q cannot be related to itself", source.Kind, source.Ref).WithHint("name two items")
	case e.Relation == Blocks && !canWait(source.Kind):
		return fault.Validation("source", "%s %q cannot be waited for", source.Kind, source.Ref).
			WithHint("name a task, ticket, plan, bug or epic")
	case e.Relation == Blocks && !canWait(target.Kind):
		return fault.Validation("target", "%s %q cannot wait", target.Kind, target.Ref).
			WithHint("name a task, ticket, plan, bug or epic")
	case e.Relation == ParentOf && !canWait(source.Kind):
		return fault.Validation("source", "%s %q cannot contain anything", source.Kind, source.Ref).WithHint("name an epic, task, ticket or plan")
	}
	return nil
}

// Unlink removes an edge; it returns false when there was none.
func Unlink(tx *registry.Tx, e Edge) (bool, error) {
	if e.Relation == ParentOf {
		target, err := ByID(tx, e.Target)
		if err != nil || target.ParentID != e.Source {
			return false, err
		}
		return true, SetParent(tx, target, 0, e.By)
	}
	n, err := tx.Exec(`DELETE FROM dependencies WHERE source_id = ? AND target_id = ? AND relation = ?`, e.Source, e.Target, e.Relation)
	if err != nil || n == 0 {
		return false, err
	}
	source, err := ByID(tx, e.Source)
	if err != nil {
		return false, err
	}
	if err := Record(tx, e.Target, Event{Agent: e.By, Field: edgeField(e.Relation), Old: source.Ref}); err != nil {
		return false, err
	}
	deleted, err := registry.One[bool](tx.QueryRow(`SELECT deleted_at IS NOT NULL FROM items WHERE id = ?`, e.Source))
	if err != nil || e.Relation != Blocks || deleted || Resolves(source.Kind, source.State) {
		return true, err
	}
	return true, holdOne(tx, e.Target, -1)
}

// SetParent puts an item under another, or under none (0). It does not look for cycles; Link refuses them.
func SetParent(tx *registry.Tx, item Item, parent, by int64) error {
	if item.ParentID == parent {
		return nil
	}
	var was, is int
	var e Event
	for _, side := range []struct {
		id    int64
		holds *int
		ref   *string
	}{{item.ParentID, &was, &e.Old}, {parent, &is, &e.New}} {
		if side.id == 0 {
			continue
		}
		p, err := ByID(tx, side.id)
		if err != nil {
			return err
		}
		*side.ref = p.Ref
		if *side.holds, err = heldBy(tx, side.id); err != nil {
			return err
		}
	}
	if err := tx.Do(`UPDATE items SET parent_id = ?, updated_at = ?, version = version + 1 WHERE id = ?`,
		registry.NullIfZero(parent), tx.Stamp(), item.ID); err != nil {
		return err
	}
	e.Agent, e.Field = by, "parent"
	if err := Record(tx, item.ID, e); err != nil || was == is {
		return err
	}
	return holdOne(tx, item.ID, is-was)
}

// SetCapabilities sets the capabilities that an agent needs to get an item.
func SetCapabilities(tx *registry.Tx, itemID int64, capabilities []string) error {
	if err := tx.Do(`DELETE FROM item_capabilities WHERE item_id = ?`, itemID); err != nil {
		return err
	}
	for _, c := range capabilities {
		c, err := text.Name("requiredCapabilities", c)
		if err != nil {
			return err
		}
		if err := tx.Do(`INSERT INTO item_capabilities (item_id, capability) VALUES (?, ?) ON CONFLICT DO NOTHING`, itemID, c); err != nil {
			return fmt.Errorf("keep capability %q: %w", c, err)
		}
	}
	return nil
}

// Capabilities returns the capabilities that an item requires, in alphabetical order.
func Capabilities(tx *registry.Tx, itemID int64) ([]string, error) {
	return registry.Collect(tx, registry.One[string], `SELECT capability FROM item_capabilities WHERE item_id = ? ORDER BY capability`, itemID)
}
