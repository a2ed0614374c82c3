package integration

import (
	"bufio"
	"context"
	"encoding/json"
	"testing"
	"time"
)

// TestLogFollows: `agit log --follow` prints the changes of other processes, once each and in order, until it is stopped.
func TestLogFollows(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("agit", "add", ".", "--name", "app")
	h.ok("agit", "tasks", "app", "--create", "before", "--id", "T-0")
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	cmd := h.command(ctx, "agit", "log", "--follow", "--limit", "1", "-o", "ndjson")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	events := bufio.NewScanner(out)
	next := func() (e struct{ ID, Field, Old, New string }) {
		t.Helper()
		if !events.Scan() {
			t.Fatalf("the log ended: %v", events.Err())
		}
		must(t, json.Unmarshal(events.Bytes(), &e))
		return e
	}
	if e := next(); e.ID != "T-0" || e.New != "pending" {
		t.Errorf("what was there begins with %+v", e)
	}
	h.ok("agit", "tasks", "app", "--create", "one", "--id", "T-1")
	h.ok("agit", "tasks", "app", "--claim", "T-1", "--agent", "ann")
	h.ok("agit", "tasks", "app", "--complete", "T-1", "--agent", "ann")
	for _, want := range []string{"pending", "claimed", "completed"} {
		if e := next(); e.ID != "T-1" || e.Field != "status" || e.New != want {
			t.Errorf("%+v, want %s", e, want)
		}
	}
	stop()
	_ = cmd.Wait() // stopped: its status says only that
	if events.Scan() {
		t.Errorf("more follows: %s", events.Text())
	}
}
