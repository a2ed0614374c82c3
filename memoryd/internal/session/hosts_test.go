package session

import (
	"testing"

	"github.com/agit-suite/agit/shared/registry"
)

// A host closes the sessions of its own ended servers only: it cannot see the locks of other hosts.
func TestNoHostClosesAnothersSessions(t *testing.T) {
	w := newWorld(t)
	t.Setenv(registry.HostVariable, "a")
	serverA, endA := w.server()
	onA := w.startOn(serverA, w.at("ann"))
	endA()

	t.Setenv(registry.HostVariable, "b")
	serverB, endB := w.server()
	onB := w.startOn(serverB, w.at("bob"))
	endB()
	w.start(w.at("cy")) // it checks which servers have ended
	if got := w.context(onA.ID).Session.Status; got != Active {
		t.Errorf("the session of host a is %s after a start on host b", got)
	}
	if got := w.context(onB.ID).Session.Status; got != Interrupted {
		t.Errorf("the session of host b is %s after its server ended", got)
	}

	t.Setenv(registry.HostVariable, "a")
	w.start(w.at("dee"))
	if got := w.context(onA.ID).Session.Status; got != Interrupted {
		t.Errorf("the session of host a is %s after a start on its own host", got)
	}
}
