package booking_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/agent/seat"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// answer is the agent that a call is booked on: as known before the call, as booked, and afterwards.
type answer struct {
	Before, Caller, After string
	Booked                booking.Booking
	Heard                 bool // the call counted as a heartbeat
}

// stdio is a server that a client has started and calls over lines.
type stdio struct {
	*testing.T
	in    io.Writer
	out   *bufio.Scanner
	asked int
}

func newStdio(t *testing.T, d booking.Desk) *stdio {
	t.Helper()
	s := mcpkit.New(mcpkit.Info{Name: "x"}, mcpkit.Options{})
	type in struct {
		Agent string `json:"agent,omitempty"`
		Look  bool   `json:"look,omitempty"`
	}
	mcpkit.AddTool(s, mcpkit.Tool{Name: "who"}, func(ctx context.Context, c *mcpkit.Call, in in) (a answer, err error) {
		a.Before = d.Own(c.Session())
		if in.Look {
			before := heard(ctx, d.DB)
			d.Alive(ctx, c, 0)
			a.Heard = heard(ctx, d.DB) != before
			return a, nil
		}
		if a.Caller, err = d.Caller(c, "agent", in.Agent); err != nil {
			return a, err
		}
		if err := d.DB.Write(ctx, registry.Named, func(tx *registry.Tx) error {
			_, err := agent.Heartbeat(tx, a.Caller)
			if err != nil {
				_, err = agent.Register(tx, agent.Registration{Name: a.Caller})
			}
			return err
		}); err != nil {
			return a, err
		}
		a.Booked, a.After = d.Book(ctx, c, a.Caller, "p"), d.Own(c.Session())
		return a, nil
	})
	input, to := io.Pipe()
	from, output := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, mcpkit.ServeOptions{In: input, Out: output}) }()
	t.Cleanup(func() {
		_ = to.Close()
		cancel()
		_ = from.Close()
		<-done
	})
	x := &stdio{T: t, in: to, out: bufio.NewScanner(from)}
	x.ask("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "claude-code", "version": "1"}})
	return x
}

// heard counts the heartbeats of all agents.
func heard(ctx context.Context, db *registry.DB) (last string) {
	_ = db.Read(ctx, func(tx *registry.Tx) (err error) {
		last, err = registry.One[string](tx.QueryRow(`SELECT COALESCE(MAX(last_seen_at), '') FROM agents`))
		return err
	})
	return last
}

func (x *stdio) ask(method string, params any) json.RawMessage {
	x.Helper()
	x.asked++
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": x.asked, "method": method, "params": params})
	if err != nil {
		x.Fatal(err)
	}
	if _, err := fmt.Fprintf(x.in, "%s\n", text); err != nil {
		x.Fatal(err)
	}
	for x.out.Scan() {
		var said struct {
			ID     int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(x.out.Bytes(), &said); err != nil {
			x.Fatal(err)
		}
		if said.ID == x.asked {
			if said.Error != nil {
				x.Fatalf("%s: %s", method, said.Error)
			}
			return said.Result
		}
	}
	x.Fatalf("no answer to %s: %v", method, x.out.Err())
	return nil
}

func (x *stdio) who(arguments map[string]any) (a answer) {
	x.Helper()
	var result struct{ StructuredContent answer }
	if err := json.Unmarshal(x.ask("tools/call", map[string]any{"name": "who", "arguments": arguments}), &result); err != nil {
		x.Fatal(err)
	}
	return result.StructuredContent
}

// A call over stdio is booked on the agent of the client's seat, which the client's hooks find too, unless it names another one.
func TestCallsAreBookedOnTheClientsSeat(t *testing.T) {
	if seat.Starter().PID == 0 {
		t.Skip("no process is known here")
	}
	t.Parallel()
	d := booking.Desk{DB: registrytest.Open(t), Getenv: func(string) string { return "" }, Dir: t.TempDir()}
	x := newStdio(t, d)
	first := x.who(map[string]any{"look": true})
	if first.Before == "claude-1" || first.Heard {
		t.Errorf("before anything was booked: %+v", first)
	}
	for range 2 {
		a := x.who(nil)
		if a.Caller != "claude-1" || a.Booked.Agent != "claude-1" || a.Booked.Project != "p" || a.After != "claude-1" {
			t.Errorf("%+v", a)
		}
	}
	if a := x.who(map[string]any{"agent": "ann"}); a.Caller != "ann" || a.Booked.Agent != "ann" {
		t.Errorf("%+v", a)
	}
	if err := d.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE agents SET last_seen_at = ?`, registry.FormatTime(tx.Now().Add(-time.Hour)))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if a := x.who(map[string]any{"look": true}); !a.Heard || a.Before != "claude-1" {
		t.Errorf("a look of a client that has worked: %+v", a)
	}
	if err := d.DB.Read(t.Context(), func(tx *registry.Tx) error {
		name, err := seat.Find(tx, seat.Client{Name: "claude", Process: seat.Starter()})
		if name != "claude-1" {
			t.Errorf("a hook finds %q", name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if a := newStdio(t, d).who(nil); a.Caller != "claude-1" { // another server of the same client
		t.Errorf("%+v", a)
	}
	named := d
	named.Getenv = func(name string) string { return map[string]string{"AGIT_AGENT": "bob"}[name] }
	if a := newStdio(t, named).who(nil); a.Caller != "bob" {
		t.Errorf("%+v", a)
	}
}
