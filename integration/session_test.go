package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// startedDoc holds the checked fields of a start.
type startedDoc struct {
	ID       string `json:"session_id"`
	New      bool
	Parent   string `json:"parent_session_id"`
	Warnings []string
	Before   *struct {
		ID     string `json:"session_id"`
		Status string
		Events []struct{ Content string }
	} `json:"resumed_from"`
	BookedOn struct{ Project, Agent string } `json:"booked_on"`
}

// contextDoc holds the checked fields of a context.
type contextDoc struct {
	Session struct {
		Status string
		Agent  string
		Events int `json:"events_count"`
	}
	Events []struct{ Content string }
}

func (h *home) sessionContext(id string) (c contextDoc) {
	h.t.Helper()
	if err := json.Unmarshal([]byte(h.ok("memoryd", "session", "context", id, "--events-limit", "1000", "--json")), &c); err != nil {
		h.t.Fatal(err)
	}
	return c
}

// Several agents work in one project at once, over every transport and on the command line; none sees another's session as its own.
func TestSessionsOfSeveralAgents(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	stdio, _ := h.server()
	listening := mcpclient.Start(t, h.command(context.Background(), "memoryd", "serve", "--transport", "http", "--port", "0"))
	const agents, notes = 6, 5
	ids := make([]string, agents)
	var running sync.WaitGroup
	for n := range agents {
		name := fmt.Sprint("agent", n)
		client := stdio
		if n%3 == 1 {
			client = mcpclient.HTTP(t, listening.URL)
		}
		running.Go(func() {
			if n%3 == 2 {
				var d startedDoc
				if err := json.Unmarshal([]byte(h.ok("memoryd", "session", "start", "--agent", name, "--json")), &d); err != nil {
					t.Error(err)
				}
				ids[n] = d.ID
				for i := range notes {
					h.ok("memoryd", "session", "note", "--agent", name, fmt.Sprint(name, " ", i))
				}
				return
			}
			var d, again startedDoc
			client.MustCall(t, "session_start", args{"project_path": h.repo, "agent": name}, &d)
			ids[n] = d.ID
			for i := range notes {
				client.MustCall(t, "session_note", args{"session_id": d.ID, "event_type": "note", "content": fmt.Sprint(name, " ", i)}, nil)
			}
			client.MustCall(t, "session_start", args{"project_path": h.repo, "agent": name}, &again)
			if again.New || again.ID != d.ID || again.BookedOn.Agent != name {
				t.Errorf("%s again: %+v", name, again)
			}
		})
	}
	running.Wait()
	slices.Sort(ids)
	if len(slices.Compact(slices.Clone(ids))) != agents {
		t.Fatalf("sessions %q", ids)
	}
	for _, id := range ids {
		c := h.sessionContext(id)
		if len(c.Events) != notes || c.Session.Status != "active" {
			t.Errorf("session %s: %+v", id, c)
		}
		for _, e := range c.Events {
			if !strings.HasPrefix(e.Content, c.Session.Agent+" ") {
				t.Errorf("session of %s holds %q", c.Session.Agent, e.Content)
			}
		}
	}
}

// An unnamed client has one session as long as it runs. Its end, normal or by kill -9, is an interruption that the next one resumes.
func TestSessionsOfServersThatEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(c *mcpclient.Client, kill func()){
		"the client leaves": func(c *mcpclient.Client, _ func()) { _ = c.Close() },
		"kill -9":           func(_ *mcpclient.Client, kill func()) { kill() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			c, cmd := h.server()
			var first, again, second startedDoc
			c.MustCall(t, "session_start", args{}, &first)
			c.MustCall(t, "session_start", args{}, &again)
			if again.ID != first.ID || !strings.HasPrefix(first.BookedOn.Agent, "integration-") {
				t.Fatalf("got %+v and %+v", first, again)
			}
			c.MustCall(t, "session_note", args{"session_id": first.ID, "event_type": "decision", "content": "half of it is done"}, nil)
			end(c, func() { _ = cmd.Process.Kill() })
			var d *mcpclient.Client
			within(t, "the interruption", func() bool {
				d, _ = h.server()
				var other startedDoc
				d.MustCall(t, "session_start", args{"agent": "watcher"}, &other)
				return h.sessionContext(first.ID).Session.Status == "interrupted"
			})
			d, _ = h.server()
			d.MustCall(t, "session_start", args{"resume_last": true}, &second)
			if second.Parent != first.ID || second.Before == nil || second.Before.Status != "interrupted" || second.Before.Events[0].Content != "half of it is done" {
				t.Errorf("resumed %+v of %+v", second, second.Before)
			}
		})
	}
}

