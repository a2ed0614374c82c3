package integration

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// at is the value at a path of a JSON document, as text: "plans.0.id".
func at(document any, path string) string {
	for _, step := range strings.Split(path, ".") {
		switch v := document.(type) {
		case map[string]any:
			document = v[step]
		case []any:
			if step == "length" {
				return strconv.Itoa(len(v))
			}
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				return "nothing at " + path
			}
			document = v[i]
		}
	}
	if text, ok := document.(string); ok {
		return text
	}
	encoded, err := json.Marshal(document)
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}

// pmServer is a client of pmsync's server in the folder of a project.
func (w *world) pmServer(t *testing.T, dir, transport string, arguments ...string) *mcpclient.Client {
	t.Helper()
	cmd := exec.Command(filepath.Join(binaries, "pmsync"), append([]string{"serve", "--transport", transport}, arguments...)...)
	cmd.Env, cmd.Dir = w.env, dir
	if transport == "stdio" {
		return mcpclient.Command(t, cmd)
	}
	cmd.Args = append(cmd.Args, "--port", "0")
	server := mcpclient.Start(t, cmd)
	if transport == "sse" {
		return mcpclient.SSE(t, server.URL)
	}
	return mcpclient.HTTP(t, server.URL)
}

// pm runs pmsync in the folder of a project.
func (w *world) pm(t *testing.T, dir string, arguments ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(binaries, "pmsync"), arguments...)
	cmd.Env, cmd.Dir = w.env, dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pmsync %q: %v\n%s", arguments, err, out)
	}
}

const ticketText = "## Acceptance criteria\n- A link is valid once\n- A link expires"

