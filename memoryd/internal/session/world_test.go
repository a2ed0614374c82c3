package session

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// world is a registry and one repository in it.
type world struct {
	*Store
	t    testing.TB
	repo *gittest.Repo
	cfg  *config.Config
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{Store: &Store{DB: registrytest.Open(t)}, t: t, repo: gittest.New(t), cfg: config.Default()}
	w.Settings = func(context.Context, string) *config.Config { return w.cfg }
	w.repo.Write("a.txt", "a\n")
	w.repo.Commit("first", "a.txt")
	return w
}

// server returns another Store on the same registry, as a server has it; end simulates the end of its process.
func (w *world) server() (s *Store, end func()) {
	w.t.Helper()
	p, err := w.DB.Announce()
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(p.Leave)
	return &Store{DB: w.DB, Settings: w.Settings, Server: p.ID}, p.Leave
}

// at is a start in the repository.
func (w *world) at(agent string) Start {
	w.t.Helper()
	place, err := project.Locate("", w.repo.Dir)
	if err != nil {
		w.t.Fatal(err)
	}
	return Start{Who: Who{Agent: agent, Folder: w.repo.Dir}, Place: place}
}

func (w *world) start(in Start) Started { w.t.Helper(); return w.startOn(w.Store, in) }

func (w *world) startOn(s *Store, in Start) Started {
	w.t.Helper()
	d, err := s.Start(w.t.Context(), in)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

func (w *world) note(session, kind, importance, content string) {
	w.t.Helper()
	if _, err := w.Note(w.t.Context(), session, NewEvent{Type: kind, Importance: importance, Content: content}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) end(session string) Ended {
	w.t.Helper()
	e, err := w.End(w.t.Context(), End{ID: session})
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

func (w *world) context(session string) Context {
	w.t.Helper()
	c, err := w.Context(w.t.Context(), ContextQuery{ID: session})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// write runs a transaction that prepares test data.
func (w *world) write(fn func(tx *registry.Tx) error) {
	w.t.Helper()
	if err := w.DB.Write(w.t.Context(), registry.Everything, fn); err != nil {
		w.t.Fatal(err)
	}
}

// silent makes a session look as if it was silent for d.
func (w *world) silent(session string, d time.Duration) {
	w.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE sessions SET last_event_at = ?, started_at = ? WHERE ref = ?`,
			registry.FormatTime(tx.Now().Add(-d)), registry.FormatTime(tx.Now().Add(-d-time.Minute)), session)
		return err
	})
}

// item creates a task in the session's project.
func (w *world) item(ref, text string) work.Item { return w.make(ref, text, work.KindTask) }

// kept creates an item of another kind there.
func (w *world) kept(ref string, kind work.Kind) work.Item { return w.make(ref, "about "+ref, kind) }

func (w *world) make(ref, text string, kind work.Kind) (item work.Item) {
	in := w.at("")
	w.write(func(tx *registry.Tx) error {
		p, err := in.Place.Ensure(tx)
		if err != nil {
			return err
		}
		item, err = work.Create(tx, work.NewItem{ProjectID: p.ID, Kind: kind, Ref: ref, Text: text, Status: "pending", Priority: work.PriorityHigh})
		return err
	})
	return item
}

// refused checks the kind of a fault.
func refused(t testing.TB, err error, kind fault.Kind, says string) {
	t.Helper()
	f := fault.From(err)
	if f == nil || f.Kind != kind || !strings.Contains(f.Error(), says) || f.Hint == "" {
		t.Errorf("got %v, want a %s that says %q and what to do", err, kind, says)
	}
}
