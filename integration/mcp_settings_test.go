package integration

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// TestServerHeedsItsFiles: a running server applies changes of its configuration once they are trusted. An invalid configuration
// refuses changes with one sentence, but no reads.
func TestServerHeedsItsFiles(t *testing.T) {
	t.Parallel()
	f, err := startTracker("asana")
	must(t, err)
	t.Cleanup(f.end)
	h := newHome(t)
	for name, value := range f.env {
		if !strings.Contains(name, "CATEGORY_OF") && !strings.Contains(name, "STATE_FOR") {
			h.env = append(h.env, name+"="+value)
		}
	}
	h.ok("pmsync", "pull")
	var all struct {
		Tickets []struct{ ID, Status string }
	}
	must(t, json.Unmarshal([]byte(h.ok("pmsync", "ticket", "list", "--json")), &all))
	if len(all.Tickets) == 0 || all.Tickets[0].Status != "To do" {
		t.Fatalf("the tickets are %v", all)
	}
	id := all.Tickets[0].ID
	c := mcpclient.Command(t, h.command(t.Context(), "pmsync", "serve"))
	means := func(want string) {
		t.Helper()
		var ticket struct {
			Category string `json:"status_category"`
		}
		c.MustCall(t, "get_ticket", args{"identifier": id}, &ticket)
		if ticket.Category != want {
			t.Errorf("To do means %q, want %q", ticket.Category, want)
		}
	}
	settings := filepath.Join(h.repo, ".agit.toml")
	write := func(text string) { must(t, os.WriteFile(settings, []byte(text), 0o644)) }
	means("todo")
	write("[provider]\ncategory_of = [\"To do=in_progress\"]\n")
	means("todo")
	h.ok("agit", "config", "trust", "--yes")
	means("in_progress")
	write("[provider\n")
	means("in_progress")
	if fault := c.MustFail(t, "update_ticket_status", args{"identifier": id, "status": "done"}); !strings.Contains(fault.Error(), ".agit.toml") {
		t.Errorf("it fails with %v", fault)
	}
	write("[provider]\ncategory_of = [\"To do=canceled\"]\n")
	h.ok("agit", "config", "trust", "--yes")
	means("canceled")
}