// Every tool of pmsync, by name and parameters as they are specified, over each
// transport, with commands beside the server.
func TestPmsyncMCP(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"stdio", "http", "sse"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			dir := filepath.Join(w.home, "pm")
			w.makeRepo(t, dir)
			write(t, dir, "README.md", "# Title\n")
			w.pm(t, dir, "ticket", "create", "Log in with a link", "--key", "SEM-1", "--priority", "high", "--sprint", "Sprint 4", "--estimate", "3", "--description", ticketText)
			w.pm(t, dir, "ticket", "create", "Log out", "--key", "SEM-2", "--sprint", "Sprint 4", "--estimate", "2")
			c := w.pmServer(t, dir, transport)
			saved := map[string]string{}
			call := func(tool string, in args, checks ...string) {
				t.Helper()
				for key, value := range in {
					if name, isName := value.(string); isName && strings.HasPrefix(name, "$") {
						in[key] = saved[name[1:]]
					}
				}
				var out any
				c.MustCall(t, tool, in, &out)
				for _, check := range checks {
					path, want, _ := strings.Cut(check, "=")
					if name, save := strings.CutPrefix(want, ">"); save {
						saved[name] = at(out, path)
					} else if got := at(out, path); got != want {
						t.Errorf("%s: %s is %s, want %s", tool, path, got, want)
					}
				}
			}
			fails := func(tool string, in args, kind, field string) {
				t.Helper()
				if f := c.MustFail(t, tool, in); f.Kind != kind || f.Field != field {
					t.Errorf("%s %v: %s in %q, want %s in %q: %s", tool, in, f.Kind, f.Field, kind, field, f.Message)
				}
			}

			call("get_ready_work", args{"project_path": dir}, "items.length=2", "items.0.id=SEM-1", "items.0.kind=ticket", "items.0.priority=3")
			call("get_ticket", args{"identifier": "sem-1"}, "id=SEM-1", "status=todo", "acceptance_criteria.length=2", "ac_completion=0", "plans=null", "history=null")
			call("plan_create", args{"title": "Write it", "external_item_id": "SEM-1", "tags": []string{"db"}, "agent": "ann"},
				"status=pending", "priority=2", "external_item_id=SEM-1", "booked_on.agent=ann", "id=>P")
			call("plan_create", args{"title": "Switch over", "blocked_by": []string{saved["P"]}, "blocks": []string{"SEM-2"}, "priority": 4}, "blocked_by.0="+saved["P"], "id=>Q")
			call("plan_update", args{"plan_id": "$P", "status": "in_progress"}, "status=in_progress")
			fails("plan_update", args{"plan_id": saved["P"], "status": "pending"}, "ConflictError", "")
			fails("plan_update", args{"plan_id": "p-nothing", "title": "x"}, "NotFoundError", "plan_id")
			call("plan_list", args{"external_item_id": "SEM-1"}, "plans.length=1", "plans.0.id="+saved["P"])
			call("plan_list", args{"tags": []string{"nothing"}}, "plans.length=0")

			call("dependency_add", args{"source_id": "SEM-1", "target_id": "SEM-2", "relation": "blocks", "source_type": "external"}, "outcome=created", "target_type=ticket")
			call("dependency_add", args{"source_id": "SEM-1", "target_id": "SEM-2", "relation": "blocks"}, "outcome=unchanged")
			fails("dependency_add", args{"source_id": "SEM-2", "target_id": "SEM-1", "relation": "blocks"}, "ConflictError", "")
			fails("dependency_add", args{"source_id": "SEM-1", "target_id": "SEM-9", "relation": "blocks"}, "NotFoundError", "target_id")
			fails("dependency_add", args{"source_id": "SEM-1", "target_id": "SEM-2", "relation": "eats"}, "ValidationError", "relation")
			fails("dependency_add", args{"source_id": "SEM-1", "target_id": "SEM-2", "relation": "blocks", "source_type": "thing"}, "ValidationError", "source_type")
			call("get_blockers", args{"item_id": "SEM-2"}, "blockers.length=2", "blockers.0.resolved=false")
			call("get_blockers", args{"item_id": "SEM-2", "recursive": true}, "blockers.length=3", "blockers.2.depth=2")
			call("get_dependents", args{"item_id": "$P", "recursive": true, "item_type": "local"}, "dependents.length=2")
			call("get_dependency_graph", args{"root_id": "SEM-2", "max_depth": 1}, "nodes.length=3", "cycles.length=0")
			call("get_dependency_graph", args{}, "edges.length=3", "orphans.length=0")
			call("get_ready_work", args{"explain": true}, "items.length=1", "items.0.id=SEM-1", "not_ready.length=3")
			call("get_ready_work", args{"include_external": false}, "items.length=0", "open=2")
			fails("get_ready_work", args{"include_external": false, "include_local": false}, "ValidationError", "include_local")
			call("sync_pull", args{}, "status=success", "started_at=null")

			call("ac_parse", args{"external_item_id": "SEM-1"}, "criteria.length=2", "criteria.0.id=>C")
			call("ac_parse", args{"external_item_id": "SEM-1", "force_reparse": true}, "reparsed.kept=2", "reparsed.unchanged=true")
			call("ac_add", args{"external_item_id": "SEM-1", "criterion_text": "It says why", "index": 0}, "criterion_index=0", "source_type=manual", "id=>A")
			call("ac_verify", args{"criterion_id": "$C", "status": "verified", "evidence": map[string]any{"tests": []string{"TestOnce"}, "files": "README.md", "notes": "twice"}, "check": true, "project_path": dir},
				"status=verified", "evidence.tests.0=TestOnce", "evidence.files.0=README.md", "attempts=null")
			fails("ac_verify", args{"criterion_id": saved["C"], "status": "verified", "evidence": map[string]any{"films": "x"}}, "ValidationError", "evidence")
			fails("ac_verify", args{"criterion_id": saved["C"], "status": "pending"}, "ValidationError", "status")
			call("ac_verify", args{"criterion_id": "SEM-1#3", "status": "failed", "notes": "an hour later"}, "status=failed", "attempts=1", "failed_reason=an hour later")
			call("ac_update", args{"criterion_id": "$A", "status": "blocked"}, "status=blocked")
			call("ac_status", args{"external_item_id": "SEM-1"}, "total=3", "verified=1", "failed=1", "blocked=1", "completion_percentage=33.3", "blockers.length=2")
			call("ac_check_all", args{"external_item_id": "SEM-1"}, "all_verified=false", "ready_to_close=false", "failed.length=1", "blocked.length=1", "pending.length=0")

			call("sprint_status", args{}, "sprint.name=Sprint 4", "sprint.status=active", "summary.todo=2", "velocity.remaining_points=5", "tickets.0.id=SEM-1", "tickets.0.ac_completion=33.3", "tickets.1.blocker_count=2")
			fails("sprint_status", args{"sprint": "Sprint 9"}, "NotFoundError", "")
			call("sprint_suggest", args{"limit": 1}, "tickets.length=1", "tickets.0.id=SEM-1", "tickets.0.unblocks=1", "tickets.0.criteria_left=2")
			call("update_ticket_status", args{"identifier": "SEM-1", "status": "in_progress", "add_comment": "begun"}, "outcome=updated", "status=in_progress")
			fails("update_ticket_status", args{"identifier": "SEM-1", "status": "nonsense"}, "ValidationError", "status")
			fails("update_ticket_status", args{"identifier": "SEM-9", "status": "done"}, "NotFoundError", "identifier")
			call("sprint_status", args{"include_blockers": false, "include_ac_status": false}, "summary.in_progress=1", "tickets.0.ac_completion=null", "tickets.0.blocker_count=null")

			call("dependency_remove", args{"source_id": "SEM-1", "target_id": "SEM-2", "relation": "related_to"}, "removed=0")
			call("dependency_remove", args{"source_id": "SEM-1", "target_id": "SEM-2"}, "removed=1")
			call("plan_delete", args{"plan_id": "$Q"}, "deleted=true", "dependencies_removed=2", "unblocked.0=SEM-2")
			call("get_blockers", args{"item_id": "SEM-2", "include_resolved": true}, "blockers.length=0")

			// The resources are the tools' documents, and a change by a command is announced.
			call("plan_create", args{"title": "one more"}, "booked_on.project=>project")
			project := saved["project"]
			uri := func(what string) string { return fmt.Sprintf("pmsync://projects/%s/%s", project, what) }
			for what, check := range map[string]string{"sprint": "sprint.name=Sprint 4", "ready": "items.0.id=SEM-2", "tickets/SEM-1": "status=in_progress"} {
				var document any
				must(t, c.ReadJSON(t.Context(), uri(what), &document))
				if path, want, _ := strings.Cut(check, "="); at(document, path) != want {
					t.Errorf("%s: %s is %s, want %s", what, path, at(document, path), want)
				}
			}
			if transport == "stdio" {
				must(t, c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri("sprint")}))
				w.pm(t, dir, "ticket", "status", "SEM-2", "done")
				c.AwaitUpdate(t, uri("sprint"))
			}
		})
	}
}

// A server that only looks offers nothing that changes, and the small set is that
// of an agent's loop.
func TestPmsyncToolSets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tc := range []struct {
		arguments []string
		want      int
	}{{nil, 24}, {[]string{"--tools", "core"}, 4}, {[]string{"--read-only"}, 11}} {
		c := w.pmServer(t, w.home, "stdio", tc.arguments...)
		list, err := c.ListTools(t.Context(), nil)
		must(t, err)
		if len(list.Tools) != tc.want {
			t.Errorf("%v: %d tools, want %d", tc.arguments, len(list.Tools), tc.want)
		}
	}
}
