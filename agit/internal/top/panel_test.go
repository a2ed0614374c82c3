package top

import (
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/runlog"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
)

// What a log holds reaches the panel that shows it, however fast it is read.
func TestLogPanel(t *testing.T) {
	home := t.TempDir()
	log, err := runlog.Create(home, "w-1", runlog.Work)
	worktreetest.Must(t, err)
	_, _ = log.Write([]byte("first\nlast\n"))
	worktreetest.Must(t, log.Close())
	for range 50 {
		a := &app{model: newModel(false), results: make(chan result)}
		a.does = &doer{home: home, send: a.send}
		a.begin(t.Context(), showLog, row{worktree: "w-1", name: "one"}, "")
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

// A search leads to the line in sight that holds the text, also where lines are wrapped.
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
