// Package idle keeps the memory of long-running, mostly idle programs small: the MCP servers, five for each agent, and the page. It is safe
// for concurrent use.
package idle

import (
	"os"
	"runtime/debug"
	"sync"
	"time"
)

// Tune makes the garbage collector save memory, even if a call then takes some microseconds longer. GOGC and GOMEMLIMIT in the environment
// win.
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

// Touch notes that something happened, and starts the ten seconds anew.
func (t *Trimmer) Touch() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer == nil {
		t.timer = time.AfterFunc(after, t.trim)
		return
	}
	t.timer.Reset(after)
}

// Stop stops the timer.
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
