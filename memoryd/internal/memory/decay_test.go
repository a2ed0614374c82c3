package memory

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/timestamp"
)

// TestDecay: the memories that are due at threshold 30, worked by hand: the score must pass it.
func TestDecay(t *testing.T) {
	const day = 24 * time.Hour
	w := newWorld(t)
	type memory struct {
		importance, uses, days int
		want                   string
	}
	all := map[string]memory{
		"never-used-1":  {1, 0, 5, ""},           // 25
		"never-used-1b": {1, 0, 7, "decayed"},    // 35
		"used-once-3":   {3, 1, 9, ""},           // 27
		"used-once-3b":  {3, 1, 11, "decayed"},   // 33
		"used-often":    {2, 10, 60, ""},         // 24
		"used-often-b":  {2, 10, 100, "decayed"}, // 40
		"critical":      {5, 0, 1000, ""},        // never
		"important":     {4, 1, 14, ""},          // 28
		"important-b":   {4, 1, 16, "decayed"},   // 32
	}
	for key, m := range all {
		w.put(New{Key: key, Content: "memory " + key, Importance: m.importance})
		w.ago(key, time.Duration(m.days)*day, m.uses)
	}
	over := timestamp.Of(time.Now().Add(-time.Minute))
	w.put(New{Key: "expired", Content: "until yesterday", Importance: 5, ExpiresAt: &over})
	want := map[string]string{"expired": "expired"}
	for key, m := range all {
		if m.want != "" {
			want[key] = m.want
		}
	}
	due := func(d Decay) map[string]string {
		t.Helper()
		d.ProjectID = w.id
		r, err := w.s.Decay(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, m := range r.Memories {
			got[m.Key] = m.Reason
		}
		if r.Archived != len(got) || r.DryRun != d.DryRun {
			t.Errorf("report: %+v", r)
		}
		return got
	}
	if diff := cmp.Diff(want, due(Decay{DryRun: true})); diff != "" {
		t.Errorf("dry run (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"expired": "expired", "used-often-b": "decayed"}, due(Decay{DryRun: true, MinimumAge: 30})); diff != "" {
		t.Errorf("with a minimum age:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"expired": "expired", "used-often-b": "decayed"}, due(Decay{DryRun: true, Threshold: 39})); diff != "" {
		t.Errorf("with a threshold of 39:\n%s", diff)
	}
	if a := w.recall(Query{Limit: 50, Titles: true}); a.Hidden != 0 {
		t.Errorf("a dry run hid %d", a.Hidden)
	}
	if diff := cmp.Diff(want, due(Decay{})); diff != "" {
		t.Errorf("decay:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{}, due(Decay{})); diff != "" {
		t.Errorf("a second decay:\n%s", diff)
	}
	if a := w.recall(Query{Text: "memory used often", Limit: 50, Titles: true}); a.Hidden != len(want) {
		t.Errorf("hidden %d, want %d", a.Hidden, len(want))
	}
	m, err := w.s.Restore(t.Context(), w.target("used-often-b"))
	if err != nil || m.ArchivedAt != nil {
		t.Fatalf("restore: %+v, %v", m, err)
	}
	if diff := cmp.Diff(map[string]string{}, due(Decay{})); diff != "" {
		t.Errorf("what was restored fades at once:\n%s", diff)
	}
}
