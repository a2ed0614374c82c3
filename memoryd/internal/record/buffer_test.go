package record_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/agent/score"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// alarm is a timer that the test fires.
type alarm struct {
	mu  sync.Mutex
	set []chan time.Time
	d   time.Duration
}

func (a *alarm) timer(d time.Duration) (<-chan time.Time, func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	due := make(chan time.Time, 1)
	a.set, a.d = append(a.set, due), d
	return due, func() {}
}

// ring fires the newest timer; false when none was ever set.
func (a *alarm) ring() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.set) == 0 {
		return false
	}
	select {
	case a.set[len(a.set)-1] <- time.Time{}:
	default:
	}
	return true
}

// writer is the common part of a Store and a Buffer.
type writer interface {
	Grade(context.Context, record.Grading) (record.Graded, error)
	Retrospect(context.Context, record.Retrospective) (record.Retrospected, error)
	Log(context.Context, record.Activity) (record.Logged, error)
	Bug(context.Context, record.Bug) (record.Reported, error)
	Status(ctx context.Context, nameOrID string) (record.Status, error)
}

func (w *world) buffer() (*record.Buffer, *alarm) {
	clock := &alarm{}
	b := record.NewBuffer(w.store, record.BufferOptions{After: 5 * time.Second, Timer: clock.timer})
	w.Cleanup(func() { _ = b.Close(context.Background()) })
	return b, clock
}

// eventually waits for a condition that other goroutines bring about.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	late := time.After(3 * time.Minute)
	for !done() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%s: nothing came", what)
		}
	}
}

func TestBufferIsReadThrough(t *testing.T) {
	w := newWorld(t)
	b, _ := w.buffer()
	w.grade(w.store, "ann", "a1", 1, 1) // something to start from
	out := w.grade(b, "ann", "b2", 5, 5)
	if out.ScoreBefore != 2 || out.ScoreAfter != 12 || out.Status.XP.String() != "2.0" {
		t.Errorf("%+v", out)
	}
	if _, err := b.Log(t.Context(), record.Activity{By: w.by("ann"), Task: "x"}); err != nil {
		t.Fatal(err)
	}
	w.stands(w.store, "ann", 1, "1.0", 2, 1, 0, false)
	if st := w.stands(b, "ann", 1, "2.0", 12, 2, 0, false); st.Buffered != 2 {
		t.Errorf("%d writes are buffered", st.Buffered)
	}
	if _, err := b.Grade(t.Context(), record.Grading{By: w.by("ann"), Commit: "b2", AgentGrade: 1, UserGrade: 1}); !fault.Is(err, fault.KindConflict) {
		t.Errorf("a second grade, the first pending: %v", err)
	}
	if _, err := b.Grade(t.Context(), record.Grading{By: w.by("ann"), Commit: "a1", AgentGrade: 1, UserGrade: 1}); !fault.Is(err, fault.KindConflict) {
		t.Errorf("a second grade, the first stored: %v", err)
	}
	if err := b.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.stands(w.store, "ann", 1, "2.0", 12, 2, 0, false)
	if st := w.stands(b, "ann", 1, "2.0", 12, 2, 0, false); st.Buffered != 0 {
		t.Errorf("%d writes are buffered", st.Buffered)
	}
}

func TestBufferFlushesWhenDue(t *testing.T) {
	w := newWorld(t)
	b, clock := w.buffer()
	w.grade(b, "ann", "a1", 1, 1)
	if n := w.count(`SELECT COUNT(*) FROM grades`); n != 0 {
		t.Fatalf("stored at once")
	}
	if clock.d != 5*time.Second {
		t.Errorf("due after %s", clock.d)
	}
	clock.ring()
	eventually(t, "the flush when due", func() bool { return w.count(`SELECT COUNT(*) FROM grades`) == 1 })
	w.grade(b, "ann", "a2", 1, 1) // arms again
	eventually(t, "the second flush", func() bool { clock.ring(); return w.count(`SELECT COUNT(*) FROM grades`) == 2 })
}

// A push announced by any process stores the pending writes.
func TestBufferFlushesOnPush(t *testing.T) {
	w := newWorld(t)
	b, _ := w.buffer()
	w.grade(b, "ann", "a1", 1, 1)
	eventually(t, "the flush on a push", func() bool {
		if err := w.store.Pushed(t.Context(), w.place); err != nil {
			t.Fatal(err)
		}
		return w.count(`SELECT COUNT(*) FROM grades`) == 1
	})
}

