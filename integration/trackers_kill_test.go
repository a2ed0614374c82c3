package integration

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// TestSyncKilledAnywhere kills pulls and pushes at random points: the next process
// goes on at once, and in the end both sides have every change once.
// AGIT_SYNC_ROUNDS sets how many rounds there are for each tracker.
func TestSyncKilledAnywhere(t *testing.T) {
	t.Parallel()
	rounds := 2
	if n, err := strconv.Atoi(os.Getenv("AGIT_SYNC_ROUNDS")); err == nil {
		rounds = n
	}
	for name := range trackerWords {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killSync(t, name, rounds)
		})
	}
}

func killSync(t *testing.T, name string, rounds int) {
	const tickets = 150 // more than a page of any of them
	f, err := startTracker(name, "-tickets", strconv.Itoa(tickets))
	must(t, err)
	t.Cleanup(f.end)
	h := newHome(t)
	for name, value := range f.env {
		h.env = append(h.env, name+"="+value)
	}
	h.env = append(h.env, "AGIT_CFG_SYNC_AUTO_PUSH_ON_STATUS_CHANGE=false", "AGIT_CFG_SYNC_PULL_ITEM_TYPES=ticket",
		"AGIT_CFG_SYNC_MAX_QUEUED_CHANGES=1000") // what pushes that were killed leave may be much
	chance := rand.New(rand.NewPCG(uint64(len(name)), 3))

	// The first pull, in pieces.
	for range rounds {
		h.killed("pmsync", time.Duration(1+chance.IntN(150))*time.Millisecond, "pull")
	}
	start := time.Now()
	h.ok("pmsync", "pull")
	took := time.Since(start)
	local := h.tickets()
	if len(local) != tickets {
		t.Fatalf("%d tickets are here, not %d", len(local), tickets)
	}
	byTitle := map[string]string{}
	for _, l := range local {
		byTitle[l.Title] = l.ID
	}

	comments := map[string]int{}
	made := 0
	for round := range rounds {
		for n := range 5 {
			title := fmt.Sprintf("Page %d of the handbook", round*5+n+1)
			h.ok("pmsync", "ticket", "status", byTitle[title], "in_progress", "--comment", fmt.Sprintf("word %d", round), "-q")
			comments[title]++
		}
		if name != "jira" { // which shows late what was made, so that a lost answer is looked for two minutes later
			h.ok("pmsync", "ticket", "create", fmt.Sprintf("Made %d", round), "--remote", "-q")
			made++
		}
		for _, verb := range []string{"push", "pull", "push"} {
			args := []string{verb}
			if verb == "push" {
				args = append(args, "--force")
			}
			h.killed("pmsync", time.Duration(chance.Int64N(int64(2*took)+1)), args...)
		}
	}
	h.ok("pmsync", "pull")
	h.ok("pmsync", "push", "--force")
	h.ok("pmsync", "pull", "--full")

	var status struct {
		Pending   int `json:"pending_changes"`
		Conflicts int
	}
	must(t, json.Unmarshal([]byte(h.ok("pmsync", "status", "--json")), &status))
	if status.Pending != 0 || status.Conflicts != 0 {
		t.Errorf("what waits after all: %+v", status)
	}
	remote, _, err := f.items()
	must(t, err)
	if local = h.tickets(); len(remote) != tickets+made || len(local) != len(remote) {
		t.Errorf("%d tickets here, %d there, want %d", len(local), len(remote), tickets+made)
	}
	for _, r := range remote {
		if want := comments[r.Title]; len(r.Comments) != want {
			t.Errorf("%q has %d comments, not %d", r.Title, len(r.Comments), want)
		} else if want > 0 && r.Status != trackerWords[name]["DOING"] {
			t.Errorf("%q is %s", r.Title, r.Status)
		}
		at := slices.IndexFunc(local, func(l localTicket) bool { return l.RemoteID == r.ID })
		if at < 0 || local[at].Status != r.Status || local[at].Title != r.Title {
			t.Errorf("%q is not the same here", r.Title)
		}
	}
	h.sound()
}

type localTicket struct {
	ID, Title, Status string
	RemoteID          string `json:"provider_id"`
}

func (h *home) tickets() []localTicket {
	h.t.Helper()
	var page struct{ Tickets []localTicket }
	must(h.t, json.Unmarshal([]byte(h.ok("pmsync", "ticket", "list", "--all", "--limit", "1000", "--json")), &page))
	return page.Tickets
}
