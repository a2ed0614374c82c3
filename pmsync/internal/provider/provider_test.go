package provider_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/shared/fault"
)

func TestChoose(t *testing.T) {
	states := []provider.Status{
		{ID: "1", Name: "Backlog", Category: provider.Todo}, {ID: "2", Name: "Todo", Category: provider.Todo},
		{ID: "3", Name: "Doing", Category: provider.InProgress}, {ID: "4", Name: "Done", Category: provider.Done},
		{ID: "5", Name: "done", Category: provider.Todo}, {ID: "6", Name: "Shipped", Category: provider.Done},
	}
	current := states[0]
	for name, c := range map[string]struct {
		target  provider.Target
		state   map[provider.Category]string
		want    string // id
		because provider.Reason
	}{
		"by id":                          {provider.Target{ID: "3"}, nil, "3", ""},
		"by an id that is not offered":   {provider.Target{ID: "9"}, nil, "", provider.Invalid},
		"by name":                        {provider.Target{Name: "dOING"}, nil, "3", ""},
		"by a name of two":               {provider.Target{Name: "Done"}, nil, "", provider.Ambiguous},
		"by a name of none":              {provider.Target{Name: "Closed"}, nil, "", provider.Invalid},
		"by its own name":                {provider.Target{Name: "backlog"}, nil, "1", ""},
		"by category":                    {provider.Target{Category: provider.InProgress}, nil, "3", ""},
		"by the category it is in":       {provider.Target{Category: provider.Todo}, nil, "1", ""},
		"by a category of two":           {provider.Target{Category: provider.Done}, nil, "", provider.Ambiguous},
		"by a category of none":          {provider.Target{Category: provider.Canceled}, nil, "", provider.Invalid},
		"by a category that is mapped":   {provider.Target{Category: provider.Done}, map[provider.Category]string{provider.Done: "shipped"}, "6", ""},
		"by a mapping that is not there": {provider.Target{Category: provider.Done}, map[provider.Category]string{provider.Done: "Closed"}, "", provider.Invalid},
		"by a word for both":             {provider.ParseTarget("done"), nil, "4", ""},
		"by a word for a category":       {provider.ParseTarget("in progress"), nil, "3", ""},
		"by a word for a name":           {provider.ParseTarget(" Shipped "), nil, "6", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := provider.Mapping{State: c.state}.Choose(provider.Jira, c.target, current, states)
			if got.ID != c.want || provider.ReasonOf(err) != c.because {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestMappingOf(t *testing.T) {
	m := provider.Mapping{Category: map[string]provider.Category{"Won't Do": provider.Canceled, "7": provider.Todo}, Priority: map[string]int{"P1": 4}}
	for _, c := range []struct {
		status provider.Status
		want   provider.Category
	}{{provider.Status{ID: "1", Name: "won't do"}, provider.Canceled}, {provider.Status{ID: "7", Name: "X"}, provider.Todo}, {provider.Status{ID: "8", Name: "Y"}, ""}, {provider.Status{}, ""}} {
		if got, _ := m.CategoryOf(c.status); got != c.want {
			t.Errorf("%+v is %q, not %q", c.status, got, c.want)
		}
	}
	if p, ok := m.PriorityOf("", "p1"); !ok || p != 4 {
		t.Error(p, ok)
	}
}

func TestUUID(t *testing.T) {
	for _, key := range []string{"", "chg-1", "chg-2", "0198c0de-0000-7000-8000-000000000001"} {
		a := provider.UUID(key)
		id, err := uuid.Parse(a)
		if err != nil || id.Version() != 4 || id.Variant() != uuid.RFC4122 || a != provider.UUID(key) {
			t.Errorf("%q is %s: %v", key, a, err)
		}
	}
	if own := "7a0e7c5e-0000-4000-8000-0000000000a1"; provider.UUID(own) != own {
		t.Error("a version 4 UUID does not stay")
	}
	if provider.UUID("chg-1") == provider.UUID("chg-2") {
		t.Error("two keys have one id")
	}
}

func TestErrors(t *testing.T) {
	for reason, kind := range map[provider.Reason]fault.Kind{provider.Offline: fault.KindProvider, provider.RateLimited: fault.KindProvider,
		provider.NotFound: fault.KindNotFound, provider.Changed: fault.KindConflict, provider.Invalid: fault.KindValidation, provider.Ambiguous: fault.KindValidation} {
		err := fmt.Errorf("around: %w", provider.Fail(reason, nil, "it %s", "failed").Hint("do %s", "this"))
		f := fault.From(err)
		if f.Kind != kind || !strings.Contains(f.Error(), "it failed; do this") || !provider.Is(err, reason) {
			t.Errorf("%s: %s %q", reason, f.Kind, f.Error())
		}
		var own *provider.Error
		if !errors.As(err, &own) {
			t.Errorf("%s is not an Error", reason)
		}
	}
	if provider.Is(nil, "") || provider.ReasonOf(errors.New("x")) != "" {
		t.Error("another package's error has a reason")
	}
}

// TestWindow reads a list that changes, cut off at every point, and misses nothing.
func TestWindow(t *testing.T) {
	const overlap = time.Minute
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	var w provider.Window
	if !w.Start(overlap).IsZero() {
		t.Error("a first round does not begin at the beginning")
	}
	if !w.Take("a", "", start) || !w.Take("b", "", start.Add(time.Second)) || w.Take("a", "", start) {
		t.Error("what is new is not taken, or what is not is")
	}
	stored, err := provider.SaveCursor(w, "a")
	if err != nil {
		t.Fatal(err)
	}
	cut := provider.LoadCursor[provider.Window](stored, "a")
	if got := cut.Start(overlap); !got.Equal(start.Add(time.Second)) {
		t.Errorf("a round that was cut off goes on at %s", got)
	}
	w.Drained(overlap)
	if got := w.Start(overlap); !got.Equal(start.Add(time.Second - overlap)) {
		t.Errorf("the next round begins at %s", got)
	}
	// The round is cut off before it brought anything: its overlap is not lost.
	stored, _ = provider.SaveCursor(w, "a")
	cut = provider.LoadCursor[provider.Window](stored, "a")
	if got := cut.Start(overlap); !got.Equal(start.Add(time.Second - overlap)) {
		t.Errorf("an empty round goes on at %s", got)
	}
	if !cut.Take("late", "", start.Add(-30*time.Second)) || cut.Take("b", "", start.Add(time.Second)) || !cut.Take("b", "2", start.Add(time.Second)) || cut.Take("b", "2", start.Add(time.Second)) {
		t.Error("what came late or changed is not taken, or taken twice")
	}
	// In no order, a round that was cut off begins again.
	cut.Drained(overlap)
	from := cut.Start(overlap)
	cut.TakeUnordered("z", "", start.Add(time.Hour))
	if got := cut.Start(overlap); !got.Equal(from) {
		t.Errorf("a round without order goes on at %s, not %s", got, from)
	}
	// A cursor stays small.
	for i := range 10_000 {
		cut.Take(fmt.Sprint("many ", i), "v", start.Add(time.Hour))
	}
	cut.Drained(overlap)
	if stored, _ = provider.SaveCursor(cut, "a"); len(stored) > 32<<10 {
		t.Errorf("a cursor of %d bytes", len(stored))
	}
}

// TestWindowForgetsTheOldest: a full cursor still knows what is newest, whatever
// the order in which it came.
func TestWindowForgetsTheOldest(t *testing.T) {
	const most = 200
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	at := func(i int) (string, string, time.Time) {
		return fmt.Sprint(i), "v", start.Add(time.Duration(i) * time.Second)
	}
	var w provider.Window
	for i := 2 * most; i >= 0; i-- {
		if !w.TakeUnordered(at(i)) {
			t.Fatalf("%d is not taken", i)
		}
	}
	if len(w.Seen) != most {
		t.Fatalf("%d are kept, want %d", len(w.Seen), most)
	}
	if w.TakeUnordered(at(2*most)) || w.TakeUnordered(at(most+1)) || !w.TakeUnordered(at(most)) {
		t.Error("the newest are not what is kept")
	}
	w.Drained(time.Duration(most/2) * time.Second)
	if len(w.Seen) != most/2+1 || w.TakeUnordered(at(2*most-most/2)) || !w.TakeUnordered(at(2*most-most/2-1)) {
		t.Errorf("%d are kept of the overlap", len(w.Seen))
	}
}

func TestCoveredBy(t *testing.T) {
	epic, task := provider.TypeEpic, provider.TypeTicket
	for _, c := range []struct {
		wanted, read []provider.ItemType
		want         bool
	}{
		{nil, nil, true}, {[]provider.ItemType{epic}, nil, true}, {nil, []provider.ItemType{epic}, false},
		{[]provider.ItemType{epic}, []provider.ItemType{task, epic}, true}, {[]provider.ItemType{epic, task}, []provider.ItemType{epic}, false},
	} {
		if got := (provider.Pull{Types: c.wanted}).CoveredBy(c.read); got != c.want {
			t.Errorf("%q after %q: %v", c.wanted, c.read, got)
		}
	}
	if only := (provider.Pull{Types: []provider.ItemType{epic}}); !only.Wants(epic) || only.Wants(task) || !(provider.Pull{}).Wants(task) {
		t.Error("another type is wanted than was named")
	}
}

// TestFindMarked: of two attempts that both arrived, the first is the one.
func TestFindMarked(t *testing.T) {
	marked := "b\n\n[" + provider.Marker("key") + "]"
	each := func(yield func(int) error) error {
		for i := range 4 {
			if err := yield(i); err != nil {
				return err
			}
		}
		return nil
	}
	texts := []string{"a", marked, marked, "c\n\n[" + provider.Marker("other") + "]"}
	find := func(key string) (*int, error) {
		return provider.FindMarked(provider.Marker(key), each, func(i int) string { return texts[i] })
	}
	if found, err := find("key"); err != nil || found == nil || *found != 1 {
		t.Errorf("%v, %v", found, err)
	}
	if found, err := find("none"); err != nil || found != nil {
		t.Errorf("%v, %v", found, err)
	}
}

func FuzzCursor(f *testing.F) {
	f.Add([]byte(`{"scope":"a","at":{"mark":"2026-11-01T00:00:00Z","seen":[{"i":"a","t":"2026-11-01T00:00:00Z"}],"open":true}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		w := provider.LoadCursor[provider.Window](text, "a")
		w.Start(time.Minute)
		w.Take("a", "", time.Now())
		w.Drained(time.Minute)
		if _, err := json.Marshal(w); err != nil && w.Mark.Year() < 9000 && w.Mark.Year() > 0 {
			t.Log(err) // a year that JSON does not know came from the cursor itself
		}
	})
}

// TestCursorOfAnotherScope begins anew, as does one that cannot be read.
func TestCursorOfAnotherScope(t *testing.T) {
	w := provider.Window{Mark: time.Now()}
	stored, err := provider.SaveCursor(w, "team A")
	if err != nil {
		t.Fatal(err)
	}
	for scope, want := range map[string]bool{"team A": true, "team B": false, "": false} {
		if got := provider.LoadCursor[provider.Window](stored, scope); got.Mark.IsZero() == want {
			t.Errorf("in %q it is at %s", scope, got.Mark)
		}
	}
	for _, text := range []string{"", "null", "{}", "x", `{"scope":"a"}`, `{"scope":"a","at":null}`, `{"scope":"a","at":{"mark":"2026-11-01T00:00:00Z","seen":7}}`} {
		if got := provider.LoadCursor[provider.Window](provider.Cursor(text), "a"); !got.Mark.IsZero() {
			t.Errorf("%q is at %s", text, got.Mark)
		}
	}
}
