package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// emptyProject registers a project without memories.
func (w *world) emptyProject(name string) (id int64) {
	w.Helper()
	w.write(func(tx *registry.Tx) error {
		p, err := project.Make(tx, project.New{UID: "p-" + name})
		id = p.ID
		return err
	})
	return id
}

// When all memories of a registry belong to one project, another project and a folder without one see none of them: neither by a question
// nor in a brief.
func TestMemoriesOfOneProjectStayThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(New{Key: "inv", Content: "Invoices are rounded half up", Importance: 5})
	other := w.emptyProject("two")
	for name, id := range map[string]int64{"another project": other, "a folder without memories": Nothing} {
		for _, text := range []string{"how are invoices rounded?", "invoces", ""} {
			a := w.recall(Query{ProjectID: id, Text: text, All: true})
			if len(a.Memories) != 0 || len(a.Read) != 0 || a.Weak != (text != "") {
				t.Errorf("%s, %q: got %v, read as %v, weak %v", name, text, keys(a), a.Read, a.Weak)
			}
		}
		var found []Brief
		w.write(func(tx *registry.Tx) (err error) {
			found, err = Relevant(tx, Wanted{ProjectID: id, Text: "Fix how invoices are rounded half up", Budget: 4000})
			return err
		})
		if len(found) != 0 {
			t.Errorf("%s: the brief holds %v", name, found)
		}
	}
	if w.look("inv").AccessCount != 0 {
		t.Error("the memory counts as used")
	}
	if got := w.first("how are invoices rounded?"); got != "inv" {
		t.Errorf("its own project finds %q", got)
	}
}

// Words that only another project wrote replace none, and are unknown.
func TestWordsOfOtherProjectsAreUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.at = in("two")
	w.put(New{Key: "theirs", Content: "The zebrafishclient polls the aquarium gateway"})
	w.at = in("one")
	w.put(New{Key: "ours", Content: "The zebracrossing is painted at night"})
	a := w.recall(Query{Text: "zebra"})
	if got := a.Read["zebra"]; !slices.Equal(got, []string{"zebracrossing"}) {
		t.Errorf("zebra is read as %v", got)
	}
	if a := w.recall(Query{Text: "aquarium painted"}); !slices.Equal(a.Unknown, []string{"aquarium"}) {
		t.Errorf("unknown: %v", a.Unknown)
	}
	if a := w.recall(Query{Text: "aquarum painted"}); len(a.Read) != 0 {
		t.Errorf("a mistyped word is read as %v", a.Read)
	}
}

// The weight of a word depends on the memories of the searched project, however many memories of others contain it.
func TestWordsWeighByTheirProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.at = in("two")
	for i := range 40 {
		w.put(New{Key: fmt.Sprint("theirs", i), Content: fmt.Sprintf("The ledger of branch %d", i)})
	}
	w.at = in("one")
	for i := range 10 {
		w.put(New{Key: fmt.Sprint("report", i), Content: fmt.Sprintf("The report of week %d is sent", i)})
	}
	w.put(New{Key: "ledger", Content: "The ledger is closed on Friday"})
	a := w.recall(Query{Text: "ledger report", Explain: true, All: true})
	if got := keys(a)[0]; got != "ledger" {
		t.Errorf("the word that is rare here finds %q first", got)
	}
	if a.Memories[0].Parts.Coverage <= a.Memories[1].Parts.Coverage {
		t.Errorf("coverage %v and %v", a.Memories[0].Parts.Coverage, a.Memories[1].Parts.Coverage)
	}
}

