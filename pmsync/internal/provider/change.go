package provider

import "time"

// Change is what to change of an item. What is nil or empty is not sent, so that
// what other people did to another field is not overwritten.
type Change struct {
	Status       *Target
	Assignee     *string // id of a user; "" takes the assignee away
	Priority     *int    // 0 none … 4 urgent
	AddLabels    []string
	RemoveLabels []string
	Title        *string
	Text         *string  // Markdown
	Estimate     *float64 // in points; below 0 takes it away
	Sprint       *string  // remote id; "" takes the item out of its sprint
	Parent       *string  // remote id of the item to be below; "" takes it from below another one
	ParentType   ItemType // what Parent is
	AddLink      *NewLink
	Fields       []FieldValue // custom fields, by their names there
}

// NewLink is a relation to add from the changed item to another one.
type NewLink struct {
	Relation Relation
	Target   string // remote id
}

// FieldValue is a custom field of a tracker with its value as people read it, "" for
// none. Of several values each has a line.
type FieldValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Empty reports whether there is nothing to change.
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
	// Key makes adding repeatable: the same for every attempt, another for every
	// comment.
	Key  string
	Text string // Markdown
	// Attempted is not after the first attempt whose outcome is not known; zero
	// for the first attempt.
	Attempted time.Time
}

// NewItem is an item to make. A due date, an estimate or a sprint that the tracker,
// or the item's type there, has no field for is left out: the item that is returned
// says what it has.
type NewItem struct {
	Key       string // as in NewComment
	Attempted time.Time
	Tried     time.Time // when the newest attempt was made; zero when that is Attempted

	Type       ItemType // ticket when empty
	NativeType string   // the tracker's own type, where its types are not ours
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
