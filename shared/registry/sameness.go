package registry

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MergeConflict is a row of another registry that has the name of a row here but different content.
type MergeConflict struct {
	Table string `json:"table"`
	Name  string `json:"name"`  // the name that both have for people
	Here  string `json:"here"`  // id of the row in this registry
	There string `json:"there"` // id of the row that was left out
}

// String names both rows briefly.
func (c MergeConflict) String() string {
	return fmt.Sprintf("%s %q (%s here, %s there)", c.Table, c.Name, c.Here, c.There)
}

// ConflictNames describes the conflicts of a merge in table order.
func ConflictNames(counts []MergeCount) (names []string) {
	for _, count := range counts {
		for _, c := range count.Conflicts {
			names = append(names, c.String())
		}
	}
	return names
}

// sameness defines which rows of two registries are the same. Rows with equal uids are, and in a table without uids rows with equal
// keys. Rows that were created independently with the same name are equal only by the rules below.
type sameness struct {
	// nature are keys that identify something outside of the registry: a remote, a commit, a path. Rows with an equal key are the same,
	// even where the table has no index on it.
	nature [][]string
	// standing is a column that is empty in live rows. Rows in which it is set are never equal to others.
	standing string
	// says are the columns with a row's content. Rows with the same name and content are the same; in a table without such columns none
	// are.
	says []string
	// edited means that two rows with one uid and different content were changed independently.
	edited bool
	name   string // the column with a row's name for people
}

var samenesses = map[string]sameness{
	"projects":       {nature: [][]string{{"remote"}}, standing: "deleted_at", name: "name"},
	"agents":         {nature: [][]string{{"name_key"}}, name: "name"},
	"repos":          {nature: [][]string{{"host", "common_dir"}}, standing: "removed_at", name: "name"},
	"worktrees":      {says: []string{"branch"}, name: "path"},
	"items":          {says: []string{"title", "description"}, name: "ref"},
	"dependencies":   {nature: [][]string{{"source_id", "relation", "target_id"}}},
	"sessions":       {name: "ref"},
	"memories":       {says: []string{"content"}, edited: true, name: "key"},
	"cited_docs":     {nature: [][]string{{"project_id", "source", "doc_key"}}, name: "doc_key"},
	"sprints":        {nature: [][]string{{"project_id", "provider", "remote_id"}}, name: "name"},
	"pull_requests":  {nature: [][]string{{"worktree_id", "number"}}, name: "number"},
	"criteria":       {nature: [][]string{{"item_id", "text"}}, standing: "gone_at", name: "ref"},
	"retrospectives": {says: []string{"task", "agent_note", "user_note"}, name: "oid"},
}

// likeness is the relation of a row there to the row here that was found for it.
type likeness int

const (
	fresh       likeness = iota // the row was added
	theSame                     // one row, or one thing outside of the registry
	saysTheSame                 // created independently, with equal name and content
	saysOther                   // one row whose content was changed since
	another                     // only the names are equal
)

// hangsOn is, by table, the likeness that a row's parent must have for the row to be merged. A claim is known here; the history of a
// row is its own; tags and citations belong to one text.
var hangsOn = map[string]likeness{
	"leases": fresh, "item_history": theSame, "memory_history": theSame,
	"memory_tags": saysTheSame, "memory_items": saysTheSame, "memory_citations": saysTheSame, "memory_sketches": saysTheSame,
}

// travels reports whether a row of a table is merged together with its parent.
func (l likeness) travels(table string) bool {
	most, bound := hangsOn[table]
	return l < another && (!bound || l <= most)
}

// takesItsPlace names references without which a row would become valid again: a memory whose successor is left out is left out too.
var takesItsPlace = map[string]string{"memories": "superseded_by"}

// found is a row of this registry, with the key that matched.
type found struct {
	id  int64
	key []string
}

// find looks for a row by each complete unique key, partial ones included: first by its uid, then by its key outside of the registry,
// and in a table without a key by all its columns. A NULL column matches nothing, except when all columns are compared.
func (m *merger) find(t mergeTable, row []any, there int64, partial bool) (found, error) {
	var keys []uniqueKey
	for _, key := range t.unique {
		if partial == (key.condition != "") {
			keys = append(keys, key)
		}
	}
	rule := samenesses[t.name]
	if !partial && (rule.standing == "" || t.value(row, rule.standing) == nil) {
		for _, columns := range rule.nature {
			key := uniqueKey{columns: columns}
			if rule.standing != "" {
				key.condition = rule.standing + " IS NULL"
			}
			keys = append(keys, key)
		}
	}
	slices.SortStableFunc(keys, func(a, b uniqueKey) int { return rankOf(a) - rankOf(b) })
	for i, key := range keys {
		id, err := m.by(t, row, key, false)
		if !NoRows(err) && (err != nil || t.isUnique(key) || !m.fresh[t.name][id]) {
			return found{id, key.columns}, err
		}
		if i > 0 || partial {
			continue
		}
		if id, err = m.ticketHere(t, row, there); !NoRows(err) {
			return found{id, remote}, err
		}
	}
	if partial || len(t.unique) > 0 {
		return found{}, ErrNoRows
	}
	id, err := m.by(t, row, uniqueKey{columns: t.columns}, true)
	return found{id, t.columns}, err
}

