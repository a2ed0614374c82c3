// Package idle keeps a program small that runs for days and does nothing most of
// the time: MCP servers, of which each agent has five, and the page. It is safe for
// concurrent use.
package idle

import (
	"os"
	"runtime/debug"
	"sync"
	"time"
)

// Tune makes the collector prefer memory to the last microsecond of a call. GOGC and
// GOMEMLIMIT in the environment win.
var Tune = sync.OnceFunc(func() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50) // the live heap is about 2 MB: twice the collections cost nothing
	}
})

// after is how long a program has been quiet before its memory goes back to the
// system: the runtime alone would keep a burst's heap for minutes.
const after = 10 * time.Second

// Trimmer returns memory once nothing has happened for ten seconds. It runs a timer,
// no goroutine, and does nothing in a program that stays idle. The zero value works.
type Trimmer struct {
	Quiet func() // runs first; may be nil
	mu    sync.Mutex
	timer *time.Timer
}

// Touch says that something happened.
func (t *Trimmer) Touch() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer == nil {
		t.timer = time.AfterFunc(after, t.trim)
		return
	}
	t.timer.Reset(after)
}

// Stop forgets what happened.
func (t *Trimmer) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
	}
}

func (t *Trimmer) trim() {
	if t.Quiet != nil {
		t.Quiet()
	}
	debug.FreeOSMemory()
}
