package linear

import (
	"encoding/json"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// TestStates holds that names mean nothing, and that a type that is not known yet
// is neither ready nor done.
func TestStates(t *testing.T) {
	c := &Client{mapping: provider.Mapping{Category: map[string]provider.Category{"Parked": provider.Canceled}}}
	for _, s := range []struct {
		name, kind string
		want       provider.Category
	}{
		{"Done", "unstarted", provider.Todo}, {"Todo", "completed", provider.Done}, {"x", "triage", provider.Todo}, {"x", "backlog", provider.Todo},
		{"x", "started", provider.InProgress}, {"x", "canceled", provider.Canceled}, {"x", "duplicate", provider.Canceled},
		{"x", "invented", provider.InProgress}, {"x", "", provider.InProgress}, {"parked", "started", provider.Canceled},
	} {
		if got := c.status(state{ID: "1", Name: s.name, Type: s.kind}); got.Category != s.want || got.Native != s.kind {
			t.Errorf("%q of type %q is %+v, not %s", s.name, s.kind, got, s.want)
		}
	}
}

func TestPriorities(t *testing.T) {
	c := &Client{}
	for native, want := range map[float64]int{0: 0, 1: 4, 2: 3, 3: 2, 4: 1, 5: 0, -1: 0, 2.5: 3} {
		if got := c.priority(native, ""); got != want {
			t.Errorf("%v is %d, not %d", native, got, want)
		}
	}
	for p := range 5 {
		native, err := nativePriority(p)
		if err != nil || c.priority(float64(native), "") != p {
			t.Errorf("%d is %d, %v", p, native, err)
		}
	}
	if _, err := nativePriority(5); err == nil {
		t.Error("5 is a priority")
	}
}

func FuzzIssue(f *testing.F) {
	f.Add([]byte(`{"id":"1","identifier":"A-1","previousIdentifiers":null,"priority":2.0,"labelIds":["x"],"updatedAt":"2026-01-01T00:00:00.000Z",
		"state":{"id":"s","name":"Done","type":"completed"},"team":{"id":"t","key":"A"},"assignee":null,"parent":{"id":"2"},"cycle":{"number":3},
		"relations":{"nodes":[{"id":"r","type":"blocks","relatedIssue":{"id":"9"}}]},"trashed":null}`))
	f.Add([]byte(`{"id":1}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := &Client{labels: map[string]string{"x": "X"}, team: "A"}
		if i, err := parse(json.RawMessage(raw), (*issue).complete); err == nil {
			if item := c.item(i, raw); item.RemoteID == "" || item.Status.Category == "" || item.UpdatedAt.IsZero() || item.Priority < 0 || item.Priority > 4 {
				t.Errorf("%+v", item)
			}
		}
		_, _ = parse(json.RawMessage(raw), (*project).complete)
		_, _ = parse(json.RawMessage(raw), (*milestone).complete)
	})
}
