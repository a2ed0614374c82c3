package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text/words"
)

// A memory belongs to the session that its thread names, else to the agent's open session, unless the booking names what is noted together.
func TestSessionsOfMemories(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(New{Key: "first", Content: "Ann and the project are known"})
	other := w.emptyProject("two")
	w.at.Agent = "Ben"
	w.put(New{Key: "second", Content: "Ben is known"})
	w.write(func(tx *registry.Tx) error {
		for i, s := range []struct {
			ref, agent, status, last string
			project                  int64
		}{{"s-old", "Ann", "active", "2026-01-01", w.id}, {"s-new", "Ann", "active", "2026-01-03", w.id}, {"s-done", "Ann", "completed", "2026-01-04", w.id}, {"s-ben", "Ben", "active", "2026-01-05", w.id}, {"s-none", "", "active", "2026-01-06", w.id}, {"s-two", "Ann", "active", "2026-01-07", other}} {
			at := s.last + "T00:00:00.000Z"
			if err := tx.Do(`INSERT INTO sessions (uid, ref, project_id, agent_id, lane, status, started_at, last_event_at) VALUES (?, ?, ?, (SELECT id FROM agents WHERE name = ?), ?, ?, ?, ?)`,
				fmt.Sprint("u", i), s.ref, s.project, s.agent, fmt.Sprint("lane ", i), s.status, at, at); err != nil {
				return err
			}
		}
		return nil
	})
	for i, c := range []struct{ agent, session, thread, wantSession, wantThread string }{
		{"Ann", "", "", "s-new", ""}, {"Ben", "", "", "s-ben", ""}, {"Cid", "", "", "", ""}, {"", "", "", "s-none", ""},
		{"Ann", "s-old", "s-old", "s-old", ""}, {"Ann", "talk", "talk", "", "talk"}, {"Ann", "", " S-OLD ", "s-old", ""}, {"Ann", "", "s-done", "s-done", ""}, {"Ann", "", "s-two", "", "s-two"}, {"Ann", "", "morning", "", "morning"}, {"Ann", "talk", "", "", ""},
	} {
		w.at.Agent, w.at.Session = c.agent, c.session
		m := w.put(New{Content: fmt.Sprintf("The number %d of the birds is seen near the lake %d", i, i*i), Thread: c.thread})
		if m.Session != c.wantSession || m.Thread != c.wantThread || m.Agent != c.agent {
			t.Errorf("%+v: session %q, thread %q by %q", c, m.Session, m.Thread, m.Agent)
		}
	}
	w.at.Agent, w.at.Session = "Ann", ""
	stored, err := w.s.Remember(t.Context(), w.at, []New{{Type: TypePattern, Content: "one of three", Thread: "s-old"}, {Type: TypePattern, Content: "two of three"}, {Type: TypePattern, Content: "three of three", Thread: "s-old"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := []string{stored[0].Session, stored[1].Session, stored[2].Session}; !slices.Equal(got, []string{"s-old", "s-new", "s-old"}) {
		t.Errorf("of one call they are in %q", got)
	}
}

// A refused memory is named by its number when several are stored, and the rest of its batch is not stored.
func TestRefusedOneOfMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := func(n int) (list []New) {
		for i := range n {
			list = append(list, New{Type: TypePattern, Key: fmt.Sprint("k", i), Content: fmt.Sprint("good ", i)})
		}
		return list
	}
	for _, c := range []struct {
		list []New
		want string
	}{
		{[]New{{Type: TypePattern}}, "the memory has no content"}, {append(good(1), New{Type: TypePattern}), "memory 2 of 2: the memory has no content"}, {append([]New{{Type: "x", Content: "x"}}, good(2)...), `memory 1 of 3: memory type "x" is not known`},
		{append(good(2), New{Type: TypePattern, Content: "x", Supersedes: "none"}), `memory 3 of 3: memory "none" does not exist`}, {[]New{{Type: TypePattern, Content: "x", Supersedes: "none"}}, `memory "none" does not exist`},
	} {
		stored, err := w.s.Remember(t.Context(), w.at, c.list)
		if f := fault.From(err); f == nil || f.Message != c.want || len(stored) != 0 {
			t.Errorf("%v: %d are stored, want %q", err, len(stored), c.want)
		}
	}
	stored, err := w.s.Remember(t.Context(), w.at, append(good(batch), New{Type: TypePattern, Content: "x", Supersedes: "none"}))
	if f := fault.From(err); len(stored) != batch || f == nil || f.Message != fmt.Sprintf(`memory %d of %d: memory "none" does not exist`, batch+1, batch+1) {
		t.Errorf("%d of the first batch are stored, %v", len(stored), err)
	}
	if got, err := w.s.Remember(t.Context(), w.at, nil); len(got) != 0 || err != nil {
		t.Errorf("none: %v, %v", got, err)
	}
}

// A memory is found by its id, its uid or its key in one project, the current ones apart from the hidden ones.
func TestFindByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.at = in("two")
	theirs := w.put(New{Key: "retry", Content: "Theirs retries twice"})
	two := w.id
	w.at = in("one")
	warns := w.put(New{Key: "Retry", Type: TypeWarning, Content: "Retries flood the gateway"})
	plain := w.put(New{Key: "retry", Content: "Retries wait a second"})
	uid := w.put(New{Key: strings.ToLower(warns.ID), Content: "Its key is an id"})
	for range 2 {
		w.put(New{Key: "gone", Content: "It is gone by now"})
		if _, err := w.s.Forget(t.Context(), w.target("gone"), "", false); err != nil {
			t.Fatal(err)
		}
	}
	gone := w.look("gone")
	w.put(New{Key: "old", Content: "The old one"})
	old := w.look("old")
	w.put(New{Key: "new", Content: "The new one", Supersedes: "old"})
	for _, key := range []string{"both", "both"} {
		for _, kind := range []string{TypeWarning, TypePattern} {
			w.put(New{Key: key, Type: kind, Content: "It is both, as a " + kind})
			target := w.target(key)
			target.Type = kind
			if _, err := w.s.Forget(t.Context(), target, "", false); err != nil {
				t.Fatal(err)
			}
		}
	}
	names := strings.NewReplacer(theirs.ID, "<theirs>", warns.ID, "<warns>", plain.ID, "<plain>", uid.ID, "<uid>", gone.ID, "<gone>", old.ID, "<old>")
	for _, c := range []struct {
		project    int64
		name, kind string
		want       string
		hidden     string
	}{
		{w.id, plain.ID, "", "<plain>", `memory "<plain>" does not exist; did you mean "<warns>"?`}, {w.id, " " + strings.ToUpper(plain.ID) + " ", "", "<plain>", ""}, {w.id, plain.UID, "", "<plain>", ""}, {0, plain.ID, "", "<plain>", ""}, {0, theirs.UID, "", "<theirs>", ""}, {two, plain.ID, "", "", ""}, {w.id, theirs.ID, "", "", ""},
		{w.id, warns.ID, "", "<warns>", ""}, {w.id, warns.ID, "pattern", "<uid>", ""}, {two, "RETRY", "", "<theirs>", ""}, {w.id, "retry", " Pattern ", "<plain>", ""}, {w.id, "retry", TypeWarning, "<warns>", ""}, {w.id, "retry", TypeDecision, "", ""},
		{w.id, "retry", "", `the key "retry" names 2 memories: pattern (<plain>), warning (<warns>); give the memory type or an id`, ""}, {0, "retry", "", `memory "retry" does not exist; ` + "`memoryd recall` finds it by what it says", ""},
		{w.id, "retri", "", `memory "retri" does not exist; did you mean "retry"?`, ""}, {w.id, "entirely", "", `memory "entirely" does not exist; ` + "`memoryd recall` finds it by what it says", ""},
		{w.id, "gone", "", `memory "gone" does not exist; it was archived or replaced: memoryd restore <gone> brings it back`, "<gone>"}, {w.id, gone.ID, "", `memory "<gone>" does not exist; it was archived or replaced: memoryd restore <gone> brings it back`, "<gone>"}, {0, gone.ID, "", `memory "<gone>" does not exist; it was archived or replaced: memoryd restore <gone> brings it back`, "<gone>"}, {two, "gone", "", "", ""},
		{w.id, "old", "", `memory "old" does not exist; it was archived or replaced: memoryd restore <old> brings it back`, "<old>"}, {w.id, "", "", "no memory is named; give its id or key", "no memory is named; give its id or key"}, {w.id, "retry", "fact", `memory type "fact" is not known; use one of ` + strings.Join(Types(), ", "), `memory type "fact" is not known; use one of ` + strings.Join(Types(), ", ")},
	} {
		for hidden, want := range map[bool]string{false: c.want, true: c.hidden} {
			if want == "" {
				continue
			}
			find := Find
			if hidden {
				find = FindHidden
			}
			w.write(func(tx *registry.Tx) error {
				m, err := find(tx, c.project, c.name, c.kind)
				got := names.Replace(m.ID)
				if err != nil {
					got = names.Replace(err.Error())
				}
				if got != want && !(strings.Contains(want, "did you mean") && hidden) {
					t.Errorf("%s %s of %d, hidden %t: %s, want %s", names.Replace(c.name), c.kind, c.project, hidden, got, want)
				}
				return nil
			})
		}
	}
	w.write(func(tx *registry.Tx) error {
		if _, err := FindHidden(tx, w.id, "both", ""); !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), `the key "both" names 4 memories: `) {
			t.Errorf("hidden ones of two types: %v", err)
		}
		if m, err := FindHidden(tx, w.id, "both", TypeWarning); err != nil || m.Type != TypeWarning {
			t.Errorf("hidden ones of one type: %+v, %v", m, err)
		}
		for _, project := range []int64{two, w.id} {
			if m, err := Find(tx, project, map[int64]string{two: plain.ID, w.id: theirs.ID}[project], ""); !fault.Is(err, fault.KindNotFound) {
				t.Errorf("an id of another project: %+v, %v", m, err)
			}
		}
		return nil
	})
	for _, c := range []struct {
		by   Reader
		name string
		want string
	}{{Reader{}, theirs.ID, theirs.ID}, {Reader{}, gone.ID, gone.ID}, {Reader{Place: &w.at.Place, Agent: "Ben"}, "new", "new"}, {Reader{Place: &w.at.Place}, "gone", ""}} {
		m, _, err := w.s.Get(t.Context(), c.by, c.name, "", false)
		if (err != nil) != (c.want == "") || c.want != "" && c.want != m.ID && c.want != m.Key {
			t.Errorf("%s: %+v, %v", names.Replace(c.name), m, err)
		}
		if err == nil && m.AccessCount != 1 {
			t.Errorf("%s counts %d accesses", names.Replace(c.name), m.AccessCount)
		}
	}
}

