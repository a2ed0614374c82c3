package memory

import (
	"context"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// world is a registry with a Store for tests.
type world struct {
	*testing.T
	s  *Store
	at Booking
	id int64 // of the project, once something is stored
}

func newWorld(t *testing.T) *world {
	return &world{T: t, s: &Store{DB: registrytest.Open(t)}, at: in("one")}
}

func in(name string) Booking {
	return Booking{Place: project.Place{At: &project.Identity{UID: "p-" + name, Name: name, Folder: "/" + name}}, Agent: "Ann"}
}

// Recall asks one question, of all projects unless q names one.
func (s *Store) Recall(ctx context.Context, q Query) (a Answer, err error) {
	all, err := s.RecallAll(ctx, Reader{}, []Query{q})
	if err != nil {
		return a, err
	}
	return all[0], nil
}

func (w *world) put(n New) Stored {
	w.Helper()
	if n.Type == "" {
		n.Type = TypePattern
	}
	stored, err := w.s.Remember(w.Context(), w.at, []New{n})
	if err != nil {
		w.Fatal(err)
	}
	w.id = stored[0].ProjectID
	return stored[0]
}

func (w *world) refuses(kind fault.Kind, field string, n New) *fault.Fault {
	w.Helper()
	if n.Type == "" {
		n.Type = TypePattern
	}
	_, err := w.s.Remember(w.Context(), w.at, []New{n})
	f := fault.From(err)
	if f == nil || f.Kind != kind || f.Field != field || f.Hint == "" {
		w.Errorf("%+.200v: got %v, want a %s about %q with a hint", n, err, kind, field)
		return &fault.Fault{}
	}
	return f
}

func (w *world) recall(q Query) Answer {
	w.Helper()
	if q.ProjectID == 0 {
		q.ProjectID = w.id
	}
	a, err := w.s.Recall(w.Context(), q)
	if err != nil {
		w.Fatal(err)
	}
	return a
}

// keys returns the keys of an answer, in order.
func keys(a Answer) []string {
	out := []string{}
	for _, h := range a.Memories {
		out = append(out, h.Key)
	}
	return out
}

func (w *world) first(question string) string {
	w.Helper()
	if found := keys(w.recall(Query{Text: question})); len(found) > 0 {
		return found[0]
	}
	return ""
}

func (w *world) write(fn func(*registry.Tx) error) {
	w.Helper()
	if err := w.s.DB.Write(w.Context(), registry.Everything, fn); err != nil {
		w.Fatal(err)
	}
}

// ago makes a memory older by d in every respect.
func (w *world) ago(key string, d time.Duration, uses int) {
	w.Helper()
	w.write(func(tx *registry.Tx) error {
		at := registry.FormatTime(tx.Now().Add(-d))
		_, err := tx.Exec(`UPDATE memories SET created_at = ?, updated_at = ?, used_at = ?, used_count = ? WHERE key = ?`, at, at, at, uses, key)
		return err
	})
}

func (w *world) target(key string) Target { return Target{ProjectID: w.id, Key: key, Agent: "Ann"} }

func (w *world) look(key string) Memory {
	w.Helper()
	m, err := w.s.Look(w.Context(), w.target(key), true)
	if err != nil {
		w.Fatal(err)
	}
	return m
}
