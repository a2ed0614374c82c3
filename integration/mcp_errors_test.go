package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// inputSchema holds the used fields of an advertised schema.
type inputSchema struct {
	Properties map[string]struct {
		Type  string
		Enum  []any
		Items struct{ Type string }
	}
	Required []string
}

func schemaOf(t testing.TB, tool *mcp.Tool) (s inputSchema) {
	t.Helper()
	raw, err := json.Marshal(tool.InputSchema)
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// valid returns valid input for every parameter; with only, for the required ones.
func (s inputSchema) valid(requiredOnly bool) args {
	in := args{}
	for name, p := range s.Properties {
		switch {
		case requiredOnly && !slices.Contains(s.Required, name):
		case p.Enum != nil:
			in[name] = p.Enum[0]
		case name == "priority": // a word or a number
			in[name] = "high"
		case name == "timestamp":
			in[name] = "2026-01-02T15:04:05Z"
		case p.Type == "integer" || p.Type == "number":
			in[name] = 1
		case p.Type == "object":
			in[name] = args{}
		case p.Type == "array" && p.Items.Type != "string":
			in[name] = []args{}
		case p.Type == "boolean":
			in[name] = true
		case p.Type == "array":
			in[name] = []string{"x"}
		default:
			in[name] = "x"
		}
	}
	return in
}

// refuseMalformed calls every tool of a server with input that violates its schema in every possible way.
func refuseMalformed(t *testing.T, c *mcpclient.Client) {
	t.Helper()
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	refuse := func(tool string, in args, parameter string) {
		t.Helper()
		tried++
		f := c.MustFail(t, tool, in)
		if f.Kind != "ValidationError" || f.Field != parameter && !strings.HasPrefix(parameter, f.Field+"[") || f.Field == "" || strings.Contains(f.Message, "Go ") || len(f.Message) > 1000 {
			t.Errorf("%s without %q as it should be: %+v", tool, parameter, f)
		}
	}
	with := func(s inputSchema, name string, value any) args {
		in := s.valid(false)
		in[name] = value
		return in
	}
	for _, tool := range list.Tools {
		s := schemaOf(t, tool)
		if len(s.Properties) > 0 { // clients add an invented argument for tools without any
			refuse(tool.Name, with(s, "no_such_parameter", 1), "no_such_parameter")
		}
		for _, name := range s.Required {
			in := s.valid(true)
			delete(in, name)
			refuse(tool.Name, in, name)
			refuse(tool.Name, with(s, name, nil), name)
		}
		for name, p := range s.Properties {
			wrong := map[string]any{"string": 7, "integer": "seven", "number": "seven", "boolean": "yes", "array": "x", "object": "x"}[p.Type]
			if wrong != nil {
				refuse(tool.Name, with(s, name, wrong), name)
			}
			if p.Type != "object" {
				refuse(tool.Name, with(s, name, args{"a": 1}), name)
			}
			switch {
			case p.Enum != nil:
				refuse(tool.Name, with(s, name, "no such value"), name)
			case p.Type == "string":
				refuse(tool.Name, with(s, name, "a\x00b"), name)
				refuse(tool.Name, with(s, name, strings.Repeat("x", 100_001)), name)
			case p.Type == "array" && p.Items.Type == "string":
				refuse(tool.Name, with(s, name, []any{1}), name+"[0]")
			}
		}
	}
	t.Logf("%d malformed calls", tried)
}

// Invalid input of any tool is a ValidationError that names the parameter, and nothing is stored.
func TestMCPMalformedInput(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, w *world, c *mcpclient.Client) {
		before := w.dump(t)
		refuseMalformed(t, c)
		for _, tc := range []struct {
			tool  string
			in    args
			field string
		}{
			{"agit_repo_status", args{"repo": ""}, "repo"},
			{"agit_repo_status", args{"repo": strings.Repeat("x", 10_000)}, "repo"},
			{"agit_list_tasks", args{"repo": "app", "limit": 0}, "limit"},
			{"agit_list_tasks", args{"repo": "app", "limit": 201}, "limit"},
			{"agit_list_tasks", args{"repo": "app", "limit": 1.5}, "limit"},
			{"agit_list_tasks", args{"repo": "app", "after": "nonsense"}, "after"},
			{"agit_list_worktrees", args{"after": "nonsense"}, "after"},
			{"agit_check_conflicts", args{"repo": "app", "after": "nonsense"}, "after"},
			{"agit_create_task", args{"repo": "app", "description": " \n "}, "description"},
			{"agit_create_task", args{"repo": "app", "description": strings.Repeat("x", 70_000)}, "description"},
			{"agit_create_task", args{"repo": "app", "description": "x", "id": "two\nlines"}, "id"},
			{"agit_register_agent", args{"name": "two\nlines", "type": "x"}, "name"},
			{"agit_register_agent", args{"name": " padded", "type": "x"}, "name"},
			{"agit_register_agent", args{"name": "x", "type": "\x1b[31m"}, "type"},
			{"agit_register_agent", args{"name": "x", "type": "x", "capabilities": []string{"\t"}}, "capabilities"},
			{"agit_spawn_worktree", args{"repo": "app", "branch": "two..dots"}, "branch"},
			{"agit_spawn_worktree", args{"repo": "app", "branch": "--force"}, "branch"},
			{"agit_spawn_worktree", args{"repo": "app", "agent": "two\nlines"}, "agent"},
			{"agit_spawn_worktree", args{"repo": "app", "task": strings.Repeat("x", 70_000)}, "task"},
			{"agit_claim_task", args{"task_id": "x", "agent_id": "two\nlines"}, "agent_id"},
		} {
			if f := c.MustFail(t, tc.tool, tc.in); f.Kind != "ValidationError" || f.Field != tc.field || len(f.Message) > 1000 {
				t.Errorf("%s with a bad %q: %+.500v", tc.tool, tc.field, f)
			}
		}
		if after := w.dump(t); after != before {
			t.Errorf("something was stored:\n%s\nbefore:\n%s", after, before)
		}
		c.MustCall(t, "agit_list_repos", args{}, nil) // and the server goes on
	})
}

