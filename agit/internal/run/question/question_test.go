package question

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/run/person"
	"github.com/agit-suite/agit/agit/internal/task/tasktest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// asked returns a store with a question of an agent.
func asked(t *testing.T, until time.Time) (s *Store, id string) {
	t.Helper()
	db, _, _ := tasktest.Claimed(t)
	var n New
	if err := db.Read(t.Context(), func(tx *registry.Tx) error {
		return tx.QueryRow(`SELECT l.item_id, l.agent_id, i.project_id FROM leases l JOIN items i ON i.id = l.item_id`).Scan(&n.Item, &n.Agent, &n.Project)
	}); err != nil {
		t.Fatal(err)
	}
	s = &Store{DB: db}
	n.Run, n.Call, n.Rules, n.Until = "run-1", "shell: make it", []string{"shell(make it)", "shell(x)"}, until
	id, err := s.Ask(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return s, id
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	s, id := asked(t, time.Now().Add(time.Hour))
	list, err := s.List(t.Context(), "")
	if err != nil || len(list) != 1 || list[0].ID != id || list[0].Call != "shell: make it" || list[0].Agent != "ann" || list[0].State != Open {
		t.Fatalf("%+v %v", list, err)
	}
	if _, err := s.Answer(t.Context(), id, Answer{Allow: true, Caller: person.Caller{By: "agent ann"}}); !fault.Is(err, fault.KindConflict) {
		t.Errorf("an agent answers: %v", err)
	}
	q, err := s.Answer(t.Context(), id[:8], Answer{Allow: true, Always: true, Why: " fine "})
	if err != nil || q.State != Allowed || !q.Always || q.Why != "fine" || q.AnsweredAt == nil {
		t.Errorf("%+v %v", q, err)
	}
	if d := cmp.Diff([]string{"shell(make it)", "shell(x)"}, q.Rules); d != "" {
		t.Error(d)
	}
	if _, err := s.Answer(t.Context(), id, Answer{}); !fault.Is(err, fault.KindConflict) {
		t.Errorf("a second answer: %v", err)
	}
	if q, err := s.Close(t.Context(), id, Unanswered); err != nil || q.State != Allowed {
		t.Errorf("an answer in the last instant is lost: %+v %v", q, err)
	}
	for _, unknown := range []string{"q-zzz", "", "%", "q_"} {
		if _, err := s.Answer(t.Context(), unknown, Answer{}); !fault.Is(err, fault.KindNotFound) {
			t.Errorf("%q: %v", unknown, err)
		}
	}
}

// A denial is stored without always; an expired or dropped question can neither be answered nor listed.
func TestNoLongerAsked(t *testing.T) {
	t.Parallel()
	s, id := asked(t, time.Now().Add(time.Hour))
	if q, err := s.Answer(t.Context(), id, Answer{Always: true}); err != nil || q.State != Denied || q.Always {
		t.Errorf("%+v %v", q, err)
	}
	s, id = asked(t, time.Now().Add(-time.Second))
	if _, err := s.Answer(t.Context(), id, Answer{Allow: true}); !fault.Is(err, fault.KindConflict) {
		t.Errorf("too late: %v", err)
	}
	s, id = asked(t, time.Now().Add(time.Hour))
	if err := s.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error { return DropRun(tx, "run-1") }); err != nil {
		t.Fatal(err)
	}
	if q, err := s.Get(t.Context(), id); err != nil || q.State != Dropped {
		t.Errorf("%+v %v", q, err)
	}
	if list, err := s.List(t.Context(), ""); err != nil || len(list) != 0 {
		t.Errorf("%+v %v", list, err)
	}
	s, id = asked(t, time.Now().Add(time.Hour))
	if q, err := s.Close(t.Context(), id, Unanswered); err != nil || q.State != Unanswered || q.AnsweredAt == nil || q.ID != id || q.Call != "shell: make it" {
		t.Errorf("%+v %v", q, err)
	}
	if q, err := s.Close(t.Context(), "q-zzz", Unanswered); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("%+v %v", q, err)
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	for note, want := range map[string]string{
		Note("q-1s5yy6c2ny", "shell: make it"): "q-1s5yy6c2ny",
		Note("q-1", ""):                        "q-1",
		"q-1s5yy6c2ny":                         "",
		"q-: make":                             "",
		"q-$(id): make":                        "",
		"may I push? q-1: no":                  "",
		"Q-1: make":                            "",
	} {
		if got := Named(note); got != want {
			t.Errorf("%q names %q, want %q", note, got, want)
		}
	}
}
