package conformance

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// A server that waits costs little: one runs for each agent and binary.
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

// Trap 4: clients that come and never say goodbye cost no memory in the end.
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

// Long use of one session must not grow it either: progress is not kept.
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

func BenchmarkRoundTrip(b *testing.B) {
	b.Run("stdio", func(b *testing.B) {
		cmd := exec.Command(fixture)
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		lines := bufio.NewReader(out)
		roundTrips(b, func() {
			_, _ = io.WriteString(in, callLine(1, "probe_echo", `{"text":"x"}`))
			if line, err := lines.ReadBytes('\n'); err != nil || !bytes.Contains(line, []byte(`"text":"x"`)) {
				b.Fatalf("%s %v", line, err)
			}
		})
		_ = in.Close()
		_ = cmd.Wait()
	})
	b.Run("http", func(b *testing.B) {
		s := serve(b, "http")
		session := []string{"Mcp-Session-Id", open(b, s.URL)}
		roundTrips(b, func() { body(b, send(b, "POST", s.URL, callLine(1, "probe_echo", `{"text":"x"}`), session...)) })
	})
	b.Run("start", func(b *testing.B) {
		roundTrips(b, func() { oneShot(b, hello) })
	})
}

// roundTrips reports the median, which a noisy machine moves least.
func roundTrips(b *testing.B, trip func()) {
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		trip()
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs/median")
	b.ReportMetric(0, "ns/op")
}
