package conformance

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/agit-suite/agit/integration/mcpclient"
	"github.com/agit-suite/agit/shared/benchtest"
)

// A waiting server costs little; one runs for each agent and binary.
func TestIdleMemory(t *testing.T) {
	cmd := exec.Command(fixture, "-minimal")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	_, _ = io.WriteString(in, hello+callLine(1, "probe_echo", `{"text":"x"}`))
	for range 2 {
		if _, err := lines.ReadBytes('\n'); err != nil {
			t.Fatal(err)
		}
	}
	mb := mcpclient.Resident(t, cmd.Process.Pid)
	t.Logf("idle: %.1f MB", mb)
	if mb > 15 {
		t.Errorf("an idle server takes %.1f MB; at most 15 are allowed", mb)
	}
	_ = in.Close()
	_ = cmd.Wait()
}

// Trap 4: clients that vanish without closing cost no memory in the long run.
func TestSessionMemory(t *testing.T) {
	s := serve(t, "http", "-minimal")
	var after []float64
	for range 3 {
		floodSessions(t, s.URL, 10_000)
		after = append(after, mcpclient.Resident(t, s.Cmd.Process.Pid))
	}
	t.Logf("after each 10,000 sessions: %.1f MB", after)
	if last := after[len(after)-1]; last > 40 || last > after[0]*1.25 {
		t.Errorf("memory grows with sessions: %.1f MB", after)
	}
}

func floodSessions(t testing.TB, url string, n int) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	defer client.CloseIdleConnections()
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for range n / 8 {
				r, err := client.Post(url, "application/json", strings.NewReader(firstLine))
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, r.Body)
				_ = r.Body.Close()
			}
		})
	}
	workers.Wait()
}

// Long use of one session must not increase its memory: progress is not kept.
func TestProgressMemory(t *testing.T) {
	s := serve(t, "http", "-minimal")
	session := []string{"Mcp-Session-Id", open(t, s.URL)}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"probe_steps","arguments":{"steps":100},"_meta":{"progressToken":1}}}`
	var after []float64
	for range 3 {
		var calls sync.WaitGroup
		for range 8 {
			calls.Go(func() {
				for range 25 {
					if got := body(t, send(t, "POST", s.URL, call, session...)); !strings.Contains(got, `"done":100`) {
						t.Error(got)
					}
				}
			})
		}
		calls.Wait()
		after = append(after, mcpclient.Resident(t, s.Cmd.Process.Pid))
	}
	t.Logf("after each 20,000 notifications: %.1f MB", after)
	if last := after[len(after)-1]; last > 40 || last > after[0]*1.25 {
		t.Errorf("memory grows with progress: %.1f MB", after)
	}
}

// BenchmarkRoundTrip: a tool call and its answer, beside the same bytes through cat and a bare HTTP handler; and a server's start to
// its first answer, beside the start of cat.
func BenchmarkRoundTrip(b *testing.B) {
	call := callLine(1, "probe_echo", `{"text":"x"}`)
	b.Run("stdio", func(b *testing.B) {
		benchtest.Beside(b, "cat", piped(b, exec.Command(fixture), call), piped(b, exec.Command("cat"), call))
	})
	b.Run("http", func(b *testing.B) {
		s := serve(b, "http")
		session := []string{"Mcp-Session-Id", open(b, s.URL)}
		echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }))
		defer echo.Close()
		benchtest.Beside(b, "handler",
			benchtest.Of(func() error { body(b, send(b, "POST", s.URL, call, session...)); return nil }),
			benchtest.Of(func() error { body(b, send(b, "POST", echo.URL, call)); return nil }))
	})
	b.Run("start", func(b *testing.B) {
		benchtest.Beside(b, "cat", benchtest.Of(func() error { oneShot(b, hello); return nil }), benchtest.Of(func() error {
			cmd := exec.Command("cat")
			cmd.Stdin = strings.NewReader(hello)
			_, err := cmd.Output()
			return err
		}))
	})
}

// piped sends a line to a running program and waits for its answer line.
func piped(b *testing.B, cmd *exec.Cmd, line string) benchtest.Side {
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	lines := bufio.NewReader(out)
	return benchtest.Of(func() error {
		_, _ = io.WriteString(in, line)
		answer, err := lines.ReadBytes('\n')
		if err == nil && !bytes.Contains(answer, []byte(`"text":"x"`)) {
			err = errors.New(string(answer))
		}
		return err
	})
}