// A memory has empty lists rather than none, and an update of a kept one takes over what is given.
func TestStoredAgainTakesOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bare := w.put(New{Key: "a", Content: "The plain text"})
	if bare.Tags == nil || bare.Items == nil || bare.Citations == nil {
		t.Errorf("%+v", bare.Memory)
	}
	half, soon := 0.5, time.Date(2100, 1, 2, 3, 4, 5, 0, time.UTC)
	expires, err := Expiry(soon.Format(time.RFC3339), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	got := w.put(New{Key: "a", Content: "The plain text", Confidence: &half, Title: "T", Summary: "S", Context: "C", Importance: 4, Tags: []string{"x"}, Items: []string{"I-1"}, Citations: []Citation{{Path: "a.go"}}, Named: []Citation{{Path: "b.go", Line: 2}}, ExpiresAt: expires})
	want := bare.Memory
	want.Version, want.Confidence, want.Title, want.Summary, want.Context, want.Importance, want.Tags, want.Items, want.Citations = 2, half, "T", "S", "C", 4, []string{"x"}, []string{"I-1"}, []Citation{{Path: "a.go"}, {Path: "b.go", Line: 2}}
	want.ExpiresAt, want.UpdatedAt = got.ExpiresAt, got.UpdatedAt
	if d := cmp.Diff(want, got.Memory); d != "" || got.Outcome != Updated || got.ExpiresAt == nil || !got.ExpiresAt.Equal(soon) {
		t.Errorf("%s %v %s", got.Outcome, got.ExpiresAt, d)
	}
	same := w.put(New{Key: "a", Content: "The plain text"})
	want.AccessCount, want.LastAccessed = same.AccessCount, same.LastAccessed
	if d := cmp.Diff(want, same.Memory); d != "" || same.Outcome != Unchanged {
		t.Errorf("%s %s", same.Outcome, d)
	}
}

