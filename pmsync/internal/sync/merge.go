package sync

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// merge is the three-way merge of a tracker's items with the waiting changes. Each field has three values: the tracker's, the waiting one,
// and the one both sides had when the change was made. Where only one side changed, that side's value stays. Where both did, a status
// becomes a conflict with both values; in every other field the tracker's value wins, and the other one is kept in the log of conflicts.
type merge struct {
	tx      *registry.Tx
	project int64
	result  *Result
}

// keep merges the fields of a ticket that have waiting changes, and puts the waiting values into n where they stay.
func (m *merge) keep(itemID int64, n *ticket.New) error {
	waiting, err := outbox.OfItem(m.tx, itemID)
	if err != nil {
		return err
	}
	var mine []string
	for _, field := range fieldsOf(waiting) {
		of := slices.DeleteFunc(slices.Clone(waiting), func(c outbox.Change) bool { return c.Type != field })
		if len(of) == 0 {
			continue
		}
		stays, err := m.field(itemID, n, of)
		if err != nil {
			return err
		}
		if stays {
			mine = append(mine, field)
		}
	}
	if len(mine) == 0 {
		return nil
	}
	return ticket.KeepFields(m.tx, itemID, n, mine)
}

// field merges one field with its waiting changes. It reports whether the waiting value stays.
func (m *merge) field(itemID int64, n *ticket.New, waiting []outbox.Change) (stays bool, err error) {
	last := waiting[len(waiting)-1]
	field := last.Type
	if unread(n, field) { // only the tracker can compare its value
		return true, nil
	}
	if field == outbox.Parent {
		if err := keyed(m.tx, m.project, n); err != nil {
			return false, err
		}
	}
	if waiting, err = m.arrived(n, waiting); err != nil {
		return false, err
	}
	x := clash{item: itemID, change: waiting[0].Row, field: field, local: last.Value, remote: remoteValue(n, field)}
	if waiting[0].Base != nil {
		x.base = *waiting[0].Base
	}
	if field == outbox.Status {
		x.remote = statusText(n.Status, n.StatusID, n.Category)
	}
	switch judge(n, field, x.base, x.local, last.Status) {
	case takenBack:
		if err := m.settle(waiting, outbox.Canceled, "it was taken back"); err != nil {
			return false, err
		}
		return false, closeConflict(m.tx, itemID, field, KeepRemote, 0)
	case agreed: // the tracker has the value already
		if err := m.settle(waiting, outbox.Synced, ""); err != nil {
			return false, err
		}
		return false, closeConflict(m.tx, itemID, field, KeepLocal, 0)
	case undecided: // a person or an agent decides, over the tracker's current value
		return true, m.note(x, "")
	case ours:
		return true, nil
	case clashes:
		m.result.Conflicts++
		if err := m.settle(waiting, outbox.Conflict, "the status was changed at the tracker too"); err != nil {
			return false, err
		}
		return true, m.note(x, "")
	}
	m.result.Conflicts++
	m.result.note(n.Key + ": the " + field + " was changed at the tracker too, which wins; `pmsync conflicts --all` keeps both values")
	if err := m.settle(waiting, outbox.Canceled, "the "+field+" was changed at the tracker too, which wins"); err != nil {
		return false, err
	}
	return false, m.note(x, byProvider)
}

// arrived settles changes of a field that were sent and whose answer was lost, when the tracker has their value. It returns the remaining
// changes, rebased on that value; the last change always remains.
func (m *merge) arrived(n *ticket.New, waiting []outbox.Change) ([]outbox.Change, error) {
	for at := len(waiting) - 2; at >= 0; at-- {
		c := waiting[at]
		if c.Attempts == 0 || !same(n, c.Type, c.Value) {
			continue
		}
		if err := m.settle(waiting[:at+1], outbox.Synced, ""); err != nil {
			return nil, err
		}
		waiting = slices.Clone(waiting[at+1:])
		for i := range waiting {
			waiting[i].Base = &c.Value
		}
		return waiting, outbox.Rebase(m.tx, c.Item, c.Type, c.Value)
	}
	return waiting, nil
}

// verdict is the outcome for a field with waiting changes.
type verdict uint8

const (
	agreed    verdict = iota // the tracker has the waiting value already
	takenBack                // this side went back to the common value: only the tracker changed it
	undecided                // both sides changed it; a known conflict that is not settled
	ours                     // only this side changed it
	clashes                  // both sides changed a status; a new conflict
	theirs                   // both sides changed another field; the tracker wins
)

// judge compares the tracker's value of a field with the waiting one and the common base. status is that of the waiting change.
func judge(n *ticket.New, field, base, local, status string) verdict {
	switch {
	case same(n, field, local):
		return agreed
	case local == base && status != outbox.Conflict:
		return takenBack
	case status == outbox.Conflict:
		return undecided
	case same(n, field, base):
		return ours
	case field == outbox.Status:
		return clashes
	}
	return theirs
}

