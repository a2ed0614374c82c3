package top

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/vt"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
)

// seen returns what a terminal shows, a line for each row.
func seen(mock vt.MockTerm) string {
	var b strings.Builder
	size := mock.Backend().GetSize()
	for y := range size.Y {
		for x := range size.X {
			if c := mock.GetCell(vt.Coord{X: x, Y: y}); c.W > 0 || c.C == "" {
				b.WriteString(c.C)
				if c.C == "" {
					b.WriteByte(' ')
				}
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestApp runs the whole loop on a terminal inside the test, over a real registry.
func TestApp(t *testing.T) {
	f := worktreetest.New(t)
	tasks := &task.Store{DB: f.DB}
	f.Reopen(tasks)
	over := overview.New(overview.Options{DB: f.DB, Conflicts: &conflict.Store{DB: f.DB, CacheDir: t.TempDir()}, StaleAfter: time.Hour})
	ctx, end := context.WithCancel(t.Context())
	watched := make(chan error, 1)
	go func() { watched <- over.Run(ctx) }()

	mock := vt.NewMockTerm(vt.MockOptSize{X: 80, Y: 24})
	screen, err := tcell.NewTerminfoScreenFromTty(mock, tcell.OptNegotiation(false))
	worktreetest.Must(t, err)
	worktreetest.Must(t, screen.Init())
	defer screen.Fini()
	a := &app{screen: screen, model: newModel(false), over: over, states: make(chan overview.State), results: make(chan result)}
	a.does = &doer{send: a.send}
	done := make(chan error, 1)
	go func() { done <- a.run(ctx) }()
	defer func() {
		end()
		worktreetest.Must(t, <-watched)
	}()
	until := func(text string) {
		t.Helper()
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			if strings.Contains(seen(mock), text) {
				return
			}
			select {
			case err := <-done:
				t.Fatalf("waiting for %q, the screen ended: %v", text, err)
			case <-t.Context().Done():
				t.Fatalf("%q never came:\n%s", text, seen(mock))
			case <-tick.C:
			}
		}
	}
	until("No agent works here yet.")
	_, err = tasks.Create(t.Context(), []task.New{{Repo: "app", Text: "家族 👩‍👩‍👧 🇩🇪 ❤️ names"}})
	worktreetest.Must(t, err)
	until("ready 1")
	f.Spawn(spawn.Request{Task: "Log in", Agent: "ann"})
	until("> ann  working")
	mock.SendRaw([]byte("?"))
	until("j k, arrows")
	mock.SendRaw([]byte("?5"))
	until("> t-")
	mock.SetSize(vt.Coord{X: 40, Y: 10})
	until("q quit")
	mock.SendRaw([]byte("/nothing\r"))
	until(`No row holds "nothing"`)
	mock.SendRaw([]byte("q"))
	worktreetest.Must(t, <-done)
}
