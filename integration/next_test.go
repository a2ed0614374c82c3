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
)

// TestNextRaceOverDependencies: 16 agents, with a process for every step, complete a random graph of dependencies. No task is assigned
// twice or before its blockers are completed, and all are finished.
func TestNextRaceOverDependencies(t *testing.T) {
	t.Parallel()
	const agents = 16
	tasks := 160
	if testing.Short() {
		tasks = 60
	}
	if given := os.Getenv("AGIT_RACE_TASKS"); given != "" {
		var err error
		if tasks, err = strconv.Atoi(given); err != nil {
			t.Fatal(err)
		}
	}
	h := newHome(t)
	h.ok("agit", "project", "create", "plan")
	plan, waits := randomPlan(t, tasks)
	cmd := h.command(t.Context(), "agit", "import", "-", "--project", "plan")
	cmd.Stdin = strings.NewReader(plan)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	given := handOut{to: map[string]string{}}
	var running sync.WaitGroup
	for n := range agents {
		running.Go(func() { given.work(t, h, fmt.Sprintf("agent-%d", n)) })
	}
	running.Wait()
	var st struct {
		Progress float64
		Tasks    struct{ Total, Completed int }
	}
	h.json(&st, "project", "status", "plan")
	if st.Progress != 100 || st.Tasks.Completed != tasks || len(given.to) != tasks {
		t.Errorf("at the end %+v, %d given out", st, len(given.to))
	}
	var log struct {
		Events []struct{ ID, Field, New string }
	}
	h.json(&log, "log", "--limit", "0")
	completed := map[string]bool{}
	for _, e := range log.Events {
		if e.Field != "status" {
			continue
		}
		completed[e.ID] = completed[e.ID] || e.New == "completed"
		for _, on := range waits[e.ID] {
			if e.New == "claimed" && !completed[on] {
				t.Errorf("%s was claimed before %s was completed", e.ID, on)
			}
		}
	}
	h.sound()
}

// randomPlan returns tasks in lines to import; most wait for earlier ones, which are returned by id.
func randomPlan(t *testing.T, tasks int) (lines string, waits map[string][]string) {
	t.Helper()
	chance := rand.New(rand.NewPCG(7, 7))
	waits = map[string][]string{}
	var plan strings.Builder
	for i := range tasks {
		id := fmt.Sprintf("T-%d", i)
		entry := map[string]any{"id": id, "name": "x", "priority": chance.IntN(5)}
		for range chance.IntN(4) {
			if i > 0 {
				waits[id] = append(waits[id], fmt.Sprintf("T-%d", max(0, i-1-chance.IntN(40))))
			}
		}
		if waits[id] != nil {
			entry["dependsOn"] = waits[id]
		}
		line, err := json.Marshal(entry)
		must(t, err)
		fmt.Fprintf(&plan, "%s\n", line)
	}
	return plan.String(), waits
}

// handOut records which agent got which task.
type handOut struct {
	mu sync.Mutex
	to map[string]string
}

// work takes tasks as an agent and completes them, until no open one is left.
func (g *handOut) work(t *testing.T, h *home, name string) {
	for {
		cmd := h.command(t.Context(), "agit", "next", "--agent", name, "--project", "plan", "--json")
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		_ = cmd.Run() // the status is checked below
		switch code := cmd.ProcessState.ExitCode(); code {
		case 0:
		case 3:
			if strings.Contains(errs.String(), "there is no open task") {
				return
			}
			continue // other agents work on the blockers of the rest
		default:
			t.Errorf("status %d: %s", code, errs.String())
			return
		}
		var got struct {
			TaskID string `json:"taskId"`
		}
		if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
			t.Error(err)
			return
		}
		g.mu.Lock()
		if other, twice := g.to[got.TaskID]; twice {
			t.Errorf("%s was given to %s and to %s", got.TaskID, other, name)
		}
		g.to[got.TaskID] = name
		g.mu.Unlock()
		done := h.command(t.Context(), "agit", "progress", got.TaskID, "completed", "--agent", name)
		if out, err := done.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
			return
		}
	}
}
