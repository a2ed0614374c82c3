package integration

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

type claimedTask struct {
	ID         string `json:"id"`
	Agent      string `json:"agent"`
	Status     string `json:"status"`
	ClaimToken int64  `json:"claim_token"`
}

// TestClaimsRaceUnderKill: 32 agents take tasks with one command each while some of the commands are killed. Every task is claimed
// exactly once, whoever got the answer, and no one gets an error.
func TestClaimsRaceUnderKill(t *testing.T) {
	t.Parallel()
	tasks, agents := 500, 32
	if testing.Short() {
		tasks, agents = 200, 8
	}
	if given := os.Getenv("AGIT_RACE_TASKS"); given != "" { // `make soak`
		var err error
		tasks, err = strconv.Atoi(given)
		must(t, err)
	}
	h := newHome(t)
	h.ok("agit", "add", ".", "--name", "app")
	h.fill(tasks)

	var mu sync.Mutex
	told := map[string]string{}
	var running sync.WaitGroup
	for n := range agents {
		running.Go(func() {
			chance := rand.New(rand.NewPCG(uint64(n), 1))
			for {
				name := fmt.Sprintf("agent-%d", n)
				cmd := h.command(t.Context(), "agit", "tasks", "app", "--next", "--agent", name, "--json")
				var out, errs strings.Builder
				cmd.Stdout, cmd.Stderr = &out, &errs
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				var kill *time.Timer
				if chance.IntN(8) == 0 {
					kill = time.AfterFunc(time.Duration(chance.IntN(12))*time.Millisecond, func() { _ = cmd.Process.Kill() })
				}
				_ = cmd.Wait() // the status is checked below
				if kill != nil {
					kill.Stop()
				}
				switch code := cmd.ProcessState.ExitCode(); code {
				case 0:
					var got claimedTask
					if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
						t.Errorf("%v: %s", err, out.String())
						return
					}
					mu.Lock()
					if other, twice := told[got.ID]; twice {
						t.Errorf("%s was given to %s and to %s", got.ID, other, name)
					}
					told[got.ID] = name
					mu.Unlock()
				case 3: // nothing left
					return
				case -1: // killed
				default:
					t.Errorf("status %d: %s", code, errs.String())
					return
				}
			}
		})
	}
	running.Wait()
	var page struct{ Tasks []claimedTask }
	h.json(&page, "tasks", "app", "--limit", "0")
	if len(page.Tasks) != tasks {
		t.Errorf("%d tasks are left of %d", len(page.Tasks), tasks)
	}
	for _, task := range page.Tasks {
		if task.Status != "claimed" || task.ClaimToken != 1 || task.Agent == "" {
			t.Errorf("after the race: %+v", task)
		}
		if to, ok := told[task.ID]; ok && to != task.Agent {
			t.Errorf("%s was given to %s and is held by %s", task.ID, to, task.Agent)
		}
	}
	h.sound()
}

// TestEverythingStartsAtOnce: servers and commands on a machine that has no
// registry yet. All succeed, and one of them migrates.
func TestEverythingStartsAtOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	start := make(chan struct{})
	var running sync.WaitGroup
	for n := range 30 {
		running.Go(func() {
			args, input := []string{"agents", "--register", fmt.Sprintf("agent-%d", n), "--json"}, ""
			if n < 10 {
				args = []string{"serve"}
				input = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
					`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
					fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"agit_register_agent","arguments":{"name":"server-%d","type":"test"}}}`, n) + "\n"
			}
			cmd := h.command(t.Context(), "agit", args...)
			cmd.Stdin = strings.NewReader(input)
			<-start
			if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), `"isError":true`) {
				t.Errorf("agit %s: %v\n%s", strings.Join(args, " "), err, out)
			}
		})
	}
	close(start)
	running.Wait()
	var list struct{ Agents []json.RawMessage }
	h.json(&list, "agents")
	if len(list.Agents) != 30 {
		t.Errorf("%d agents are registered, want 30", len(list.Agents))
	}
	h.sound()
}
