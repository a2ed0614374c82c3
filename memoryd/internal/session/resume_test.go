package session

import (
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/fault"
)

// A named agent resumes its own session, else one of its folder, but not that of an agent elsewhere or at work; an agent without a name
// takes the project's newest.
func TestWhoseSessionIsResumed(t *testing.T) {
	w := newWorld(t)
	elsewhere := func(agent string) Start {
		in := w.at(agent)
		in.Folder = t.TempDir()
		return in
	}
	broken := func(in Start) string {
		s, end := w.server()
		id := w.startOn(s, in).ID
		end()
		return id
	}
	resume := func(in Start) Started {
		t.Helper()
		in.ResumeLast = true
		d := w.start(in)
		w.end(d.ID)
		return d
	}
	away := elsewhere("ann")
	place := w.at("").Place
	away.Place = place
	ann := broken(away)

	bob := resume(w.at("bob"))
	if bob.Parent != "" || len(bob.Warnings) != 2 || !strings.Contains(strings.Join(bob.Warnings, " "), "memoryd session resume "+ann) {
		t.Errorf("of an agent elsewhere: %+v", bob)
	}
	must := w.at("bob")
	must.ResumeLast, must.Must = true, true
	_, err := w.Start(t.Context(), must)
	refused(t, err, fault.KindNotFound, "no session of yours")
	if f := fault.From(err); !strings.Contains(f.Hint, ann) {
		t.Errorf("the hint is %q", f.Hint)
	}
	if d := resume(away); d.Parent != ann || len(d.Warnings) != 0 {
		t.Errorf("its own: %+v", d)
	}

	cid := broken(w.at("cid"))
	at := w.start(elsewhere("cid")) // the agent is at work again
	if d := resume(w.at("bob")); d.Parent != "" {
		t.Errorf("of an agent at work: %+v", d)
	}
	w.end(at.ID)
	if d := resume(w.at("bob")); d.Parent != cid || len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "cid") {
		t.Errorf("of the same folder: %+v", d)
	}

	dan := broken(away)
	made := w.at("client-1")
	made.Made = true
	if d := resume(made); d.Parent != dan {
		t.Errorf("of a client without a name: %+v", d)
	}
}

// Only warnings about sessions left open can be turned off.
func TestWarningsThatStay(t *testing.T) {
	w := newWorld(t)
	w.cfg.Session.WarnOnUnendedSession = false
	first := w.start(w.at("ann"))
	w.silent(first.ID, 48*time.Hour)
	if d := w.start(w.at("bob")); len(d.Warnings) != 0 {
		t.Errorf("of a session left open: %q", d.Warnings)
	}
	in := w.at("cid")
	in.Folder, in.ResumeLast = t.TempDir(), true
	if d := w.start(in); len(d.Warnings) != 1 {
		t.Errorf("with nothing to resume: %q", d.Warnings)
	}
}

// A caller without an open session is told whose are open.
func TestOthersAreNamed(t *testing.T) {
	w := newWorld(t)
	w.start(w.at("ann"))
	_, err := w.OfClient(t.Context(), Who{Folder: w.repo.Dir})
	refused(t, err, fault.KindNotFound, "no session is open here")
	if f := fault.From(err); !strings.Contains(f.Hint, "ann") {
		t.Errorf("the hint is %q", f.Hint)
	}
}

// Memories in a start that are only important or recent have at least the importance that the project sets.
func TestBeginsWithWhatIsImportant(t *testing.T) {
	w := newWorld(t)
	memories := memory.Store{DB: w.DB}
	var list []memory.New
	for n := 1; n <= 5; n++ {
		list = append(list, memory.New{Type: "pattern", Key: strings.Repeat("k", n), Content: strings.Repeat("pattern ", n), Importance: n})
	}
	if _, err := memories.Remember(t.Context(), memory.Booking{Place: w.at("").Place}, list); err != nil {
		t.Fatal(err)
	}
	for _, least := range []int{2, 4} {
		w.cfg.Memory.ImportanceThreshold = least
		d := w.start(w.at("ann"))
		if c := w.context(d.ID); len(d.Memory) != 6-least || len(c.Memory) != 6-least {
			t.Errorf("from importance %d: %d at the start, %d in the context", least, len(d.Memory), len(c.Memory))
		}
	}
}

// An ended session can be named and resumed, once, and not while it is open.
func TestAChosenSessionIsResumed(t *testing.T) {
	w := newWorld(t)
	first := w.start(w.at("ann"))
	in := w.at("bob")
	in.Resume = first.ID
	_, err := w.Start(t.Context(), in)
	refused(t, err, fault.KindConflict, "is still open")
	w.end(first.ID)
	d := w.start(in)
	if d.Before == nil || d.Before.ID != first.ID || d.Parent != first.ID {
		t.Errorf("gone on from %+v, parent %q", d.Before, d.Parent)
	}
	in.Agent = "cid"
	_, err = w.Start(t.Context(), in)
	refused(t, err, fault.KindConflict, d.ID)
}

// A new session warns of one left open, even when another start closed it.
func TestAWarningOutlivesTheSweep(t *testing.T) {
	w := newWorld(t)
	left := w.start(w.at("ann"))
	w.silent(left.ID, 30*time.Hour)
	w.start(w.at("bob")) // closes it
	in := w.at("cid")
	if d := w.start(in); !strings.Contains(strings.Join(d.Warnings, " "), left.ID) {
		t.Errorf("a new session warns of %q", d.Warnings)
	}
	if d := w.start(in); len(d.Warnings) != 0 {
		t.Errorf("a session that goes on warns of %q", d.Warnings)
	}
}
