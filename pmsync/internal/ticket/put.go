package ticket

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/sprint"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// Put holds the options of storing tickets.
type Put struct {
	ProjectID int64
	AgentID   int64
	Actor     string // who it was when it was not an agent: "import", "pull"
	// Keep replaces fields of a ticket that is here, such as those that wait to be sent to the tracker, by their values here.
	Keep func(itemID int64, n *New) error
	// Rewrite writes tickets even when the tracker has not changed them since the last pull. Values that differ here are overwritten,
	// except those that Keep keeps.
	Rewrite bool
	// Same reports whether a ticket that is here equals n. When it is nil, only the hash of the last stored state is compared.
	Same func(itemID int64, n New) (bool, error)
	// Parse looks for acceptance criteria in new and changed tickets.
	Parse bool
	// Patterns are further words that criteria begin with, beside the common ones.
	Patterns []string
}

// Report is the result of PutMany.
type Report struct {
	Created   int      `json:"created"`
	Updated   int      `json:"updated"`
	Unchanged int      `json:"unchanged"`
	Notes     []string `json:"notes,omitempty"`
	IDs       []string `json:"-"` // the keys, in the order given
	Items     []int64  `json:"-"` // the rows, in the same order
}

// maxNotes bounds how many notes are kept.
const maxNotes = 20

// note adds a sentence for the caller.
func (r *Report) note(format string, args ...any) {
	if len(r.Notes) < maxNotes {
		r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
	}
}

// PutMany stores tickets as their tracker or a file has them. New ones are made and others brought up to date; a link to a ticket that is
// not here yet is kept until that ticket comes. Tickets are matched by provider and remote id, or without a remote id by key.
func PutMany(tx *registry.Tx, all []New, p Put) (Report, error) {
	w := &writer{tx: tx, Put: p, byRemote: map[string]*known{}, byKey: map[string]*known{}, byTitle: map[string]*known{}, sprints: map[sprintRef]int64{}}
	w.report.IDs, w.report.Items = make([]string, len(all)), make([]int64, len(all))
	for i := range all {
		all[i].at = i
		if err := all[i].clean(); err != nil {
			return w.report, fmt.Errorf("ticket %d: %w", i+1, err)
		}
	}
	if err := w.load(all); err != nil {
		return w.report, err
	}
	if err := w.create(all); err != nil {
		return w.report, err
	}
	for i := range all {
		if all[i].Title != "" {
			w.byTitle[all[i].Title] = w.same(&all[i])
		}
	}
	for i := range all {
		if err := w.update(&all[i]); err != nil {
			return w.report, fmt.Errorf("ticket %q: %w", all[i].Key, err)
		}
	}
	if err := w.connect(all); err != nil {
		return w.report, err
	}
	if err := w.flush(); err != nil {
		return w.report, err
	}
	if w.report.Created+w.report.Updated == 0 {
		return w.report, nil
	}
	tx.Changed(registry.TopicTickets, p.ProjectID, "")
	return w.report, sprint.Advance(tx, p.ProjectID)
}

// known is a ticket that is here.
type known struct {
	item     int64
	provider string
	remote   string
	key      string
	kind     work.Kind
	hash     string
	gone     bool
	left     bool // gone, but not archived: perhaps in progress elsewhere
	back     bool // was gone before this call
	fresh    bool // made by this call
	from     int  // for a fresh ticket: its index in the list
	changed  bool
}

type writer struct {
	tx *registry.Tx
	Put
	report   Report
	byRemote map[string]*known // provider + remote id
	byKey    map[string]*known // folded keys of tickets that are not deleted
	byTitle  map[string]*known // tickets of this call, for links of a file without keys
	sprints  map[sprintRef]int64
	// Rows of new tickets; few statements write them at the end.
	newLabels, newLinks [][]any
}

// sprintRef identifies a sprint: its provider, and its id or name there.
type sprintRef struct{ provider, id, name string }

func remoteKey(provider, remote string) string { return provider + "\x00" + remote }

const batch = 400

// load reads the tickets that are here already, and the targets of their references.
func (w *writer) load(all []New) error {
	remotes, keys := map[string]map[string]bool{}, map[string]bool{} // remote ids by provider; folded keys
	for _, n := range all {
		if remotes[n.Provider] == nil {
			remotes[n.Provider] = map[string]bool{}
		}
		refs := []Ref{{ID: n.RemoteID, Key: n.Key}, n.Parent, n.Epic, n.Milestone}
		for _, l := range n.Links {
			refs = append(refs, l.Target)
		}
		for _, r := range refs {
			if r.ID != "" {
				remotes[n.Provider][r.ID] = true
			}
			if r.Key != "" {
				keys[text.Key(r.Key)] = true
			}
		}
	}
	for provider, ids := range remotes {
		if err := w.read(`tickets t CROSS JOIN items i WHERE i.id = t.item_id AND t.project_id = ? AND t.provider = ? AND t.remote_id`, ids, w.ProjectID, provider); err != nil {
			return err
		}
	}
	return w.read(`items i CROSS JOIN tickets t WHERE t.item_id = i.id AND i.project_id + 0 = ? AND i.ref_key`, keys, w.ProjectID)
}

