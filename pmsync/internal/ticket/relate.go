package ticket

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/lookup"
	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// parent moves the ticket under another one. For a ticket of a tracker the change is queued, and the other ticket must be of that tracker
// too.
func (u *update) parent() error {
	if u.Parent == nil {
		return nil
	}
	key := line(*u.Parent, maxShort)
	if !u.local() {
		if key != "" {
			other, err := u.there("parent_id", key)
			if err != nil {
				return err
			}
			if other.Type == TypeMilestone {
				return u.refuse("parent_id", "%s is a milestone, and nothing can be put below one from here", other.ID).WithHint("name an epic or a ticket")
			}
			key = other.ID
		}
		if strings.EqualFold(key, u.t.Parent) {
			return nil
		}
		if err := u.queue(outbox.Parent, key, u.t.Parent); err != nil {
			return err
		}
	}
	u.changed = true
	return below(u.tx, &u.t, key, u.by.Agent)
}

// there finds a ticket of the same tracker, or one that waits to be made there.
func (u *update) there(field, key string) (Ticket, error) {
	other, err := Find(u.tx, u.t.item.ProjectID, field, key)
	if err != nil || other.Provider == u.t.Provider {
		return other, err
	}
	if u.t.Provider == Local { // waits to be made itself
		return other, nil
	}
	waits, err := registry.One[bool](u.tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM pending_changes WHERE item_id = ? AND change_type = 'create' AND status IN ('pending', 'sending'))`, other.item.ID))
	if err == nil && !waits {
		title := provider.Name(u.t.Provider).Title()
		err = u.refuse(field, "%s is kept here alone, and %s is of %s", other.ID, u.t.ID, title).WithHint("name a ticket of %s; `pmsync dep add` relates the two here", title)
	}
	return other, err
}

// refuse returns a Conflict fault about a field of the ticket.
func (u *update) refuse(field, format string, args ...any) *fault.Fault {
	f := fault.Conflict("ticket", u.t.ID, format, args...)
	f.Field = field
	return f
}

// below puts a ticket below the item with that key; "" removes its parent.
func below(tx *registry.Tx, t *Ticket, key string, agent int64) error {
	if key == "" {
		if err := tx.Do(`UPDATE tickets SET epic_id = NULL, content_hash = '' WHERE item_id = ?`, t.item.ID); err != nil {
			return err
		}
		return work.SetParent(tx, t.item, 0, agent)
	}
	above, err := lookup.Item(tx, t.item.ProjectID, "", "parent_id", key)
	if err != nil {
		return err
	}
	epic := registry.Null[int64]{}
	if above.Kind == work.KindEpic {
		epic = registry.NullIfZero(above.ID)
	}
	if err := tx.Do(`UPDATE tickets SET epic_id = COALESCE(?, epic_id), content_hash = '' WHERE item_id = ?`, epic, t.item.ID); err != nil {
		return err
	}
	return work.Link(tx, work.Edge{Source: above.ID, Target: t.item.ID, Relation: work.ParentOf, By: agent})
}

// links adds relations. Those of a tracker's ticket are queued.
func (u *update) links() error {
	for _, r := range u.Links {
		if err := u.linkTo(r); err != nil {
			return err
		}
	}
	return nil
}

func (u *update) linkTo(r Relate) error {
	r.Relation = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(r.Relation)), "-", "_")
	if !slices.Contains(provider.Relations(), provider.Relation(r.Relation)) {
		return fault.Validation("link", "%q is not a relation of tickets", r.Relation).WithHint("use %s, as in --link blocks=%s", relationNames(provider.Relations()), u.t.ID)
	}
	if u.local() && !u.sent {
		return u.linked(r)
	}
	name := u.at()
	kind, known := provider.KindOf(name)
	if known && !slices.Contains(kind.Relations, provider.Relation(r.Relation)) {
		return u.refuse("link", "%s has no relation %s", kind.Title, r.Relation).WithHint("use %s; `pmsync dep add` relates the two here", relationNames(kind.Relations))
	}
	other, err := u.there("link", r.Target)
	if err != nil {
		return err
	}
	r.Target = other.ID
	there, err := registry.One[bool](u.tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM ticket_links WHERE item_id = ? AND relation = ? AND target_id = ?)
		OR EXISTS (SELECT 1 FROM pending_changes WHERE item_id = ? AND change_type = 'link' AND value = ? AND status IN ('pending', 'sending'))`,
		u.t.item.ID, r.Relation, other.item.ID, u.t.item.ID, r.String()))
	if err != nil || there {
		return err
	}
	if err := u.queue(outbox.Link, r.String(), ""); err != nil {
		return err
	}
	return u.linked(r)
}

