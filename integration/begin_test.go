package integration

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// brief holds the fields of begin's answer that these tests check.
type brief struct {
	Task *struct {
		ID    string
		Agent string
		Again bool
	}
	Worktree struct {
		ID   string `json:"worktree_id"`
		Path string
	}
	Review *struct{ Why string }
}

// Many agents begin at once in separate processes, some of them twice: every task is begun once, in a worktree of its own.
func TestBeginRace(t *testing.T) {
	t.Parallel()
	const agents = 8
	h := newHome(t)
	h.ok("agit", "add", ".", "--name", "app")
	h.fill(agents)
	begun := make([][]brief, agents)
	var mu sync.Mutex
	var racing sync.WaitGroup
	for n := range agents {
		for range 2 {
			racing.Go(func() {
				var b brief
				out, errs, code := h.run("agit", "begin", "--agent", fmt.Sprint("agent-", n), "--json")
				if code != 0 && !strings.Contains(errs, "being made") && !strings.Contains(errs, "is at work") { // the same call runs at the same time and creates it
					t.Errorf("agent %d: status %d: %s", n, code, errs)
					return
				}
				if code != 0 {
					return
				}
				if err := json.Unmarshal([]byte(out), &b); err != nil {
					t.Errorf("%v: %s", err, out)
				}
				mu.Lock()
				defer mu.Unlock()
				begun[n] = append(begun[n], b)
			})
		}
	}
	racing.Wait()
	tasks, trees := map[string]bool{}, map[string]bool{}
	for n, list := range begun {
		if len(list) == 0 {
			t.Errorf("agent %d began nothing", n)
			continue
		}
		for _, b := range list[1:] {
			if b.Task.ID != list[0].Task.ID || b.Worktree.ID != list[0].Worktree.ID {
				t.Errorf("agent %d began %+v and %+v", n, *list[0].Task, *b.Task)
			}
		}
		tasks[list[0].Task.ID], trees[list[0].Worktree.Path] = true, true
	}
	if len(tasks) != agents || len(trees) != agents {
		t.Errorf("%d agents began %d tasks in %d worktrees", agents, len(tasks), len(trees))
	}
	h.sound()
}

// Begin and finish are killed at random points and repeated, as by an agent without an answer. The work lands or waits once; nothing is
// lost, and no task is stuck or done twice.
func TestKilledBeginAndFinish(t *testing.T) {
	t.Parallel()
	rounds := 16
	if testing.Short() {
		rounds = 4
	}
	h := newHome(t)
	h.ok("agit", "add", ".", "--name", "app")
	chance := rand.New(rand.NewPCG(11, 11))
	for round := range rounds {
		task := fmt.Sprint("T-", round)
		h.ok("agit", "tasks", "--create", "round "+task, "--id", task)
		for range 2 {
			h.kill(time.Duration(5+chance.IntN(150))*time.Millisecond, "begin", "--agent", "ann")
		}
		var b brief
		h.eventually(&b, "begin", "--agent", "ann")
		if b.Task == nil || b.Task.ID != task {
			t.Fatalf("round %d: begun again is %+v", round, b.Task)
		}
		work := fmt.Sprintf("work-%d.txt", round)
		must(t, os.WriteFile(filepath.Join(b.Worktree.Path, work), []byte("precious\n"), 0o644))

		land := []string{"gate", "review"}[round%2]
		finish := []string{"finish", b.Worktree.ID, "--agent", "ann", "--commit", "--summary", "done " + task, "--land", land}
		for range 2 {
			h.kill(time.Duration(5+chance.IntN(200))*time.Millisecond, finish...)
		}
		var done struct {
			State string
			Task  struct{ Status string }
		}
		h.eventually(&done, finish...)
		if land == "review" {
			if done.State != "in review" || done.Task.Status != "in_progress" {
				t.Fatalf("round %d: finished again is %+v", round, done)
			}
			h.ok("agit", "review", b.Worktree.ID, "--accept")
		} else if done.State != "landed" || done.Task.Status != "completed" {
			t.Fatalf("round %d: finished again is %+v", round, done)
		}
		var now struct{ Status, Result string }
		h.json(&now, "tasks", "show", task)
		if now.Status != "completed" || now.Result != "done "+task {
			t.Errorf("round %d: %+v", round, now)
		}
		if content, err := os.ReadFile(filepath.Join(h.repo, work)); err != nil || string(content) != "precious\n" {
			t.Fatalf("round %d: the work is lost: %v", round, err)
		}
		if n := h.ok("git", "log", "--merges", "--oneline", "--", work); strings.Count(n, "\n") > 0 {
			t.Errorf("round %d: it landed more than once:\n%s", round, n)
		}
		if _, _, code := h.run("agit", "begin", "--agent", "ann"); code != 3 {
			t.Fatalf("round %d: something is left to begin: status %d", round, code)
		}
		if dirty := h.ok("git", "status", "--porcelain"); dirty != "" {
			t.Fatalf("round %d: the main worktree is left dirty:\n%s", round, dirty)
		}
	}
	h.ok("git", "fsck", "--strict")
	h.sound()
}

