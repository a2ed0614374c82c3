//go:build unix

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// A registry moves to a server, agents work there from begin to finish, no password is stored, and the registry moves back complete.
func TestWorkOnAServer(t *testing.T) {
	registrytest.OnlySQLite(t, "the registry begins in a file")
	t.Parallel()
	c := registrytest.NewCluster(t)
	h := newHome(t)
	h.ok("agit", "add", ".")
	h.ok("agit", "tasks", "--create", "one", "--agent", "ann")
	h.ok("memoryd", "remember", "--agent", "ann", "pears keep longer in the cold")
	if out, err := h.command(t.Context(), "agit", "db", "move", "postgres://test:secret@db.example.com/team").CombinedOutput(); err == nil || strings.Contains(string(out), "secret") {
		t.Errorf("a password is taken: %s", out)
	}
	h.ok("agit", "db", "move", c.URL("postgres"))

	var status struct {
		Engine string
		Hosts  []struct{ Host string }
	}
	h.json(&status, "db", "status")
	if status.Engine != "postgresql" || len(status.Hosts) != 1 {
		t.Errorf("%+v", status)
	}
	var b struct{ Worktree struct{ Path string } }
	h.json(&b, "begin", "--agent", "ann")
	must(t, os.WriteFile(filepath.Join(b.Worktree.Path, "new.txt"), []byte("work"), 0o644))
	h.ok("agit", "finish", "--agent", "ann", "--commit", "--summary", "done")
	if out := h.ok("memoryd", "recall", "--agent", "ann", "pears in the cold"); !strings.Contains(out, "pears keep longer") {
		t.Errorf("recalled %q", out)
	}
	before := h.ok("agit", "tasks")

	h.ok("agit", "db", "move", filepath.Join(h.dir, "home", ".agit", "agit.db"))
	if h.json(&status, "db", "status"); status.Engine != "sqlite" {
		t.Errorf("%+v", status)
	}
	if after := h.ok("agit", "tasks"); after != before {
		t.Errorf("%q came back as %q", before, after)
	}
}

// A day of agents takes a bounded number of round trips to a server, and finishes in acceptable time when each of them is slow.
func TestRoundTripsToAServer(t *testing.T) {
	t.Parallel()
	p := registrytest.NewProxy(t, registrytest.NewCluster(t))
	h := newHome(t)
	h.env = append(h.env, "AGIT_DB="+p.URL("postgres"))
	run := func(args ...string) { h.ok(args[0], args[1:]...) }
	aDay(t, h, run)
	for _, c := range ofADay {
		c.prepare(t, h)
		p.Take()
		run(c.command...)
		trips := p.Take()
		t.Logf("%s: %d", strings.Join(c.command, " "), len(trips))
		if len(trips) > c.trips || len(trips) < 2 {
			t.Errorf("%s took %d round trips, not 2 to %d:\n%s", strings.Join(c.command, " "), len(trips), c.trips, told(trips))
		}
	}
}

// told lists round trips.
func told(trips []registrytest.Trip) string {
	var list strings.Builder
	for i, trip := range trips {
		fmt.Fprintf(&list, "%d (connection %d)\n", i+1, trip.Connection)
		for _, statement := range trip.Statements {
			fmt.Fprintf(&list, "\t%.300s\n", statement)
		}
	}
	return list.String()
}