// read loads the tickets with one of some values in the column at the end of from. CROSS JOIN makes the query start at the values and not
// scan the whole project.
func (w *writer) read(from string, values map[string]bool, args ...any) error {
	for part := range slices.Chunk(slices.Sorted(maps.Keys(values)), batch) {
		marks, in := registry.In(part)
		found, err := registry.Collect(w.tx, func(row registry.Scanner) (k known, err error) {
			return k, row.Scan(&k.item, &k.provider, &k.remote, &k.key, &k.kind, &k.hash, &k.gone, &k.left)
		}, `SELECT t.item_id, t.provider, t.remote_id, i.ref, i.kind, t.content_hash, i.deleted_at IS NOT NULL, i.deleted_at IS NOT NULL AND t.archived_at IS NULL FROM `+from+
			` IN (`+marks+`)`, slices.Concat(args, in)...)
		if err != nil {
			return err
		}
		for _, k := range found {
			w.learn(&k)
		}
	}
	return nil
}

func (w *writer) learn(k *known) {
	remote := remoteKey(k.provider, k.remote)
	w.byRemote[remote] = cmp.Or(w.byRemote[remote], k)
	if !k.gone {
		w.byKey[text.Key(k.key)] = w.byRemote[remote]
	}
}

// find returns the ticket that a ref of a provider names, nil when it is not here.
func (w *writer) find(provider string, r Ref) *known {
	if r.ID != "" {
		if k := w.byRemote[remoteKey(provider, r.ID)]; k != nil {
			return k
		}
	}
	if r.Key != "" {
		return w.byKey[text.Key(r.Key)]
	}
	return w.byTitle[r.Title]
}

// same returns the stored ticket that n is a new state of, nil for a new ticket.
func (w *writer) same(n *New) *known {
	if n.RemoteID != "" {
		return w.byRemote[remoteKey(n.Provider, n.RemoteID)]
	}
	if k := w.byKey[text.Key(n.Key)]; n.Key != "" && k != nil && k.provider == n.Provider {
		return k
	}
	return nil
}

// create adds the new tickets, with few statements for many.
func (w *writer) create(all []New) error {
	var items []work.NewItem
	var which []int
	taken := map[string]int{}
	for i := range all {
		n := &all[i]
		at, twice := taken[text.Key(n.Key)]
		if twice && (n.Provider == Local || w.same(n) == nil && (n.RemoteID == "" || n.RemoteID != all[at].RemoteID)) {
			return fault.Conflict("ticket", n.Key, "the key %q stands twice, at ticket %d and ticket %d", n.Key, at+1, i+1).WithHint("give each ticket a key of its own")
		}
		if n.Key != "" && (n.Provider == Local || w.same(n) == nil) {
			taken[text.Key(n.Key)] = i
		}
		if twice || w.same(n) != nil {
			continue // an update
		}
		if n.Key != "" {
			if err := w.freeKey(n); err != nil {
				return err
			}
		}
		shown, _ := n.shown()
		items = append(items, work.NewItem{
			ProjectID: w.ProjectID, Kind: n.kind(), Ref: n.Key, Prefix: "TKT-", Keyed: true, Title: n.Title, Text: shown,
			Status: n.Status, State: State(n.Category), Priority: n.Priority, CreatedAt: n.CreatedAt, EndedAt: n.UpdatedAt, By: w.AgentID, Actor: w.Actor,
		})
		which = append(which, i)
	}
	if len(items) == 0 {
		return nil
	}
	made, err := work.CreateMany(w.tx, items, func(i int, err error) error { return fmt.Errorf("ticket %d: %w", which[i]+1, err) })
	if err != nil {
		return err
	}
	rows := make([][]any, len(made))
	for at, item := range made {
		n := &all[which[at]]
		n.RemoteID = cmp.Or(n.RemoteID, item.UID)
		n.Key = item.Ref
		k := &known{item: item.ID, provider: n.Provider, remote: n.RemoteID, key: item.Ref, kind: item.Kind, hash: n.hash(), fresh: true, from: which[at]}
		values, err := w.values(n, k.hash)
		if err != nil {
			return err
		}
		rows[at] = append([]any{item.ID, w.ProjectID, n.Provider, n.RemoteID}, values...)
		w.learn(k)
	}
	w.report.Created = len(made)
	return w.tx.InsertRows(`INSERT INTO tickets (item_id, project_id, provider, remote_id, `+strings.Join(valueColumns, ", ")+`) VALUES`, rows, "", nil)
}

