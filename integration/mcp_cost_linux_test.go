package integration

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// One server runs for each agent and binary, and is idle most of the time: idle it takes at most 25 MB, half a minute after load at
// most 40.
func TestMCPMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for the memory of a burst to be given back")
	}
	t.Parallel()
	w := newWorld(t)
	server := w.listen(t, "http")
	pid := server.Cmd.Process.Pid
	c := mcpclient.HTTP(t, server.URL)
	c.MustCall(t, "agit_list_repos", args{}, nil)
	idle := mcpclient.Resident(t, pid)
	if idle > 25 {
		t.Errorf("an idle server takes %.1f MB; at most 25 are allowed", idle)
	}

	var trees []worktreeDoc
	for i := range 4 {
		var tree worktreeDoc
		c.MustCall(t, "agit_spawn_worktree", args{"repo": "app", "branch": fmt.Sprint("b", i)}, &tree)
		trees = append(trees, tree)
	}
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() {
			c := mcpclient.HTTP(t, server.URL)
			for j := range 60 {
				write(t, trees[i%4].Path, "file.txt", fmt.Sprint(i, j, "\n"))
				for tool, in := range map[string]args{
					"agit_create_task":     {"repo": "app", "description": strings.Repeat("x", 10_000)},
					"agit_list_tasks":      {"repo": "app", "limit": 200},
					"agit_check_conflicts": {"repo": "app"},
					"agit_repo_status":     {"repo": "app"},
				} {
					if j%10 > 0 && tool != "agit_create_task" {
						continue
					}
					if err := c.CallJSON(t.Context(), tool, in, nil); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	clients.Wait()
	busy := mcpclient.Resident(t, pid)
	began := time.Now()
	within(t, "at most 40 MB", func() bool { return mcpclient.Resident(t, pid) <= 40 })
	t.Logf("idle %.1f MB, after load %.1f MB, %.1f s later %.1f MB", idle, busy, time.Since(began).Seconds(), mcpclient.Resident(t, pid))
}

// Clients that come and never say goodbye cost no memory in the end.
func TestMCPSessionMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it opens 10,000 sessions")
	}
	t.Parallel()
	w := newWorld(t)
	server := w.listen(t, "http")
	first := strings.SplitAfter(hello, "\n")[0]
	var after []float64
	for range 2 {
		var clients sync.WaitGroup
		for range 8 {
			clients.Go(func() {
				for range 5_000 / 8 {
					if r, text, err := post(t.Context(), server.URL, first); err != nil || r.StatusCode != 200 {
						t.Errorf("%v %s", err, text)
						return
					}
				}
			})
		}
		clients.Wait()
		after = append(after, mcpclient.Resident(t, server.Cmd.Process.Pid))
	}
	t.Logf("after 5,000 and 10,000 sessions: %.1f MB", after)
	if after[1] > 40 || after[1] > after[0]*1.25 {
		t.Errorf("memory grows with sessions: %.1f MB", after)
	}
}
