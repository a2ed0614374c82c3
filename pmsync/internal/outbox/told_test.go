package outbox

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/goldentest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/timestamp"
	"github.com/agit-suite/agit/shared/work"
)

var update = flag.Bool("update", false, "write the transcript in testdata anew, for review")

// queue is the changes of two tickets of a project, and the transcript of what happens to them.
type queue struct {
	*testing.T
	db      *registry.DB
	watch   *registrytest.Watch
	project int64
	items   map[string]int64
	b       strings.Builder
}

func newQueue(t *testing.T) *queue {
	q := &queue{T: t, db: registrytest.Open(t), items: map[string]int64{}}
	if err := q.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		for _, name := range []string{"app", "other"} {
			p, err := project.Ensure(tx, project.Identity{UID: "p-" + name, Name: name, Folder: "/" + name})
			if err != nil {
				return err
			}
			if name == "app" {
				q.project = p.ID
			}
			for _, ref := range []string{"A-1", "A-2"} {
				item, err := work.Create(tx, work.NewItem{ProjectID: p.ID, Kind: work.KindTicket, Ref: ref, Keyed: true, Text: "Do " + ref, Status: "todo"})
				if err != nil {
					return err
				}
				if name == "app" {
					q.items[ref] = item.ID
				}
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	q.watch = registrytest.NewWatch(t, q.db, []string{"pending_changes"}, "pending_changes.uid", "pending_changes.client_id")
	return q
}

func (q *queue) do(what string, fn func(*registry.Tx) (string, error)) {
	q.Helper()
	var said string
	err := q.db.Write(q.Context(), registry.Everything, func(tx *registry.Tx) (err error) {
		said, err = fn(tx)
		return err
	})
	fmt.Fprintf(&q.b, "%s\n", what)
	if f := fault.From(err); f != nil {
		fmt.Fprintf(&q.b, "\t%s: %s; %s\n", f.Kind, f.Message, f.Hint)
	}
	if said != "" {
		fmt.Fprintf(&q.b, "\t%s\n", q.watch.Text(said))
	}
	q.b.WriteString(q.watch.Changes())
}

func (q *queue) adds(ref, kind, value, base string) {
	q.Helper()
	q.do(fmt.Sprintf("add %s %s %q over %q", ref, kind, value, base), func(tx *registry.Tx) (string, error) {
		c, ok, err := Add(tx, New{ProjectID: q.project, Item: q.items[ref], Type: kind, Value: value, Base: base, Most: 6})
		return fmt.Sprintf("%s of %s, %t", c.Status, c.Ticket, ok), err
	})
}

// on runs a statement of the package on the change in a row.
func (q *queue) on(what string, row int64, fn func(*registry.Tx, Change) error) {
	q.Helper()
	q.do(fmt.Sprintf("%s %d", what, row), func(tx *registry.Tx) (string, error) {
		c, err := ByRow(tx, row)
		if err != nil {
			return "", err
		}
		return "", fn(tx, c)
	})
}

func (q *queue) lists() {
	q.Helper()
	q.do("lists", func(tx *registry.Tx) (string, error) {
		var said []string
		for _, list := range []struct {
			name string
			find func() ([]Change, error)
		}{
			{"waiting", func() ([]Change, error) { return Waiting(tx, q.project) }}, {"of A-1", func() ([]Change, error) { return OfItem(tx, q.items["A-1"]) }},
			{"held", func() ([]Change, error) { return Held(tx, q.project, 9) }}, {"held, one", func() ([]Change, error) { return Held(tx, q.project, 1) }},
			{"refused", func() ([]Change, error) { return Refused(tx, q.project, "") }}, {"refused of a-2", func() ([]Change, error) { return Refused(tx, q.project, "a-2") }},
			{"open of a-1", func() ([]Change, error) { return Open(tx, q.project, "a-1") }},
		} {
			all, err := list.find()
			if err != nil && !fault.Is(err, fault.KindNotFound) {
				return "", err
			}
			line := list.name + ":"
			for _, c := range all {
				line += fmt.Sprintf(" %d %s %s %s %q×%d", c.Row, c.Ticket, c.Type, c.Status, c.LastError, c.Attempts)
			}
			said = append(said, line)
		}
		n, err := Count(tx, q.project)
		youngest, _ := Youngest(tx, q.project)
		return strings.Join(said, "\n\t") + fmt.Sprintf("\n\tcount %d, one is young: %t", n, !youngest.IsZero()), err
	})
}

// The fate of changes on their way to a tracker.
func TestStoryOfChanges(t *testing.T) {
	q := newQueue(t)
	q.lists()
	q.adds("A-1", Title, "New", "Old")
	q.adds("A-1", Title, "Newer", "New")
	q.adds("A-1", Title, "Old", "Newer")
	q.adds("A-1", Title, "Old", "Old")
	q.adds("A-1", Status, "Done", "Todo")
	q.adds("A-1", Comment, "said", "")
	q.adds("A-1", Comment, "said", "")
	q.adds("A-2", Create, "Second", "2")
	q.adds("A-2", Link, "blocks A-1", "")
	q.adds("A-2", Custom("Team"), "Core", "")
	q.adds("A-2", Assignee, "kim", "")
	q.lists()
	q.on("sending", 2, func(tx *registry.Tx, c Change) error { return Settle(tx, c.Row, Sending, "", "") })
	q.adds("A-1", Status, "Doing", "Todo")
	q.on("paused", 2, func(tx *registry.Tx, c Change) error { return Pause(tx, c, "no route") })
	for range 2 {
		q.on("sending", 2, func(tx *registry.Tx, c Change) error { return Settle(tx, c.Row, Sending, "", "") })
	}
	q.on("paused", 2, func(tx *registry.Tx, c Change) error {
		c.Attempts = 5
		return Pause(tx, c, "no route")
	})
	q.on("paused for long", 2, func(tx *registry.Tx, c Change) error {
		c.Attempts = 50
		return Pause(tx, c, "no route")
	})
	q.on("noted", 3, func(tx *registry.Tx, c Change) error { return Note(tx, c.Row, "it waits") })
	q.on("in conflict", 2, func(tx *registry.Tx, c Change) error { return Settle(tx, c.Row, Conflict, "", "both changed it") })
	q.adds("A-1", Status, "Review", "Todo")
	q.adds("A-1", Status, "Todo", "Todo")
	q.on("in conflict", 2, func(tx *registry.Tx, c Change) error { return Settle(tx, c.Row, Conflict, "", "both changed it") })
	q.do("rebase", func(tx *registry.Tx) (string, error) { return "", Rebase(tx, q.items["A-1"], Status, "Blocked") })
	q.do("release", func(tx *registry.Tx) (string, error) { return "", Release(tx, q.items["A-1"], Status, "Closed") })
	q.do("release nothing", func(tx *registry.Tx) (string, error) { return "", Release(tx, q.items["A-1"], Title, "x") })
	q.on("sent", 3, func(tx *registry.Tx, c Change) error { return Settle(tx, c.Row, Synced, "901", "") })
	q.on("refused", 4, func(tx *registry.Tx, c Change) error { return Settle(tx, c.Row, Failed, "", "not allowed") })
	q.on("refused", 5, func(tx *registry.Tx, c Change) error { return Settle(tx, c.Row, Failed, "", "no such type") })
	q.on("refused", 7, func(tx *registry.Tx, c Change) error { return Settle(tx, c.Row, Failed, "", "no such field") })
	q.lists()
	q.adds("A-2", Custom("Team"), "Web", "")
	q.lists()
	q.on("again", 5, func(tx *registry.Tx, c Change) error { return Again(tx, c.Row, "9") })
	q.on("again", 7, func(tx *registry.Tx, c Change) error { return Again(tx, c.Row, "9") })
	q.on("again what was not refused", 3, func(tx *registry.Tx, c Change) error { return Again(tx, c.Row, "9") })
	q.do("open of nothing", func(tx *registry.Tx) (string, error) {
		_, err := Open(tx, q.project, "A-9")
		return "", err
	})
	q.lists()
	goldentest.Same(t, "changes.txt", q.b.String(), *update)
}

func TestDue(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for after, want := range map[time.Duration]bool{-time.Second: true, 0: true, time.Second: false, time.Hour: false, time.Hour + time.Second: true} {
		if got := (Change{NextAt: timestamp.Of(now.Add(after))}).Due(now); got != want {
			t.Errorf("due %s before its time: %t", after, got)
		}
	}
	if !(Change{}).Due(now) {
		t.Error("a change without a time waits")
	}
	for kind, want := range map[string]string{"field:Team": "Team", "field:": "", "title": ""} {
		if got := CustomName(kind); got != want {
			t.Errorf("%s names the field %q", kind, got)
		}
	}
	if a, b := clientID(), clientID(); a == b || len(a) != 36 || a[14] != '4' || !strings.ContainsRune("89ab", rune(a[19])) {
		t.Errorf("ids of requests: %s, %s", a, b)
	}
}

// Trackers accept the ids of their callers only as random UUIDs, version 4 in the usual variant.
func TestClientIDs(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for range 200 {
		id := clientID()
		if !form.MatchString(id) || seen[id] {
			t.Fatalf("%q is not a new UUID of version 4", id)
		}
		seen[id] = true
	}
}