// valueColumns are the columns with a tracker's or a file's values.
var valueColumns = []string{
	"item_type", "provider_type", "body_format", "body", "criteria_body", "status_id", "status_category", "priority_label", "assignee", "assignee_name", "sprint_id",
	"due_date", "estimate", "estimate_unit", "url", "provider_data", "revision", "content_hash", "created_at_provider", "updated_at_provider", "synced_at", "archived_at",
}

// values returns the values of valueColumns.
func (w *writer) values(n *New, hash string) ([]any, error) {
	sprintID, err := w.sprint(n)
	_, original := n.shown()
	var archived, synced time.Time
	if n.ArchivedAt != nil {
		archived = *n.ArchivedAt
	}
	if n.Provider != Local {
		synced = w.tx.Now()
	}
	return []any{
		n.Type, n.ProviderType, n.Body.Format, original, registry.NullIfZero(n.Criteria.Text), n.StatusID, n.Category, n.PriorityLabel, n.Assignee, n.AssigneeName, registry.NullIfZero(sprintID),
		registry.NullIfZero(n.DueDate), n.Estimate, n.EstimateUnit, n.URL, registry.NullIfZero(n.kept()), n.Revision, hash,
		optional(n.CreatedAt), optional(n.UpdatedAt), optional(synced), optional(archived),
	}, err
}

// kept returns the raw data to store: a tracker's own document, redacted, or the import record of a local ticket. The secrets of a document
// are not counted: they are those of the ticket's fields, which are.
func (n *New) kept() string {
	if n.Provider == Local {
		return string(n.Raw)
	}
	clean, _ := redact.JSON(n.Raw)
	return string(clean)
}

// freeKey takes a key from the ticket that has it: a deleted one, or one that was moved, when the tracker has given its key to this ticket.
func (w *writer) freeKey(n *New) error {
	if err := work.FreeKey(w.tx, w.ProjectID, n.kind(), n.Key); err != nil {
		return err
	}
	holder := w.byKey[text.Key(n.Key)]
	if holder == nil || holder.kind != n.kind() {
		return nil
	}
	if n.Provider == Local || holder.provider != n.Provider {
		return fault.Conflict("ticket", n.Key, "the key %q is another ticket's, of %s", n.Key, holder.provider).WithHint("give the ticket another key")
	}
	item, err := work.ByID(w.tx, holder.item)
	if err != nil {
		return err
	}
	delete(w.byKey, text.Key(n.Key))
	holder.key = n.Key + "~" + item.UID
	return work.Rename(w.tx, &item, holder.key, work.Event{Actor: w.Actor, Why: "its key is another ticket's now"})
}

// update writes the changes of a ticket that is here or was just made.
func (w *writer) update(n *New) error {
	k := w.same(n)
	w.report.IDs[n.at], w.report.Items[n.at] = k.key, k.item
	n.RemoteID, n.Key = k.remote, cmp.Or(n.Key, k.key) // an import leaves them out
	hash := n.hash()
	inserted := k.fresh && k.from == n.at // by create; otherwise it is a second mention of the same ticket
	if k.hash == hash && !k.gone && !inserted && !w.Rewrite {
		if w.report.Unchanged++; n.Provider == Local {
			return nil
		}
		_, err := w.tx.Exec(`UPDATE tickets SET synced_at = ?, revision = ?, updated_at_provider = COALESCE(?, updated_at_provider) WHERE item_id = ?`,
			optional(w.tx.Now()), n.Revision, optional(n.UpdatedAt), k.item)
		return err
	}
	if w.Same != nil && !inserted && !k.gone {
		if same, err := w.Same(k.item, *n); err != nil || same {
			w.report.Unchanged++
			return err
		}
	}
	if !inserted {
		if err := w.change(k, n); err != nil {
			return err
		}
	}
	k.changed = true
	if n.Assignee != "" || !inserted {
		if err := work.AssignPerson(w.tx, k.item, cmp.Or(n.Assignee, n.AssigneeName)); err != nil {
			return err
		}
	}
	if !inserted {
		values, err := w.values(n, hash)
		if err != nil {
			return err
		}
		_, err = w.tx.Exec(`UPDATE tickets SET `+strings.Join(valueColumns, " = ?, ")+` = ?, gone_at = NULL WHERE item_id = ?`, append(values, k.item)...)
		if err != nil {
			return err
		}
	}
	if err := w.labels(k.item, n.Labels, inserted); err != nil {
		return err
	}
	if len(n.Fields) > 0 || !inserted {
		if err := setFields(w.tx, k.item, n.Fields); err != nil {
			return err
		}
	}
	if len(n.Files) > 0 || !inserted {
		if err := setFiles(w.tx, k.item, n.Files); err != nil {
			return err
		}
	}
	for _, key := range n.FormerKeys {
		if err := keepKey(w.tx, k.item, key); err != nil {
			return err
		}
	}
	k.hash = hash
	if w.Parse && (!k.fresh || n.Body.Text != "" || n.Criteria.Text != "") {
		return parseCriteria(w.tx, k.item, w.Patterns)
	}
	return nil
}

