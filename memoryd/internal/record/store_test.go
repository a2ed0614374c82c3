package record_test

import (
	"slices"
	"testing"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// world is a registry with a store.
type world struct {
	*testing.T
	db    *registry.DB
	store *record.Store
	place project.Place
}

// told lists an agent's entries that do more than change scores.
func (w *world) told(agent string) ([]record.Entry, error) {
	entries, err := w.store.Journal(w.Context(), agent, 10)
	return slices.DeleteFunc(entries, func(e record.Entry) bool { return e.Kind != "activity" && e.Kind != "retrospective" }), err
}

func newWorld(t *testing.T) *world {
	db := registrytest.Open(t)
	return &world{T: t, db: db, store: &record.Store{DB: db},
		place: project.Place{At: &project.Identity{UID: "p-1", Name: "app", Folder: "/app"}}}
}

func (w *world) by(name string) record.By { return record.By{Agent: name, Place: w.place} }

// grade grades a commit and expects success.
func (w *world) grade(to writer, name, oid string, a, u record.Grade) record.Graded {
	w.Helper()
	g, err := to.Grade(w.Context(), record.Grading{By: w.by(name), Commit: oid, AgentGrade: a, UserGrade: u})
	if err != nil {
		w.Fatalf("grade %s: %v", oid, err)
	}
	return g
}

// count reads a number from the registry.
func (w *world) count(query string, args ...any) (n int) {
	w.Helper()
	err := w.db.Read(w.Context(), func(tx *registry.Tx) error { return tx.QueryRow(query, args...).Scan(&n) })
	if err != nil {
		w.Fatal(err)
	}
	return n
}

// exec changes the registry without the store.
func (w *world) exec(statement string) {
	w.Helper()
	err := w.db.Write(w.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(statement)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) stands(from writer, name string, sp int64, xp string, cs, commits, bugs int64, halted bool) record.Status {
	w.Helper()
	st, err := from.Status(w.Context(), name)
	if err != nil {
		w.Fatal(err)
	}
	if st.SP != sp || st.XP.String() != xp || st.CS != cs || st.Commits != commits || st.Bugs != bugs || st.Halted != halted {
		w.Errorf("%s stands at SP %d, XP %s, CS %d, %d commits, %d bugs, halted %t", name, st.SP, st.XP, st.CS, st.Commits, st.Bugs, st.Halted)
	}
	return st
}

func TestAnAgentBegins(t *testing.T) {
	w := newWorld(t)
	if _, err := w.store.Status(t.Context(), "nobody"); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("unknown: %v", err)
	}
	if err := w.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := agent.Register(tx, agent.Registration{Name: "ann", Type: "coder"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	st := w.stands(w.store, "ANN", 1, "0.0", 0, 0, 0, false)
	if st.Tier != "PROBATION" || st.NextSP.String() != "10.0" || st.Updated != nil || st.Agent != "ann" {
		t.Errorf("%+v", st)
	}
}

func TestStoreFollowsTheRules(t *testing.T) {
	w := newWorld(t)
	out := w.grade(w.store, "ann", "aaaa1111", 2, 5)
	if out.ScoreBefore != 0 || out.ScoreAfter != 7 || out.LevelUp || out.BookedOn.Agent != "ann" || out.BookedOn.Project != "p-1" {
		t.Errorf("%+v", out)
	}
	w.stands(w.store, "ann", 1, "1.0", 7, 1, 0, false)
	for i, oid := range []string{"b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8"} {
		w.grade(w.store, "ann", oid, -1, -1)
		w.stands(w.store, "ann", 1, record.Tenths(20+10*i).String(), 7-2*int64(i+1), int64(i+2), 0, false)
	}
	if _, err := w.store.Use(t.Context(), record.Use{By: w.by("ann"), Kind: "tool", Times: 5}); err != nil {
		t.Fatal(err)
	}
	w.stands(w.store, "ann", 1, "9.5", -9, 9, 0, false)
	if out := w.grade(w.store, "ann", "cccc", 1, 1); !out.LevelUp || out.Status.Tier != "JUNIOR" {
		t.Errorf("%+v", out)
	}
	w.stands(w.store, "ann", 2, "0.5", -7, 10, 0, false)
	for i, want := range []bool{false, true, false} {
		r, err := w.store.Bug(t.Context(), record.Bug{By: w.by("ann"), Note: "x"})
		if err != nil || r.Halts != want || r.SP != int64(1-i) {
			t.Errorf("bug %d: %+v, %v", i, r, err)
		}
	}
	w.stands(w.store, "ann", -1, "0.5", -7, 10, 3, true)
	ann, err := w.store.Status(t.Context(), "ann")
	if err != nil {
		t.Fatal(err)
	}
	for _, self := range []string{"ann", "ANN", ann.AgentID} { // an agent cannot resume itself under any name
		for _, named := range []string{"ann", ann.AgentID} {
			if _, err := w.store.Resume(t.Context(), self, named, ""); !fault.Is(err, fault.KindConflict) {
				t.Errorf("%s resumes %s: %v", self, named, err)
			}
		}
	}
	w.stands(w.store, "ann", -1, "0.5", -7, 10, 3, true)
	if r, err := w.store.Resume(t.Context(), "bob", "ann", ""); err != nil || !r.Resumed {
		t.Errorf("%+v, %v", r, err)
	}
	w.stands(w.store, "ann", 1, "0.5", -7, 10, 3, false)
	if r, err := w.store.Resume(t.Context(), "", "ann", ""); err != nil || r.Resumed {
		t.Errorf("twice: %+v, %v", r, err)
	}
	if _, err := w.store.Resume(t.Context(), "", "nobody", ""); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("nobody: %v", err)
	}
}

func TestGradedOnce(t *testing.T) {
	w := newWorld(t)
	w.grade(w.store, "ann", "abcd1234", 1, 2)
	for _, oid := range []string{"abcd1234", "ABCD1234", "abcd"} {
		_, err := w.store.Grade(t.Context(), record.Grading{By: w.by("ann"), Commit: oid, AgentGrade: 5, UserGrade: 5})
		if !fault.Is(err, fault.KindConflict) {
			t.Errorf("%s again: %v", oid, err)
		}
	}
	w.stands(w.store, "ann", 1, "1.0", 3, 1, 0, false)
	w.grade(w.store, "bob", "abcd1234", 1, 2) // this agent has a grade of its own
	w.stands(w.store, "bob", 1, "1.0", 3, 0, 0, false)
	w.grade(w.store, "ann", "abcd9999", 1, 2)
	_, err := w.store.Grade(t.Context(), record.Grading{By: w.by("ann"), Commit: "abcd", AgentGrade: 5, UserGrade: 5})
	if !fault.Is(err, fault.KindValidation) {
		t.Errorf("ambiguous: %v", err)
	}
	for _, g := range []record.Grade{0, 3, 4, -2, 6, 100} {
		_, err := w.store.Grade(t.Context(), record.Grading{By: w.by("ann"), Commit: "eeee", AgentGrade: g, UserGrade: 1})
		if !fault.Is(err, fault.KindValidation) || fault.From(err).Field != "agent_grade" {
			t.Errorf("grade %d: %v", g, err)
		}
		_, err = w.store.Grade(t.Context(), record.Grading{By: w.by("ann"), Commit: "eeee", AgentGrade: 1, UserGrade: g})
		if !fault.Is(err, fault.KindValidation) || fault.From(err).Field != "user_grade" {
			t.Errorf("user's grade %d: %v", g, err)
		}
	}
}

func TestRetrospectivesChangeNoScores(t *testing.T) {
	w := newWorld(t)
	w.grade(w.store, "ann", "abcd1234", 2, -1)
	before := w.stands(w.store, "ann", 1, "1.0", 1, 1, 0, false)
	out, err := w.store.Retrospect(t.Context(), record.Retrospective{By: w.by("ann"), Commit: "abcd", AgentNote: "first"})
	if err != nil || out.AgentGrade != 2 || out.UserGrade != -1 || out.ScoreBefore != 0 || out.ScoreAfter != 1 || out.Commit != "abcd1234" {
		t.Errorf("%+v, %v", out, err)
	}
	again, err := w.store.Retrospect(t.Context(), record.Retrospective{By: w.by("ann"), Commit: "abcd1234", UserNote: "second"})
	if err != nil || again.ID != out.ID {
		t.Errorf("%+v, %v", again, err)
	}
	entries, err := w.told("ann")
	if err != nil || len(entries) != 1 || entries[0].AgentNote != "first" || entries[0].UserNote != "second" {
		t.Errorf("%+v, %v", entries, err)
	}
	if _, err := w.store.Retrospect(t.Context(), record.Retrospective{By: w.by("ann"), Task: "alone", AgentGrade: 5, UserGrade: 5}); err != nil {
		t.Fatal(err)
	}
	after := w.stands(w.store, "ann", 1, "1.0", 1, 1, 0, false)
	if *before.Updated != *after.Updated {
		t.Error("a retrospective touched the scores")
	}
	if _, err := w.store.Retrospect(t.Context(), record.Retrospective{By: w.by("ann")}); !fault.Is(err, fault.KindValidation) {
		t.Errorf("of nothing: %v", err)
	}
}

// A grade after the retrospective of its commit writes its scores into it.
func TestGradeAfterRetrospective(t *testing.T) {
	w := newWorld(t)
	if _, err := w.store.Retrospect(t.Context(), record.Retrospective{By: w.by("ann"), Commit: "abcd1234", AgentNote: "said before"}); err != nil {
		t.Fatal(err)
	}
	if out := w.grade(w.store, "ann", "abcd1234", 5, 5); out.ScoreBefore != 0 || out.ScoreAfter != 10 {
		t.Errorf("%+v", out)
	}
	entries, err := w.told("ann")
	if err != nil || len(entries) != 1 || entries[0].AgentNote != "said before" || entries[0].AgentGrade != 5 || *entries[0].ScoreAfter != 10 {
		t.Errorf("%+v, %v", entries, err)
	}
}

func TestCommitsCountOnce(t *testing.T) {
	w := newWorld(t)
	for range 2 {
		if _, err := w.store.Commit(t.Context(), record.Commit{By: w.by("ann"), OID: "abcd1234", Subject: "Do it"}); err != nil {
			t.Fatal(err)
		}
	}
	out := w.grade(w.store, "ann", "abcd", 1, 1)
	if out.Task != "Do it" {
		t.Errorf("%+v", out)
	}
	w.stands(w.store, "ann", 1, "1.0", 2, 1, 0, false)
}

// The uses of one day are one row.
func TestUsesAddUp(t *testing.T) {
	w := newWorld(t)
	for range 25 {
		if _, err := w.store.Use(t.Context(), record.Use{By: w.by("ann"), Kind: "tool"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.store.Use(t.Context(), record.Use{By: w.by("ann"), Kind: "command", Times: 3}); err != nil {
		t.Fatal(err)
	}
	w.stands(w.store, "ann", 1, "2.8", 0, 0, 0, false)
	if n := w.count(`SELECT COUNT(*) FROM score_events`); n > 4 { // two kinds, and midnight
		t.Errorf("%d rows", n)
	}
	for _, u := range []record.Use{{Kind: "tool", Times: -1}, {Kind: "tool", Times: 1001}, {Kind: "hammer"}, {}} {
		u.By = w.by("ann")
		if _, err := w.store.Use(t.Context(), u); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%+v: %v", u, err)
		}
	}
}

func TestBookings(t *testing.T) {
	w := newWorld(t)
	if _, err := w.store.Log(t.Context(), record.Activity{By: record.By{Agent: "a-0123456789", Place: w.place}, Task: "x"}); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("an unknown id: %v", err)
	}
	if _, err := w.store.Log(t.Context(), record.Activity{By: record.By{Place: w.place}, Task: "x"}); !fault.Is(err, fault.KindValidation) {
		t.Errorf("nobody: %v", err)
	}
	if _, err := w.store.Log(t.Context(), record.Activity{By: record.By{Agent: "ann"}, Task: "x"}); !fault.Is(err, fault.KindValidation) {
		t.Errorf("nowhere: %v", err)
	}
	if _, err := w.store.Log(t.Context(), record.Activity{By: record.By{Agent: "ann", Place: project.Place{Named: "p-none"}}, Task: "x"}); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("an unknown project: %v", err)
	}
	out, err := w.store.Log(t.Context(), record.Activity{By: w.by("new one"), Task: "x"})
	if err != nil || out.Scope != "custom" || out.BookedOn.Agent != "new one" {
		t.Errorf("an unknown name: %+v, %v", out, err)
	}
	by := w.by("new one")
	by.Scope = "frontend"
	if out, err := w.store.Log(t.Context(), record.Activity{By: by, Task: "y"}); err != nil || out.Scope != "frontend" {
		t.Errorf("%+v, %v", out, err)
	}
}
