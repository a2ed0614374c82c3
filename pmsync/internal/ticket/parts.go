package ticket

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Field is a custom field of a tracker with its value as people read it: "" for none, of
// several values each on a line.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Limits of custom fields: what is beyond them is cut.
const (
	maxFields     = 50
	maxFieldValue = 4000
)

// cleanFields bounds and redacts custom fields; of two with one name the first counts.
func cleanFields(all []Field) (kept []Field) {
	for _, f := range all {
		f.Name, f.Value = line(f.Name, maxShort), long(f.Value, maxFieldValue)
		if f.Name != "" && len(kept) < maxFields && !slices.ContainsFunc(kept, f.named) {
			kept = append(kept, f)
		}
	}
	return kept
}

func (f Field) named(other Field) bool { return text.Key(f.Name) == text.Key(other.Name) }

// Value is a custom field of a ticket; ok is false where it was not read.
func (n *New) Value(name string) (value string, ok bool) {
	at := slices.IndexFunc(n.Fields, Field{Name: name}.named)
	if at < 0 {
		return "", false
	}
	return n.Fields[at].Value, true
}

// setFields makes the custom fields of a ticket those given.
func setFields(tx *registry.Tx, itemID int64, fields []Field) error {
	if _, err := tx.Exec(`DELETE FROM ticket_fields WHERE item_id = ?`, itemID); err != nil {
		return err
	}
	rows := make([][]any, len(fields))
	for at, f := range fields {
		rows[at] = []any{itemID, at, text.Key(f.Name), f.Name, f.Value}
	}
	return tx.InsertRows(`INSERT INTO ticket_fields (item_id, position, name_key, name, value) VALUES`, rows, "", nil)
}

// FieldsOf returns the custom fields of a ticket, in the order of the configuration.
func FieldsOf(tx *registry.Tx, itemID int64) ([]Field, error) {
	return registry.Collect(tx, func(row registry.Scanner) (f Field, err error) {
		return f, row.Scan(&f.Name, &f.Value)
	}, `SELECT name, value FROM ticket_fields WHERE item_id = ? ORDER BY position`, itemID)
}

// fieldValue is a custom field of a ticket, "" where it is not known.
func fieldValue(tx *registry.Tx, itemID int64, name string) (string, error) {
	value, err := registry.One[string](tx.QueryRow(`SELECT value FROM ticket_fields WHERE item_id = ? AND name_key = ?`, itemID, text.Key(name)))
	if registry.NoRows(err) {
		return "", nil
	}
	return value, err
}

// showField shows another value of a custom field that is read.
func showField(tx *registry.Tx, itemID int64, name, value string) error {
	n, err := tx.Exec(`UPDATE ticket_fields SET value = ? WHERE item_id = ? AND name_key = ?`, value, itemID, text.Key(name))
	if err == nil && n > 0 {
		_, err = tx.Exec(`UPDATE tickets SET content_hash = '' WHERE item_id = ?`, itemID)
	}
	return err
}

// Relate is a relation to give a ticket: one of blocks, blocked_by, related_to,
// duplicates and duplicated_by, and the id of the other one.
type Relate struct{ Relation, Target string }

func (r Relate) String() string { return r.Relation + " " + r.Target }

// ParseRelate reads what String writes.
func ParseRelate(s string) Relate {
	relation, target, _ := strings.Cut(s, " ")
	return Relate{relation, target}
}