// The vectors of a server are kept, read again when their row changes, and the same as those that a command reads.
func TestKeptVectors(t *testing.T) {
	t.Parallel()
	db := filledWith(t, 2*vectorsInRow+40)
	v := make(vector, 384)
	for i := range v {
		v[i] = int8(i)
	}
	var kept vectorCache
	ask := func(c *vectorCache, project int64) (got []likeness, rows int) {
		t.Helper()
		if err := db.Read(t.Context(), func(tx *registry.Tx) (err error) {
			got, err = c.compare(tx, v, project, 5)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return got, len(c.rows)
	}
	change := func(statement string, args ...any) {
		t.Helper()
		if err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error { return tx.Do(statement, args...) }); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name    string
		do      func()
		project int64
		rows    int
		found   int
	}{
		{"all", func() {}, 0, 3, 5}, {"of the project", func() {}, 1, 3, 5}, {"of another", func() {}, 99, 3, 0}, {"a changed row", func() {
			change(`UPDATE memory_vectors SET vectors = substr(vectors, 385) || substr(vectors, 1, 384), stamp = stamp + 1 WHERE id = 1`)
		}, 0, 3, 5},
		{"a removed row, in the project", func() { change(`DELETE FROM memory_vectors WHERE id = 2`) }, 1, 3, 5}, {"a removed row, in all", func() {}, 0, 2, 5}, {"none", func() { change(`DELETE FROM memory_vectors`) }, 0, 0, 0},
	} {
		step.do()
		got, rows := ask(&kept, step.project)
		fresh, _ := ask(&vectorCache{}, step.project)
		if d := cmp.Diff(fresh, got, cmp.AllowUnexported(likeness{})); d != "" || rows != step.rows || len(got) != step.found {
			t.Errorf("%s: %d rows are kept, %d are found %s", step.name, rows, len(got), d)
		}
	}
}

// The sentence with most of a question, with those around it as far as there is room.
func TestNearestSentences(t *testing.T) {
	t.Parallel()
	q := question{terms: map[uint32][]use{}}
	for i, word := range []string{"turbine", "mill"} {
		q.groups = append(q.groups, group{raw: word, weight: float64(2 - i)})
		for _, term := range words.Terms(word) {
			q.terms[number(term.Text)] = append(q.terms[number(term.Text)], use{group: i, weight: 1})
		}
	}
	const says = "One is here. Two is there! The mill is old? The turbine\n turns; it is new: so. Last of all."
	for _, c := range []struct {
		limit int
		want  string
	}{
		{len("One is here. Two is there! The mill is old? The turbine turns; it is new: so. Last of all."), "One is here. Two is there! The mill is old? The turbine turns; it is new: so. Last of all."},
		{88, "… Two is there! The mill is old? The turbine turns; it is new: so. Last of all."}, {18, "… The turbine turns; …"}, {17, "… The turbine turns …"}, {29, "… The turbine turns; it is new: …"}, {33, "… The turbine turns; it is new: so. …"}, {46, "… The turbine turns; it is new: so. Last of all."}, {63, "… The mill is old? The turbine turns; it is new: so. Last of all."}, {7, "… turbine …"},
	} {
		if got := q.nearest(says, c.limit); got != c.want {
			t.Errorf("in %d bytes: %q, want %q", c.limit, got, c.want)
		}
	}
	for says, want := range map[string]string{"": "", "a": "a", "a. b": "a.|b", "a.b": "a.b", "a.  b": "a.|b", "a? b! c; d: e": "a?|b!|c;|d:|e", "今天。明天！": "今天。|明天！", "v1.2 is. out": "v1.2 is.|out"} {
		if got := strings.Join(sentences(says), "|"); got != want {
			t.Errorf("sentences of %q: %q, want %q", says, got, want)
		}
	}
	if got := q.holds("the mill and the mill"); got != 1 {
		t.Errorf("a word twice counts %v", got)
	}
	if got := q.holds("a turbine of the mill"); got != 3 {
		t.Errorf("both words count %v", got)
	}
}

// A canceled question is not answered.
func TestEndedQuestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(New{Key: "a", Content: "The plain text"})
	ended, end := context.WithCancel(t.Context())
	end()
	if a, err := w.s.RecallAll(ended, Reader{}, []Query{{Text: "plain"}}); err == nil || len(a) != 0 {
		t.Errorf("%+v, %v", a, err)
	}
	now := time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
	for stored, want := range map[string]float64{"2026-03-03T00:00:00.000Z": 1, "2026-03-03T12:00:00.000Z": 0.5, "2026-03-05T00:00:00.000Z": 0, "soon": 0} {
		if got := age(now, stored); got != want {
			t.Errorf("%s is %v days ago", stored, got)
		}
	}
}