// remote is the key of a ticket in its tracker.
var remote = []string{"provider", "remote_id"}

// ticketHere finds the row of a tracker's ticket. Each machine that pulls a ticket creates its own row, and the ticket's key may
// change.
func (m *merger) ticketHere(t mergeTable, row []any, there int64) (int64, error) {
	if t.name != "items" || m.from == nil || t.value(row, "kind") != "ticket" {
		return 0, ErrNoRows
	}
	var provider, id string
	if err := m.from.QueryRowContext(m.tx.Context(), `SELECT provider, remote_id FROM tickets WHERE provider <> 'local' AND item_id = ?`, there).Scan(&provider, &id); err != nil {
		return 0, err
	}
	return One[int64](m.tx.QueryRow(`SELECT item_id FROM tickets WHERE project_id = ? AND provider = ? AND remote_id = ?`, t.value(row, "project_id"), provider, id))
}

// isUnique reports whether a key has at most one row in the table.
func (t mergeTable) isUnique(key uniqueKey) bool {
	return slices.ContainsFunc(t.unique, func(k uniqueKey) bool { return slices.Equal(k.columns, key.columns) })
}

// rankOf sorts the uid first.
func rankOf(k uniqueKey) int {
	if slices.Equal(k.columns, []string{"uid"}) {
		return 0
	}
	return 1
}

// by looks for a row by one key.
func (m *merger) by(t mergeTable, row []any, key uniqueKey, empty bool) (int64, error) {
	conditions := make([]string, 0, len(key.columns)+1)
	args := make([]any, 0, len(key.columns))
	for _, column := range key.columns {
		value := t.value(row, column)
		switch {
		case value != nil:
			conditions, args = append(conditions, column+` = ?`), append(args, value)
		case empty:
			conditions = append(conditions, column+` IS NULL`)
		default:
			return 0, ErrNoRows
		}
	}
	if key.condition != "" {
		conditions = append(conditions, "("+key.condition+")")
	}
	return scanKey(m.tx.QueryRow(`SELECT `+t.keyHere()+` FROM `+t.name+` WHERE `+strings.Join(conditions, " AND ")+` LIMIT 1`, args...))
}

// value returns a row's value in a column.
func (t mergeTable) value(row []any, column string) any {
	return row[slices.Index(t.columns, column)]
}

// compare returns the likeness of a row there to the row here that a key matched. The conflict is nil when our row is a later version
// of theirs.
func (m *merger) compare(t mergeTable, row []any, here found) (likeness, *MergeConflict, error) {
	rule := samenesses[t.name]
	one := slices.Equal(here.key, []string{"uid"})
	natural := slices.ContainsFunc(append(slices.Clone(rule.nature), remote), func(key []string) bool { return slices.Equal(key, here.key) })
	if natural || one && !rule.edited || !slices.Contains(t.columns, "uid") {
		return theSame, nil, nil
	}
	columns := append([]string{"uid", cmp.Or(rule.name, "uid")}, rule.says...)
	if slices.Contains(t.columns, "ref") {
		columns[0] = "ref"
	}
	ours, err := m.read(t, here.id, columns)
	if err != nil {
		return another, nil, err
	}
	same := len(rule.says) > 0
	for i, column := range rule.says {
		same = same && ours[i+2] == t.value(row, column)
	}
	like := another
	switch {
	case same && one:
		return theSame, nil, nil
	case same:
		return saysTheSame, nil, nil
	case one:
		like = saysOther
		if was, err := m.was(t, row, here.id); err != nil || was {
			return like, nil, err
		}
	}
	return like, &MergeConflict{t.name, text(t.value(row, columns[1])), text(ours[0]), text(t.value(row, columns[0]))}, nil
}

// was reports whether an earlier version of a row here had the content of the row there.
func (m *merger) was(t mergeTable, row []any, here int64) (bool, error) {
	if t.name != "memories" {
		return false, nil
	}
	return One[bool](m.tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM memory_history WHERE memory_id = ? AND content = ?)`, here, t.value(row, "content")))
}

// read returns columns of a row here.
func (m *merger) read(t mergeTable, id int64, columns []string) ([]any, error) {
	return scanColumns(m.tx.QueryRow(`SELECT `+strings.Join(columns, ", ")+` FROM `+t.name+` WHERE `+t.keyHere()+` = ?`, id), len(columns))
}

// text returns a column's value if it is a text.
func text(value any) string {
	s, _ := value.(string)
	return s
}