// A bug is stored at once, after all earlier writes.
func TestBugsAreNotBuffered(t *testing.T) {
	w := newWorld(t)
	b, _ := w.buffer()
	w.grade(b, "ann", "a1", 1, 1)
	r, err := b.Bug(t.Context(), record.Bug{By: w.by("ann")})
	if err != nil || !r.Halts || r.XP.String() != "1.0" {
		t.Errorf("%+v, %v", r, err)
	}
	w.stands(w.store, "ann", 0, "1.0", 2, 1, 1, true)
}

func TestBufferClosed(t *testing.T) {
	w := newWorld(t)
	b, _ := w.buffer()
	w.grade(b, "ann", "a1", 1, 1)
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.stands(w.store, "ann", 1, "1.0", 2, 1, 0, false)
	w.grade(b, "ann", "a2", 1, 1) // the last call of a stopping server
	w.stands(w.store, "ann", 1, "2.0", 4, 2, 0, false)
	unbuffered := record.NewBuffer(w.store, record.BufferOptions{})
	w.grade(unbuffered, "ann", "a3", 1, 1)
	w.stands(w.store, "ann", 1, "3.0", 6, 3, 0, false)
}

// While storing fails, accepted writes are not lost, and no new ones are accepted.
func TestBufferKeepsWhatItCannotStore(t *testing.T) {
	w := newWorld(t)
	b, _ := w.buffer()
	w.grade(b, "ann", "a1", 1, 1)
	w.exec(`ALTER TABLE grades RENAME TO out_of_reach`)
	if err := b.Flush(t.Context()); err == nil {
		t.Fatal("stored")
	}
	w.stands(b, "ann", 1, "1.0", 2, 1, 0, false)
	if _, err := b.Log(t.Context(), record.Activity{By: w.by("ann"), Task: "x"}); err == nil {
		t.Error("taken, though it cannot be stored")
	}
	w.exec(`ALTER TABLE out_of_reach RENAME TO grades`)
	if _, err := b.Log(t.Context(), record.Activity{By: w.by("ann"), Task: "x"}); err != nil {
		t.Error(err)
	}
	w.stands(w.store, "ann", 1, "1.0", 2, 1, 0, false)
}

// One record that the registry always refuses does not keep the others from being stored.
func TestBufferLeavesOutWhatIsRefused(t *testing.T) {
	registrytest.OnlySQLite(t, "triggers are written otherwise")
	w := newWorld(t)
	b, _ := w.buffer()
	w.exec(`CREATE TRIGGER never BEFORE INSERT ON grades WHEN NEW.oid = 'never' BEGIN SELECT RAISE(ABORT, 'never'); END`)
	w.grade(b, "ann", "a1", 1, 1)
	w.grade(b, "ann", "never", 5, 5)
	w.grade(b, "ann", "a2", 1, 1)
	if err := b.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.stands(w.store, "ann", 1, "2.0", 4, 2, 0, false)
}

