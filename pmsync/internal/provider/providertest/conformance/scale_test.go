package conformance_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// harnesses are the trackers, and how many requests a minute each allows.
var harnesses = map[provider.Name]struct {
	make      func() conformance.Harness
	perMinute float64
}{
	provider.Linear:      {conformance.Linear, 2500.0 / 60},
	provider.Jira:        {conformance.Jira, 100 * 60},
	provider.Asana:       {conformance.Asana, 1500},
	provider.AzureDevOps: {conformance.AzureDevOps, 200 * 60 / 5},
	provider.GitHub:      {conformance.GitHub, 5000.0 / 60},
}

// TestMain serves a tracker full of items when it is asked to: the server must not
// count in the memory of the client.
func TestMain(m *testing.M) {
	name, size, serve := strings.Cut(os.Getenv("PMSYNC_TEST_SERVE"), " ")
	if !serve {
		os.Exit(m.Run())
	}
	n, err := strconv.Atoi(size)
	listener, listenErr := net.Listen("tcp", "127.0.0.1:0")
	if err != nil || listenErr != nil {
		fmt.Fprintln(os.Stderr, err, listenErr)
		os.Exit(1)
	}
	clock := providertest.NewClock(time.Now().Add(-time.Hour))
	world := harnesses[provider.Name(name)].make().World(clock, 0)
	body := strings.Repeat("A sentence of a description. ", 30)
	for i := range n {
		world.Add(providertest.Spec{Title: fmt.Sprint("Ticket ", i), Body: body, Priority: i % 5, Labels: world.Labels()[:2], Assignee: world.People()[i%2]})
		if i%10 == 0 {
			clock.Advance(50 * time.Millisecond)
		}
	}
	clock.Advance(time.Hour)
	fmt.Println("http://" + listener.Addr().String())
	_ = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // until the test kills it
		clock.Advance(2 * time.Second) // so that no limit holds
		world.ServeHTTP(w, r)
	}))
}

// served starts a tracker with n items in a process of its own.
func served(tb testing.TB, name provider.Name, n int) (url string) {
	tb.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("PMSYNC_TEST_SERVE=%s %d", name, n))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// firstPull pulls everything and keeps nothing. It returns the largest heap that was in
// use, in megabytes.
func firstPull(tb testing.TB, name provider.Name, url string, n int) (heap float64, stats transport.Stats) {
	tb.Helper()
	h := harnesses[name].make()
	p, err := h.Client(url, h.Secret, h.Mapping, transport.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	items, pages := 0, 0
	err = p.Pull(context.Background(), provider.Pull{}, func(page provider.Page) error {
		items += len(page.Items)
		if pages++; pages%20 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			heap = max(heap, float64(m.HeapInuse)/(1<<20))
		}
		return nil
	})
	if err != nil || items != n {
		tb.Fatalf("%s: %d of %d items, %v", name, items, n, err)
	}
	if s, ok := p.(interface{ Stats() transport.Stats }); ok {
		stats = s.Stats()
	}
	return heap, stats
}

// A pull holds one page, however many tickets there are.
func TestMemoryOfPull(t *testing.T) {
	for name := range harnesses {
		t.Run(string(name), func(t *testing.T) {
			n := 10_000
			if testing.Short() {
				n = 2_000
			}
			if heap, _ := firstPull(t, name, served(t, name, n), n); heap > 60 {
				t.Errorf("%.0f MB for %d items", heap, n)
			}
		})
	}
}

// BenchmarkFirstPull: our processor time for a first pull of 50,000 tickets, beside
// the time that the tracker's rate limit makes its requests take; heap-MB is the
// largest heap in use.
func BenchmarkFirstPull(b *testing.B) {
	const n = 50_000
	for name, h := range harnesses {
		b.Run(string(name), func(b *testing.B) {
			url := served(b, name, n)
			for b.Loop() {
				before := processorTime()
				heap, stats := firstPull(b, name, url, n)
				used := processorTime() - before
				limit := float64(stats.Requests) / h.perMinute * 60
				b.ReportMetric(heap, "heap-MB")
				b.ReportMetric(float64(stats.Requests), "requests")
				b.ReportMetric(used.Seconds(), "cpu-s")
				b.ReportMetric(used.Seconds()/limit, "cpu-x-limit")
				b.ReportMetric(100*stats.Waited.Seconds()/max(b.Elapsed().Seconds(), 1e-9), "waited-%")
			}
		})
	}
}
