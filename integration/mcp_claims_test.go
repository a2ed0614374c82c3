package integration

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// Two clients with servers of their own want the same tasks: each task goes to one of them, and the other gets that one's name.
func TestMCPDoubleClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	clients := []*mcpclient.Client{w.connect(t, "stdio"), w.connect(t, "http")}
	const n = 20
	for i := range n {
		clients[0].MustCall(t, "agit_create_task", args{"repo": "app", "description": "x", "id": fmt.Sprint("t", i)}, nil)
	}
	var won [n]atomic.Int32
	var racing sync.WaitGroup
	for i, c := range clients {
		for id := range n {
			racing.Go(func() {
				err := c.CallJSON(t.Context(), "agit_claim_task", args{"task_id": fmt.Sprint("t", id), "agent_id": fmt.Sprint("agent", i)}, nil)
				var f *mcpclient.Fault
				switch {
				case err == nil:
					won[id].Add(1)
				case !errors.As(err, &f) || f.Kind != "ConflictError" || f.EntityID != fmt.Sprint("t", id):
					t.Error(err)
				}
			})
		}
	}
	racing.Wait()
	for id := range n {
		if got := won[id].Load(); got != 1 {
			t.Errorf("task %d was claimed %d times", id, got)
		}
	}
}

// Ten clients at once, over both kinds of server and with a command line beside them: every answer is complete and the client's own,
// and nothing is lost.
func TestMCPConcurrentClients(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shared := w.listen(t, "http")
	const each = 10
	clients := make([]*mcpclient.Client, 10)
	for i := range clients {
		if i%2 == 0 {
			clients[i] = mcpclient.HTTP(t, shared.URL)
		} else {
			clients[i] = w.connect(t, "stdio")
		}
	}
	var working sync.WaitGroup
	for i, c := range clients {
		working.Go(func() {
			name := fmt.Sprint("agent", i)
			var me agentDoc
			if err := c.CallJSON(t.Context(), "agit_register_agent", args{"name": name, "type": "x"}, &me); err != nil {
				t.Error(err)
				return
			}
			var calls sync.WaitGroup
			for j := range each {
				calls.Go(func() { oneJob(t, c, name, fmt.Sprintf("%s-%d", name, j)) })
			}
			calls.Wait()
		})
	}
	working.Go(func() {
		for range 5 {
			if out, err := w.program("tasks", "app", "--create", "from the command line").CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		}
	})
	working.Wait()

	var tasks struct{ Tasks []taskDoc }
	w.read(t, &tasks, "tasks", "app", "--all")
	done := map[string]int{}
	for _, task := range tasks.Tasks {
		if task.Status == "completed" && task.Result == "result of "+task.ID {
			done[task.Agent]++
		}
	}
	if len(tasks.Tasks) != len(clients)*each+5 || len(done) != len(clients) {
		t.Errorf("%d tasks, done %v", len(tasks.Tasks), done)
	}
	for name, n := range done {
		if n != each {
			t.Errorf("%s did %d", name, n)
		}
	}
	w.agit(t, "db", "check")
}

// oneJob makes, claims, reads and completes one task.
func oneJob(t *testing.T, c *mcpclient.Client, name, id string) {
	var made, claimed, done taskDoc
	var page struct{ Tasks []taskDoc }
	for _, step := range []struct {
		tool string
		in   args
		out  any
	}{
		{"agit_create_task", args{"repo": "app", "description": "text of " + id, "id": id}, &made},
		{"agit_claim_task", args{"task_id": id}, &claimed},
		{"agit_list_tasks", args{"repo": "app", "task_id": id}, &page},
		{"agit_complete_task", args{"task_id": id, "result": "result of " + id, "claim_token": 1}, &done},
	} {
		if err := c.CallJSON(t.Context(), step.tool, step.in, step.out); err != nil {
			t.Errorf("%s of %s: %v", step.tool, id, err)
			return
		}
	}
	if made.ID != id || claimed.Agent != name || len(page.Tasks) != 1 || page.Tasks[0].Description != "text of "+id || done.ID != id || done.Agent != name {
		t.Errorf("%s: %+v, %+v, %+v, %+v", id, made, claimed, page, done)
	}
}

// While its client is connected, a stdio server renews the claims made through it; after that they expire like any other.
func TestMCPClaimsAreRenewed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "AGIT_CFG_AGENT_STALE_AFTER=3s", "AGIT_CFG_AGENT_RELEASE_AFTER=3s")
	c := w.connect(t, "stdio")
	var claimed taskDoc
	c.MustCall(t, "agit_create_task", args{"repo": "app", "description": "long work", "id": "long"}, nil)
	c.MustCall(t, "agit_claim_task", args{"task_id": "long", "agent_id": "worker"}, &claimed)
	began := time.Now()

	agents := func() map[string]agentDoc {
		var list struct{ Agents []agentDoc }
		w.read(t, &list, "agents")
		byName := map[string]agentDoc{}
		for _, a := range list.Agents {
			byName[a.Name] = a
		}
		return byName
	}
	// The client says nothing more, for longer than a silence may last.
	last := agents()["worker"].LastSeen
	heard := 0
	within(t, "heartbeats come", func() bool {
		if seen := agents()["worker"].LastSeen; seen > last {
			last = seen
			heard++
		}
		return heard >= 3 && time.Since(began) > 4*time.Second
	})
	w.agit(t, "agents", "--sweep", "--release")
	cmd := w.program("tasks", "app", "--claim", "long", "--agent", "thief")
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 4 {
		t.Errorf("the claim was taken away: %s", out)
	}

	// The client disconnects; nothing renews the claims.
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	within(t, "the claim is anybody's", func() bool {
		return w.program("tasks", "app", "--claim", "long", "--agent", "successor").Run() == nil
	})
	other := w.connect(t, "stdio")
	f := other.MustFail(t, "agit_complete_task", args{"task_id": "long", "claim_token": claimed.ClaimToken})
	if f.Kind != "ConflictError" {
		t.Errorf("the claim that was lost still counts: %+v", f)
	}
}

// A long call is cancelled by its client and leaves nothing behind.
func TestMCPCancelledSpawn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	write(t, w.home+"/.agit", "config.toml", "[hooks]\npost_spawn = [\"touch ../../begun; sleep 30\"]\n")
	c := w.connect(t, "stdio")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "agit_spawn_worktree", Arguments: args{"repo": "app", "branch": "mine"}})
		failed <- err
	}()
	within(t, "the hook begins", func() bool { return exists(w.repo + "/begun") })
	cancel()
	if err := <-failed; err == nil {
		t.Error("the call succeeded")
	}
	within(t, "the worktree is gone", func() bool {
		var state struct{ Repos []repoDoc }
		w.read(t, &state, "status", "--no-scan")
		return *state.Repos[0].WorktreeCount == 0
	})
	if out := w.git(t, w.repo, "branch", "--list", "mine"); out != "" || exists(w.repo+"/.worktrees/mine-*") {
		t.Errorf("left behind: %s", out)
	}
}
