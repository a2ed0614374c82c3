package mcpkit

import (
	"os"
	"runtime/debug"
	"sync"
	"time"
)

// tuneMemory keeps a server small. Five servers for each of several agents run
// on one machine, each idle nearly always: memory matters more than the last
// microsecond of a call. GOGC and GOMEMLIMIT in the environment win.
var tuneMemory = sync.OnceFunc(func() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50) // the live heap is about 2 MB: twice the collections cost nothing
	}
})

// idleTrim returns memory back to the system once the server has been quiet for a
// while after a burst: the runtime alone would keep a burst's heap for minutes.
const idleTrim = 10 * time.Second

// trimmer calls FreeOSMemory when nothing has happened for idleTrim. It runs a
// timer, no goroutine, and does nothing on a server that stays idle.
type trimmer struct {
	quiet func() // runs first; may be nil
	mu    sync.Mutex
	timer *time.Timer
}

func (t *trimmer) touch() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer == nil {
		t.timer = time.AfterFunc(idleTrim, t.trim)
		return
	}
	t.timer.Reset(idleTrim)
}

func (t *trimmer) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
	}
}

func (t *trimmer) trim() {
	if t.quiet != nil {
		t.quiet()
	}
	debug.FreeOSMemory()
}