// change updates the item of a ticket.
func (w *writer) change(k *known, n *New) error {
	by := work.Event{Agent: w.AgentID, Actor: w.Actor}
	w.report.Updated++
	if k.gone {
		if err := work.FreeKey(w.tx, w.ProjectID, k.kind, n.Key); err != nil {
			return err
		}
		if err := work.Revive(w.tx, k.item, by); err != nil {
			return err
		}
		if err := work.HereNow(w.tx, w.ProjectID, k.remote, by); err != nil {
			return err
		}
		k.back, k.left = true, false
	}
	if w.Keep != nil {
		if err := w.Keep(k.item, n); err != nil {
			return err
		}
	}
	item, err := work.ByID(w.tx, k.item)
	if err != nil {
		return err
	}
	if n.Key != "" && n.Key != item.Ref {
		was := item.Ref
		if err := w.freeKey(n); err != nil {
			return err
		}
		if err := work.Rename(w.tx, &item, n.Key, by); err != nil {
			return err
		}
		if !strings.Contains(was, "~") {
			if err := keepKey(w.tx, k.item, was); err != nil {
				return err
			}
		}
		delete(w.byKey, text.Key(was))
		k.key = n.Key
		w.byKey[text.Key(n.Key)] = k
	}
	w.report.IDs[n.at] = item.Ref
	shown, _ := n.shown()
	if err := work.Change(w.tx, &item, work.Changes{Title: &n.Title, Body: &shown, Priority: &n.Priority}, by); err != nil {
		return err
	}
	if item.Status == n.Status && item.State == State(n.Category) {
		return nil
	}
	return work.SetStatus(w.tx, &item, work.Move{Status: n.Status, State: State(n.Category), Event: by})
}

func (w *writer) sprint(n *New) (int64, error) {
	if n.Sprint.empty() {
		return 0, nil
	}
	ref := sprintRef{n.Provider, n.Sprint.ID, n.Sprint.Name}
	if id, known := w.sprints[ref]; known {
		return id, nil
	}
	s, err := sprint.Ensure(w.tx, w.ProjectID, n.Provider, n.Sprint.ID, n.Sprint.Name)
	w.sprints[ref] = s.Row
	return s.Row, err
}

// labels replaces the labels of a ticket; those of a new ticket are written with the others at the end.
func (w *writer) labels(itemID int64, labels []string, inserted bool) error {
	if inserted {
		w.newLabels = append(w.newLabels, labelRows(itemID, labels)...)
		return nil
	}
	if err := w.flush(); err != nil { // the old labels may be among the unwritten rows
		return err
	}
	return setLabels(w.tx, itemID, labels)
}

// flush writes the collected rows of new tickets.
func (w *writer) flush() error {
	labels, links := w.newLabels, w.newLinks
	w.newLabels, w.newLinks = nil, nil
	if err := w.tx.InsertRows(insertLabels, labels, "", nil); err != nil {
		return err
	}
	return w.tx.InsertRows(insertLinks, links, "ON CONFLICT DO NOTHING", nil)
}

const insertLabels = `INSERT INTO ticket_labels (item_id, label_key, label) VALUES`

func labelRows(itemID int64, labels []string) [][]any {
	rows := make([][]any, len(labels))
	for i, label := range labels {
		rows[i] = []any{itemID, text.Key(label), label}
	}
	return rows
}

// setLabels replaces the labels of a ticket.
func setLabels(tx *registry.Tx, itemID int64, labels []string) error {
	return setParts(tx, itemID, "ticket_labels", "label_key, label", "", labels, func(_ int, label string) []any { return []any{text.Key(label), label} })
}

// keepKey stores a former key of a ticket, so that the ticket is still found by it.
func keepKey(tx *registry.Tx, itemID int64, key string) error {
	if key = line(key, maxShort); key == "" {
		return nil
	}
	return tx.Do(`INSERT INTO ticket_keys (item_id, key_key, key, until) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`, itemID, text.Key(key), key, tx.Stamp())
}
