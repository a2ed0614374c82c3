package integration

import (
	"context"
	"strings"
	"testing"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// A client whose hook opened a session, and its servers, are one agent without a name in any of them: a criterion verified through
// pmsync counts in memoryd's session.
func TestAClientIsOneAgent(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("pmsync", "ticket", "create", "Log in with a link", "--key", "SEM-1", "--description", ticketText)
	hook := func(session string) {
		t.Helper()
		cmd := h.command(context.Background(), "memoryd", "hook", "session-start", "--client", "integration")
		cmd.Stdin = strings.NewReader(`{"session_id":"` + session + `","cwd":"` + h.repo + `","hook_event_name":"SessionStart","source":"startup"}`)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	server := func(program string) *mcpclient.Client {
		return mcpclient.Command(t, h.command(context.Background(), program, "serve"))
	}
	hook("5942d94f-0000")
	pm, memory, tasks := server("pmsync"), server("memoryd"), server("agit")
	var began struct {
		ID       string `json:"session_id"`
		BookedOn struct {
			Agent string `json:"agent"`
		} `json:"booked_on"`
	}
	memory.MustCall(t, "session_start", args{"external_item_id": "SEM-1"}, &began)
	var ticket struct {
		Criteria []struct {
			ID string `json:"id"`
		} `json:"acceptance_criteria"`
	}
	pm.MustCall(t, "get_ticket", args{"identifier": "SEM-1"}, &ticket)
	var verified struct {
		BookedOn struct {
			Agent string `json:"agent"`
		} `json:"booked_on"`
	}
	pm.MustCall(t, "ac_verify", args{"criterion_id": ticket.Criteria[0].ID, "status": "verified", "evidence": args{"tests": []string{"TestOnce"}}}, &verified)
	if verified.BookedOn.Agent != began.BookedOn.Agent || !strings.HasPrefix(began.BookedOn.Agent, "integration-") {
		t.Errorf("pmsync booked on %q, memoryd on %q", verified.BookedOn.Agent, began.BookedOn.Agent)
	}
	var made struct {
		BookedOn struct {
			Agent string `json:"agent"`
		} `json:"booked_on"`
	}
	h.ok("agit", "add", ".", "--name", "app")
	tasks.MustCall(t, "agit_create_task", args{"repo": "app", "description": "Log out"}, &made)
	if made.BookedOn.Agent != began.BookedOn.Agent {
		t.Errorf("agit booked on %q, memoryd on %q", made.BookedOn.Agent, began.BookedOn.Agent)
	}
	citations := server("citecheck")
	citations.MustCall(t, "cite_add", args{"memory": "notes", "path": "one.txt", "line": 1}, nil)
	citations.MustCall(t, "cite_confirm", args{"memory": "notes"}, &made)
	if made.BookedOn.Agent != began.BookedOn.Agent {
		t.Errorf("citecheck booked on %q, memoryd on %q", made.BookedOn.Agent, began.BookedOn.Agent)
	}
	var ended struct {
		Verified int `json:"ac_verified"`
	}
	memory.MustCall(t, "session_end", args{"session_id": began.ID}, &ended)
	if ended.Verified != 1 {
		t.Errorf("the session has %d verified criteria, not 1", ended.Verified)
	}

	// Two sessions of the client in one folder cannot be distinguished, so a server gets a name of its own.
	hook("6666aaaa-0000")
	hook("7777bbbb-0000")
	pm = server("pmsync")
	pm.MustCall(t, "ac_verify", args{"criterion_id": ticket.Criteria[1].ID, "status": "verified", "evidence": args{"tests": []string{"TestTwice"}}}, &verified)
	names := h.ok("agit", "agents", "--jq", ".agents[].name")
	if strings.Count(names, "integration-") != 4 || verified.BookedOn.Agent == began.BookedOn.Agent {
		t.Errorf("booked on %q of %q", verified.BookedOn.Agent, names)
	}
}