// eventually is json, repeated while the error suggests that: a git process of a killed command may still be running.
func (h *home) eventually(into any, args ...string) {
	h.t.Helper()
	last := ""
	defer func() {
		if h.t.Failed() {
			h.t.Log(last)
		}
	}()
	within(h.t, strings.Join(args, " "), func() bool {
		out, errs, code := h.run("agit", append(args, "--json")...)
		last = errs
		var f struct{ Retryable bool }
		switch {
		case code == 0:
			must(h.t, json.Unmarshal([]byte(out), into))
			return true
		case json.Unmarshal([]byte(errs), &f) != nil || !f.Retryable:
			h.t.Fatalf("agit %v: status %d\n%s", args, code, errs)
		}
		return false
	})
}

// A loop of begin, work and finish needs only two tools of the core list, over every transport.
func TestMCPBeginAndFinish(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"stdio", "http", "sse"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for i := range 3 {
				w.agit(t, "tasks", "app", "--create", fmt.Sprint("task ", i), "--id", fmt.Sprint("T-", i))
			}
			c := w.connect(t, transport, "--tools", "core")
			begin := func() (b brief) {
				t.Helper()
				c.MustCall(t, "agit_begin", args{"repo": "app"}, &b)
				return b
			}
			var done struct {
				State     string
				Repeated  bool
				Task      struct{ ID, Status string }
				Committed string
			}
			var order []string
			for b := begin(); b.Task != nil; b = begin() {
				if again := begin(); again.Task.ID != b.Task.ID || !again.Task.Again || again.Worktree != b.Worktree {
					t.Fatalf("begun again is %+v, not %+v", *again.Task, *b.Task)
				}
				order = append(order, b.Task.ID)
				write(t, b.Worktree.Path, b.Task.ID+".txt", "work\n")
				if f := c.CallJSON(t.Context(), "agit_finish", args{}, nil); f == nil || !strings.Contains(f.Error(), b.Task.ID+".txt") || strings.Contains(f.Error(), "--") {
					t.Fatalf("what is not committed is finished: %v", f)
				}
				c.MustCall(t, "agit_finish", args{"commit": true, "summary": "done"}, &done)
				if done.State != "in review" || done.Task.ID != b.Task.ID || done.Committed == "" {
					t.Fatalf("finished %+v", done)
				}
				c.MustCall(t, "agit_finish", args{}, &done)
				if done.State != "in review" || !done.Repeated {
					t.Fatalf("finished again %+v", done)
				}
			}
			if !slices.Equal(order, []string{"T-0", "T-1", "T-2"}) {
				t.Errorf("begun were %v", order)
			}
			var waiting struct {
				Reviews []struct {
					Worktree string `json:"worktree_id"`
					TaskID   string `json:"task_id"`
					Summary  string
				}
			}
			w.read(t, &waiting, "review")
			if len(waiting.Reviews) != 3 || waiting.Reviews[0].TaskID != "T-0" || waiting.Reviews[0].Summary != "done" {
				t.Fatalf("waiting are %+v", waiting)
			}
			w.agit(t, "review", waiting.Reviews[1].Worktree, "--return", "once more")
			b := begin()
			if b.Task == nil || b.Task.ID != "T-1" || b.Review == nil || b.Review.Why != "once more" {
				t.Fatalf("after a return %+v", b)
			}
			c.MustCall(t, "agit_finish", args{"status": "released", "summary": "I cannot"}, &done)
			if done.State != "kept" || done.Task.Status != "pending" {
				t.Errorf("released %+v", done)
			}
		})
	}
}

// Agents over servers of their own begin at once: every task is begun once.
func TestMCPBeginRace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const agents = 4
	clients := make([]*mcpclient.Client, agents)
	for i := range clients {
		w.agit(t, "tasks", "app", "--create", "task", "--id", fmt.Sprint("T-", i))
		clients[i] = w.connect(t, []string{"stdio", "http"}[i%2])
	}
	begun := make([]brief, agents)
	var racing sync.WaitGroup
	for i, c := range clients {
		racing.Go(func() {
			if err := c.CallJSON(t.Context(), "agit_begin", args{"repo": "app", "agent_id": fmt.Sprint("agent-", i)}, &begun[i]); err != nil {
				t.Error(err)
			}
		})
	}
	racing.Wait()
	seen := map[string]bool{}
	for i, b := range begun {
		if b.Task == nil || seen[b.Task.ID] || seen[b.Worktree.Path] {
			t.Fatalf("agent %d began %+v", i, b)
		}
		seen[b.Task.ID], seen[b.Worktree.Path] = true, true
	}
}
