package ticket

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Field is a custom field of a tracker with its value as people read it.
type Field = provider.FieldValue

// Limits of custom fields; anything beyond is cut.
const (
	maxFields     = 50
	maxFieldValue = 4000
)

// cleanFields bounds and redacts custom fields. Of two with one name the first counts.
func cleanFields(all []Field) (kept []Field) {
	for _, f := range all {
		f.Name, f.Value = line(f.Name, maxShort), long(f.Value, maxFieldValue)
		if f.Name != "" && len(kept) < maxFields && !slices.ContainsFunc(kept, f.Named) {
			kept = append(kept, f)
		}
	}
	return kept
}

// Value returns a custom field of a ticket; ok is false when it was not read.
func (n *New) Value(name string) (value string, ok bool) {
	if at := slices.IndexFunc(n.Fields, Field{Name: name}.Named); at >= 0 {
		return n.Fields[at].Value, true
	}
	return "", false
}

// setParts replaces the rows of a ticket in a table of parts; tail is the end of the INSERT statement.
func setParts[T any](tx *registry.Tx, itemID int64, table, columns, tail string, all []T, row func(at int, part T) []any) error {
	if err := tx.Do(`DELETE FROM `+table+` WHERE item_id = ?`, itemID); err != nil {
		return err
	}
	rows := make([][]any, len(all))
	for at, part := range all {
		rows[at] = append([]any{itemID}, row(at, part)...)
	}
	return tx.InsertRows(`INSERT INTO `+table+` (item_id, `+columns+`) VALUES`, rows, tail, nil)
}

// setFields replaces the custom fields of a ticket.
func setFields(tx *registry.Tx, itemID int64, fields []Field) error {
	return setParts(tx, itemID, "ticket_fields", "position, name_key, name, value", "", fields, func(at int, f Field) []any {
		return []any{at, text.Key(f.Name), f.Name, f.Value}
	})
}

// FieldsOf returns the custom fields of a ticket, in the order of the configuration.
func FieldsOf(tx *registry.Tx, itemID int64) ([]Field, error) {
	return registry.Collect(tx, func(row registry.Scanner) (f Field, err error) {
		return f, row.Scan(&f.Name, &f.Value)
	}, `SELECT name, value FROM ticket_fields WHERE item_id = ? ORDER BY position`, itemID)
}

// fieldValue returns a custom field of a ticket, "" when it is not known.
func fieldValue(tx *registry.Tx, itemID int64, name string) (string, error) {
	return oneIfAny[string](tx.QueryRow(`SELECT value FROM ticket_fields WHERE item_id = ? AND name_key = ?`, itemID, text.Key(name)))
}

// showField changes the shown value of a custom field that is read.
func showField(tx *registry.Tx, itemID int64, name, value string) error {
	n, err := tx.Exec(`UPDATE ticket_fields SET value = ? WHERE item_id = ? AND name_key = ?`, value, itemID, text.Key(name))
	if err == nil && n > 0 {
		err = tx.Do(`UPDATE tickets SET content_hash = '' WHERE item_id = ?`, itemID)
	}
	return err
}

// Relate is a relation to add to a ticket: one of blocks, blocked_by, related_to, duplicates and duplicated_by, and the id of the other
// ticket.
type Relate struct{ Relation, Target string }

func (r Relate) String() string { return r.Relation + " " + r.Target }

// ParseRelate parses the form that String writes.
func ParseRelate(s string) Relate {
	relation, target, _ := strings.Cut(s, " ")
	return Relate{relation, target}
}

// File is an attachment of a ticket, or a page that it names.
type File struct {
	Kind string `json:"kind"` // "attachment" or "web"
	Name string `json:"name"`
	URL  string `json:"url"`
	Size int64  `json:"size,omitempty"` // in bytes, 0 when not known
}

// The kinds of files.
const (
	Attachment = "attachment"
	Web        = "web"
)

// maxFiles bounds how many files of a ticket are kept.
const maxFiles = 50

func cleanFiles(all []File) (kept []File) {
	for _, f := range all[:min(len(all), maxFiles)] {
		f.URL = line(f.URL, 2000)
		if f.Name = cmp.Or(line(f.Name, maxShort), f.URL); f.Name != "" {
			kept = append(kept, f)
		}
	}
	return kept
}