// dump returns everything that a user can see of the registry.
func (w *world) dump(t testing.TB) string {
	t.Helper()
	return string(w.agit(t, "status", "--no-scan", "--json")) + string(w.agit(t, "tasks", "app", "--json")) + string(w.agit(t, "agents", "--json"))
}

func TestMCPErrorKinds(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, w *world, c *mcpclient.Client) {
		var task taskDoc
		c.MustCall(t, "agit_create_task", args{"repo": "app", "description": "held", "id": "held"}, &task)
		c.MustCall(t, "agit_create_task", args{"repo": "app", "description": "done", "id": "done"}, nil)
		c.MustCall(t, "agit_claim_task", args{"task_id": "held", "agent_id": "ann"}, &task)
		c.MustCall(t, "agit_complete_task", args{"task_id": "done", "agent_id": "ann"}, nil)
		var dirty worktreeDoc
		c.MustCall(t, "agit_spawn_worktree", args{"repo": "app", "agent": "ann", "branch": "dirty"}, &dirty)
		write(t, dirty.Path, "file.txt", "changed\n")

		for _, tc := range []struct {
			tool   string
			in     args
			kind   string
			entity string
			says   string
		}{
			{"agit_add_repo", args{"path": filepath.Join(w.home, "nowhere")}, "NotFoundError", "folder", "does not exist"},
			{"agit_add_repo", args{"path": w.home}, "NotFoundError", "repository", "not inside a git repository"},
			{"agit_repo_status", args{"repo": "ap"}, "NotFoundError", "repo", `did you mean "app"`},
			{"agit_check_conflicts", args{"repo": "nowhere"}, "NotFoundError", "repo", "agit_list_repos"},
			{"agit_check_conflicts", args{"repo": "app", "worktree_id": "none"}, "NotFoundError", "worktree", "agit_list_worktrees"},
			{"agit_list_tasks", args{"repo": "nowhere"}, "NotFoundError", "repo", "agit_list_repos"},
			{"agit_list_tasks", args{"repo": "app", "task_id": "nowhere"}, "NotFoundError", "task", "agit_list_tasks"},
			{"agit_list_worktrees", args{"repo": "nowhere"}, "NotFoundError", "repo", "agit_list_repos"},
			{"agit_create_task", args{"repo": "nowhere", "description": "x"}, "NotFoundError", "repo", "agit_list_repos"},
			{"agit_create_task", args{"repo": "app", "description": "x", "id": "HELD"}, "ConflictError", "item", "exists already"},
			{"agit_claim_task", args{"task_id": "nowhere"}, "NotFoundError", "task", "agit_list_tasks"},
			{"agit_claim_task", args{"task_id": "held", "agent_id": "bob"}, "ConflictError", "task", `already claimed by "ann"`},
			{"agit_claim_task", args{"task_id": "held", "agent_id": "a-0123456789"}, "NotFoundError", "agent", "does not exist"},
			{"agit_claim_task", args{"task_id": "done"}, "ConflictError", "task", "already completed"},
			{"agit_complete_task", args{"task_id": "none"}, "NotFoundError", "task", "does not exist"},
			{"agit_complete_task", args{"task_id": "held", "claim_token": task.ClaimToken + 1}, "ConflictError", "task", "no longer good"},
			{"agit_complete_task", args{"task_id": "done", "result": "again"}, "ConflictError", "task", "already completed"},
			{"agit_fail_task", args{"task_id": "none"}, "NotFoundError", "task", "does not exist"},
			{"agit_fail_task", args{"task_id": "done", "result": "no"}, "ConflictError", "task", "already completed"},
			{"agit_heartbeat", args{"agent_id": "nobody"}, "NotFoundError", "agent", "agit://agents"},
			{"agit_spawn_worktree", args{"repo": "nowhere"}, "NotFoundError", "repo", "agit_list_repos"},
			{"agit_spawn_worktree", args{"repo": "app", "branch": "main"}, "ConflictError", "branch", "exists already"},
			{"agit_spawn_worktree", args{"repo": "app", "task": "held", "agent": "bob"}, "ConflictError", "task", "already claimed"},
			{"agit_spawn_worktree", args{"repo": "app", "task": "done", "agent": "bob"}, "ConflictError", "task", "already completed"},
			{"agit_merge_worktree", args{"repo": "nowhere", "worktree_id": "x"}, "NotFoundError", "repo", "agit_list_repos"},
			{"agit_merge_worktree", args{"repo": "app", "worktree_id": "none"}, "NotFoundError", "worktree", "agit_list_worktrees"},
			{"agit_merge_worktree", args{"repo": "app", "worktree_id": dirty.ID}, "ConflictError", "worktree", "not committed"},
			{"agit_remove_worktree", args{"repo": "nowhere", "worktree_id": "x"}, "NotFoundError", "repo", "agit_list_repos"},
			{"agit_remove_worktree", args{"repo": "app", "worktree_id": "none"}, "NotFoundError", "worktree", "agit_list_worktrees"},
			{"agit_remove_worktree", args{"repo": "app", "worktree_id": dirty.ID}, "ConflictError", "worktree", "not committed"},
			{"agit_register_agent", args{"name": "a-0123456789", "type": "x"}, "ValidationError", "", "form of an agent id"},
		} {
			f := c.MustFail(t, tc.tool, tc.in)
			if f.Kind != tc.kind || f.EntityType != tc.entity || !strings.Contains(f.Message, tc.says) || strings.Contains(f.Message, "goroutine") {
				t.Errorf("%s%v: %+v, want %s of a %q that says %q", tc.tool, tc.in, f, tc.kind, tc.entity, tc.says)
			}
		}

		// A merge that is refused names the file and changes nothing.
		write(t, dirty.Path, "file.txt", "ours\n")
		w.git(t, dirty.Path, "commit", "-qam", "ours")
		write(t, w.repo, "file.txt", "theirs\n")
		w.git(t, w.repo, "commit", "-qam", "theirs")
		before := w.git(t, w.repo, "rev-parse", "main")
		f := c.MustFail(t, "agit_merge_worktree", args{"repo": "app", "worktree_id": dirty.ID})
		if f.Kind != "ConflictError" || !strings.Contains(f.Message, "file.txt") || w.git(t, w.repo, "rev-parse", "main") != before {
			t.Errorf("a merge in conflict: %+v", f)
		}

		// The repository's folder is gone.
		if err := os.Rename(w.repo, w.repo+"-moved"); err != nil {
			t.Fatal(err)
		}
		for _, tool := range []string{"agit_spawn_worktree", "agit_check_conflicts"} {
			if f := c.MustFail(t, tool, args{"repo": "app"}); f.Kind != "OperationError" && f.Kind != "NotFoundError" || !strings.Contains(f.Message, "app") {
				t.Errorf("%s in a folder that is gone: %+v", tool, f)
			}
		}
		c.MustCall(t, "agit_repo_status", args{"repo": "app"}, nil)
	})
}

// At its size limit the registry refuses writes, with a DatabaseError, and
// answers reads.
func TestMCPDatabaseError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "AGIT_CFG_MAX_DATABASE_SIZE=1MB")
	c := w.connect(t, "stdio")
	text := strings.Repeat("x", 60_000)
	var f *mcpclient.Fault
	for i := 0; f == nil; i++ {
		err := c.CallJSON(t.Context(), "agit_create_task", args{"repo": "app", "description": fmt.Sprint(i, text)}, nil)
		if err != nil {
			f = c.MustFail(t, "agit_create_task", args{"repo": "app", "description": text})
		}
		if i > 100 {
			t.Fatal("the registry grows without end")
		}
	}
	if f.Kind != "DatabaseError" || !strings.Contains(f.Message, "max_database_size") {
		t.Errorf("got %+v", f)
	}
	var tasks struct{ Tasks []taskDoc }
	if c.MustCall(t, "agit_list_tasks", args{"repo": "app"}, &tasks); len(tasks.Tasks) == 0 {
		t.Error("what was stored is gone")
	}
}
