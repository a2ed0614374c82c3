package webtest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/agit-suite/agit/shared/benchtest"
)

// The sizes of a large project.
const (
	manyTasks, manyMemories, manyWorktrees = 10_000, 2_000, 50
)

func newLarge(b testing.TB) *project {
	p := newProject(b)
	var tasks, memories strings.Builder
	for i := range 20 {
		fmt.Fprintf(&tasks, "{\"kind\": \"epic\", \"id\": \"E-%d\", \"name\": \"Epic %d\"}\n", i, i)
	}
	for i := range manyTasks {
		fmt.Fprintf(&tasks, "{\"id\": \"T-%d\", \"name\": \"Task %d of a large project\", \"epic\": \"E-%d\"", i, i, i%20)
		if i%7 != 0 {
			fmt.Fprintf(&tasks, ", \"dependsOn\": [\"T-%d\"]", i-1)
		}
		tasks.WriteString("}\n")
	}
	for i := range manyMemories {
		fmt.Fprintf(&memories, "{\"memory_type\": \"pattern\", \"key\": \"k-%d\", \"content\": \"number %d is %x and nothing else\"}\n", i, i, i*7919)
	}
	p.feed(tasks.String(), "agit", "import", "-", "--repo", "app", "--quiet")
	p.feed(memories.String(), "memoryd", "remember", "-", "--quiet")
	for i := range manyWorktrees {
		dir := p.spawn(fmt.Sprintf("agent-%02d", i), fmt.Sprintf("T-%d", i*7))
		edit(b, dir, []string{"login.go", "upload.go", "export.go"}[i%3], fmt.Sprintf("// agent %d", i))
	}
	return p
}

// BenchmarkLargeProject: the page at 10,000 tasks, 2,000 memories and 50 worktrees until a view is complete, beside an empty page in
// the same browser. It also reports the longest frame while scrolling, the server's use, and the cost of an open page without changes.
func BenchmarkLargeProject(b *testing.B) {
	browser(b)
	large := newLarge(b)
	s := serve(b, large.home, large.dir)
	p := openBrowser(b, s)
	p.looks(1280, 800, "light")
	p.open("/")
	p.has("conflicts")
	for _, view := range []struct{ path, ready, list string }{
		{"board", `document.querySelectorAll(".grid .row").length > 5`, "#lane-waits"}, {"graph?epic=E-3", `document.querySelectorAll(".node").length > 5 && !document.querySelector("[aria-busy]")`, ".canvas"},
		{"memories", `document.querySelectorAll(".grid .row").length > 5`, "#memories"}, {"conflicts", `document.querySelector(".pairs")`, ".scroll"},
	} {
		b.Run(strings.TrimSuffix(view.path, "?epic=E-3"), func(b *testing.B) {
			p := &page{t: b, ctx: p.ctx, server: s, said: p.said}
			benchtest.Beside(b, "bare-page", benchtest.Of(func() error {
				p.do(chromedp.Navigate(s.base + "/" + view.path))
				p.until(view.ready)
				return nil
			}), benchtest.Of(func() error { p.do(chromedp.Navigate("data:text/html,<p>nothing")); return nil }))
			p.do(chromedp.Navigate(s.base + "/" + view.path)) // either came last
			p.until(view.ready)
			b.ReportMetric(eval[float64](p, `document.getElementsByTagName("*").length`), "elements")
			b.ReportMetric(eval[float64](p, `performance.memory.usedJSHeapSize / 1e6`), "MB-heap")
			eval[bool](p, `(() => {
				window.worst = 0; window.frames = 0; let last = performance.now();
				const list = document.querySelector("`+view.list+`");
				const step = (now) => { window.worst = Math.max(window.worst, now - last); last = now; list.scrollTop += 700; if (++window.frames < 60) requestAnimationFrame(step); };
				requestAnimationFrame((now) => { last = now; requestAnimationFrame(step); });
				return true;
			})()`)
			p.until(`window.frames >= 60`)
			b.ReportMetric(eval[float64](p, `window.worst`), "ms-worst-frame")
		})
	}
	pid := s.cmd.Process.Pid // agit web becomes agit-web
	b.Run("idle", func(b *testing.B) {
		p := &page{t: b, ctx: p.ctx, server: s, said: p.said}
		p.do(chromedp.Navigate(s.base + "/"))
		p.until(`document.querySelector(".live.good")`)
		wait := time.NewTimer(20 * time.Second) // for the scan of 50 worktrees and the release of memory
		<-wait.C
		var used, passed float64
		for b.Loop() {
			before, began := cpuOf(b, pid), time.Now()
			<-time.After(10 * time.Second)
			used, passed = used+cpuOf(b, pid)-before, passed+time.Since(began).Seconds()
		}
		b.ReportMetric(100*used/passed, "%-of-a-core")
		b.ReportMetric(rssOf(b, pid), "MB-resident")
		b.ReportMetric(0, "ns/op")
	})
}

// cpuOf returns the processor time of a process in seconds.
func cpuOf(b testing.TB, pid int) float64 {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+2:]))
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}

func rssOf(b testing.TB, pid int) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1024
		}
	}
	return 0
}
