package provider

import (
	"time"

	"github.com/agit-suite/agit/shared/text"
)

// Change lists the changes of an item. A nil or empty field is not sent, so that other people's changes are not overwritten.
type Change struct {
	Status       *Target
	Assignee     *string // id of a user; "" clears it
	Priority     *int    // 0 none … 4 urgent
	AddLabels    []string
	RemoveLabels []string
	Title        *string
	Text         *string  // Markdown
	Estimate     *float64 // in points; a negative value clears it
	Sprint       *string  // remote id; "" removes the item from its sprint
	Parent       *string  // remote id of the new parent; "" removes the parent
	ParentType   ItemType // the parent's type
	AddLink      *NewLink
	Fields       []FieldValue // custom fields by their names in the tracker
}

// NewLink is a relation to add from the changed item to another one.
type NewLink struct {
	Relation Relation
	Target   string // remote id
}

// FieldValue is a custom field of a tracker with its value in text form, "" for none. Several values are one per line.
type FieldValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Named reports whether it is the field of another one.
func (f FieldValue) Named(other FieldValue) bool { return text.Key(f.Name) == text.Key(other.Name) }

// Empty reports whether there are no changes.
func (c Change) Empty() bool {
	return c.Status == nil && c.Assignee == nil && c.Priority == nil && len(c.AddLabels) == 0 && len(c.RemoveLabels) == 0 &&
		c.Title == nil && c.Text == nil && c.Estimate == nil && c.Sprint == nil && c.Parent == nil && c.AddLink == nil && len(c.Fields) == 0
}

// Field is a part of a Change.
type Field string

// The parts of a Change.
const (
	FieldStatus   Field = "status"
	FieldAssignee Field = "assignee"
	FieldPriority Field = "priority"
	FieldLabels   Field = "labels"
	FieldTitle    Field = "title"
	FieldText     Field = "description"
	FieldEstimate Field = "estimate"
	FieldSprint   Field = "sprint"
	FieldParent   Field = "parent"
	FieldLink     Field = "link"
	FieldCustom   Field = "custom field"
)

// NewComment is a comment to add.
type NewComment struct {
	// Key makes adding repeatable: it is the same for every attempt, and different for every comment.
	Key  string
	Text string // Markdown
	// Attempted is at or before the time of the first attempt with an unknown outcome; zero for the first attempt.
	Attempted time.Time
}

// NewItem is an item to create. A due date, estimate or sprint that the tracker or the item's type does not support is left out; the
// returned item shows what was stored.
type NewItem struct {
	Key       string // as in NewComment
	Attempted time.Time
	Tried     time.Time // time of the newest attempt; zero when that is Attempted

	Type       ItemType // ticket when empty
	NativeType string   // the tracker's own type, where it has other types
	Title      string
	Text       string // Markdown
	Status     *Target
	Assignee   string
	Priority   int
	Labels     []string
	Parent     string // remote id
	ParentType ItemType
	Sprint     string // remote id
	DueDate    string // 2026-11-22
	Estimate   *float64
	Unit       string // of the estimate: points, hours, days
	Fields     []FieldValue
}