func (u *update) linked(r Relate) error {
	u.changed = true
	return relate(u.tx, &u.t, r, u.by.Agent)
}

func relationNames(all []provider.Relation) string {
	names := make([]string, len(all))
	for i, r := range all {
		names[i] = string(r)
	}
	return strings.Join(names, ", ")
}

// edge returns the edge of a ticket's relation.
func (r Relate) edge(tx *registry.Tx, t *Ticket) (work.Edge, error) {
	other, err := lookup.Item(tx, t.item.ProjectID, "", "link", r.Target)
	if err != nil {
		return work.Edge{}, err
	}
	e, ok := edgeOf(t.item.ID, link{relation: r.Relation, target: other.ID})
	if !ok {
		return e, fault.Validation("link", "%s cannot be related to itself", t.ID).WithHint("name another ticket")
	}
	return e, nil
}

// relate adds the edge of a ticket's relation, if one is given.
func relate(tx *registry.Tx, t *Ticket, r Relate, agent int64) error {
	if r.Relation == "" {
		return nil
	}
	e, err := r.edge(tx, t)
	if err != nil {
		return err
	}
	e.By = agent
	return work.Link(tx, e)
}

// Unrelate removes the edge of a relation that the tracker refused, or that is not sent after all, unless the tracker has the relation
// itself.
func Unrelate(tx *registry.Tx, itemID int64, r Relate) error {
	t, err := ByItem(tx, itemID)
	if err != nil {
		return err
	}
	e, err := r.edge(tx, &t)
	if fault.Is(err, fault.KindNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	other := e.Source + e.Target - itemID
	inverse := string(provider.Relation(r.Relation).Inverse())
	kept, err := registry.One[bool](tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM ticket_links WHERE item_id = ? AND target_id = ? AND relation = ? OR item_id = ? AND target_id = ? AND relation = ?)`,
		itemID, other, r.Relation, other, itemID, inverse))
	if err != nil || kept {
		return err
	}
	_, err = work.Unlink(tx, e)
	return err
}

// custom queues values of custom fields. Only the tracker can check the values.
func (u *update) custom() error {
	if len(u.Fields) == 0 {
		return nil
	}
	if u.local() && !u.sent {
		return u.refuse("field", "%s is kept here alone and has no field %q", u.t.ID, u.Fields[0].Name).WithHint("custom fields are those of a tracker")
	}
	kind, _ := provider.KindOf(u.at())
	if slices.Contains(kind.Lacks, provider.FieldCustom) {
		return u.refuse("field", "%s has no custom fields, and so no field %q", kind.Title, u.Fields[0].Name).WithHint("leave it out")
	}
	for _, f := range cleanFields(u.Fields) {
		was, err := fieldValue(u.tx, u.t.item.ID, f.Name)
		if err != nil {
			return err
		}
		given := u.Fields[slices.IndexFunc(u.Fields, func(g Field) bool { return line(g.Name, maxShort) == f.Name })]
		if err := u.unmixed(outbox.Custom(f.Name), given.Value, f.Value, was); err != nil {
			return err
		}
		if err := u.queue(outbox.Custom(f.Name), f.Value, was); err != nil {
			return err
		}
		u.changed = true
		if err := showField(u.tx, u.t.item.ID, f.Name, f.Value); err != nil {
			return err
		}
	}
	return nil
}

// at returns the tracker that the ticket is kept at, or is to be made at.
func (u *update) at() provider.Name {
	return provider.Name(cmp.Or(u.tracker, u.t.Provider))
}

// ParseFields parses fields as people type them, each as NAME=VALUE. Several values of one name become one field.
func ParseFields(given []string) (all []Field, err error) {
	for _, one := range given {
		name, value, ok := strings.Cut(one, "=")
		f := Field{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)}
		if !ok || f.Name == "" {
			return nil, fault.Validation("field", "%q is not a field with a value", one).WithHint("give it as NAME=VALUE, as in --field Severity=Major")
		}
		if at := slices.IndexFunc(all, f.Named); at >= 0 {
			all[at].Value += "\n" + f.Value
		} else {
			all = append(all, f)
		}
	}
	return all, nil
}

// ParseRelates parses relations as people type them, each as RELATION=TICKET.
func ParseRelates(given []string) (all []Relate, err error) {
	for _, one := range given {
		relation, target, ok := strings.Cut(one, "=")
		if target = strings.TrimSpace(target); !ok || target == "" {
			return nil, fault.Validation("link", "%q is not a relation to a ticket", one).WithHint("give it as RELATION=TICKET, as in --link blocks=SEM-4; the relations are %s", relationNames(provider.Relations()))
		}
		all = append(all, Relate{strings.TrimSpace(relation), target})
	}
	return all, nil
}