// Threads of the same name in two projects are two threads: an answer in one adds nothing to the other, even when all projects are
// searched.
func TestThreadsOfTwoProjectsAreTwo(t *testing.T) {
	t.Parallel()
	thread := func(projects, threads [2]string) float64 {
		w := newWorld(t)
		for i, content := range []string{"The payment gateway wants a token", "The payment gateway is in Oslo"} {
			w.at = in(projects[i])
			w.put(New{Key: fmt.Sprint(i), Content: content, Thread: threads[i]})
		}
		a, err := w.s.Recall(t.Context(), Query{Text: "where is the payment gateway?", Explain: true, All: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range a.Memories {
			if h.Key == "1" {
				return h.Parts.Thread
			}
		}
		t.Fatalf("got %v", keys(a))
		return 0
	}
	apart := thread([2]string{"one", "two"}, [2]string{"morning", "evening"})
	if got := thread([2]string{"one", "two"}, [2]string{"morning", "morning"}); got != apart {
		t.Errorf("a thread of another project with the same name adds: %v, want %v", got, apart)
	}
	if got := thread([2]string{"one", "one"}, [2]string{"morning", "morning"}); got <= apart {
		t.Errorf("the thread of the same project adds %v, not more than %v", got, apart)
	}
}

// The second page continues where the first ended, even past the point where relevance falls off: a reader of further pages wants the rest.
func TestSecondPageGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(New{Key: "best", Content: "Harbour crane maintenance schedule"})
	for i := range 5 {
		w.put(New{Key: fmt.Sprint("far", i), Content: fmt.Sprintf("The schedule of bus number %d on working days and on holidays", i)})
	}
	const question = "harbour crane maintenance schedule"
	first := w.recall(Query{Text: question, Limit: 2})
	if got := keys(first); !slices.Equal(got, []string{"best"}) || first.Left != 5 || first.More {
		t.Fatalf("first page: %v, left out %d, more %v", got, first.Left, first.More)
	}
	all := keys(w.recall(Query{Text: question, All: true}))
	var paged []string
	for offset := 1; offset < 6; offset += 2 {
		page := w.recall(Query{Text: question, Limit: 2, Offset: offset})
		if page.Left != 0 || page.More != (offset+2 < len(all)) {
			t.Errorf("from %d: left out %d, more %v", offset, page.Left, page.More)
		}
		paged = append(paged, keys(page)...)
	}
	if !slices.Equal(paged, all[1:]) {
		t.Errorf("pages: %v, want %v", paged, all[1:])
	}
}

// When a folder's remote was added or changed, an answer without hits names the memories under its former project.
func TestFormerProjectIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(New{Key: "retry", Content: "The gateway retries three times"})
	now := &project.Place{At: &project.Identity{UID: "p-remote", Name: "one", Remote: "example.com/acme/one", Folder: "/one"}}
	ask := func() Answer {
		t.Helper()
		answers, err := w.s.RecallAll(t.Context(), Reader{Place: now}, []Query{{Text: "gateway retries"}})
		if err != nil {
			t.Fatal(err)
		}
		return answers[0]
	}
	a := ask()
	if a.Former == nil || *a.Former != (Former{"p-one", "one", 1}) || len(a.Memories) != 0 || !strings.Contains(a.Next(), "p-one") {
		t.Errorf("%+v, %q", a.Former, a.Next())
	}
	if answers, err := w.s.RecallAll(t.Context(), Reader{Place: now}, []Query{{}, {Text: "elephants"}}); err != nil || answers[0].Former == nil || answers[0].Weak || answers[1].Former == nil {
		t.Errorf("a list and an answer without any: %+v, %v", answers, err)
	}
	if _, err := w.s.Remember(t.Context(), Booking{Place: *now}, []New{{Type: TypePattern, Content: "The gateway retries four times"}}); err != nil {
		t.Fatal(err)
	}
	if a := ask(); a.Former != nil || a.Weak {
		t.Errorf("with an answer of its own: %+v", a.Former)
	}
	for name, c := range map[string]struct {
		q     Query
		weak  bool
		found int
		told  bool
	}{
		"a list":                     {Query{}, false, 1, false},
		"a list without any":         {Query{Type: TypeWarning}, false, 0, false},
		"a weak answer with a hit":   {Query{Text: "which insurer pays when lightning strikes the gateway of our mill?", All: true}, true, 1, false},
		"a question without any hit": {Query{Text: "elephants"}, true, 0, false},
	} {
		answers, err := w.s.RecallAll(t.Context(), Reader{Place: now}, []Query{c.q})
		if err != nil {
			t.Fatal(err)
		}
		if a := answers[0]; a.Weak != c.weak || len(a.Memories) != c.found || (a.Former != nil) != c.told {
			t.Errorf("%s: weak %t, %v, former %+v", name, a.Weak, keys(a), a.Former)
		}
	}
}
