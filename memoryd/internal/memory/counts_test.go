package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/goldentest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// The counts, the hidden memories and the keys of each project of a small store, and a decay of one of them and of all.
func TestCountsOfASmallStore(t *testing.T) {
	t.Parallel()
	k := newKeptStore(t)
	tell := func(title string) {
		t.Helper()
		k.says("# %s", title)
		for _, name := range []string{"shop", "blog", "all", "none"} {
			id := map[string]int64{"shop": k.projects["shop"], "blog": k.projects["blog"], "none": 77}[name]
			s, err := k.s.Stats(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			k.says("%s: %+v", name, s)
			for _, kind := range []string{"", " Pattern ", TypeWarning, "fact"} {
				hidden, err := k.s.Archived(t.Context(), id, kind)
				if err != nil {
					k.fails(err)
				}
				for _, h := range hidden {
					k.says("\thidden %q: %s %s %q importance %d: %s, at a time %t", kind, h.Type, h.Key, h.Title, h.Importance, h.Reason, !h.At.IsZero())
				}
			}
		}
		for _, name := range []string{"shop", "blog"} {
			keys, err := k.s.Keys(t.Context(), in(name).Place)
			if err != nil {
				t.Fatal(err)
			}
			k.says("keys of %s: %q", name, keys)
		}
		if keys, err := k.s.Keys(t.Context(), in("none").Place); !fault.Is(err, fault.KindNotFound) {
			t.Errorf("keys of no project: %q, %v", keys, err)
		}
	}
	tell("before")
	for _, d := range []Decay{{ProjectID: k.projects["blog"], DryRun: true}, {DryRun: true}, {ProjectID: k.projects["blog"]}, {ProjectID: 77}, {Threshold: 5}} {
		r, err := k.s.Decay(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		k.says("decay of %s, dry %t: threshold %.0f, %d of %d, %d expired, %d hidden", k.name(d.ProjectID), r.DryRun, r.Threshold, r.Archived, r.Checked, r.Expired, r.Hidden)
		slices.SortFunc(r.Memories, func(a, b Decayed) int { return strings.Compare(a.Key, b.Key) }) // some scores differ by the time between two writes
		for _, m := range r.Memories {
			k.says("\t%s %s: %.1f used %d: %s", m.Project, m.Key, m.Score, m.AccessCount, m.Reason)
		}
	}
	tell("after")
	goldentest.Same(t, "kept/counts.txt", k.b.String(), *update)
}

// A memory is due when it has expired, or when it is old enough, not of the greatest importance and beyond the threshold.
func TestDue(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) timestamp.Time { return timestamp.Time{Time: now.Add(-d)} }
	day := 24 * time.Hour
	at := func(d time.Duration) *timestamp.Time { moment := ago(d); return &moment }
	old := Memory{LastAccessed: ago(400 * day), UpdatedAt: ago(400 * day), Importance: 1}
	score := old.decayScore(now)
	for name, c := range map[string]struct {
		d    Decay
		edit func(*Memory)
		want string
	}{
		"beyond the threshold":       {Decay{Threshold: score - 0.1}, func(*Memory) {}, whyDecayed},
		"at the threshold":           {Decay{Threshold: score}, func(*Memory) {}, ""},
		"of the greatest importance": {Decay{}, func(m *Memory) { m.Importance = MaxImportance }, ""},
		"of less importance":         {Decay{}, func(m *Memory) { m.Importance = MaxImportance - 1 }, whyDecayed},
		"young":                      {Decay{MinimumAge: 400}, func(m *Memory) { m.UpdatedAt = ago(400*day - 1) }, ""},
		"just old enough":            {Decay{MinimumAge: 400}, func(*Memory) {}, whyDecayed},
		"expired now":                {Decay{MinimumAge: 400}, func(m *Memory) { m.ExpiresAt, m.Importance = at(0), MaxImportance }, whyExpired},
		"not yet expired":            {Decay{}, func(m *Memory) { m.ExpiresAt, m.Importance = at(-1), MaxImportance }, ""},
	} {
		m := old
		if c.edit(&m); c.d.due(m, now) != c.want {
			t.Errorf("%s: %q, want %q", name, c.d.due(m, now), c.want)
		}
	}
	list := []Memory{{RowID: 3, LastAccessed: ago(day), Importance: 3}, {RowID: 2, LastAccessed: ago(9 * day), Importance: 3}, {RowID: 1, LastAccessed: ago(day), Importance: 3}, {RowID: 4, LastAccessed: ago(99 * day), Importance: 3}}
	sortByDecay(list, now)
	var order []string
	for _, m := range list {
		order = append(order, fmt.Sprint(m.RowID))
	}
	if got := strings.Join(order, " "); got != "4 2 1 3" {
		t.Errorf("the order is %s", got)
	}
	for x, want := range map[float64]float64{1.23449: 1.234, 1.2345001: 1.235, -1.2345001: -1.235, 0: 0} {
		if got := rounded(x); got != want {
			t.Errorf("%v is rounded to %v", x, got)
		}
	}
}

// A project above a type's limit is reduced by two for each new memory, without those of the greatest importance.
func TestRoomIsMadeStepByStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 6 {
		w.put(New{Key: fmt.Sprint("k", i), Content: fmt.Sprint("The fact number ", i, " of all"), Importance: map[int]int{0: 5}[i]})
		w.ago(fmt.Sprint("k", i), time.Duration(100-i)*24*time.Hour, 0)
	}
	displaced := func(most int, key string, kind string) (keys []string) {
		t.Helper()
		w.s.MaxPerType = most
		for _, b := range w.put(New{Key: key, Type: kind, Content: "Another text: " + key}).Displaced {
			keys = append(keys, b.Key)
		}
		return keys
	}
	for _, c := range []struct {
		most      int
		key, kind string
		want      []string
	}{{0, "free", TypePattern, nil}, {8, "room", TypePattern, nil}, {8, "full", TypePattern, []string{"k1"}}, {3, "above", TypePattern, []string{"k2", "k3"}}, {1, "other", TypeWarning, nil}, {7, "one", TypePattern, []string{"k4"}}} {
		if d := cmp.Diff(c.want, displaced(c.most, c.key, c.kind)); d != "" {
			t.Errorf("%s with a limit of %d: %s", c.key, c.most, d)
		}
	}
	w.s.MaxPerType = 1
	w.put(New{Key: "d", Type: TypeDecision, Content: "We decided so", Importance: MaxImportance})
	f := w.refuses(fault.KindConflict, "", New{Key: "e", Type: TypeDecision, Content: "We decided otherwise"})
	if want := "the project keeps 1 memories of type decision, its limit is 1, and all are of importance 5, which are never archived"; f.Message != want {
		t.Errorf("%q", f.Message)
	}
}

// The memory that a purged one replaced is archived, and can be restored.
func TestPurgedSuccessor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := w.put(New{Key: "old", Content: "Deploys go out by hand"})
	w.put(New{Key: "new", Content: "Deploys go out from CI", Supersedes: "old"})
	if _, err := w.s.Forget(t.Context(), w.target("new"), "", true); err != nil {
		t.Fatal(err)
	}
	got := w.look(old.ID)
	if got.Superseded != "" || got.ArchivedAt == nil || !got.ArchivedAt.Equal(old.UpdatedAt.Time) || got.ArchivedWhy != "its successor was deleted" {
		t.Errorf("%+v", got)
	}
	if back, err := w.s.Restore(t.Context(), w.target("old")); err != nil || back.ArchivedAt != nil || back.ArchivedWhy != "" || w.first("how do deploys go out?") != "old" {
		t.Errorf("%+v, %v", back, err)
	}
	w.write(func(tx *registry.Tx) error {
		n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM memories`))
		if n != 1 {
			t.Errorf("%d memories are left", n)
		}
		return err
	})
}
