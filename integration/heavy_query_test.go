package integration

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// Four clients send queries that would take years, while another one works. The server's memory stays within its bound, and the queries
// end with their clients.
func TestHeavyQueriesDoNotStopAServer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	w := newWorld(t)
	const tasks = 400
	var plan strings.Builder
	for i := range tasks {
		fmt.Fprintf(&plan, `{"id":"T-%d","name":"task %d","description":"%s"`+"}\n", i, i, strings.Repeat("words ", 50))
		for _, back := range []int{1, 7, 31} {
			if i >= back {
				fmt.Fprintf(&plan, `{"source":"T-%d","target":"T-%d"}`+"\n", i-back, i)
			}
		}
	}
	importing := w.program("import", "-", "--repo", "app")
	importing.Stdin = strings.NewReader(plan.String())
	if out, err := importing.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	server := w.listen(t, "http")
	asking, leave := context.WithCancel(t.Context())
	defer leave()
	var asked sync.WaitGroup
	answered := make(chan error, 4)
	for range 4 {
		c := mcpclient.HTTP(t, server.URL)
		asked.Go(func() {
			answered <- c.CallJSON(asking, "pm_query_graph", args{"query": "MATCH (a)-[*]-(b)-[*]-(c) MATCH (d),(e),(f) RETURN count(*)"}, nil)
		})
	}
	other := mcpclient.HTTP(t, server.URL)
	for i := range 20 {
		other.MustCall(t, "agit_create_task", args{"repo": "app", "description": fmt.Sprintf("meanwhile %d", i)}, nil)
		other.MustCall(t, "agit_list_tasks", args{"repo": "app", "limit": 5}, nil)
		other.MustCall(t, "pm_query_graph", args{"query": "MATCH (t:Task {id: 'T-1'}) RETURN t.name"}, nil)
	}
	if mb := mcpclient.Resident(t, server.Cmd.Process.Pid); mb > 600 {
		t.Errorf("the server takes %.0f MB", mb)
	}
	leave()
	asked.Wait()
	// Two more heavy queries that end: if the first ones still ran, these would wait until the time limit and fail.
	for range 2 {
		other.MustCall(t, "pm_query_graph", args{"query": "UNWIND range(1, 300000) AS x RETURN count(x)"}, nil)
	}
}