// A commit that another server graded in the same seconds is left out, the rest is stored.
func TestBuffersOfTwoServers(t *testing.T) {
	w := newWorld(t)
	one, _ := w.buffer()
	two, _ := w.buffer()
	w.grade(one, "ann", "same", 1, 1)
	w.grade(two, "ann", "same", 5, 5)
	w.grade(one, "ann", "first", 1, 1)
	w.grade(two, "ann", "second", 1, 1)
	for _, b := range []*record.Buffer{one, two} {
		if err := b.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w.stands(w.store, "ann", 1, "3.0", 6, 3, 0, false)
}

func TestRetrospectivesComeTogether(t *testing.T) {
	w := newWorld(t)
	b, _ := w.buffer()
	w.grade(b, "ann", "abcd", 2, 5)
	first, err := b.Retrospect(t.Context(), record.Retrospective{By: w.by("ann"), Commit: "abcd", AgentNote: "one"})
	if err != nil || first.AgentGrade != 2 || first.UserGrade != 5 || first.ScoreBefore != 0 || first.ScoreAfter != 7 {
		t.Errorf("%+v, %v", first, err)
	}
	if _, err := b.Retrospect(t.Context(), record.Retrospective{By: w.by("ann"), Commit: "abcd", AgentNote: "two", UserNote: "fine"}); err != nil {
		t.Fatal(err)
	}
	if err := b.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	entries, err := w.told("ann")
	if err != nil || len(entries) != 1 || entries[0].AgentNote != "two" || entries[0].UserNote != "fine" || *entries[0].ScoreBefore != 0 || *entries[0].ScoreAfter != 7 {
		t.Errorf("%+v, %v", entries, err)
	}
}

// Buffered or not, any sequence of writes has the same result, read through the buffer at any time and in the registry at the end.
func TestBufferIsTheStoreLater(t *testing.T) {
	for seed := range uint64(8) {
		plain, buffered := newWorld(t), newWorld(t)
		b, _ := buffered.buffer()
		chance := rand.New(rand.NewPCG(seed, 3))
		for i := range 60 {
			name := []string{"ann", "bob"}[chance.IntN(2)]
			run := func(w *world, to writer) (err error) {
				switch chance := rand.New(rand.NewPCG(seed, uint64(i))); chance.IntN(8) {
				case 0, 1:
					_, err = w.store.Use(t.Context(), record.Use{By: w.by(name), Kind: "tool", Times: 1 + chance.Int64N(90)})
				case 2, 3, 4:
					_, err = to.Grade(t.Context(), record.Grading{By: w.by(name), Commit: fmt.Sprintf("c%d", chance.IntN(20)),
						AgentGrade: record.Grades[chance.IntN(4)], UserGrade: record.Grades[chance.IntN(4)]})
				case 5:
					_, err = to.Log(t.Context(), record.Activity{By: w.by(name), Task: "t"})
				case 6:
					_, err = to.Bug(t.Context(), record.Bug{By: w.by(name)})
				case 7:
					_, err = to.Retrospect(t.Context(), record.Retrospective{By: w.by(name), Commit: fmt.Sprintf("c%d", chance.IntN(20)), AgentNote: "n"})
				}
				return err
			}
			errPlain, errBuffered := run(plain, plain.store), run(buffered, b)
			if (errPlain == nil) != (errBuffered == nil) {
				t.Fatalf("seed %d, write %d: %v, buffered %v", seed, i, errPlain, errBuffered)
			}
			if chance.IntN(15) == 0 {
				if err := b.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			same(t, plain, name, b)
		}
		if err := b.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"grades", "commits", "retrospectives", "score_events WHERE kind <> 'level_up'"} {
			if p, q := plain.count(`SELECT COUNT(*) FROM `+table), buffered.count(`SELECT COUNT(*) FROM `+table); p != q {
				t.Errorf("seed %d: %s has %d rows, buffered %d", seed, table, p, q)
			}
		}
		same(t, plain, "ann", buffered.store)
		// The events account for every score.
		for _, w := range []*world{plain, buffered} {
			if n := w.count(`SELECT COUNT(*) FROM agent_scores s WHERE s.sp <> 1 + (SELECT SUM(d_sp) FROM score_events e WHERE e.agent_id = s.agent_id)
				OR s.xp_tenths <> (SELECT SUM(d_xp_tenths) FROM score_events e WHERE e.agent_id = s.agent_id)
				OR s.cs <> (SELECT SUM(d_cs) FROM score_events e WHERE e.agent_id = s.agent_id)`); n != 0 {
				t.Errorf("seed %d: %d scores are not the sum of their events", seed, n)
			}
			err := w.store.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
				if wrong, err := score.Recount(tx); err != nil || wrong != 0 {
					t.Errorf("seed %d: counted again, %d are others, %v", seed, wrong, err)
				}
				if _, err := tx.Exec(`UPDATE agent_scores SET sp = 9, bugs = 0, halted = 0, cs = -1, commits = 0`); err != nil {
					return err
				}
				_, err := score.Recount(tx)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			same(t, w, "ann", map[bool]writer{true: buffered.store, false: w.store}[w == plain])
		}
	}
}

// same compares an agent's status in a world with that from another writer.
func same(t *testing.T, w *world, name string, other writer) {
	t.Helper()
	want, errWant := w.store.Status(t.Context(), name)
	got, errGot := other.Status(t.Context(), name)
	if (errWant == nil) != (errGot == nil) {
		t.Fatalf("%v, %v", errWant, errGot)
	}
	if errWant == nil && (got.SP != want.SP || got.XP != want.XP || got.CS != want.CS || got.Commits != want.Commits || got.Bugs != want.Bugs || got.Halted != want.Halted) {
		t.Fatalf("%s stands at %+v, want %+v", name, got, want)
	}
}