// fieldsOf returns the fields to merge: those that every ticket has, and the custom ones of the waiting changes.
func fieldsOf(waiting []outbox.Change) []string {
	fields := slices.Clone(outbox.Fields)
	for _, c := range waiting {
		if outbox.CustomName(c.Type) != "" && !slices.Contains(fields, c.Type) {
			fields = append(fields, c.Type)
		}
	}
	return fields
}

// unread reports whether a field is a custom one that the configuration does not name, so that the tracker's value of it is not known.
func unread(n *ticket.New, field string) bool {
	name := outbox.CustomName(field)
	if name == "" {
		return false
	}
	_, read := n.Value(name)
	return !read
}

// keyed fills in the key of the parent of a tracker's ticket: some trackers give its id alone.
func keyed(tx *registry.Tx, project int64, n *ticket.New) (err error) {
	for _, r := range []*ticket.Ref{&n.Parent, &n.Epic} {
		if r.ID == "" {
			continue
		}
		key, err := ticket.KeyOf(tx, project, n.Provider, r.ID)
		if err != nil {
			return err
		}
		r.Key = cmp.Or(key, r.Key, r.ID)
	}
	return nil
}

func (m *merge) settle(changes []outbox.Change, status, why string) error {
	for _, c := range changes {
		if err := outbox.Settle(m.tx, c.Row, status, "", why); err != nil {
			return err
		}
	}
	return nil
}

// clash is a field that both sides changed, with the common base and the value of each side. change is the row of the first waiting change.
type clash struct {
	item, change        int64
	field               string
	base, local, remote string
}

// note records a clash as a conflict, or updates an open one. The resolution is "" for a conflict that is to be decided.
func (m *merge) note(x clash, resolution string) error {
	resolved := registry.Null[string]{}
	if resolution != "" {
		resolved = registry.Null[string]{V: m.tx.Stamp(), Valid: true}
	}
	ref, err := m.tx.FreeID("sync_conflicts", "x-")
	if err != nil {
		return err
	}
	_, err = m.tx.Exec(`INSERT INTO sync_conflicts (uid, ref, project_id, item_id, change_id, field, base, local, remote, found_at, resolved_at, resolution)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (item_id, field) WHERE resolved_at IS NULL DO UPDATE SET local = excluded.local, remote = excluded.remote, change_id = excluded.change_id`,
		registry.NewUID(), ref, m.project, x.item, x.change, x.field, redact.Stored(x.base), redact.Stored(x.local), redact.Stored(x.remote), m.tx.Stamp(), resolved, resolution)
	return err
}

// remoteValue returns a field of a tracker's ticket in the form of a change's value.
func remoteValue(n *ticket.New, field string) string {
	switch field {
	case outbox.Status:
		return n.Status
	case outbox.Assignee:
		return n.Assignee
	case outbox.Priority:
		return strconv.Itoa(int(n.Priority))
	case outbox.Title:
		return n.Title
	case outbox.Description:
		return n.Markdown()
	case outbox.Estimate:
		return ticket.EstimateText(n.Estimate)
	case outbox.Sprint:
		return n.Sprint.Name
	case outbox.Parent:
		return cmp.Or(n.Parent.Key, n.Epic.Key)
	case outbox.Labels:
		return strings.Join(n.Labels, "\n")
	}
	value, _ := n.Value(outbox.CustomName(field))
	return value
}

// same reports whether a tracker's ticket has a value in a field.
func same(n *ticket.New, field, value string) bool {
	switch field {
	case outbox.Status:
		return strings.EqualFold(n.Status, value) || n.StatusID != "" && n.StatusID == value || ticket.Category(value) == value && value == n.Category
	case outbox.Assignee:
		key := text.Key(value)
		return key == text.Key(n.Assignee) || key != "" && key == text.Key(n.AssigneeName)
	case outbox.Description:
		return ticket.SameMarkdown(n.Markdown(), value)
	case outbox.Sprint, outbox.Parent:
		return text.Key(remoteValue(n, field)) == text.Key(value)
	case outbox.Labels:
		return slices.Equal(labelKeys(strings.Join(n.Labels, "\n")), labelKeys(value))
	}
	return remoteValue(n, field) == value
}

func labelKeys(joined string) (keys []string) {
	for _, l := range strings.Split(joined, "\n") {
		if l != "" {
			keys = append(keys, text.Key(l))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// statusText encodes a tracker's status in one column, so that a resolution can take it over while the tracker is unreachable.
func statusText(name, id, category string) string {
	return name + "\x1f" + id + "\x1f" + category
}

func statusParts(stored string) (name, id, category string) {
	parts := strings.SplitN(stored, "\x1f", 3)
	if len(parts) < 3 {
		return stored, "", ""
	}
	return parts[0], parts[1], parts[2]
}
