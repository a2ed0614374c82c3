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

// merge is the three-way merge of what comes from a tracker with what waits to be
// sent to it. Of each field there are three values: the tracker's, the waiting one,
// and the one both sides had when the change was made. Where only one side changed,
// that side's value stays. Where both did, a status is kept as a conflict with both
// values; of everything else the tracker's value wins, and the other one is kept in
// the log of conflicts.
type merge struct {
	tx      *registry.Tx
	project int64
	result  *Result
}

// keep decides about the fields of a ticket that waits for changes to be sent, and
// puts the waiting values into n where they stay.
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

// field decides about one field, with the changes of it that wait. It reports
// whether the waiting value stays.
func (m *merge) field(itemID int64, n *ticket.New, waiting []outbox.Change) (stays bool, err error) {
	last := waiting[len(waiting)-1]
	field := last.Type
	if unread(n, field) { // only the tracker knows what it has: it judges
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
	case agreed: // it is there already
		if err := m.settle(waiting, outbox.Synced, ""); err != nil {
			return false, err
		}
		return false, closeConflict(m.tx, itemID, field, KeepLocal, 0)
	case undecided: // a person or an agent decides, over what the tracker has now
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

// arrived settles the changes of a field that were sent, whose answer was lost, and whose
// value the tracker has. It returns those that are left, over that value; the last one
// stays in any case.
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

// verdict is what becomes of a field that waits to be sent.
type verdict uint8

const (
	agreed    verdict = iota // the tracker has the waiting value already
	takenBack                // this side has what both had: only the tracker changed it
	undecided                // both sides changed it, which was counted before and is not settled
	ours                     // only this side changed it
	clashes                  // both sides changed a status, which is kept until it is settled
	theirs                   // both sides changed another field, and the tracker wins
)

// judge compares the tracker's value of a field with the waiting one and with the one
// that both sides had; status is that of the change that waits.
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

// fieldsOf are the fields that changes are of which wait: those that every ticket has, and
// custom ones.
func fieldsOf(waiting []outbox.Change) []string {
	fields := slices.Clone(outbox.Fields)
	for _, c := range waiting {
		if outbox.CustomName(c.Type) != "" && !slices.Contains(fields, c.Type) {
			fields = append(fields, c.Type)
		}
	}
	return fields
}

// unread reports whether a field is a custom one that the configuration does not name, so
// that it is not known what the tracker has in it.
func unread(n *ticket.New, field string) bool {
	name := outbox.CustomName(field)
	if name == "" {
		return false
	}
	_, read := n.Value(name)
	return !read
}

// keyed completes the keys of what a tracker's ticket is below: some trackers name it by
// its id alone.
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

// clash is a field that was changed on both sides, with the value that both had and
// those that they gave it. change is the row of the first change that waits.
type clash struct {
	item, change        int64
	field               string
	base, local, remote string
}

// note writes a clash down as a conflict, or brings one that is open up to date. The
// resolution is "" for one that is to be decided.
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

// remoteValue is a field of a tracker's ticket as waiting changes write it.
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

// statusText keeps a tracker's status whole in one column, for a resolution that
// takes it over while the tracker cannot be asked.
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
