package integration

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// issues writes a CSV file of n tickets, each but the first waiting for the one
// before it, with two criteria.
func (h *home) issues(n int) string {
	h.t.Helper()
	var b strings.Builder
	b.WriteString("id,title,description,status,blocked_by,labels\n")
	for i := range n {
		blocker := ""
		if i > 0 {
			blocker = fmt.Sprintf("APP-%d", i-1)
		}
		fmt.Fprintf(&b, "APP-%d,\"Ticket, number %d\",\"Acceptance criteria:\n\n- It works for case %d\n- It says so for case %d\",todo,%s,\"a,b\"\n", i, i, i, i, blocker)
	}
	path := filepath.Join(h.dir, fmt.Sprintf("issues-%d.csv", n))
	must(h.t, os.WriteFile(path, []byte(b.String()), 0o644))
	return path
}

// counts are the tickets that there are, and the criteria of the first.
func (h *home) counts() (tickets, criteria int) {
	h.t.Helper()
	for line := range strings.Lines(h.ok("pmsync", "ticket", "export")) {
		var t struct{ ID string }
		must(h.t, json.Unmarshal([]byte(line), &t))
		tickets++
	}
	out, _, code := h.run("pmsync", "ac", "status", "APP-0", "--json")
	if code != 0 {
		return tickets, 0 // it is not there yet
	}
	var status struct{ Total int }
	must(h.t, json.Unmarshal([]byte(out), &status))
	return tickets, status.Total
}

// Several processes import the same file, plan, judge and move at once: nothing is duplicated or lost, and no one gets a lock error.
func TestPmsyncAtOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	file := h.issues(60)
	var all sync.WaitGroup
	for p := range 6 {
		all.Go(func() {
			run := func(args ...string) {
				if out, errs, code := h.run("pmsync", append(args, "--agent", fmt.Sprintf("agent-%d", p))...); code != 0 {
					t.Errorf("pmsync %s: status %d\n%s%s", strings.Join(args, " "), code, out, errs)
				}
			}
			run("ticket", "import", file)
			for i := range 5 {
				run("plan", "create", fmt.Sprintf("Step %d of %d", i, p), "--ticket", "APP-1", "--blocks", "APP-2")
				run("ac", "verify", "APP-1#1", "verified", "--test", fmt.Sprintf("Test%d", p))
				run("ticket", "update", "APP-3", "--comment", "word")
				run("dep", "add", "APP-5", "related_to", fmt.Sprintf("APP-%d", 10+p*5+i))
			}
		})
	}
	all.Wait()
	if tickets, criteria := h.counts(); tickets != 60 || criteria != 2 {
		t.Errorf("%d tickets, %d criteria of the first", tickets, criteria)
	}
	var plans struct{ Plans []struct{ ID string } }
	must(t, json.Unmarshal([]byte(h.ok("pmsync", "plan", "list", "--json")), &plans))
	if len(plans.Plans) != 30 {
		t.Errorf("%d plans", len(plans.Plans))
	}
	var blockers struct{ Blockers []struct{ ID string } }
	must(t, json.Unmarshal([]byte(h.ok("pmsync", "dep", "blockers", "APP-2", "--json")), &blockers))
	if len(blockers.Blockers) != 31 {
		t.Errorf("%d blockers", len(blockers.Blockers))
	}
	h.ok("agit", "doctor")
}

// A killed import stored all of its tickets or none, and acknowledged changes are kept.
func TestPmsyncKilled(t *testing.T) {
	t.Parallel()
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	h := newHome(t)
	chance := rand.New(rand.NewPCG(13, 7))
	h.ok("pmsync", "ticket", "create", "kept", "--key", "KEPT-0")
	known := 1
	for round := range rounds {
		file := h.issues(300 + round) // another file, so that there is something to store
		kept := fmt.Sprintf("KEPT-%d", round+1)
		h.ok("pmsync", "ticket", "create", "kept", "--key", kept)
		known++
		before, _ := h.counts()
		h.killed("pmsync", time.Duration(chance.IntN(120))*time.Millisecond, "ticket", "import", file)
		after, criteria := h.counts()
		if extra := after - known; extra != before-known && extra != 300+round {
			t.Fatalf("round %d: an import of %d that was killed left %d tickets of it, %d before", round, 300+round, extra, before-known)
		}
		if after > known && criteria != 2 {
			t.Fatalf("round %d: the first ticket has %d criteria", round, criteria)
		}
		h.ok("pmsync", "ticket", "show", kept)
	}
	h.ok("pmsync", "ticket", "import", h.issues(300+rounds))
	if tickets, _ := h.counts(); tickets != known+300+rounds {
		t.Errorf("%d tickets, want %d", tickets, known+300+rounds)
	}
	h.ok("agit", "doctor")
}