// TestMemorydKilledAnywhere kills servers and commands at random points while they store notes and memories: everything acknowledged is
// found, and the registry is sound.
func TestMemorydKilledAnywhere(t *testing.T) {
	t.Parallel()
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	h := newHome(t)
	chance := rand.New(rand.NewPCG(11, 11))
	var first startedDoc
	if err := json.Unmarshal([]byte(h.ok("memoryd", "session", "start", "--agent", "ann", "--json")), &first); err != nil {
		t.Fatal(err)
	}
	var noted, remembered []string // what was acknowledged
	said := func(text string, n int) {
		if n%2 == 0 {
			noted = append(noted, text)
		} else {
			remembered = append(remembered, text)
		}
	}
	// The kill comes at a random time within the duration of a call or two on this machine.
	soon := func(took time.Duration) time.Duration { return time.Duration(chance.Int64N(2*int64(took) + 1)) }
	for round := range rounds {
		if round%2 == 0 {
			c, cmd := h.server()
			after := 2 + chance.IntN(10) // acknowledged calls
			var kill *time.Timer
			for n := 0; ; n++ {
				text := fmt.Sprintf("server%dx%d", round, n)
				tool, in := "session_note", args{"session_id": first.ID, "event_type": "progress", "content": text}
				if n%2 == 1 {
					tool, in = "memory_store", args{"key": text, "content": text, "memory_type": "pattern"}
				}
				start := time.Now()
				if c.CallJSON(t.Context(), tool, in, nil) != nil {
					break
				}
				said(text, n)
				if n == after {
					kill = time.AfterFunc(soon(time.Since(start)), func() { _ = cmd.Process.Kill() })
				}
			}
			if kill == nil {
				t.Fatalf("a server ended before it was killed, in round %d", round)
			}
			kill.Stop()
		} else {
			var took time.Duration // of an undisturbed command
			for n := range 12 {
				text := fmt.Sprintf("command%dx%d", round, n)
				line := []string{"session", "note", "--session", first.ID, text}
				if n%2 == 1 {
					line = []string{"remember", text, "--key", text}
				}
				cmd := h.command(t.Context(), "memoryd", line...)
				start := time.Now()
				must(t, cmd.Start())
				if n < 2 {
					must(t, cmd.Wait())
					took = time.Since(start)
					said(text, n)
					continue
				}
				kill := time.AfterFunc(soon(took), func() { _ = cmd.Process.Kill() })
				if cmd.Wait() == nil {
					said(text, n)
				}
				kill.Stop()
			}
		}
		h.sound()
	}
	kept := map[string]bool{}
	for _, e := range h.sessionContext(first.ID).Events {
		kept[e.Content] = true
	}
	ask := h.command(t.Context(), "memoryd", "recall", "-", "--limit", "1", "-o", "ndjson")
	ask.Stdin = strings.NewReader(strings.Join(remembered, "\n"))
	answers, err := ask.Output()
	must(t, err)
	for decoder := json.NewDecoder(bytes.NewReader(answers)); decoder.More(); {
		var answer struct {
			Memories []struct{ Content string }
		}
		must(t, decoder.Decode(&answer))
		for _, m := range answer.Memories {
			kept[m.Content] = true
		}
	}
	lost := 0
	for _, text := range slices.Concat(noted, remembered) {
		if !kept[text] {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("of %d notes and %d memories that were acknowledged %d are lost", len(noted), len(remembered), lost)
	}
	t.Logf("%d notes and %d memories acknowledged", len(noted), len(remembered))
}

// TestMemorydColdStart: ten servers and ten loops of commands begin at once on a
// machine without a registry; nothing fails, and nothing is lost.
func TestMemorydColdStart(t *testing.T) {
	t.Parallel()
	const servers, loops, each = 10, 10, 3
	h := newHome(t)
	var begun, running sync.WaitGroup
	begun.Add(1)
	for n := range servers {
		running.Go(func() {
			begun.Wait()
			c, _ := h.server()
			var d startedDoc
			c.MustCall(t, "session_start", args{"agent": fmt.Sprint("server", n)}, &d)
			for i := range each {
				c.MustCall(t, "session_note", args{"session_id": d.ID, "event_type": "note", "content": fmt.Sprint(i)}, nil)
				c.MustCall(t, "memory_store", args{"key": fmt.Sprint("server", n, "-", i), "content": fmt.Sprintf("server %d knows the number %d", n, i*n), "memory_type": "pattern"}, nil)
			}
		})
	}
	for n := range loops {
		running.Go(func() {
			begun.Wait()
			name := fmt.Sprint("loop", n)
			for _, line := range [][]string{{"session", "start", "--agent", name}, {"session", "note", "--agent", name, "one"}, {"session", "note", "--agent", name, "two"},
				{"session", "note", "--agent", name, "three"}} {
				if _, errs, code := h.run("memoryd", line...); code != 0 {
					t.Errorf("%s %q: status %d: %s", name, line, code, errs)
				}
			}
		})
	}
	begun.Done()
	running.Wait()
	var list struct {
		Total    int
		Sessions []struct {
			Events int `json:"events_count"`
		}
	}
	if err := json.Unmarshal([]byte(h.ok("memoryd", "session", "list", "--limit", "200", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	if list.Total != servers+loops {
		t.Errorf("%d sessions, want %d", list.Total, servers+loops)
	}
	for _, s := range list.Sessions {
		if s.Events != each {
			t.Errorf("a session has %d events", s.Events)
		}
	}
	h.sound()
}

// TestMemorydWriters: ten writers at once, half of them over MCP, for AGIT_WRITERS (briefly without it): no errors; the durations of
// writes are logged.
func TestMemorydWriters(t *testing.T) {
	t.Parallel()
	lasting, strict := time.Second, false
	if given := os.Getenv("AGIT_WRITERS"); given != "" {
		var err error
		if lasting, err = time.ParseDuration(given); err != nil {
			t.Fatal(err)
		}
		strict = true
	}
	const writers = 10
	h := newHome(t)
	took := make([][]time.Duration, writers)
	var wrote atomic.Int64
	var running, ready sync.WaitGroup
	ready.Add(writers)
	for n := range writers {
		running.Go(func() {
			arrive := sync.OnceFunc(ready.Done)
			defer arrive() // also where no server starts
			c, _ := h.server()
			var d startedDoc
			err := c.CallJSON(t.Context(), "session_start", args{"agent": fmt.Sprint("writer", n)}, &d)
			arrive()
			if err != nil {
				t.Errorf("writer %d: %v", n, err)
				return
			}
			ready.Wait() // a slow machine takes long to start them
			for i, end := 0, time.Now().Add(lasting); i < 3 || time.Now().Before(end); i++ {
				began := time.Now()
				var err error
				switch i % 3 {
				case 0:
					err = c.CallJSON(t.Context(), "memory_store", args{"key": fmt.Sprint("k", n, "-", i), "content": fmt.Sprintf("writer %d found out number %d", n, i), "memory_type": "pattern"}, nil)
				default:
					err = c.CallJSON(t.Context(), "session_note", args{"session_id": d.ID, "event_type": "progress", "importance": "low", "content": fmt.Sprint("step ", i)}, nil)
				}
				if err != nil {
					t.Errorf("writer %d: %v", n, err)
					return
				}
				took[n] = append(took[n], time.Since(began))
				wrote.Add(1)
			}
		})
	}
	running.Wait()
	all := slices.Concat(took...)
	if len(all) == 0 {
		t.Fatal("nothing was written")
	}
	slices.Sort(all)
	p99 := all[len(all)*99/100]
	t.Logf("%d writes in %s: p50 %s, p99 %s, most %s", len(all), lasting, all[len(all)/2], p99, all[len(all)-1])
	if strict && p99 > 250*time.Millisecond {
		t.Errorf("p99 is %s, at most 250ms", p99)
	}
	h.sound()
}
