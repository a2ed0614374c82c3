package provider

import (
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ItemType is the kind of an item in the terms that all trackers share.
type ItemType string

// The types. Sprints are not items: see SprintLister.
const (
	TypeEpic      ItemType = "epic"
	TypeTicket    ItemType = "ticket"
	TypeSubtask   ItemType = "subtask"
	TypeMilestone ItemType = "milestone"
)

// Item is one item of a tracker in the common form.
type Item struct {
	RemoteID   string   `json:"remoteId"` // never changes, even when the item moves
	Key        string   `json:"key"`      // what people type: SEM-123; the RemoteID where there is no key
	FormerKeys []string `json:"formerKeys,omitempty"`
	Type       ItemType `json:"type"`
	NativeType string   `json:"nativeType,omitempty"` // Bug, Story, …

	Title    string `json:"title"`
	Body     Text   `json:"body"`
	Criteria Text   `json:"criteria"` // acceptance criteria, where a separate field holds them

	Status        Status   `json:"status"`
	Priority      int      `json:"priority"` // 0 none, 1 low, 2 medium, 3 high, 4 urgent
	PriorityLabel string   `json:"priorityLabel,omitempty"`
	Assignee      *User    `json:"assignee,omitempty"`
	Labels        []string `json:"labels,omitempty"` // sorted
	Parent        *Ref     `json:"parent,omitempty"`
	Epic          *Ref     `json:"epic,omitempty"`
	Milestone     *Ref     `json:"milestone,omitempty"`
	Sprint        *Ref     `json:"sprint,omitempty"`
	Links         []Link   `json:"links,omitempty"`
	// Fields are the configured custom fields, in the configured order.
	Fields []FieldValue `json:"fields,omitempty"`
	// Files are the attachments and web pages that come with the item; for the others see Attacher.
	Files []File `json:"files,omitempty"`

	DueDate      string   `json:"dueDate,omitempty"` // 2026-11-22
	Estimate     *float64 `json:"estimate,omitempty"`
	EstimateUnit string   `json:"estimateUnit,omitempty"` // points, hours, days
	URL          string   `json:"url,omitempty"`

	CreatedAt  time.Time  `json:"createdAt"`
	UpdatedAt  time.Time  `json:"updatedAt"`
	ArchivedAt *time.Time `json:"archivedAt,omitempty"`
	Presence   Where      `json:"presence"`

	// Version differs between two states of the item, as far as the tracker allows.
	Version string `json:"version"`
	// Project is the id of the item's project (for Linear: team).
	Project string `json:"project"`
	// Raw is the tracker's own data, for fields that are missing here.
	Raw json.RawMessage `json:"raw,omitempty"`
}

// Quoted lists the names of elements in quotation marks, for a hint.
func Quoted[T any](all []T, name func(T) string) string {
	names := make([]string, len(all))
	for i, one := range all {
		names[i] = strconv.Quote(name(one))
	}
	return strings.Join(names, ", ")
}

// QuotedSome lists the names of the elements that keep holds for, sorted and in quotation marks.
func QuotedSome[T any](all iter.Seq[T], keep func(T) bool, name func(T) string) string {
	var names []string
	for one := range all {
		if keep(one) {
			names = append(names, strconv.Quote(name(one)))
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// Number parses the value of a field of numbers.
func Number(field, text string) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, Fail(Invalid, nil, "the field %q takes a number, and %q is not one", field, text)
	}
	return n, nil
}

// EachLine converts the lines of a value that are not empty, for a field with several values.
func EachLine[T any](text string, convert func(line string) (T, error)) ([]T, error) {
	all := []T{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		one, err := convert(line)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// OrNull returns an id, or null, which clears a field.
func OrNull(id string) any {
	if id == "" {
		return nil
	}
	return id
}

// Where is the place of an item relative to the project.
type Where string

// The places. Unknown means that the tracker answers alike for a deleted item and for one that the account may not read.
const (
	Present  Where = "present"
	Archived Where = "archived"
	Deleted  Where = "deleted" // including a trash from which it can be restored
	Moved    Where = "moved"   // to another project
	Unknown  Where = "unknown"
)

// Presence is the answer to one id of a Check.
type Presence struct {
	RemoteID string
	Where    Where
	Key      string // its key now, if known
	Project  string // its project, if known
}

// PresenceOf returns where an item is, by the answer to a request for it: an item that was not found is Unknown.
func PresenceOf(id string, i *Item, err error) (Presence, error) {
	p := Presence{RemoteID: id, Where: Unknown}
	switch {
	case err == nil:
		p.Where, p.Key, p.Project = i.Presence, i.Key, i.Project
	case Is(err, NotFound):
		err = nil
	}
	return p, err
}

// Format is the format of a text.
type Format string

// The formats.
const (
	Markdown Format = "markdown"
	ADF      Format = "adf" // Atlassian's document format: JSON
	HTML     Format = "html"
	Plain    Format = "plain"
)

// Text is a text in the tracker's format. It is written back only after a person changed it.
type Text struct {
	Format Format `json:"format,omitempty"`
	Text   string `json:"text,omitempty"`
}

// File is an attachment of an item, or a linked page.
type File struct {
	Web  bool   `json:"web,omitempty"` // a page outside of the tracker
	Name string `json:"name"`
	URL  string `json:"url"`
	Size int64  `json:"size,omitempty"` // in bytes; 0 when unknown
}

// Ref refers to an item, a sprint or a milestone of the tracker.
type Ref struct {
	ID   string `json:"id"`
	Key  string `json:"key,omitempty"`
	Name string `json:"name,omitempty"`
}

// Is reports whether it refers to that id; a nil Ref refers to "".
func (r *Ref) Is(id string) bool {
	if r == nil {
		return id == ""
	}
	return r.ID == id
}

// User is a person, as far as the tracker shows them.
type User struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Email  string `json:"email,omitempty"`
	Login  string `json:"login,omitempty"` // the name in mentions, when it is neither id nor name
	Active bool   `json:"active"`
}

// Relation is a kind of link between two items.
type Relation string

// The relations. Parent and child are Item.Parent.
const (
	Blocks       Relation = "blocks"
	BlockedBy    Relation = "blocked_by"
	RelatedTo    Relation = "related_to"
	Duplicates   Relation = "duplicates"
	DuplicatedBy Relation = "duplicated_by"
)

// Inverse returns the relation seen from the other item.
func (r Relation) Inverse() Relation {
	switch r {
	case Blocks:
		return BlockedBy
	case BlockedBy:
		return Blocks
	case Duplicates:
		return DuplicatedBy
	case DuplicatedBy:
		return Duplicates
	}
	return r
}

// Relations returns all relations.
func Relations() []Relation {
	return []Relation{Blocks, BlockedBy, RelatedTo, Duplicates, DuplicatedBy}
}

// Above returns the item's parent, otherwise its epic; nil for none.
func (i *Item) Above() *Ref {
	if i.Parent != nil {
		return i.Parent
	}
	return i.Epic
}

// AssigneeID returns the id of the assignee; "" for none.
func (i *Item) AssigneeID() string {
	if i.Assignee == nil {
		return ""
	}
	return i.Assignee.ID
}

// Linked reports whether the item has a relation to another one.
func (i *Item) Linked(l NewLink) bool {
	return slices.ContainsFunc(i.Links, func(has Link) bool { return has.Relation == l.Relation && has.Target.ID == l.Target })
}

// Link is a relation to another item of the tracker.
type Link struct {
	ID       string   `json:"id,omitempty"`
	Relation Relation `json:"relation"`
	Target   Ref      `json:"target"`
	Native   string   `json:"native,omitempty"` // the tracker's own word
	// Resolved is true when the link shows that the target is finished: it no longer blocks, even if it belongs to another project.
	Resolved bool `json:"resolved,omitempty"`
}

// SprintState is the state of a sprint.
type SprintState string

// The states of a sprint.
const (
	SprintActive    SprintState = "active"
	SprintPlanned   SprintState = "planned"
	SprintCompleted SprintState = "completed"
)

// Sprint is a cycle or iteration.
type Sprint struct {
	ID       string      `json:"id"`
	Name     string      `json:"name"`
	State    SprintState `json:"state"`
	StartsAt *time.Time  `json:"startsAt,omitempty"`
	EndsAt   *time.Time  `json:"endsAt,omitempty"`
	Goal     string      `json:"goal,omitempty"`
}

// Comment is what a person wrote to an item.
type Comment struct {
	ID        string    `json:"id"`
	Author    *User     `json:"author,omitempty"`
	Body      Text      `json:"body"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	URL       string    `json:"url,omitempty"`
}
