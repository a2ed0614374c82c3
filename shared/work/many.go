package work

import (
	"cmp"
	"fmt"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// CreateMany and LinkMany make whole plans with few statements: they read the registry once for all items or edges, where Create and Link
// read it row by row. The rules are those of Create and Link.

// CreateMany adds items in order, each as Create does. It passes the error of an item that cannot be made to refused, with its index. An
// error from refused ends CreateMany. Items may be finished already, by State and Status.
func CreateMany(tx *registry.Tx, all []NewItem, refused func(i int, err error) error) ([]Item, error) {
	made := make([]Item, len(all))
	taken, err := ownersOf(tx, all)
	if err != nil {
		return nil, err
	}
	holds := map[int64]int{}
	rows := make([][]any, 0, len(all))
	at := make(map[string]int, len(all)) // uid → index
	for i, n := range all {
		item, err := n.checked(taken)
		if err != nil {
			if err := refused(i, err); err != nil {
				return nil, err
			}
			continue
		}
		held, known := holds[n.ParentID]
		if n.ParentID != 0 && !known {
			if held, err = heldBy(tx, n.ParentID); err != nil {
				return nil, err
			}
			holds[n.ParentID] = held
		}
		item.Holds, item.CreatedAt, item.UpdatedAt = held, n.created(tx.Now()), tx.Now()
		if item.State == StateDone || item.State == StateDropped {
			if item.FinishedAt = tx.Now(); !n.EndedAt.IsZero() && n.EndedAt.Before(item.FinishedAt) {
				item.FinishedAt = n.EndedAt
			}
		}
		rows = append(rows, []any{
			item.UID, item.ProjectID, item.Kind, item.Ref, text.Key(item.Ref), item.Title, item.Description, item.Status, item.State, int(item.Priority),
			held, registry.NullIfZero(item.ParentID), registry.NullIfZero(item.OriginID), registry.NullIfZero(int64(item.Estimate / time.Second)),
			registry.FormatTime(item.CreatedAt), tx.Stamp(), stored(item.FinishedAt),
		})
		at[item.UID], made[i] = i, item
	}
	err = tx.InsertRows(`INSERT INTO items (uid, project_id, kind, ref, ref_key, title, description, status, state, priority, holds,
		parent_id, origin_id, estimate_seconds, created_at, updated_at, finished_at) VALUES`, rows, `RETURNING uid, id`,
		func(row registry.Scanner) error {
			var uid string
			var id int64
			err := row.Scan(&uid, &id)
			made[at[uid]].ID = id
			return err
		})
	if err != nil {
		return nil, err
	}
	events := make([]itemEvent, 0, len(all))
	for i, n := range all {
		if made[i].ID != 0 {
			events = append(events, itemEvent{made[i].ID, Event{Agent: n.By, Actor: n.Actor, Field: "status", New: n.Status, Why: "created"}})
		}
	}
	return made, recordMany(tx, events)
}

// checked returns the item that Create would make of n, without its id. taken holds the refs that are not free; the new one is added to it.
func (n NewItem) checked(taken map[string]string) (Item, error) {
	title, body, err := n.texts()
	if err != nil {
		return Item{}, err
	}
	ref := n.Ref
	if ref == "" {
		for ref = registry.NewID(n.Prefix); taken[n.key(ref)] != ""; {
			ref = registry.NewID(n.Prefix)
		}
	} else if ref, err = text.Name("id", ref); err != nil {
		return Item{}, err
	}
	if owner := taken[n.key(ref)]; owner != "" {
		return Item{}, fault.Conflict("item", ref, "%q exists already, in %s", ref, owner).WithHint("choose another id")
	}
	taken[n.key(ref)] = "this plan"
	return Item{
		UID: registry.NewUID(), ProjectID: n.ProjectID, Kind: n.Kind, Ref: ref, Title: title, Description: body,
		Status: n.Status, State: cmp.Or(n.State, StateOpen), Priority: n.Priority, ParentID: n.ParentID, OriginID: n.OriginID, Estimate: n.Estimate,
	}, nil
}

// key returns the key by which a new ref is compared with the refs that are taken.
func (n NewItem) key(ref string) string {
	if n.Keyed {
		return fmt.Sprintf("%d %s %s", n.ProjectID, n.Kind, text.Key(ref))
	}
	return text.Key(ref)
}

// ownersOf returns the projects that have some of the refs, by their keys. It leaves out generated refs: they so rarely exist already that
// the insert may report it.
func ownersOf(tx *registry.Tx, all []NewItem) (map[string]string, error) {
	keys := make([]string, 0, len(all))
	for _, n := range all {
		if _, err := text.Name("id", n.Ref); err == nil { // other ids are refused anyway, without a query
			keys = append(keys, text.Key(n.Ref))
		}
	}
	taken := make(map[string]string, len(all))
	type owned struct {
		NewItem
		project string
	}
	err := eachOf(tx, func(row registry.Scanner) (o owned, err error) {
		return o, row.Scan(&o.Ref, &o.ProjectID, &o.Kind, &o.project)
	}, `SELECT i.ref_key, i.project_id, i.kind, p.name FROM items i JOIN projects p ON p.id = i.project_id WHERE i.ref_key IN`, keys, func(o owned) {
		taken[o.key(o.Ref)] = fmt.Sprintf("project %q", o.project)
		o.Keyed = true
		taken[o.key(o.Ref)] = fmt.Sprintf("project %q", o.project)
	})
	return taken, err
}

// FindMany returns the items with some refs, by the refs' keys (text.Key); several items may have one ref.
func FindMany(tx *registry.Tx, refs []string) (map[string][]Item, error) {
	keys := make([]string, 0, len(refs))
	for _, ref := range refs {
		if _, err := text.Name("id", ref); err == nil {
			keys = append(keys, text.Key(ref))
		}
	}
	found := make(map[string][]Item, len(refs))
	err := eachOf(tx, scanItem, `SELECT `+Columns+` FROM items WHERE deleted_at IS NULL AND ref_key IN`, keys, func(item Item) {
		key := text.Key(item.Ref)
		found[key] = append(found[key], item)
	})
	return found, err
}

// itemEvent is an event of an item.
type itemEvent struct {
	item int64
	Event
}

func recordMany(tx *registry.Tx, events []itemEvent) error {
	rows := make([][]any, len(events))
	for i, e := range events {
		rows[i] = []any{
			e.item, tx.Stamp(), registry.NullIfZero(e.Agent), e.Actor, e.Field,
			registry.NullIfZero(redact.Stored(e.Old)), registry.NullIfZero(redact.Stored(e.New)), redact.Stored(e.Why), registry.NullIfZero(e.Epoch),
		}
	}
	return tx.InsertRows(`INSERT INTO item_history (item_id, at, agent_id, actor, field, old, new, why, epoch) VALUES`, rows, "", nil)
}
