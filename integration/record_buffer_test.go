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

// standing is the output of `memoryd agent status`.
type standing struct {
	SP, CS, Commits, Bugs int64
	XP                    float64
	Halted                bool
	Buffered              int
}

// stands returns memoryd's status of an agent; the zero value while it is unknown.
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

func (h *home) server(environ ...string) (*mcpclient.Client, *exec.Cmd) {
	h.t.Helper()
	cmd := h.command(context.Background(), "memoryd", "serve")
	cmd.Env = append(cmd.Env, environ...)
	return mcpclient.Command(h.t, cmd), cmd
}

func gradeArgs(n int) args {
	return args{"agent_id": "ann", "commit_hash": fmt.Sprintf("%08x", n), "agent_grade": 1, "user_grade": 2}
}

// TestServerBuffersRecords: records sent to a server are in its answers at once, and in the registry after a push, at the client's end,
// on SIGTERM, and after a while; a bug at once.
func TestServerBuffersRecords(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c, _ := h.server("AGIT_CFG_SERVER_FLUSH_AFTER=5s")
	told := time.Now()
	early := func() bool { return time.Since(told) < 4*time.Second } // a slow machine may have stored it already
	c.MustCall(t, "agent_record_grade", gradeArgs(1), nil)
	var s standing
	c.MustCall(t, "agent_status", args{"agent_id": "ann"}, &s)
	if s.CS != 3 || s.XP != 1 || s.Commits != 1 || s.Buffered != 1 && early() {
		t.Errorf("the server says %+v", s)
	}
	if got := h.stands("ann"); got.CS != 0 && early() {
		t.Errorf("stored at once: %+v", got)
	}
	h.ok("memoryd", "hook", "pre-push")
	within(t, "the flush on a push", func() bool { return h.stands("ann").CS == 3 })

	c.MustCall(t, "agent_log_activity", args{"agent_id": "ann", "task": "x"}, nil)
	c.MustCall(t, "agent_record_grade", gradeArgs(2), nil)
	within(t, "the flush of itself", func() bool { return h.stands("ann").CS == 6 })

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
	within(t, "the flush on SIGTERM", func() bool { return h.stands("ann").CS == 15 })
}

// TestKilledServerLosesSeconds kills servers at random points: stored records stay complete, and no bug is lost.
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
		told, sure := int64(0), int64(0)
		tell := func(n int) {
			for range n {
				call := gradeArgs(round*100_000 + int(told))
				call["agent_id"] = name
				c.MustCall(t, "agent_record_grade", call, nil)
				told++
			}
		}
		tell(1 + chance.IntN(200))
		if round%7 == 1 { // stored after a while, without another call
			sure = told
			within(t, "the flush of itself", func() bool { return h.stands(name).Commits == sure })
			tell(chance.IntN(20))
		}
		if round%4 == 0 {
			c.MustCall(t, "agent_report_bug", args{"agent_id": name}, nil)
			bugs++
			sure = told
		}
		must(t, cmd.Process.Kill())
		_ = c.Close() // it is gone
		got := h.stands(name)
		if got.Commits < sure || got.Commits > told {
			t.Errorf("round %d: %d of %d grades are stored, %d are sure", round, got.Commits, told, sure)
		}
		// A grade is stored as a whole: three points of CS, one of XP, one commit.
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

// TestRecordsOfManyProcesses: servers and commands add to one agent's scores at once, and every tenth is counted.
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