// setFiles replaces the files of a ticket.
func setFiles(tx *registry.Tx, itemID int64, files []File) error {
	return setParts(tx, itemID, "ticket_files", "position, kind, name, url, size", "", files, func(at int, f File) []any {
		return []any{at, f.Kind, f.Name, f.URL, f.Size}
	})
}

// KeepFiles replaces the attachments and pages of a ticket, and takes secrets out of them.
func KeepFiles(tx *registry.Tx, itemID int64, files []File) error {
	return setFiles(tx, itemID, cleanFiles(files))
}

// FilesOf returns the attachments and pages of a ticket.
func FilesOf(tx *registry.Tx, itemID int64) ([]File, error) {
	return registry.Collect(tx, func(row registry.Scanner) (f File, err error) {
		return f, row.Scan(&f.Kind, &f.Name, &f.URL, &f.Size)
	}, `SELECT kind, name, url, size FROM ticket_files WHERE item_id = ? ORDER BY position`, itemID)
}

// Comment is a comment of a person or an agent on a ticket: their words, not ours.
type Comment struct {
	ID     string         `json:"-"`
	Author string         `json:"author,omitempty"`
	At     timestamp.Time `json:"at"`
	Text   string         `json:"text"` // Markdown
	URL    string         `json:"url,omitempty"`
}

// KeptComments is how many of the last comments of a ticket are kept; maxComment bounds
// the text of one, in bytes.
const (
	KeptComments = 10
	maxComment   = 8 << 10
)

// KeepComments replaces the stored comments of a tracker's ticket by the last of those given, oldest first. Secrets are taken out of them.
func KeepComments(tx *registry.Tx, itemID int64, all []Comment) error {
	kept := CleanComments(all[max(0, len(all)-KeptComments):])
	return setParts(tx, itemID, "ticket_comments", "remote_id, author, body, url, written_at", "ON CONFLICT DO NOTHING", kept, func(_ int, c Comment) []any {
		return []any{c.ID, c.Author, c.Text, c.URL, registry.FormatTime(c.At.Time)}
	})
}

// CleanComments bounds comments and takes secrets out of them.
func CleanComments(all []Comment) []Comment {
	kept := make([]Comment, len(all))
	for i, c := range all {
		kept[i] = Comment{ID: line(c.ID, maxShort), Author: line(c.Author, maxShort), At: c.At, Text: long(c.Text, maxComment), URL: line(c.URL, 2000)}
	}
	return kept
}

// CommentsOf returns the last stored comments of a ticket, at most so many, oldest first: those last read from its tracker, or those made
// to a local ticket.
func CommentsOf(tx *registry.Tx, itemID int64, most int) (all []Comment, err error) {
	all, err = registry.Collect(tx, func(row registry.Scanner) (c Comment, err error) {
		return c, row.Scan(&c.Author, &c.At, &c.Text, &c.URL)
	}, `SELECT author, at, body, url FROM ticket_words WHERE item_id = ? ORDER BY at DESC, place DESC LIMIT ?`, itemID, most)
	slices.Reverse(all)
	return all, err
}

// EstimateText returns an estimate in the form of a change's value: "" for none.
func EstimateText(e *float64) string {
	if e == nil || *e < 0 {
		return ""
	}
	return strconv.FormatFloat(*e, 'g', -1, 64)
}

// Markdown returns a ticket's description as Markdown, in whatever format its tracker keeps it.
func (n *New) Markdown() string {
	shown, _ := n.shown()
	return shown
}

// SameMarkdown reports whether two texts read the same: trackers write lists, headings and
// emphasis in their own way.
func SameMarkdown(a, b string) bool {
	return strings.TrimSpace(a) == strings.TrimSpace(b) || plain(a) == plain(b)
}

// plain normalises a Markdown text by parsing and rendering it.
func plain(text string) string {
	doc, err := description.Parse(text, description.Markdown)
	if err != nil {
		return strings.TrimSpace(text)
	}
	return strings.Join(strings.Fields(doc.Markdown()), " ")
}

// ProviderType returns a ticket's type in its tracker's own words, or the type that it is to be made with there; "" when neither is known.
func ProviderType(tx *registry.Tx, itemID int64) (string, error) {
	return registry.One[string](tx.QueryRow(`SELECT provider_type FROM tickets WHERE item_id = ?`, itemID))
}
