package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// standing is what `memoryd agent status` says.
type standing struct {
	SP, CS, Commits, Bugs int64
	XP                    float64
	Halted                bool
	Buffered              int
}

// stands asks memoryd how an agent stands; the zero value while it is not known.
func (h *home) stands(name string) (s standing) {
	h.t.Helper()
	out, errs, code := h.run("memoryd", "agent", "status", name, "--json")
	switch code {
	case 3:
		return s
	case 0:
	default:
		h.t.Fatalf("agent status: status %d: %s", code, errs)
	}
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		h.t.Fatal(err)
	}
	return s
}

// until polls for something that another process does.
func until(t *testing.T, what string, limit time.Duration, done func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(limit)
	for !done() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%s: not within %s", what, limit)
		}
	}
}

func (h *home) server(environ ...string) (*mcpclient.Client, *exec.Cmd) {
	h.t.Helper()
	cmd := h.command(context.Background(), "memoryd", "serve")
	cmd.Env = append(cmd.Env, environ...)
	return mcpclient.Command(h.t, cmd), cmd
}

func gradeArgs(n int) args {
	return args{"agent_id": "ann", "commit_hash": fmt.Sprintf("%08x", n), "agent_grade": 1, "user_grade": 2}
}

// TestServerBuffersRecords: what a server is told is in its answers at once, in
// the registry on a push, at the end of the client, on SIGTERM, and of itself
// within five seconds; a bug at once.
func TestServerBuffersRecords(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c, _ := h.server()
	c.MustCall(t, "agent_record_grade", gradeArgs(1), nil)
	var s standing
	c.MustCall(t, "agent_status", args{"agent_id": "ann"}, &s)
	if s.CS != 3 || s.XP != 1 || s.Commits != 1 || s.Buffered != 1 {
		t.Errorf("the server says %+v", s)
	}
	if got := h.stands("ann"); got.CS != 0 {
		t.Errorf("stored at once: %+v", got)
	}
	h.ok("memoryd", "hook", "pre-push")
	until(t, "the flush on a push", 4*time.Second, func() bool { return h.stands("ann").CS == 3 })

	told := time.Now()
	c.MustCall(t, "agent_log_activity", args{"agent_id": "ann", "task": "x"}, nil)
	c.MustCall(t, "agent_record_grade", gradeArgs(2), nil)
	until(t, "the flush of itself", 10*time.Second, func() bool { return h.stands("ann").CS == 6 })
	if took := time.Since(told); took > 5*time.Second+slack {
		t.Errorf("stored after %s", took)
	}

	c.MustCall(t, "agent_record_grade", gradeArgs(3), nil)
	c.MustCall(t, "agent_report_bug", args{"agent_id": "ann", "note": "n"}, nil)
	if got := h.stands("ann"); got.CS != 9 || got.Bugs != 1 || !got.Halted {
		t.Errorf("after a bug: %+v", got)
	}
	if f := c.MustFail(t, "agent_record_grade", gradeArgs(3)); f.Kind != "ConflictError" {
		t.Errorf("graded twice: %+v", f)
	}
	c.MustCall(t, "agent_record_grade", gradeArgs(4), nil)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if got := h.stands("ann"); got.CS != 12 {
		t.Errorf("after the end of the client: %+v", got)
	}

	c, cmd := h.server()
	c.MustCall(t, "agent_record_grade", gradeArgs(5), nil)
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	until(t, "the flush on SIGTERM", 10*time.Second, func() bool { return h.stands("ann").CS == 15 })
}

// slack is what storing may take on a machine that is busy with other tests.
const slack = 1500 * time.Millisecond

// TestKilledServerLosesSeconds kills servers at random points: of what they were
// told longer ago than they buffer, nothing is lost; nor any bug; and what is
// stored is whole.
func TestKilledServerLosesSeconds(t *testing.T) {
	t.Parallel()
	const buffers = 200 * time.Millisecond
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	h := newHome(t)
	chance := rand.New(rand.NewPCG(9, 9))
	bugs := int64(0)
	for round := range rounds {
		name := fmt.Sprintf("agent-%d", round)
		c, cmd := h.server("AGIT_CFG_SERVER_FLUSH_AFTER=" + buffers.String())
		end := time.Now().Add(time.Duration(chance.IntN(500)) * time.Millisecond)
		if round%7 == 1 {
			end = end.Add(buffers + slack) // long enough for something to be sure
		}
		var told []time.Time
		for n := 0; time.Now().Before(end) || n == 0; n++ {
			call := gradeArgs(round*100_000 + n)
			call["agent_id"] = name
			c.MustCall(t, "agent_record_grade", call, nil)
			told = append(told, time.Now())
		}
		if round%4 == 0 {
			c.MustCall(t, "agent_report_bug", args{"agent_id": name}, nil)
			bugs++
		}
		must(t, cmd.Process.Kill())
		killed := time.Now()
		_ = c.Close() // it is gone
		sure := int64(0)
		for _, at := range told {
			if round%4 == 0 || killed.Sub(at) > buffers+slack {
				sure++
			}
		}
		got := h.stands(name)
		if got.Commits < sure || got.Commits > int64(len(told)) {
			t.Errorf("round %d: %d of %d grades are stored, %d are sure", round, got.Commits, len(told), sure)
		}
		// A grade is stored whole: three points of CS, one of XP, one commit.
		if got.CS != 3*got.Commits {
			t.Errorf("round %d: half of something is stored: %+v", round, got)
		}
	}
	var list struct{ Agents []standing }
	must(t, json.Unmarshal([]byte(h.ok("memoryd", "agent", "list", "--json")), &list))
	stored := int64(0)
	for _, s := range list.Agents {
		stored += s.Bugs
	}
	if stored != bugs {
		t.Errorf("%d bugs are stored, %d were told", stored, bugs)
	}
	h.sound()
}

// TestRecordsOfManyProcesses: servers and commands add to one agent's scores at
// once, and every tenth is there.
func TestRecordsOfManyProcesses(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const servers, commands, each = 3, 4, 10
	done := make(chan error)
	for n := range servers {
		c, _ := h.server("AGIT_CFG_SERVER_FLUSH_AFTER=50ms")
		go func() {
			for i := range each {
				if err := c.CallJSON(t.Context(), "agent_record_grade", gradeArgs(n*each+i), nil); err != nil {
					done <- err
					return
				}
			}
			done <- c.Close()
		}()
	}
	for range commands {
		go func() {
			for range each {
				if out, err := h.command(t.Context(), "memoryd", "hook", "tool", "--agent", "ann").CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "" {
					done <- fmt.Errorf("%w: %s", err, out)
					return
				}
			}
			done <- nil
		}()
	}
	for range servers + commands {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	// 30 XP of grades and 4 of uses: 10 buy SP 2, 20 buy SP 3, 4 are left.
	if got := h.stands("ann"); got.Commits != servers*each || got.CS != 3*servers*each || got.SP != 3 || got.XP != 4 {
		t.Errorf("%+v", got)
	}
}
