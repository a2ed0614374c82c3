package sync

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/text"
)

// taken compares an item after a change with the requested values. A tracker may drop a value without an error, or its workflow may take
// the item elsewhere. Both are an Invalid error, so that such a change does not count as sent. was is the item before.
func taken(tracker provider.Name, was, now *provider.Item, c provider.Change) error {
	var lacks []string
	if t := c.Status; t != nil && !reached(*t, now.Status) {
		lacks = append(lacks, fmt.Sprintf("the status %q and has %q", cmp.Or(t.Name, t.ID, string(t.Category)), now.Status.Name))
	}
	if c.Priority != nil && now.Priority != *c.Priority {
		lacks = append(lacks, fmt.Sprintf("the priority %d and has %d", *c.Priority, now.Priority))
	}
	if c.Assignee != nil && !strings.EqualFold(now.AssigneeID(), *c.Assignee) && strings.EqualFold(now.AssigneeID(), was.AssigneeID()) {
		lacks = append(lacks, fmt.Sprintf("the assignee %q and has %q", *c.Assignee, now.AssigneeID()))
	}
	if c.Title != nil && now.Title == was.Title && strings.TrimSpace(*c.Title) != was.Title {
		lacks = append(lacks, fmt.Sprintf("the title %q", text.FirstLine(*c.Title, 80)))
	}
	if c.Estimate != nil && *cmp.Or(now.Estimate, new(float64)) != max(*c.Estimate, 0) { // a negative one is none, as zero is
		lacks = append(lacks, fmt.Sprintf("the estimate %s", ticket.EstimateText(c.Estimate)))
	}
	if c.Sprint != nil && !now.Sprint.Is(*c.Sprint) {
		lacks = append(lacks, "another sprint")
	}
	if c.Parent != nil && !now.Above().Is(*c.Parent) {
		lacks = append(lacks, "another parent")
	}
	if c.AddLink != nil && !now.Linked(*c.AddLink) {
		lacks = append(lacks, fmt.Sprintf("a link %q", c.AddLink.Relation))
	}
	for _, f := range c.Fields {
		if value, read := customOf(now, f.Name); read && f.Value == "" && value != "" {
			lacks = append(lacks, fmt.Sprintf("no value in the field %q and has %q", f.Name, text.FirstLine(value, 80)))
		}
	}
	for _, l := range c.AddLabels {
		if !contains(now.Labels, l) {
			lacks = append(lacks, fmt.Sprintf("the label %q and does not have it", l))
		}
	}
	for _, l := range c.RemoveLabels {
		if contains(now.Labels, l) {
			lacks = append(lacks, fmt.Sprintf("not to have the label %q and has it", text.FirstLine(l, 80)))
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	return provider.Fail(provider.Invalid, nil, "%s reported success, but %s was to get %s", tracker.Title(), now.Key, strings.Join(lacks, "; "))
}

// reached reports whether a state is the requested one.
func reached(t provider.Target, is provider.Status) bool {
	switch {
	case t.ID != "":
		return is.ID == t.ID
	case t.Name != "" && strings.EqualFold(is.Name, t.Name):
		return true
	case t.Category != "":
		return is.Category == t.Category
	}
	return is.ID == t.Name // a state may be named by its id
}

// customOf returns a custom field of an item; read is false when the field was not requested.
func customOf(i *provider.Item, name string) (value string, read bool) {
	for _, f := range i.Fields {
		if strings.EqualFold(f.Name, name) {
			return f.Value, true
		}
	}
	return "", false
}
