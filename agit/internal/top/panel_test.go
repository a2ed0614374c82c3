package top

import (
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
)

// Lines of a log reach the panel that shows it, however fast they are read.
func TestLogPanel(t *testing.T) {
	home := t.TempDir()
	log, err := runlog.Create(home, "w-1", runlog.Work)
	worktreetest.Must(t, err)
	_, _ = log.Write([]byte("first\nlast\n"))
	worktreetest.Must(t, log.Close())
	for range 50 {
		a := &app{model: newModel(false), results: make(chan result)}
		a.does = &doer{home: home, send: a.send}
		a.begin(t.Context(), order{do: showLog, about: &row{worktree: "w-1", name: "one"}})
		for a.model.open == nil || len(a.model.open.lines) == 0 {
			a.take(<-a.results)
		}
		if got := a.model.open.lines; !slices.Equal(got, []string{"first", "last"}) {
			t.Fatalf("the panel holds %q", got)
		}
		a.model.closePanel()
		a.acting.Wait()
	}
}

// The panel of a failed landing holds the reason: the end of the gate's output.
func TestLandingPanel(t *testing.T) {
	home := t.TempDir()
	log, err := runlog.Create(home, "w-1", runlog.Gate)
	worktreetest.Must(t, err)
	_, _ = log.Write([]byte(strings.Repeat("fine\n", 100) + "TestApi failed\n"))
	worktreetest.Must(t, log.Close())
	file, err := runlog.Latest(home, "w-1", runlog.Gate)
	worktreetest.Must(t, err)
	d := &doer{}
	got := strings.Join(d.landing(overview.Landing{Name: "old-api", State: "returned", Gate: "make test", Reason: "gate failed: make test", Log: file.Path}).lines, "\n")
	if !strings.Contains(got, "\n  TestApi failed") || strings.Count(got, "fine") != gateLines-1 {
		t.Errorf("the panel holds\n%s", got)
	}
	got = strings.Join(d.landing(overview.Landing{Name: "old-api", State: "returned", Log: file.Path + "x"}).lines, "\n")
	if got != "It is returned." {
		t.Errorf("without its log it holds\n%s", got)
	}
}

// A search leads to the visible line with the text, also where lines are wrapped.
func TestSearchInWrappedText(t *testing.T) {
	p := &panel{wrap: true}
	for range 20 {
		p.add(strings.Repeat("words that go on ", 10))
	}
	p.add("the needle")
	p.add(strings.Repeat("and further words\n", 40))
	const width, height = 30, 5
	p.search("needle", height, width)
	if got := p.laidOut(width)[p.top]; got != "the needle" {
		t.Errorf("line %d is in sight: %q", p.top, got)
	}
}

// An agent's question is shown whole, with what to do about it, however narrow the screen is and whether a task belongs to it or not.
func TestWhyItNeedsYou(t *testing.T) {
	s := full()
	s.Needs[0].Reason, s.Needs[0].Task, s.Needs[0].Next = "asks: run \""+strings.Repeat("cmake --build . && ", 12)+"ctest\"?", "", "answer it in its window"
	m := sized(40, 24, s)
	if order := press(m, "w"); order.do != showWhy || order.about.need == nil {
		t.Fatalf("w asks for %+v", order)
	}
	for _, do := range []command{showWhy, showOpen} {
		done := (&doer{}).do(t.Context(), do, *m.row(), "")
		if done.err != nil {
			t.Fatal(done.err)
		}
		m.open = done.panel
		got := strings.Join(strings.Fields(drawn(m)), " ")
		for _, want := range []string{"cyd fix-upload waiting for you since ", `&& ctest"?`, "What to do: answer it in its window."} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not in the panel\n%s", want, drawn(m))
			}
		}
	}
}

// The reason why a landing was returned appears once, beside what to do.
func TestWhyALandingNeedsYou(t *testing.T) {
	m := sized(80, 24, full())
	press(m, "j", "j")
	done := (&doer{}).do(t.Context(), showWhy, *m.row(), "")
	if done.err != nil {
		t.Fatal(done.err)
	}
	if got := strings.Join(done.panel.lines, "\n"); strings.Count(got, "gate failed: make test") != 1 || !strings.Contains(got, "returned since ") {
		t.Errorf("the panel holds\n%s", got)
	}
}
