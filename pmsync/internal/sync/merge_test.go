package sync

import (
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
)

// A value is the same however it is written. Otherwise a change that the tracker has already would count as a conflict, and one that it
// lacks as sent.
func TestSame(t *testing.T) {
	n := &ticket.New{Status: "In Review", StatusID: "s-1", Category: ticket.InProgress, Assignee: "ann@x.io", AssigneeName: "Ann", Priority: 2, Labels: []string{"b", "A"}}
	unset := &ticket.New{Category: ticket.Todo}
	unnamed := &ticket.New{Assignee: "u-1"} // a tracker without names of states
	for _, c := range []struct {
		n            *ticket.New
		field, value string
		want         bool
	}{
		{n, outbox.Status, "in review", true},
		{n, outbox.Status, "s-1", true},
		{n, outbox.Status, ticket.InProgress, true},
		{n, outbox.Status, ticket.Done, false},
		{n, outbox.Status, "Done", false},
		{n, outbox.Status, "", false},
		{n, outbox.Assignee, "Ann@X.io", true},
		{n, outbox.Assignee, "ANN", true},
		{n, outbox.Assignee, "bob", false},
		{n, outbox.Assignee, "", false},
		{unset, outbox.Assignee, "", true},
		{unnamed, outbox.Assignee, "", false},
		{unnamed, outbox.Assignee, "u-1", true},
		{unset, outbox.Assignee, "ann", false},
		{n, outbox.Priority, "2", true},
		{n, outbox.Priority, "3", false},
		{n, outbox.Labels, "a\nB", true},
		{n, outbox.Labels, "a\na\nb\n", true},
		{n, outbox.Labels, "a", false},
		{n, outbox.Labels, "", false},
		{unset, outbox.Labels, "", true},
	} {
		if got := same(c.n, c.field, c.value); got != c.want {
			t.Errorf("%s %q beside %+v: %v", c.field, c.value, c.n, got)
		}
	}
}

func TestStatusParts(t *testing.T) {
	for stored, want := range map[string][3]string{
		statusText("Done", "7", "done"): {"Done", "7", "done"},
		statusText("", "", ""):          {},
		"Done":                          {"Done"},
		"a\x1fb":                        {"a\x1fb"},
	} {
		if name, id, category := statusParts(stored); [3]string{name, id, category} != want {
			t.Errorf("%q: %q, %q, %q", stored, name, id, category)
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	n := &ticket.New{Status: "Review", Category: ticket.InProgress, Priority: 3}
	for _, c := range []struct {
		field, base, local, status string
		want                       verdict
	}{
		{outbox.Status, "To Do", "review", outbox.Pending, agreed},
		{outbox.Status, "To Do", "review", outbox.Conflict, agreed},
		{outbox.Status, "Review", "Done", outbox.Pending, ours},
		{outbox.Status, "To Do", "Done", outbox.Pending, clashes},
		{outbox.Status, "To Do", "Done", outbox.Conflict, undecided}, // was counted before
		{outbox.Status, "Review", "Done", outbox.Conflict, undecided},
		{outbox.Priority, "3", "4", outbox.Pending, ours},
		{outbox.Priority, "2", "4", outbox.Pending, theirs},
		{outbox.Priority, "2", "4", outbox.Conflict, undecided},
		{outbox.Priority, "2", "3", outbox.Pending, agreed},
	} {
		if got := judge(n, c.field, c.base, c.local, c.status); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
